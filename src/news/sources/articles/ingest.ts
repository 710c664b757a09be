import type { SqlRunner } from '../../../database/database.js';
import type { ParsedFeed, ParsedItem } from '../../feed-parser/parsed-feed.js';
import { md5, partOf } from '../../feed-parser/items/item-identity.js';
import { MOST_ITEMS } from '../../feed-parser/items/newest-items.js';
import { announceSource } from '../../reader/delivery/announcements.js';
import {
  insertArticles,
  noteIdentity,
  updateArticles,
  type ListedArticle,
  type NewArticle,
} from './article-writes.sql.js';
import { newestOf, takeFromDailyLimit } from './daily-limit.sql.js';
import { knownArticles, type KnownArticle } from './known-articles.sql.js';
import { matchArticles, type Match } from './match-articles.js';
import { nameArticles, type ArticleName } from './name-articles.js';

export interface Ingested {
  readonly newItems: number;
  readonly changedItems: number;
  /** New items that were left for a later day, because the source added too many in this one. */
  readonly postponedItems: number;
}

export const NOTHING_INGESTED: Ingested = { newItems: 0, changedItems: 0, postponedItems: 0 };

/** A match of an item with an article that is stored. */
interface StoredMatch extends ListedArticle {
  readonly article: KnownArticle;
}

/**
 * Writes what a document lists: new articles, changes of those that are stored, and which articles
 * the publisher lists now. To be called under the lock of the source.
 *
 * @param listing ids of the articles that the document before listed
 * @param mostNewInADay how many articles a source may add in a day
 */
export async function ingest(
  tx: SqlRunner,
  sourceId: number,
  listing: readonly number[],
  { feed, bodyHash }: { readonly feed: ParsedFeed; readonly bodyHash: Buffer },
  mostNewInADay: number,
): Promise<Ingested> {
  const known = await knownArticles(tx, sourceId, listing, feed.items);
  const matches = matchArticles(feed.items, known);
  const stored = matches.flatMap(toStored);
  const changed = stored.filter(({ article, item }) => article.contentHash !== item.contentHash);
  const unknown = matches.filter(({ article }) => article === null || article.isRemoved);
  const room = await takeFromDailyLimit(tx, sourceId, unknown.length, mostNewInADay);
  const taken = newestOf(
    unknown.map(({ item }) => item),
    room,
  );
  const postponedItems = unknown.length - taken.size;
  // Publishers list the newest entry first; the newest is to get the highest id.
  const fresh = await named(
    tx,
    sourceId,
    unknown.filter(({ item }) => taken.has(item)).toReversed(),
    new Set(known.map(({ guidHash }) => guidHash)),
  );
  const listedNow = new Set(stored.map(({ id }) => id));
  const missing = listing.filter((id) => !listedNow.has(id)).toSorted((a, b) => b - a);
  // What a cut document does not list may stand behind the cut and counts as listed. There is a limit
  // to it, since every document of a source may be cut: the newest, up to what a document may list.
  const behindCut = feed.cut ? Math.max(MOST_ITEMS - listedNow.size - fresh.length, 0) : 0;
  const kept = missing.slice(0, behindCut);
  const left = missing.slice(behindCut);

  const moves = fresh.length > 0 || changed.length > 0 || left.length > 0;
  if (moves) {
    await moveOn(tx, sourceId);
  }
  const created = await insertArticles(tx, sourceId, fresh);
  await updateArticles(tx, sourceId, changed);
  await noteIdentity(tx, stored.filter(isToBeNoted));

  const back = [
    ...stored.filter(({ article }) => !article.wasListed).map(({ id }) => id),
    ...created.filter((_, place) => fresh[place]?.removed),
  ];
  if ((await deliverLate(tx, sourceId, back)) && !moves) {
    await moveOn(tx, sourceId);
  }
  const articleIds = [...listedNow, ...kept, ...created].toSorted((a, b) => a - b);
  // What was postponed is still in the document: the same bytes have to be read again.
  const readHash = postponedItems > 0 ? Buffer.alloc(bodyHash.length) : bodyHash;
  await noteDocument(tx, sourceId, { feed, bodyHash: readHash, articleIds, left });
  return { newItems: fresh.length, changedItems: changed.length, postponedItems };
}

function toStored({ item, article, byEvidence }: Match<ParsedItem, KnownArticle>): StoredMatch[] {
  return article === null || article.isRemoved
    ? []
    : [{ item, article, byEvidence, id: article.id, guidHash: article.guidHash }];
}

/** New articles with their names; removed ones with those they had. */
async function named(
  tx: SqlRunner,
  sourceId: number,
  matches: readonly Match<ParsedItem, KnownArticle>[],
  taken: ReadonlySet<string>,
): Promise<NewArticle[]> {
  const items = matches.filter(({ article }) => article === null).map(({ item }) => item);
  const names = await nameArticles(tx, sourceId, items, taken);
  const nameOf = new Map(items.map((item, place) => [item, names[place]]));
  return matches.map(({ item, article, byEvidence }) => ({
    item,
    byEvidence,
    removed: article,
    name: nameOf.get(item) ?? formerName(item, article),
  }));
}

/** A tombstone has the guid of an article itself only where the guid was not its key. */
function formerName(item: ParsedItem, removed: KnownArticle | null): ArticleName {
  const guid =
    removed?.guid ??
    item.lookup.derivedGuids.find((derived) => md5(derived) === removed?.guidHash) ??
    item.guid;
  return { guid, guidHash: removed?.guidHash ?? item.guidHash };
}

/**
 * Whether what an article is found and compared by is not what is stored. Of the parts of the
 * evidence the date alone is no content: a new one does not change the article.
 */
function isToBeNoted({ article, item, byEvidence }: StoredMatch): boolean {
  const { keyHash, evidence } = item.lookup;
  return (
    article.contentHash === item.contentHash &&
    ((article.keyHash ?? article.guidHash) !== keyHash ||
      article.dateEvidence !== partOf(evidence, 'date') ||
      (byEvidence && article.notedEvidence !== evidence))
  );
}

async function moveOn(tx: SqlRunner, sourceId: number): Promise<void> {
  await tx.query('update source set rev = rev + 1 where id = $1', [sourceId]);
  await announceSource(tx, sourceId);
}

/**
 * Articles that are listed again are new to those who followed the source while it did not list
 * them, and to nobody else. Includes feeds that were not delivered to yet: their first delivery may
 * be under way, and have read the list before this.
 *
 * @returns whether there is any such feed
 */
async function deliverLate(
  tx: SqlRunner,
  sourceId: number,
  articleIds: readonly number[],
): Promise<boolean> {
  if (articleIds.length === 0) {
    return false;
  }
  const rows = await tx.query(
    `insert into late_delivery (subscription_id, article_id)
     select s.id, article.id
       from article join subscription s on s.source_id = article.source_id
      where article.source_id = $1 and article.id = any($2::bigint[])
        and (s.started_rev >= article.unlisted_rev or s.delivered_rev < 0)
        and not exists (select from item where item.subscription_id = s.id
                                           and item.article_id = article.id)
     on conflict do nothing returning 1`,
    [sourceId, articleIds],
  );
  return rows.length > 0;
}

/** @param document `left` are ids of articles that the document before listed, and this one not */
async function noteDocument(
  tx: SqlRunner,
  sourceId: number,
  document: {
    readonly feed: ParsedFeed;
    readonly bodyHash: Buffer;
    readonly articleIds: readonly number[];
    readonly left: readonly number[];
  },
): Promise<void> {
  const { feed, bodyHash, articleIds, left } = document;
  await tx.query(
    `with unlisted as (
       update article set unlisted_rev = source.rev from source
        where source.id = $1 and article.source_id = $1 and article.id = any($4::bigint[])
     )
     insert into source_document (source_id, body_hash, article_ids) values ($1, $2, $3)
     on conflict (source_id) do update
        set body_hash = excluded.body_hash, article_ids = excluded.article_ids,
            listed_at = case when source_document.article_ids = excluded.article_ids
                          then source_document.listed_at else now() end`,
    [sourceId, bodyHash, articleIds, left],
  );
  await tx.query(
    // A cut document may lack what stands behind its items: what was known of the feed stays.
    `update source set title = case when $7 and $2 = '' then title else $2 end,
                       link = case when $7 then coalesce($3, link) else $3 end,
                       largest_document = greatest(largest_document, $4),
                       publishing_hints = $5, warning = $6
      where id = $1`,
    [
      sourceId,
      feed.title,
      feed.link,
      feed.items.length,
      JSON.stringify(feed.publishing),
      feed.warning,
      feed.cut,
    ],
  );
}

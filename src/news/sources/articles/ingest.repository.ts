import type { SqlRunner } from '../../../database/database.js';
import type { ParsedFeed, ParsedItem } from '../../feed-parser/parsed-feed.js';
import { md5, partOf } from '../../feed-parser/items/item-identity.js';
import { MOST_ITEMS } from '../../feed-parser/items/newest-items.js';
import {
  deliverLate,
  insertArticles,
  noteIdentity,
  unlistArticles,
  updateArticles,
  writeDocument,
  type ListedArticle,
  type NewArticle,
} from './article-writes.sql.js';
import type { Ingested, LockedSource } from './fetch-record.sql.js';
import { knownArticles, takenGuidHashes, type KnownArticle } from './known-articles.sql.js';
import { matchArticles, type Match } from './match-articles.js';
import { nameArticles, type ArticleName } from './name-articles.js';
import { newestOf, startRevision } from './start-revision.sql.js';

/** An item of the document and the stored article that it is. */
interface StoredMatch extends ListedArticle {
  readonly article: KnownArticle;
}

/** Enough articles to estimate how often a publisher writes. */
const RHYTHM_ARTICLES = 30;

/**
 * Writes what a document lists: new articles, changes of stored ones, and which articles are listed
 * now. To be called under the lock of the source.
 *
 * @param mostNewPerDay how many articles a source may add in a day
 * @see docs/decisions/0023-identity-of-articles.md
 */
export async function ingest(
  tx: SqlRunner,
  sourceId: number,
  locked: LockedSource,
  { feed, bodyHash }: { readonly feed: ParsedFeed; readonly bodyHash: Buffer },
  mostNewPerDay: number,
): Promise<Ingested> {
  const known = await knownArticles(tx, sourceId, locked, feed.items);
  const matches = matchArticles(feed.items, known);
  const stored = matches.flatMap(toStored);
  const changed = stored.filter(({ article, item }) => article.contentHash !== item.contentHash);
  const unknown = matches.filter(({ article }) => article === null || article.isRemoved);
  const unpublished = known.filter(({ rev }) => rev > locked.rev);
  const listedNow = new Set(stored.map(({ id }) => id));
  const missing = [...new Set([...locked.listing, ...unpublished.map(({ id }) => id)])]
    .filter((id) => !listedNow.has(id))
    .toSorted((a, b) => b - a);

  const isChanged =
    changed.length > 0 || unpublished.length > 0 || (missing.length > 0 && !feed.cut);
  let revision = await startRevision(
    tx,
    sourceId,
    unknown.length,
    mostNewPerDay,
    isChanged,
    Math.max(0, ...unpublished.map(({ rev }) => rev)),
  );
  const taken = newestOf(
    unknown.map(({ item }) => item),
    revision.taken,
  );
  // Publishers list the newest entry first; the newest gets the highest id.
  const fresh = await named(
    tx,
    sourceId,
    unknown.filter(({ item }) => taken.has(item)).toReversed(),
    new Set(known.map(({ guidHash }) => guidHash)),
  );
  // A truncated document may list the missing articles after its end, so they count as listed: the
  // newest of them, up to the length of a document, since every document of a source may be truncated.
  const keptCount = feed.cut ? Math.max(MOST_ITEMS - listedNow.size - fresh.length, 0) : 0;
  const kept = missing.slice(0, keptCount);
  const unlisted = missing.slice(keptCount);
  let isNewRevision = fresh.length > 0 || isChanged;
  const needRevision = async () => {
    if (!isNewRevision) {
      revision = await startRevision(tx, sourceId, 0, mostNewPerDay, true);
      isNewRevision = true;
    }
  };
  if (unlisted.length > 0) {
    await needRevision();
  }

  const created = await insertArticles(tx, sourceId, revision, fresh, unlisted);
  if (created.length === 0 && unlisted.length > 0) {
    await unlistArticles(tx, sourceId, revision.rev, unlisted);
  }
  await updateArticles(tx, sourceId, revision.rev, changed);
  await noteIdentity(tx, sourceId, stored.filter(needsNewIdentity));

  const relisted = [
    ...stored.flatMap(({ article }) => (article.wasListed ? [] : article)),
    ...fresh.flatMap(({ removed }, index) =>
      removed === null ? [] : { id: created[index] ?? 0, unlistedRev: removed.unlistedRev },
    ),
  ];
  if (await deliverLate(tx, sourceId, relisted)) {
    await needRevision();
  }
  const postponedItems = unknown.length - taken.size;
  await writeDocument(tx, sourceId, feed, {
    // Postponed items are still in the document, so the same bytes have to be read again.
    bodyHash: postponedItems > 0 ? Buffer.alloc(bodyHash.length) : bodyHash,
    articleIds: [...listedNow, ...kept, ...created].toSorted((a, b) => a - b),
    pubDatesSeconds: [
      // The highest ids, as in the listing.
      ...fresh.map(({ item }) => item.pubDateSeconds ?? revision.nowSeconds).toReversed(),
      ...stored.toSorted((a, b) => b.id - a.id).flatMap(pubDateSeconds),
    ].slice(0, RHYTHM_ARTICLES),
  });
  return { newItems: fresh.length, changedItems: changed.length, postponedItems };
}

/** As it is stored after this ingest: a new date without other changes is not. */
function pubDateSeconds({ item, article }: StoredMatch): number | [] {
  const isChanged = article.contentHash !== item.contentHash;
  return (isChanged ? item.pubDateSeconds : null) ?? article.pubDateSeconds ?? [];
}

function toStored({ item, article, byEvidence }: Match<ParsedItem, KnownArticle>): StoredMatch[] {
  return article === null || article.isRemoved
    ? []
    : [{ item, article, byEvidence, id: article.id, guidHash: article.guidHash }];
}

/** Gives new articles a guid, and removed ones the guid they had. */
async function named(
  tx: SqlRunner,
  sourceId: number,
  matches: readonly Match<ParsedItem, KnownArticle>[],
  taken: ReadonlySet<string>,
): Promise<NewArticle[]> {
  const items = matches.filter(({ article }) => article === null).map(({ item }) => item);
  const names = await nameArticles(items, taken, (hashes) => takenGuidHashes(tx, sourceId, hashes));
  const nameOf = new Map(items.map((item, index) => [item, names[index]]));
  return matches.map(({ item, article, byEvidence }) => ({
    item,
    byEvidence,
    removed: article,
    name: nameOf.get(item) ?? formerName(item, article),
  }));
}

/** A tombstone stores the guid only where it is not the lookup key. */
function formerName(item: ParsedItem, removed: KnownArticle | null): ArticleName {
  const guid =
    removed?.guid ??
    item.lookup.derivedGuids.find((derived) => md5(derived) === removed?.guidHash) ??
    item.guid;
  return { guid, guidHash: removed?.guidHash ?? item.guidHash };
}

/**
 * Whether the stored lookup key or evidence of an unchanged article is outdated. The date is the only
 * part of the evidence that is not content: a new date does not change the article.
 */
function needsNewIdentity({ article, item, byEvidence }: StoredMatch): boolean {
  const { keyHash, evidence } = item.lookup;
  return (
    article.contentHash === item.contentHash &&
    ((article.keyHash ?? article.guidHash) !== keyHash ||
      article.dateEvidence !== partOf(evidence, 'date') ||
      (byEvidence && article.notedEvidence !== evidence))
  );
}

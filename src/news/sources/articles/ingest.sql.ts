import { Turns } from '../../../common/turns.js';
import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import {
  type EvidencePart,
  identify,
  md5,
  NO_EVIDENCE,
  partOf,
} from '../../feed-parser/items/item-identity.js';
import { MOST_ITEMS, newestFirst } from '../../feed-parser/items/newest-items.js';
import type { ParsedItem } from '../../feed-parser/items/parsed-item.js';
import type { ParsedFeed } from '../../feed-parser/parsed-feed.js';
import { announcingSource } from '../sources.sql.js';
import { isAwaited } from './arrivals.js';
import {
  deliverLate,
  insertArticles,
  noteIdentity,
  updateArticles,
  writeDocument,
  type ChangedArticle,
  type ListedArticle,
  type NewArticle,
  type Revision,
} from './article-writes.sql.js';
import type { Ingested, LockedSource } from './fetch-record.sql.js';
import {
  DATE_EVIDENCE,
  EVIDENCE,
  TITLE,
  hexBytes,
  knownArticles,
  type KnownArticle,
} from './known-articles.sql.js';
import { matchArticles, type Match } from './match-articles.js';
import { matchMoved, type MissingArticle } from './match-moved.js';
import { nameArticles, type ArticleName } from './name-articles.js';

/** An item of the document and the stored article that it is. */
interface StoredMatch extends ListedArticle {
  readonly article: KnownArticle;
}

/** The addresses of pages and enclosures, by article. */
type Addresses = ReadonlyMap<number, Pick<ParsedItem, 'url' | 'enclosureLink'>>;

/** Suffices to estimate how often a publisher writes. */
const RHYTHM_ARTICLES = 30;

/**
 * `$1` source, `$2` new articles that are wanted, `$3` most per day, `$4` whether stored articles or the
 * listing change, `$5` lowest revision. A day begins with the first new article after the previous day has ended.
 */
const START_REVISION = prepared(
  'start-revision',
  `with day as (
     select id, day_began_at > now() - interval '1 day' as goes_on, day_articles
       from source where id = $1
   ), room as (
     select id, goes_on, before, greatest(least($2::int, $3::int - before), 0) as taken
       from (select id, goes_on, case when goes_on then day_articles else 0 end as before
               from day) day
   ), revised as (
     update source set
       rev = case when taken > 0 or $4::boolean then greatest(rev + 1, $5::bigint) else rev end,
       day_began_at = case when goes_on or $2 = 0 then day_began_at else now() end,
       day_articles = case when $2 = 0 then day_articles else before + taken end
      from room where source.id = room.id
     returning source.id, taken, rev
   )
   select rev, taken, extract(epoch from now())::bigint as "nowSeconds",
          array(select nextval(pg_get_serial_sequence('article', 'id'))
                  from generate_series(1, taken)) as "articleIds",
          (taken > 0 or $4) and ${isAwaited('revised.id')} as "isAwaited",
          case when taken > 0 or $4 then ${announcingSource('revised.id')} end as announced
     from revised`,
);

const NONE: Revision = { rev: 0, taken: 0, articleIds: [], nowSeconds: 0, isAwaited: false };

/**
 * Stores a document: new articles, changes of stored ones, and the current list. Call under the lock of the
 * source.
 *
 * @param mostNewPerDay how many articles a source may add in a day
 * @see docs/decisions/0023-identity-of-articles.md
 */
export async function ingest(
  sourceId: number,
  locked: LockedSource,
  { feed, bodyHash }: { readonly feed: ParsedFeed; readonly bodyHash: Buffer },
  mostNewPerDay: number,
  tx: SqlRunner,
): Promise<Ingested> {
  const begunAt = performance.now();
  const known = await knownArticles(sourceId, locked, feed.items, tx);
  const matches = await withMoved(sourceId, locked, matchArticles(feed.items, known), tx);
  const stored = matches.flatMap(toStored);
  const changed = await changesOf(sourceId, stored, tx);
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
  const arriving = unknown.filter(({ item }) => taken.has(item));
  // The newest gets the highest id.
  const order = newestFirst(arriving.map(({ item }) => item.pubDateSeconds)).toReversed();
  const fresh = await named(
    sourceId,
    order.flatMap((place) => arriving[place] ?? []),
    new Set(known.map(({ guidHash }) => guidHash)),
    tx,
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

  const created = await insertArticles(sourceId, revision, fresh, unlisted, tx);
  if (created.length === 0 && unlisted.length > 0) {
    await tx.query(
      'update article set unlisted_rev = $2 where source_id = $1 and id = any($3::bigint[])',
      [sourceId, revision.rev, unlisted],
    );
  }
  await updateArticles(sourceId, revision.rev, changed, tx);
  const isChange = new Set(changed.map(({ id }) => id));
  const noted = stored.filter((match) => !isChange.has(match.id) && needsNewIdentity(match));
  await noteIdentity(sourceId, noted, tx);

  const relisted = [
    ...stored.flatMap(({ article }) => (article.wasListed ? [] : article)),
    ...fresh.flatMap(({ removed }, index) =>
      removed === null ? [] : { id: created[index] ?? 0, unlistedRev: removed.unlistedRev },
    ),
  ];
  if (await deliverLate(sourceId, relisted, tx)) {
    await needRevision();
  }
  const postponedItems = unknown.length - taken.size;
  await writeDocument(
    sourceId,
    feed,
    {
      // Postponed items are still in the document, so the same bytes have to be read again.
      bodyHash: postponedItems > 0 ? Buffer.alloc(bodyHash.length) : bodyHash,
      articleIds: [...listedNow, ...kept, ...created].toSorted((a, b) => a - b),
      pubDatesSeconds: [
        // The highest ids, as in the listing.
        ...fresh.map(({ item }) => item.pubDateSeconds ?? revision.nowSeconds).toReversed(),
        ...stored
          .toSorted((a, b) => b.id - a.id)
          // The source's articles after this ingest.
          .flatMap(
            ({ id, item, article }) => (isChange.has(id) ? item : article).pubDateSeconds ?? [],
          ),
      ].slice(0, RHYTHM_ARTICLES),
    },
    tx,
  );
  const storedMs = performance.now() - begunAt;
  const hasArrived = fresh.length + changed.length + unpublished.length > 0;
  return {
    newItems: fresh.length,
    changedItems: changed.length,
    postponedItems,
    storedMs,
    awaitedRev: hasArrived && revision.isAwaited ? revision.rev : null,
  };
}

/**
 * Takes new articles from the daily limit of a source, and starts a new revision of it if there are any or
 * `isChanged`: inserted and updated articles get that revision. To be called under the lock of the source.
 *
 * @param wanted number of new articles in the document
 * @param mostPerDay limit of new articles
 * @param isChanged whether the document changes stored articles or the list
 * @param atLeast see `LockedSource.rev`
 */
async function startRevision(
  tx: SqlRunner,
  sourceId: number,
  wanted: number,
  mostPerDay: number,
  isChanged: boolean,
  atLeast = 0,
): Promise<Revision> {
  if (wanted === 0 && !isChanged) {
    return NONE;
  }
  const [row] = await tx.query<Revision & { articleIds: readonly string[] }>(START_REVISION, [
    sourceId,
    wanted,
    mostPerDay,
    isChanged,
    atLeast,
  ]);
  return row === undefined ? NONE : { ...row, articleIds: row.articleIds.map(Number) };
}

/** The newest items, in the order of the document; items without a date count as new. */
function newestOf(items: readonly ParsedItem[], most: number): ReadonlySet<ParsedItem> {
  const ageOf = ({ pubDateSeconds }: ParsedItem) => -(pubDateSeconds ?? Number.MAX_SAFE_INTEGER);
  const ordered =
    items.length <= most ? items : items.toSorted((a, b) => ageOf(a) - ageOf(b)).slice(0, most);
  return new Set(ordered);
}

/** Items that neither key nor evidence identified may be articles that this document does not list. */
async function withMoved(
  sourceId: number,
  { listing }: LockedSource,
  matches: readonly Match<ParsedItem, KnownArticle>[],
  tx: SqlRunner,
): Promise<readonly Match<ParsedItem, KnownArticle>[]> {
  const unknown = new Set(
    matches.flatMap(({ article, item }) =>
      article === null && item.lookup.kind !== 'set' ? item : [],
    ),
  );
  const listed = new Set(matches.map(({ article }) => article?.id));
  const missing = listing.filter((id) => !listed.has(id));
  if (unknown.size === 0 || missing.length === 0) {
    return matches;
  }
  const partsOf = (part: EvidencePart) =>
    [...unknown].map(({ lookup }) => partOf(lookup.evidence, part));
  const dates = partsOf('date').filter((date) => date !== NO_EVIDENCE);
  // Uses the primary key; reads no text of articles with other titles and dates.
  const candidates = await tx.query<KnownArticle & MissingArticle>(
    `select article.id, encode(guid_hash, 'hex') as "guidHash", encode(key_hash, 'hex') as "keyHash",
            encode(content_hash, 'hex') as "contentHash", encode(${EVIDENCE}, 'hex') as evidence,
            encode(article.evidence, 'hex') as "notedEvidence", ${DATE_EVIDENCE} as "dateEvidence",
            true as "wasListed", false as "isRemoved", first_rev as "firstRev", rev,
            unlisted_rev as "unlistedRev", pub_date_seconds as "pubDateSeconds", guid, url,
            enclosure_link as "enclosureLink"
       from article
       left join article_body on article_body.source_id = article.source_id
                             and article_body.article_id = article.id
      where article.source_id = $1 and article.id = any($2::bigint[])
        and (${TITLE} = any($3::text[]) or ${DATE_EVIDENCE} = any($4::text[]))
      order by article.id desc`,
    [sourceId, missing, partsOf('title'), dates],
  );
  const items = matches.map(({ item }) => item);
  const moved = matchMoved(items, unknown, candidates);
  return matches.map((match) => {
    const article = moved.get(match.item);
    return article ? { item: match.item, article, byEvidence: true } : match;
  });
}

/**
 * Changes of stored articles by a document. Ignores the parameters of their addresses, since publishers
 * sign them anew for each fetch. Ignores new dates if most items have one, which are then generated; they
 * are corrections if a later document has the same ones.
 */
async function changesOf(
  sourceId: number,
  stored: readonly StoredMatch[],
  tx: SqlRunner,
): Promise<ChangedArticle[]> {
  const dated = stored.filter(
    ({ item, article }) =>
      partOf(item.lookup.evidence, 'date') !== NO_EVIDENCE &&
      item.pubDateSeconds !== article.pubDateSeconds,
  );
  const areFew = dated.length <= Math.max(stored.length / 2, 1);
  const corrected = dated.filter(
    ({ item, article }) => areFew || partOf(item.lookup.evidence, 'date') === article.dateEvidence,
  );
  const differing = stored.filter(({ item, article }) => article.contentHash !== item.contentHash);
  const rows =
    differing.length === 0
      ? []
      : await tx.query<Pick<ParsedItem, 'url' | 'enclosureLink'> & { readonly id: number }>(
          `select id, url, enclosure_link as "enclosureLink" from article
            where source_id = $1 and id = any($2::bigint[])`,
          [sourceId, differing.map(({ id }) => id)],
        );
  const addresses: Addresses = new Map(rows.map(({ id, ...address }) => [id, address]));
  // Hashes the bodies.
  const isText = new Map(
    await new Turns().map(differing, (match) => [match, hasOtherText(match, addresses)] as const),
  );
  const told = differing.filter((match) => isText.get(match) || hasMoved(match, addresses));
  return [...new Set([...told, ...corrected])].map((match) => ({
    ...match,
    isText: isText.get(match) ?? false,
  }));
}

/** Whether more differs than the addresses of page and enclosure. */
function hasOtherText({ id, item, article }: StoredMatch, former: Addresses): boolean {
  return identify({ ...item, ...former.get(id) }).contentHash !== article.contentHash;
}

/** Whether more differs of the addresses than their parameters. */
function hasMoved({ id, item }: StoredMatch, former: Addresses): boolean {
  return (['url', 'enclosureLink'] as const).some(
    (name) => item[name]?.split('?', 1)[0] !== former.get(id)?.[name]?.split('?', 1)[0],
  );
}

function toStored({ item, article, byEvidence }: Match<ParsedItem, KnownArticle>): StoredMatch[] {
  return article === null || article.isRemoved
    ? []
    : [{ item, article, byEvidence, id: article.id, guidHash: article.guidHash }];
}

/** Gives new articles a guid, and removed ones the guid they had. */
async function named(
  sourceId: number,
  matches: readonly Match<ParsedItem, KnownArticle>[],
  taken: ReadonlySet<string>,
  tx: SqlRunner,
): Promise<NewArticle[]> {
  const items = matches.filter(({ article }) => article === null).map(({ item }) => item);
  const names = await nameArticles(items, taken, async (hashes) => {
    const rows = await tx.query<{ hash: string }>(
      `select encode(guid_hash, 'hex') as hash from article
        where source_id = $1 and guid_hash = any($2::bytea[])
        union select encode(guid_hash, 'hex') from article_tombstone
        where source_id = $1 and guid_hash = any($2)`,
      [sourceId, hashes.map((hash) => hexBytes(hash))],
    );
    return rows.map(({ hash }) => hash);
  });
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

/** Whether the stored addresses, lookup key or evidence of an unchanged article are outdated. */
function needsNewIdentity({ article, item, byEvidence }: StoredMatch): boolean {
  const { keyHash, evidence } = item.lookup;
  return (
    article.contentHash !== item.contentHash ||
    (article.keyHash ?? article.guidHash) !== keyHash ||
    article.dateEvidence !== partOf(evidence, 'date') ||
    (byEvidence && article.notedEvidence !== evidence)
  );
}

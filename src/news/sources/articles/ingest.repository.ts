import type { SqlRunner } from '../../../database/database.js';
import type { ParsedFeed, ParsedItem } from '../../feed-parser/parsed-feed.js';
import { identify, md5, NO_EVIDENCE, partOf } from '../../feed-parser/items/item-identity.js';
import { MOST_ITEMS, newestFirst } from '../../feed-parser/items/newest-items.js';
import {
  deliverLate,
  insertArticles,
  noteIdentity,
  unlistArticles,
  updateArticles,
  writeDocument,
  type ChangedArticle,
  type ListedArticle,
  type NewArticle,
} from './article-writes.sql.js';
import type { Ingested, LockedSource } from './fetch-record.sql.js';
import {
  addressesOf,
  articlesWithTitles,
  knownArticles,
  takenGuidHashes,
  type Addresses,
  type KnownArticle,
} from './known-articles.sql.js';
import { matchArticles, type Match } from './match-articles.js';
import { matchMoved } from './match-moved.js';
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
  const matches = await withMoved(tx, sourceId, locked, matchArticles(feed.items, known));
  const stored = matches.flatMap(toStored);
  const changed = await changesOf(tx, sourceId, stored);
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
    tx,
    sourceId,
    order.flatMap((place) => arriving[place] ?? []),
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
  const isChange = new Set(changed.map(({ id }) => id));
  const noted = stored.filter((match) => !isChange.has(match.id) && needsNewIdentity(match));
  await noteIdentity(tx, sourceId, noted);

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
      ...stored
        .toSorted((a, b) => b.id - a.id)
        // As it is stored after this ingest.
        .flatMap(
          ({ id, item, article }) => (isChange.has(id) ? item : article).pubDateSeconds ?? [],
        ),
    ].slice(0, RHYTHM_ARTICLES),
  });
  return { newItems: fresh.length, changedItems: changed.length, postponedItems };
}

/** Items that neither key nor evidence identified may be articles that this document does not list. */
async function withMoved(
  tx: SqlRunner,
  sourceId: number,
  { listing }: LockedSource,
  matches: readonly Match<ParsedItem, KnownArticle>[],
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
  const titles = [...unknown].map(({ lookup }) => partOf(lookup.evidence, 'title'));
  const moved = matchMoved(
    matches.map(({ item }) => item),
    unknown,
    await articlesWithTitles(tx, sourceId, missing, titles),
  );
  return matches.map((match) => {
    const article = moved.get(match.item);
    return article ? { item: match.item, article, byEvidence: true } : match;
  });
}

/**
 * What a document changes of stored articles. Not the parameters of their addresses: publishers sign
 * them anew for each fetch. Nor the dates of most of its items, which are then generated; they
 * are corrections if a later document has the same ones.
 */
async function changesOf(
  tx: SqlRunner,
  sourceId: number,
  stored: readonly StoredMatch[],
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
  const addresses = await addressesOf(
    tx,
    sourceId,
    differing.map(({ id }) => id),
  );
  const isText = new Map(differing.map((match) => [match, hasOtherText(match, addresses)]));
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

import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { keepCounts } from '../delivery/kept-counts.sql.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import type { FilteredArticle, FilterKeywords } from './filter-keywords.js';
import { SubscriptionFilterEntity } from './subscription-filter.entity.js';

const FILTER = selectList(SubscriptionFilterEntity, 'filter', [
  'subscriptionId',
  'titleKeywords',
  'bodyKeywords',
  'urlKeywords',
]);
type FilterRow = RowOf<typeof FILTER> & {
  /** Whether the feed shows full texts. */
  readonly showsFullText: boolean;
  /** Of the feed, now and before its address was changed: one of them has each article. */
  readonly sourceIds: readonly number[];
};

/** An item to which the filter of its feed must be applied. */
export interface FilterCandidate {
  readonly itemId: number;
  readonly subscriptionId: number;
  readonly articleId: number;
}

type CandidateText = FilteredArticle & Pick<FilterCandidate, 'itemId' | 'subscriptionId'>;

export async function saveFilter(
  tx: SqlRunner,
  readerId: number,
  feedId: number,
  { titleKeywords, bodyKeywords, urlKeywords }: FilterKeywords,
): Promise<void> {
  await tx.query(
    `insert into subscription_filter
            (reader_id, subscription_id, title_keywords, body_keywords, url_keywords)
     values ($1, $2, $3, $4, $5)
     on conflict (reader_id, subscription_id) do update
        set title_keywords = excluded.title_keywords, body_keywords = excluded.body_keywords,
            url_keywords = excluded.url_keywords`,
    [readerId, feedId, titleKeywords, bodyKeywords, urlKeywords],
  );
}

export async function listFilters(
  tx: SqlRunner,
  readerId: number,
  feedIds: readonly number[],
): Promise<FilterRow[]> {
  const rows = await tx.query<FilterRow & { readonly sourceIds: readonly string[] }>(
    `select ${FILTER}, s.full_text as "showsFullText",
            s.source_id || array(select former.source_id from former_source former
                                  where former.reader_id = $1
                                    and former.subscription_id = s.id) as "sourceIds"
       from subscription_filter filter
       join subscription s on s.reader_id = $1 and s.id = filter.subscription_id
      where filter.reader_id = $1 and filter.subscription_id = any($2::bigint[])`,
    [readerId, feedIds],
  );
  return rows.map((row) => ({ ...row, sourceIds: row.sourceIds.map(Number) }));
}

/** Ids of the items of a feed that its filter marked. */
export async function listFiltered(
  tx: SqlRunner,
  readerId: number,
  feedId: number,
): Promise<number[]> {
  const items = await tx.query<{ id: number }>(
    'select id from item where reader_id = $1 and subscription_id = $2 and filtered',
    [readerId, feedId],
  );
  return items.map(({ id }) => id);
}

/** Items of a feed that a changed filter may affect: the unread and the filtered ones. */
export async function listFilterable(
  tx: SqlRunner,
  readerId: number,
  feedId: number,
): Promise<FilterCandidate[]> {
  return tx.query<FilterCandidate>(
    `select id as "itemId", subscription_id as "subscriptionId", article_id as "articleId"
       from item where reader_id = $1 and subscription_id = $2 and (unread or filtered)`,
    [readerId, feedId],
  );
}

/** A candidate with what its text depends on. */
export interface TextCandidate {
  readonly candidate: FilterCandidate;
  /** Bodies are read only where they are needed. */
  readonly withBody: boolean;
  readonly showsFullText: boolean;
}

/**
 * The texts of candidates that filters are matched against, with bodies as the user sees them. By the
 * primary keys of article and body.
 *
 * @param sourceIds of the candidates' articles
 */
export async function readCandidateTexts(
  tx: SqlRunner,
  candidates: readonly TextCandidate[],
  sourceIds: readonly number[],
): Promise<CandidateText[]> {
  return tx.query<CandidateText>(
    `select candidate.item_id as "itemId", candidate.subscription_id as "subscriptionId",
            article.title, article.url,
            case when not candidate.with_body then null
                 when candidate.full_text then coalesce(body.full_text_html, body.html)
                 else body.html end as "bodyHtml"
       from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[], $6::boolean[])
            as candidate (item_id, subscription_id, article_id, with_body, full_text)
       join article on article.id = candidate.article_id
       left join article_body body on body.source_id = article.source_id
                                  and body.article_id = article.id
      where article.source_id = any($1::bigint[])`,
    [
      sourceIds,
      candidates.map(({ candidate }) => candidate.itemId),
      candidates.map(({ candidate }) => candidate.subscriptionId),
      candidates.map(({ candidate }) => candidate.articleId),
      candidates.map(({ withBody }) => withBody),
      candidates.map(({ showsFullText }) => showsFullText),
    ],
  );
}

/** Makes items read and filtered. Items already filtered stay: their user may have made them unread. */
export async function markFiltered(
  tx: SqlRunner,
  reader: LockedReader,
  itemIds: readonly number[],
): Promise<void> {
  if (itemIds.length === 0) {
    return;
  }
  await tx.query(
    `with changed as (
       update item set unread = false, filtered = true, last_modified_micros = $2
         from item former
        where item.reader_id = $1 and item.id = any($3::bigint[]) and not item.filtered
          and former.reader_id = $1 and former.id = item.id
       returning item.id, item.subscription_id, -former.unread::int as unread, 0 as starred
     ), ${keepCounts('$1', '$2')} select`,
    [reader.id, reader.stampMicros, itemIds],
  );
}

/**
 * Clears the filtered mark of items that no filter matches any more.
 *
 * @param byUpdateMode also makes them unread in feeds whose changed articles become unread
 */
export async function clearFiltered(
  tx: SqlRunner,
  reader: LockedReader,
  itemIds: readonly number[],
  byUpdateMode: boolean,
): Promise<void> {
  if (itemIds.length === 0) {
    return;
  }
  await tx.query(
    `with changed as (
       update item set filtered = false, last_modified_micros = $2,
                       unread = item.unread or ($4 and exists (select 1 from subscription s
                                                                where s.reader_id = $1 and s.id = item.subscription_id
                                                                  and s.update_mode = 1))
         from item former
        where item.reader_id = $1 and item.id = any($3::bigint[]) and item.filtered
          and former.reader_id = $1 and former.id = item.id
       returning item.id, item.subscription_id, item.unread::int - former.unread::int as unread, 0 as starred
     ), ${keepCounts('$1', '$2')} select`,
    [reader.id, reader.stampMicros, itemIds, byUpdateMode],
  );
}

import type { SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { keepCounts } from '../reader/delivery/kept-counts.sql.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import type { FilteredArticle, FilterKeywords } from './filter-keywords.js';
import { SubscriptionFilterEntity } from './subscription-filter.entity.js';

const FILTER = selectList(SubscriptionFilterEntity, 'filter', [
  'subscriptionId',
  'titleKeywords',
  'bodyKeywords',
  'urlKeywords',
]);
type FilterRow = RowOf<typeof FILTER>;

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
  return tx.query<FilterRow>(
    `select ${FILTER} from subscription_filter filter
      where reader_id = $1 and subscription_id = any($2::bigint[])`,
    [readerId, feedIds],
  );
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

/**
 * The texts of candidates that filters are matched against, with bodies as the user sees them.
 *
 * @param needsBody whether the filter of a candidate needs the body; others are not read
 */
export async function readCandidateTexts(
  tx: SqlRunner,
  readerId: number,
  candidates: readonly FilterCandidate[],
  needsBody: (candidate: FilterCandidate) => boolean,
): Promise<CandidateText[]> {
  return tx.query<CandidateText>(
    `with showing_full_text as materialized (
       select id from subscription where reader_id = $5 and full_text and id = any($2::bigint[])
     )
     select candidate.item_id as "itemId", candidate.subscription_id as "subscriptionId",
            article.title, article.url,
            case when not candidate.with_body then null
                 when candidate.subscription_id in (select id from showing_full_text) then coalesce(body.full_text_html, body.html)
                 else body.html end as "bodyHtml"
       from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[])
            as candidate (item_id, subscription_id, article_id, with_body)
       join article on article.id = candidate.article_id
       left join article_body body on body.article_id = article.id`,
    [
      candidates.map(({ itemId }) => itemId),
      candidates.map(({ subscriptionId }) => subscriptionId),
      candidates.map(({ articleId }) => articleId),
      candidates.map(needsBody),
      readerId,
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

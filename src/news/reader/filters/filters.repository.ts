import { Injectable } from '@nestjs/common';
import { Turns } from '../../../common/turns.js';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { SubscriptionFilterEntity } from '../../tables/subscription.entity.js';
import { DeliveriesRepository, type DeliveredItem } from '../delivery/deliveries.repository.js';
import { keepCounts } from '../delivery/kept-counts.sql.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { KeywordFilter, type FilteredArticle, type FilterKeywords } from './filter-keywords.js';

const FILTER = selectList(SubscriptionFilterEntity, 'filter', [
  'subscriptionId',
  'titleKeywords',
  'bodyKeywords',
  'urlKeywords',
]);

type FilterRow = RowOf<typeof FILTER> & {
  readonly showsFullText: boolean;
  /** The feed's sources, before and after its address was changed: one of them has each article. */
  readonly sourceIds: readonly string[];
};

type Candidate = Pick<DeliveredItem, 'itemId' | 'subscriptionId' | 'articleId'>;

type CandidateText = FilteredArticle & Omit<Candidate, 'articleId'>;

/** The filter of a feed. */
export type Filter = Pick<SubscriptionFilterEntity, 'id'> & FilterKeywords;

/** Few enough that their bodies take little memory. */
const CANDIDATES_PER_READ = 50;

/**
 * Filters of subscriptions, and their effect on items: an item that matches is read and `filtered`.
 * Writes run under the reader's lock, so a delivery and a change of the filter exclude each other.
 */
@Injectable()
export class FiltersRepository {
  constructor(
    private readonly database: Database,
    deliveries: DeliveriesRepository,
  ) {
    deliveries.carryOut('filters', (tx, reader, delivered) =>
      this.#apply(
        reader,
        delivered.filter(({ hasFilter }) => hasFilter),
        true,
        tx,
      ),
    );
  }

  /** @param tx to read in a transaction */
  async find(readerId: number, feedId: number, tx?: Transaction): Promise<Filter | null> {
    const where = { readerId, subscriptionId: feedId };
    return tx === undefined
      ? this.database.entities((em) => em.findOne(SubscriptionFilterEntity, where))
      : tx.em.findOne(SubscriptionFilterEntity, where);
  }

  /** Creates or replaces the filter, and applies it to items that are unread or were filtered. */
  async save(
    reader: LockedReader,
    feedId: number,
    { titleKeywords, bodyKeywords, urlKeywords }: FilterKeywords,
    tx: Transaction,
  ): Promise<void> {
    await tx.query(
      `insert into subscription_filter
              (reader_id, subscription_id, title_keywords, body_keywords, url_keywords)
       values ($1, $2, $3, $4, $5)
       on conflict (reader_id, subscription_id) do update
          set title_keywords = excluded.title_keywords, body_keywords = excluded.body_keywords,
              url_keywords = excluded.url_keywords`,
      [reader.id, feedId, titleKeywords, bodyKeywords, urlKeywords],
    );
    const candidates = await tx.query<Candidate>(
      `select id as "itemId", subscription_id as "subscriptionId", article_id as "articleId"
         from item where reader_id = $1 and subscription_id = $2 and (unread or filtered)`,
      [reader.id, feedId],
    );
    await this.#apply(reader, candidates, false, tx);
  }

  /** Removes the filter. Items that it marked stay read and are no longer `filtered`. */
  async remove(reader: LockedReader, feedId: number, tx: Transaction): Promise<void> {
    await tx.em.nativeDelete(SubscriptionFilterEntity, {
      readerId: reader.id,
      subscriptionId: feedId,
    });
    const items = await tx.query<{ id: number }>(
      'select id from item where reader_id = $1 and subscription_id = $2 and filtered',
      [reader.id, feedId],
    );
    await clearFiltered(
      reader,
      items.map(({ id }) => id),
      false,
      tx,
    );
  }

  /** @param byUpdateMode see `clearFiltered` */
  async #apply(
    reader: LockedReader,
    candidates: readonly Candidate[],
    byUpdateMode: boolean,
    tx: SqlRunner,
  ): Promise<void> {
    if (candidates.length > 0) {
      const { matching, others } = await sort(reader.id, candidates, tx);
      await markFiltered(reader, matching, tx);
      await clearFiltered(reader, others, byUpdateMode, tx);
    }
  }
}

/** @returns item ids by whether the filter of their feed matches */
async function sort(
  readerId: number,
  candidates: readonly Candidate[],
  tx: SqlRunner,
): Promise<{ matching: number[]; others: number[] }> {
  const feedIds = [...new Set(candidates.map(({ subscriptionId }) => subscriptionId))];
  const rows = await tx.query<FilterRow>(
    `select ${FILTER}, s.full_text as "showsFullText",
              s.source_id || array(select former.source_id from former_source former
                                    where former.reader_id = $1
                                      and former.subscription_id = s.id) as "sourceIds"
         from subscription_filter filter
         join subscription s on s.reader_id = $1 and s.id = filter.subscription_id
        where filter.reader_id = $1 and filter.subscription_id = any($2::bigint[])`,
    [readerId, feedIds],
  );
  const filters = new Map(
    rows.map(({ showsFullText, ...row }) => [
      row.subscriptionId,
      { keywords: new KeywordFilter(row), showsFullText },
    ]),
  );
  const sourceIds = [...new Set(rows.flatMap((row) => row.sourceIds))];
  const matching: number[] = [];
  const others: number[] = [];
  const turns = new Turns();
  for (let from = 0; from < candidates.length; from += CANDIDATES_PER_READ) {
    const batch = candidates.slice(from, from + CANDIDATES_PER_READ);
    // Reads by the primary keys of article and body.
    const texts = await tx.query<CandidateText>(
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
        batch.map(({ itemId }) => itemId),
        batch.map(({ subscriptionId }) => subscriptionId),
        batch.map(({ articleId }) => articleId),
        // Bodies are read only where they are needed, as the user sees them.
        batch.map((item) => filters.get(item.subscriptionId)?.keywords.looksAtBodies === true),
        batch.map((item) => filters.get(item.subscriptionId)?.showsFullText === true),
      ],
    );
    for (const { itemId, subscriptionId, ...article } of texts) {
      await turns.take();
      const isMatch = filters.get(subscriptionId)?.keywords.matches(article) === true;
      (isMatch ? matching : others).push(itemId);
    }
  }
  return { matching, others };
}

/** Makes items read and filtered. Items already filtered stay: their user may have made them unread. */
async function markFiltered(
  reader: LockedReader,
  itemIds: readonly number[],
  tx: SqlRunner,
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
async function clearFiltered(
  reader: LockedReader,
  itemIds: readonly number[],
  byUpdateMode: boolean,
  tx: SqlRunner,
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
          and not exists (select 1 from item_mark mark
                           where mark.reader_id = $1 and mark.item_id = item.id and mark.hidden)
          and former.reader_id = $1 and former.id = item.id
       returning item.id, item.subscription_id, item.unread::int - former.unread::int as unread, 0 as starred
     ), ${keepCounts('$1', '$2')} select`,
    [reader.id, reader.stampMicros, itemIds, byUpdateMode],
  );
}

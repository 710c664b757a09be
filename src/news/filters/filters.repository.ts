import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../database/database.js';
import { KeywordFilter, type FilteredArticle, type FilterKeywords } from './filter-keywords.js';
import type { LockedReader } from '../reader/delivery/reader-locks.js';

/** What a user does not want to be told of in one feed. */
export interface Filter extends FilterKeywords {
  readonly id: number;
  readonly feedId: number;
}

/** An item that a filter has to be asked about. */
export interface Candidate {
  readonly itemId: number;
  readonly subscriptionId: number;
  readonly articleId: number;
}

/** Few enough that their bodies take little memory. */
const CANDIDATES_AT_A_TIME = 50;

/**
 * Filters of subscriptions, and what they do to items: what matches is read and `filtered`. Filters
 * are read and written under the reader's lock, so a delivery and a change of the filter take turns.
 */
@Injectable()
export class FiltersRepository {
  async find(runner: SqlRunner, feedId: number): Promise<Filter | null> {
    const [filter] = await runner.query<Filter>(
      `${FILTER_COLUMNS} from subscription_filter where subscription_id = $1`,
      [feedId],
    );
    return filter ?? null;
  }

  /** Sets or replaces the filter, and asks it about items that are unread or were filtered. */
  async save(
    tx: SqlRunner,
    reader: LockedReader,
    feedId: number,
    { titleKeywords, bodyKeywords, urlKeywords }: FilterKeywords,
  ): Promise<void> {
    await tx.query(
      `insert into subscription_filter (subscription_id, title_keywords, body_keywords, url_keywords)
       values ($1, $2, $3, $4)
       on conflict (subscription_id) do update
          set title_keywords = excluded.title_keywords, body_keywords = excluded.body_keywords,
              url_keywords = excluded.url_keywords`,
      [feedId, titleKeywords, bodyKeywords, urlKeywords],
    );
    const candidates = await tx.query<Candidate>(
      `select id as "itemId", subscription_id as "subscriptionId", article_id as "articleId"
         from item where subscription_id = $1 and (unread or filtered)`,
      [feedId],
    );
    const { matching, others } = await sort(tx, candidates);
    await takeOut(tx, reader, matching);
    await letIn(tx, reader, others, 'still read');
  }

  /** Removes the filter. What it took out stays read and is `filtered` no more. */
  async remove(tx: SqlRunner, reader: LockedReader, feedId: number): Promise<void> {
    await tx.query('delete from subscription_filter where subscription_id = $1', [feedId]);
    const items = await tx.query<{ id: number }>(
      'select id from item where subscription_id = $1 and filtered',
      [feedId],
    );
    await letIn(
      tx,
      reader,
      items.map(({ id }) => id),
      'still read',
    );
  }
}

/**
 * Applies filters to items that were just delivered, new or changed. To run in the transaction of
 * the delivery, so that nobody sees an item before its filter did.
 */
export async function filterDelivered(
  tx: SqlRunner,
  reader: LockedReader,
  delivered: readonly Candidate[],
): Promise<void> {
  if (delivered.length === 0) {
    return;
  }
  const { matching, others } = await sort(tx, delivered);
  await takeOut(tx, reader, matching);
  await letIn(tx, reader, others, 'as its feed has it');
}

const FILTER_COLUMNS = `
  select id, subscription_id as "feedId", title_keywords as "titleKeywords",
         body_keywords as "bodyKeywords", url_keywords as "urlKeywords"`;

type CandidateText = FilteredArticle & Pick<Candidate, 'itemId' | 'subscriptionId'>;

/** @returns ids of items by whether the filter of their subscription matches */
async function sort(
  tx: SqlRunner,
  candidates: readonly Candidate[],
): Promise<{ matching: number[]; others: number[] }> {
  const filters = await filtersOf(tx, candidates);
  const matching: number[] = [];
  const others: number[] = [];
  for (let from = 0; from < candidates.length; from += CANDIDATES_AT_A_TIME) {
    const batch = candidates.slice(from, from + CANDIDATES_AT_A_TIME);
    for (const { itemId, subscriptionId, ...article } of await textsOf(tx, batch, filters)) {
      const isMatch = filters.get(subscriptionId)?.matches(article) === true;
      (isMatch ? matching : others).push(itemId);
    }
  }
  return { matching, others };
}

async function filtersOf(
  tx: SqlRunner,
  candidates: readonly Candidate[],
): Promise<Map<number, KeywordFilter>> {
  const rows = await tx.query<Filter>(
    `${FILTER_COLUMNS} from subscription_filter where subscription_id = any($1::bigint[])`,
    [[...new Set(candidates.map(({ subscriptionId }) => subscriptionId))]],
  );
  return new Map(rows.map((row) => [row.feedId, new KeywordFilter(row)]));
}

/** Bodies as the user sees them, and only for filters that look at bodies. */
async function textsOf(
  tx: SqlRunner,
  batch: readonly Candidate[],
  filters: ReadonlyMap<number, KeywordFilter>,
): Promise<CandidateText[]> {
  return tx.query<CandidateText>(
    `select candidate.item_id as "itemId", candidate.subscription_id as "subscriptionId",
            article.title, article.url,
            case when not candidate.with_body then null
                 when s.full_text then coalesce(body.full_text_html, body.html)
                 else body.html end as "bodyHtml"
       from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[])
            as candidate (item_id, subscription_id, article_id, with_body)
       join subscription s on s.id = candidate.subscription_id
       join article on article.id = candidate.article_id
       left join article_body body on body.article_id = article.id`,
    [
      batch.map(({ itemId }) => itemId),
      batch.map(({ subscriptionId }) => subscriptionId),
      batch.map(({ articleId }) => articleId),
      batch.map(({ subscriptionId }) => filters.get(subscriptionId)?.looksAtBodies === true),
    ],
  );
}

/** What a filter took out before is left alone: its user may have made it unread again. */
async function takeOut(tx: SqlRunner, reader: LockedReader, itemIds: readonly number[]) {
  if (itemIds.length === 0) {
    return;
  }
  await tx.query(
    `with changed as (
       update item set unread = false, filtered = true, last_modified_micros = $2
        where reader_id = $1 and id = any($3::bigint[]) and not filtered returning 1)
     update reader set last_modified_micros = $2 where id = $1 and exists (select from changed)`,
    [reader.id, reader.stampMicros, itemIds],
  );
}

/**
 * Takes the mark off items that no filter matches any more.
 *
 * @param then `as its feed has it` makes them unread where changed articles become unread
 */
async function letIn(
  tx: SqlRunner,
  reader: LockedReader,
  itemIds: readonly number[],
  then: 'still read' | 'as its feed has it',
) {
  if (itemIds.length === 0) {
    return;
  }
  await tx.query(
    `with changed as (
       update item set filtered = false, last_modified_micros = $2,
                       unread = unread or ($4 and exists (select from subscription s
                                                           where s.id = subscription_id
                                                             and s.update_mode = 1))
        where reader_id = $1 and id = any($3::bigint[]) and filtered returning 1)
     update reader set last_modified_micros = $2 where id = $1 and exists (select from changed)`,
    [reader.id, reader.stampMicros, itemIds, then === 'as its feed has it'],
  );
}

import type { SqlRunner } from '../../../database/database.js';

/*
 * The date of an item is its place in lists by date. It is that of the article, so that a list is in the
 * order of the dates it shows, but never in the future: a date in the future would stay at the top.
 */

/**
 * SQL of the date of a new item, unix seconds.
 *
 * @param published SQL of the article's date, unix seconds
 * @param nowMicros SQL of the time of delivery, unix microseconds
 */
export function itemDate(published: string, nowMicros: string): string {
  return `greatest(least(${published}, ${nowMicros}::bigint / 1000000, 2147483647), -2147483648)::integer`;
}

/**
 * SQL of the date of `item` after its article changed. A date in the future does not move it: else each
 * change of such an article would bring it back to the top.
 */
export function changedItemDate(published: string, nowMicros: string): string {
  return `case when ${published} > ${nowMicros}::bigint / 1000000 then item.date_seconds
               else ${itemDate(published, nowMicros)} end`;
}

/** A reader whose items were delivered before items had dates. By reader_to_date_index. */
export async function findReaderToDate(runner: SqlRunner): Promise<string | null> {
  const [reader] = await runner.query<{ userId: string }>(
    'select user_id as "userId" from reader where not items_dated order by id limit 1',
  );
  return reader?.userId ?? null;
}

/**
 * Dates a batch of a reader's items with ids above `afterId`, under the lock of the reader. No stamp
 * moves, since clients of the API see no change.
 *
 * @returns the last id of the batch; null when there are no more, and the reader is marked as dated
 */
export async function dateItems(
  tx: SqlRunner,
  readerId: number,
  afterId: number,
  limit: number,
): Promise<number | null> {
  const [batch] = await tx.query<{ last: number | null }>(
    `with batch as materialized (
       select item.id, item.article_id, item.date_seconds from item
        where item.reader_id = $1 and item.id > $2 order by item.id limit $3
     ), dated as (
       select batch.id, batch.date_seconds as former,
              case when article.pub_date_seconds > extract(epoch from now())
                   then extract(epoch from article.fetched_at)::integer
                   else ${itemDate('article.pub_date_seconds', '(extract(epoch from now()) * 1000000)')}
               end as date_seconds
         from batch join article on article.id = batch.article_id
     ), written as (
       update item set date_seconds = dated.date_seconds from dated
        where item.reader_id = $1 and item.id = dated.id and dated.date_seconds <> dated.former
     )
     select max(id) as last from batch`,
    [readerId, afterId, limit],
  );
  const last = batch?.last ?? null;
  if (last !== null) {
    return last;
  }
  await tx.query('update reader set items_dated = true where id = $1', [readerId]);
  return null;
}

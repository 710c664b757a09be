import type { Statement } from '../../../database/statement.js';

/**
 * SQL of the lowest id that an item which arrived at or after a moment can have; one above all items if
 * none did. Arrival never falls as ids rise, so this is a binary search by item_pkey: a look-up for each
 * bit of the newest id.
 *
 * @param readerId SQL of the reader's id
 * @param micros SQL of the moment, unix microseconds
 */
export function firstArrivedAt(readerId: string, micros: string): string {
  return `(
    with recursive search (low, high) as (
      -- Items up to \`low\` arrived earlier, those from \`high\` on did not.
      select 0::bigint, coalesce(max(id), 0) + 1 from item where reader_id = ${readerId}
       union all
      select case when probe.arrived_micros < ${micros}::bigint then probe.id else low end,
             case when probe.arrived_micros < ${micros}::bigint then high else middle end
        from search
       cross join lateral (select (low + high) / 2 as middle) half
        left join lateral (
          select item.id, item.arrived_micros from item
           where item.reader_id = ${readerId} and item.id >= middle and item.id < high
           order by item.id limit 1) probe on true
       where high - low > 1
    ) select min(high) from search)`;
}

/**
 * A statement with a row per feed that has items, its `feedId` and the `micros` at which the newest of them
 * arrived. Costs two look-ups per feed: items of a
 * feed have the order of their articles, except for late ones.
 */
export function newestArrivals(readerId: number): Statement {
  return {
    sql: `
      select s.id as "feedId", greatest(newest.arrived_micros, late.arrived_micros) as micros
        from subscription s
        left join lateral (
          select item.arrived_micros from item
           where item.reader_id = $1 and item.subscription_id = s.id and not item.late
           order by item.article_id desc limit 1) newest on true
        left join lateral (
          select item.arrived_micros from item
           where item.reader_id = $1 and item.subscription_id = s.id and item.late
           order by item.id desc limit 1) late on true
       where s.reader_id = $1 and s.deleted_at is null
         and (newest.arrived_micros is not null or late.arrived_micros is not null)`,
    params: [readerId],
  };
}

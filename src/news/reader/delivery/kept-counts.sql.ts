import type { SqlRunner } from '../../../database/database.js';
import { recordItemEvents } from './item-events.sql.js';

/*
 * How many items of a feed are unread and starred is kept with the subscription, so that a list of
 * feeds reads no items. Every statement that changes the flags of items, or adds items that are unread
 * or starred, changes the counts as well, under the lock of the reader. Items that are removed are
 * neither unread nor starred, or are removed with their subscription.
 *
 * The counts are right while the reader's counted_micros equals its last stamp. A process of an
 * earlier version moves the stamp alone; then the next lock of this version counts again.
 */

/**
 * Assignments of an update of `reader` that moves its last stamp and leaves the counts as right as
 * they were.
 */
export function moveStamp(stamp: string): string {
  return `last_modified_micros = ${stamp},
          counted_micros = case when reader.counted_micros = reader.last_modified_micros
                                then ${stamp} else reader.counted_micros end`;
}

const FLAG_EVENTS = `select id, kind.subtype from changed
                cross join lateral (values
                  (case unread when -1 then 'ItemsReadEvent' when 1 then 'ItemsUnreadEvent' end),
                  (case starred when 1 then 'ItemsStarredEvent' when -1 then 'ItemsUnstarredEvent' end)
                ) kind (subtype)`;

/**
 * CTEs that follow the CTE `changed`, which has a row per changed item: `id`, `subscription_id`, and the
 * change of the counts as `unread` and `starred`. They change the counts, move the reader's stamp if any
 * item changed, and record events for external apps that listen.
 *
 * @param readerId SQL of its id
 * @param stamp SQL of the stamp of the changed items
 * @param areEventsWanted false when it is known in this transaction that no app listens: then the statement
 *   inserts nothing
 */
export function keepCounts(readerId: string, stamp: string, areEventsWanted = true): string {
  return `counted as (
      update subscription
         set unread_count = unread_count + delta.unread,
             starred_count = starred_count + delta.starred
        from (select subscription_id, sum(unread)::int as unread, sum(starred)::int as starred
                from changed group by subscription_id) delta
       where subscription.reader_id = ${readerId} and subscription.id = delta.subscription_id
         and (delta.unread <> 0 or delta.starred <> 0)
    ), moved as (
      update reader set ${moveStamp(stamp)}
       where reader.id = ${readerId} and exists (select 1 from changed)
    )${areEventsWanted ? `, ${recordItemEvents(readerId, FLAG_EVENTS)}` : ''}`;
}

/** Counts all items of a reader, whose lock is held. By item_unread_index and item_starred_index. */
export async function countAgain(readerId: number, tx: SqlRunner): Promise<void> {
  await tx.query(
    `with total as (
       select subscription_id, sum(unread)::int as unread, sum(starred)::int as starred
         from (select subscription_id, count(*) as unread, 0 as starred
                 from item where reader_id = $1 and unread group by subscription_id
               union all
               select subscription_id, 0, count(*)
                 from item where reader_id = $1 and starred group by subscription_id) part
        group by subscription_id
     ), counted as (
       update subscription
          set unread_count = coalesce(total.unread, 0), starred_count = coalesce(total.starred, 0)
         from subscription s left join total on total.subscription_id = s.id
        where s.reader_id = $1 and subscription.reader_id = $1 and subscription.id = s.id
          and (subscription.unread_count <> coalesce(total.unread, 0)
               or subscription.starred_count <> coalesce(total.starred, 0))
     )
     update reader set counted_micros = last_modified_micros where id = $1`,
    [readerId],
  );
}

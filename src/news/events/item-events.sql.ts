import { NEWS_EVENTS_CHANNEL } from './news-events-channel.js';

/** Most items of one event. */
const EVENT_ITEMS = 100;

/**
 * A CTE that records events of items, if any app wants them: it reads the list of wishes first, and
 * the rows only if there is one. Without listeners it costs no statement and no row.
 *
 * The lock of the reader makes ids of events rise in the order of a user's commits.
 *
 * @param readerId SQL of the reader's id
 * @param rows SQL of rows with `id`, of an item, and `subtype`, null for none
 */
export function recordItemEvents(readerId: string, rows: string): string {
  return `events as (
      insert into news_event (reader_id, subtype, item_ids)
      select ${readerId}, subtype, array_agg(id order by id)
        from (select told.id, told.subtype,
                     (row_number() over (partition by told.subtype order by told.id) - 1)
                       / ${EVENT_ITEMS} as batch
                from (${rows}) told
               where exists (select 1 from news_event_wish)
                 and array[told.subtype, '*'] && array(select subtype from news_event_wish)
                 and told.subtype is not null) numbered
       group by subtype, batch order by subtype, batch
      returning pg_notify('${NEWS_EVENTS_CHANNEL}', '')
    )`;
}

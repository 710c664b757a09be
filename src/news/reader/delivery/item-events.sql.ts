import type { SqlRunner } from '../../../database/database.js';

/** Most items of one event. */
const EVENT_ITEMS = 100;

/** SQL of whether any app wants events. */
export const APPS_LISTEN = 'exists (select 1 from news_event_wish)';

export async function doAppsListen(runner: SqlRunner): Promise<boolean> {
  const [row] = await runner.query<{ areEventsWanted: boolean }>(
    `select ${APPS_LISTEN} as "areEventsWanted"`,
  );
  return row?.areEventsWanted === true;
}

/**
 * SQL of a condition that is true while no app wants events. Otherwise it fails the statement, and with it
 * all of its transaction: statements sent together cannot use results of earlier ones.
 *
 * @see isAboutListeners
 */
export const NO_APP_LISTENS =
  '1 / (select case when count(*) = 0 then 1 else 0 end from news_event_wish) = 1';

const DIVISION_BY_ZERO = '22012';

/** Whether `NO_APP_LISTENS` failed a statement. */
export function isAboutListeners(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === DIVISION_BY_ZERO;
}

/**
 * A CTE that records events of items, if any app wants them: it reads the list of wishes first, and the
 * rows only if there is one. Without listeners it costs no statement and no row. The caller announces the
 * events by a statement of its own, see `announceEvents`.
 *
 * Under the lock of the reader, each event gets a higher place than the reader's recorded events,
 * independent of the shard's server and its clock.
 *
 * @param readerId SQL of the reader's id
 * @param rows SQL of rows with `id`, of an item, and `subtype`, null for none
 */
export function recordItemEvents(readerId: string, rows: string): string {
  return `events as (
      insert into news_event (reader_id, place, subtype, item_ids)
      select ${readerId},
             (select greatest(coalesce(max(place), 0),
                              (extract(epoch from clock_timestamp()) * 1000000)::bigint)
                from news_event where reader_id = ${readerId})
               + row_number() over (order by subtype, batch),
             subtype, array_agg(id order by id)
        from (select told.id, told.subtype,
                     (row_number() over (partition by told.subtype order by told.id) - 1)
                       / ${EVENT_ITEMS} as batch
                from (${rows}) told
               where ${APPS_LISTEN}
                 and array[told.subtype, '*'] && array(select subtype from news_event_wish)
                 and told.subtype is not null) numbered
       group by subtype, batch
    )`;
}

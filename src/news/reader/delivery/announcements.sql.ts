import type { SqlRunner } from '../../../database/database.js';
import { NEWS_CHANNEL, type ChangeOf } from './announcements.js';
import type { LockedReader } from './reader-locks.repository.js';
import { currentClient } from './requesting-client.js';

/** A notice has at most 8000 bytes. */
const MOST_FEEDS_NAMED = 100;

/**
 * Announces the changes of this transaction when it commits. Does nothing for users who are not
 * watched: commits with notices are serialised across the whole database.
 */
export async function announceChange(
  tx: SqlRunner,
  reader: LockedReader,
  what: ChangeOf,
): Promise<void> {
  if (!reader.isWatched || what === 'upkeep') {
    return;
  }
  await tx.query(
    `with fresh as (
       select subscription_id, max(id) as newest_id from item
        where reader_id = $1 and id >= $2 group by subscription_id
     ), told as (
       select (select case when count(*) > 0 then json_build_object(
                        'feedIds', case when count(*) <= ${MOST_FEEDS_NAMED}
                                     then json_agg(subscription_id order by subscription_id) end,
                        'newestItemId', max(newest_id)) end from fresh) as items,
              $4 or exists (select 1 from item
                             where reader_id = $1 and last_modified_micros = $3 and id < $2) as changed
     )
     select pg_notify('${NEWS_CHANNEL}',
                      json_build_object('readerId', $1::bigint, 'client', $5::text,
                                        'items', items, 'changed', changed)::text)
       from told where items is not null or changed`,
    [reader.id, reader.nextItemId, reader.stampMicros, what === 'anything', currentClient()],
  );
}

/**
 * SQL of a value that announces a change of flags, in a statement with the CTE `locked`.
 *
 * @param client SQL of `ReaderNotice.client`
 */
export function announcing(client: string): string {
  return `(select pg_notify('${NEWS_CHANNEL}',
                            json_build_object('readerId', locked.id, 'client', ${client}::text,
                                              'items', null, 'changed', true)::text)::text
             from locked where locked.is_watched)`;
}

/**
 * SQL of a subquery that announces a new revision of a source if any follower is watched. By
 * reader_user_watched_until_index.
 *
 * @param sourceId SQL of its id
 */
export const announcingSource = (sourceId: string): string =>
  `(select pg_notify('${NEWS_CHANNEL}', json_build_object('sourceId', ${sourceId})::text)::text
     where exists (select 1 from reader_user watched
                     join follower on follower.reader_id = watched.reader_id
                    where watched.watched_until > now() and follower.source_id = ${sourceId}
                      and follower.deleted_at is null))`;

/** Announces a new revision of a source if any follower is watched. */
export async function announceSource(tx: SqlRunner, sourceId: number): Promise<void> {
  await tx.query(`select ${announcingSource('$1::bigint')}`, [sourceId]);
}

import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import type { Statement } from '../../../database/statement.js';
import { currentClient } from '../../http/requesting-client.interceptor.js';
import { NEWS_CHANNEL } from '../../sources/source-notice.js';
import { NEWS_EVENTS_CHANNEL, type ChangeOf, type ReaderNotice } from './announcements.js';
import type { LockedReader } from './reader-locks.repository.js';

/** A notice has at most 8000 bytes. */
const MOST_FEEDS_NAMED = 100;

/** A statement that names no table: it is carried out by the server on which processes listen. */
const TELL = prepared('tell', 'select pg_notify($1, $2)');

/**
 * Announces the changes of this transaction when it commits. Does nothing for users without listeners:
 * commits with notices are serialised across the whole database. Reads the reader's rows on their server,
 * and announces by a separate statement.
 */
export async function announceChange(
  reader: LockedReader,
  what: ChangeOf,
  tx: SqlRunner,
): Promise<void> {
  if (!reader.isWatched || what === 'upkeep') {
    return;
  }
  const [told] = await tx.query<Pick<ReaderNotice, 'items' | 'changed'>>(
    `with fresh as (
       select subscription_id, max(id) as newest_id from item
        where reader_id = $1 and id >= $2 group by subscription_id
     )
     select (select case when count(*) > 0 then json_build_object(
                      'feedIds', case when count(*) <= ${MOST_FEEDS_NAMED}
                                   then json_agg(subscription_id order by subscription_id) end,
                      'newestItemId', max(newest_id)) end from fresh) as items,
            $4 or exists (select 1 from item
                           where reader_id = $1 and last_modified_micros = $3 and id < $2) as changed`,
    [reader.id, reader.nextItemId, reader.stampMicros, what === 'anything'],
  );
  if (told !== undefined && (told.items !== null || told.changed)) {
    const notice: ReaderNotice = { readerId: reader.id, client: currentClient(), ...told };
    await tx.query(TELL, [NEWS_CHANNEL, JSON.stringify(notice)]);
  }
}

/** `$1` reader, `$2` client. */
const TELL_CHANGE = `
  select pg_notify('${NEWS_CHANNEL}',
                   json_build_object('readerId', reader_id, 'client', $2::text,
                                     'items', null, 'changed', true)::text)
    from reader_user where reader_id = $1 and watched_until > now()`;

const TELL_FLAGS = prepared('tell-flags', TELL_CHANGE);
const TELL_FLAGS_AND_EVENTS = prepared(
  'tell-flags-and-events',
  `select pg_notify('${NEWS_EVENTS_CHANNEL}', '') union all ${TELL_CHANGE}`,
);

/**
 * A statement that announces a change of flags to clients that listen. After the change, in its
 * transaction: a client that began to listen before the reader was locked is seen.
 *
 * @param client see `ReaderNotice`
 * @param hasEvents whether events were recorded as well
 */
export function tellingOfFlags(
  readerId: number,
  client: string | null,
  hasEvents: boolean,
): Statement {
  return { sql: hasEvents ? TELL_FLAGS_AND_EVENTS : TELL_FLAGS, params: [readerId, client] };
}

/** Notifies listening clients that something of the reader changed. */
export async function announceSomething(readerId: number, runner: SqlRunner): Promise<void> {
  await runner.query(TELL_CHANGE, [readerId, null]);
}

/** Announces recorded events for external apps when the transaction commits. */
export async function announceEvents(runner: SqlRunner): Promise<void> {
  await runner.query(TELL, [NEWS_EVENTS_CHANNEL, '']);
}

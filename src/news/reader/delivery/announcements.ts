import type { SqlRunner } from '../../../database/database.js';
import { currentClient } from './changing-client.js';
import type { LockedReader } from './reader-locks.js';

/** Where changes of watched users are announced when they are committed. */
export const NEWS_CHANNEL = 'gatefold_news';

/** One user's items or feeds changed. */
export interface ReaderNotice {
  readonly readerId: number;
  /** Who did it; null for programs without a name and for ourselves. */
  readonly client: string | null;
  /** Items that are new to the user; null when there are none. */
  readonly items: {
    /** Null when there are too many to name. */
    readonly feedIds: readonly number[] | null;
    readonly newestItemId: number;
  } | null;
  /** Whether flags, contents, feeds or folders changed, too. */
  readonly changed: boolean;
}

/** A source has articles that its followers have not been given yet. */
export interface SourceNotice {
  readonly sourceId: number;
}

export type NewsNotice = ReaderNotice | SourceNotice;

/** What may change in a transaction that holds a user's lock. */
export type ChangeOf =
  /** Something that the user sees, by the user's own wish. */
  | 'anything'
  /** New and changed articles arrive, and maybe none do. */
  | 'deliveries'
  /** Nothing that a client would want to know at once. */
  | 'upkeep';

/** A notice holds 8000 bytes at most. */
const MOST_FEEDS_NAMED = 100;

/**
 * Tells what happened in this transaction, once it is committed. Does nothing for users whom nobody
 * watches: notices are committed one after another by the whole database.
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
              $4 or exists (select from item
                             where reader_id = $1 and last_modified_micros = $3 and id < $2) as changed
     )
     select pg_notify('${NEWS_CHANNEL}',
                      json_build_object('readerId', $1::bigint, 'client', $5::text,
                                        'items', items, 'changed', changed)::text)
       from told where items is not null or changed`,
    [reader.id, reader.nextItemId, reader.stampMicros, what === 'anything', currentClient()],
  );
}

/** Tells that a source moved on, if any of its followers is watched. Rides on reader_watched_until_index. */
export async function announceSource(tx: SqlRunner, sourceId: number): Promise<void> {
  await tx.query(
    `select pg_notify('${NEWS_CHANNEL}', json_build_object('sourceId', $1::bigint)::text)
      where exists (select from reader join subscription s on s.reader_id = reader.id
                     where reader.watched_until > now() and s.source_id = $1
                       and s.deleted_at is null)`,
    [sourceId],
  );
}

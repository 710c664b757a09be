import type { SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import type { FeedAddress } from './feed-address.js';
import { SourceEntity } from './source.entity.js';

const SOURCE_ROW = selectList(SourceEntity, 'source', [
  'id',
  'url',
  'title',
  'link',
  'rev',
  'etag',
  'lastModified',
  'errorCount',
  'lastError',
  'effectiveUrl',
  'movingTo',
  'movingSightings',
  'notModifiedInRow',
  'publishingHints',
  'warning',
  'access',
  'itemRule',
  'givenTo',
]);

/** A source as its last fetches left it. Times are unix seconds. */
export type Source = RowOf<typeof SOURCE_ROW> & {
  /** SHA-256 of the last document that was read. */
  readonly bodyHash: Buffer | null;
  readonly fetchedSeconds: number | null;
  readonly iconCheckedSeconds: number | null;
  /** Since the permanent redirect to `movingTo` was first seen. */
  readonly movingForSeconds: number | null;
  readonly goneSeconds: number | null;
  /** Whether a WebSub hub notifies us of changes. */
  readonly pushed: boolean;
  /** The hub and topic of a subscription, in whatever state; null without one. */
  readonly hubUrl: string | null;
  readonly topicUrl: string | null;
  /** The shortest interval that a follower wants; null if none wants one. */
  readonly wantedEveryHours: number | null;
  /** Whether all followers want one. */
  readonly isWantedByAll: boolean;
  /** Publication times of the newest articles that the last document listed, in any order. */
  readonly recentPubDatesSeconds: readonly number[];
};

/** A source that is created in bulk. */
export interface NewSource {
  /** The normalised address. */
  readonly url: string;
  readonly urlKey: Buffer;
  readonly hostKey: string;
  /** Until the first fetch. */
  readonly dueInSeconds: number;
}

/** Columns of a `Source`, from `SOURCE_TABLES`. */
export const SOURCE_COLUMNS = `
         ${SOURCE_ROW}, document.body_hash as "bodyHash",
         extract(epoch from source.fetched_at)::bigint as "fetchedSeconds",
         extract(epoch from source.icon_checked_at)::bigint as "iconCheckedSeconds",
         extract(epoch from now() - source.moving_since)::bigint as "movingForSeconds",
         extract(epoch from source.gone_at)::bigint as "goneSeconds",
         coalesce(hub.state = 'active' and hub.expires_at > now(), false) as pushed,
         hub.hub_url as "hubUrl", hub.topic_url as "topicUrl",
         coalesce(document.recent_pub_dates, '{}')::float8[] as "recentPubDatesSeconds",
         wanted.every_hours as "wantedEveryHours",
         wanted.every_hours is not null
           and not exists (select from follower
                            where follower.source_id = source.id
                              and fetch_every_hours is null and deleted_at is null) as "isWantedByAll"`;

export const SOURCE_TABLES = `
         source left join source_document document on document.source_id = source.id
         left join websub_lease hub on hub.source_id = source.id
         -- By subscription_fetch_every_hours_index, which is small.
         cross join lateral (select min(fetch_every_hours) as every_hours from follower
                              where follower.source_id = source.id
                                and fetch_every_hours is not null and deleted_at is null) wanted`;

const SELECT_SOURCE = `select ${SOURCE_COLUMNS} from ${SOURCE_TABLES}`;

/** By primary key. */
export async function findSource(runner: SqlRunner, sourceId: number): Promise<Source | null> {
  const [source] = await runner.query<Source>(`${SELECT_SOURCE} where source.id = $1`, [sourceId]);
  return source ?? null;
}

/** By primary key, in any order. */
export async function findSources(
  runner: SqlRunner,
  sourceIds: readonly number[],
): Promise<Source[]> {
  return runner.query<Source>(`${SELECT_SOURCE} where source.id = any($1::bigint[])`, [sourceIds]);
}

/** Sources with headers of their own; reads every source. */
export async function listSourcesWithAccess(
  runner: SqlRunner,
): Promise<Pick<Source, 'id' | 'url' | 'access'>[]> {
  return runner.query('select id, url, access from source where access is not null order by id');
}

/** By source_url_key_unique. */
export async function findSourceByKey(runner: SqlRunner, urlKey: Buffer): Promise<Source | null> {
  const [source] = await runner.query<Source>(`${SELECT_SOURCE} where source.url_key = $1`, [
    urlKey,
  ]);
  return source ?? null;
}

/**
 * Inserts the source, or finds the one that was inserted concurrently. The schedule of an existing
 * source stays as it is. Two statements, to be run in one transaction.
 */
export async function createSource(tx: SqlRunner, address: FeedAddress): Promise<number> {
  const [created] = await tx.query<{ id: number }>(
    `insert into source (url, url_key, access, item_rule) values ($1, $2, $3, $4)
     on conflict (url_key) do update set url_key = excluded.url_key
     returning id`,
    [address.href, address.key, address.access, address.itemRule],
  );
  if (created === undefined) {
    throw new Error(`The source ${address.host} was neither created nor found`);
  }
  await tx.query(
    `insert into source_schedule (source_id, host_key, due_at) values ($1, $2, now())
     on conflict (source_id) do nothing`,
    [created.id, address.host],
  );
  return created.id;
}

/**
 * Inserts many sources with their schedules, or finds those that exist. Ordered by key, so that two
 * concurrent imports cannot deadlock.
 *
 * @returns ids and keys, the keys as hex digits
 */
export async function createSources(
  tx: SqlRunner,
  sources: readonly NewSource[],
): Promise<{ readonly id: number; readonly urlKey: string }[]> {
  return tx.query(
    `with created as (
       insert into source (url, url_key)
       select url, url_key from unnest($1::text[], $2::bytea[]) as given (url, url_key)
        order by url_key
       on conflict (url_key) do update set url_key = excluded.url_key
       returning id, url_key
     ), scheduled as (
       insert into source_schedule (source_id, host_key, due_at)
       select created.id, given.host_key, now() + make_interval(secs => given.due_in_seconds)
         from created
         join unnest($2::bytea[], $3::text[], $4::float8[]) as given (url_key, host_key, due_in_seconds)
           using (url_key)
       on conflict (source_id) do nothing
     )
     select id, encode(url_key, 'hex') as "urlKey" from created`,
    [
      sources.map(({ url }) => url),
      sources.map(({ urlKey }) => urlKey),
      sources.map(({ hostKey }) => hostKey),
      sources.map(({ dueInSeconds }) => dueInSeconds),
    ],
  );
}

/**
 * Deletes sources without a subscription, at most `limit`, with what refers to them in the same
 * database; their articles by `deleteArticlesOfRemoved`. Spares those that feeds have items of although
 * their address was changed, and those of the last hour, since a source exists for a moment before its
 * first subscription; one that was never fetched has been due since it was created.
 *
 * @returns how many were deleted
 */
export async function deleteUnfollowedSources(runner: SqlRunner, limit: number): Promise<number> {
  const rows = await runner.query(
    `delete from source
      where id in (select id from source
                    where not exists (select from follower where source_id = source.id)
                      and not exists (select from former_follower where source_id = source.id)
                      and coalesce(fetched_at, (select due_at from source_schedule
                                                 where source_id = source.id))
                          < now() - interval '1 hour'
                    limit $1)
        and not exists (select from follower where source_id = source.id)
        and not exists (select from former_follower where source_id = source.id)
     returning id`,
    [limit],
  );
  return rows.length;
}

/**
 * Deletes what sources had that were deleted, at most `limit` of them. After the transaction that
 * deleted them, so that none loses its articles and stays.
 *
 * @returns how many sources
 */
export async function deleteArticlesOfRemoved(runner: SqlRunner, limit: number): Promise<number> {
  const removed = await runner.query<{ id: number }>(
    'select source_id as id from removed_source order by source_id limit $1',
    [limit],
  );
  const ids = removed.map(({ id }) => id);
  if (ids.length > 0) {
    for (const table of ['article', 'article_tombstone', 'failed_document', 'removed_source']) {
      await runner.query(`delete from ${table} where source_id = any($1::bigint[])`, [ids]);
    }
  }
  return ids.length;
}

/** Deletes icons that no source shows, places that none asks for, and the state of hosts without sources after a day. */
export async function deleteOrphans(runner: SqlRunner): Promise<void> {
  await runner.query("delete from icon_place where due_at < now() - interval '30 days'");
  await runner.query(
    'delete from icon where not exists (select from source where source.icon_id = icon.id)',
  );
  await runner.query(
    `delete from host_state
      where not exists (select from source_schedule
                         where source_schedule.host_key = host_state.host_key)
        and greatest(next_slot_at, not_before) < now() - interval '1 day'`,
  );
}

/** The database's time of the latest fetch of any source, in unix seconds; reads every source. */
export async function lastFetchSeconds(runner: SqlRunner): Promise<number | null> {
  const [row] = await runner.query<{ seconds: number | null }>(
    'select extract(epoch from max(fetched_at))::bigint as seconds from source where given_to is null',
  );
  return row?.seconds ?? null;
}

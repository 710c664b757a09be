import { selectList, type RowOf } from '../../database/select-list.js';
import { SourceEntity } from '../tables/source.entity.js';
import { NEWS_CHANNEL } from './source-notice.js';

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
  'certificateEnds',
  'itemRule',
  'givenTo',
]);

/** A source as its last fetches left it. Times are unix seconds. */
export type Source = RowOf<typeof SOURCE_ROW> & {
  /** SHA-256 of the last document that was read. */
  readonly bodyHash: Buffer | null;
  readonly fetchedSeconds: number | null;
  readonly iconCheckedSeconds: number | null;
  /** Time since the permanent redirect to `movingTo` was first seen. */
  readonly movingForSeconds: number | null;
  readonly goneSeconds: number | null;
  /** Whether a WebSub hub notifies us of changes. */
  readonly pushed: boolean;
  /** The hub and topic of a subscription in any state; null without one. */
  readonly hubUrl: string | null;
  readonly topicUrl: string | null;
  /** The shortest interval that a follower wants; null if none wants one. */
  readonly wantedEveryHours: number | null;
  /** Whether all followers want one. */
  readonly isWantedByAll: boolean;
  /** Ids of followers, at most `FOLLOWERS_NAMED`; none while all have removed it, or lost it with a group. */
  readonly followedBy: readonly number[];
  /** Publication times of the newest articles that the last document listed, in any order. */
  readonly recentPubDatesSeconds: readonly number[];
};

/** More are not needed to tell whose sources the network or a turn is about. */
const FOLLOWERS_NAMED = 4;

/** Columns of a `Source`, from `SOURCE_TABLES`. */
export const SOURCE_COLUMNS = `
         ${SOURCE_ROW}, document.body_hash as "bodyHash",
         extract(epoch from source.fetched_at)::bigint as "fetchedSeconds",
         extract(epoch from source.icon_checked_at)::bigint as "iconCheckedSeconds",
         extract(epoch from now() - source.moving_since)::bigint as "movingForSeconds",
         extract(epoch from source.gone_at)::bigint as "goneSeconds",
         coalesce(hub.state = 'active' and hub.expires_at > now(), false) as pushed,
         hub.hub_url as "hubUrl", hub.topic_url as "topicUrl",
         array(select reader_id::float8 from follower
                where follower.source_id = source.id and deleted_at is null
                limit ${FOLLOWERS_NAMED}) as "followedBy",
         coalesce(document.recent_pub_dates, '{}')::float8[] as "recentPubDatesSeconds",
         wanted.every_hours as "wantedEveryHours",
         wanted.every_hours is not null
           and not exists (select 1 from follower
                            where follower.source_id = source.id
                              and fetch_every_hours is null and deleted_at is null) as "isWantedByAll"`;

export const SOURCE_TABLES = `
         source left join source_document document on document.source_id = source.id
         left join websub_lease hub on hub.source_id = source.id
         -- By subscription_fetch_every_hours_index, which is small.
         cross join lateral (select min(fetch_every_hours) as every_hours from follower
                              where follower.source_id = source.id
                                and fetch_every_hours is not null and deleted_at is null) wanted`;

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

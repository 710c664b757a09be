import { NEWS_CHANNEL } from './source-notice.js';

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

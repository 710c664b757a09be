import type { NewNotification, Notification } from '../../common/ports/notification-center.js';
import type { SqlRunner } from '../../database/database.js';
import { selectList } from '../../database/select-list.js';
import { NotificationEntity } from './notification.entity.js';

const COLUMNS = selectList(NotificationEntity, 'n', [
  'id',
  'userId',
  'appId',
  'objectType',
  'objectId',
  'subject',
  'message',
  'link',
]);

const ROW = `${COLUMNS}, floor(extract(epoch from n.created_at))::bigint as "createdSeconds"`;

/** Adds one and removes the oldest beyond `most` of the same user and sender in one statement. */
export async function addNotification(
  runner: SqlRunner,
  notification: NewNotification,
  most: number,
): Promise<Notification | undefined> {
  const { userId, appId, objectType, objectId, subject, message, link } = notification;
  const [row] = await runner.query<Notification>(
    `with pruned as (
       delete from notification
        where user_id = $1 and app_id = $2
          and id <= (select id from notification where user_id = $1 and app_id = $2
                      order by id desc offset $8 limit 1)
     )
     insert into notification as n
       (user_id, app_id, object_type, object_id, subject, message, link)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${ROW}`,
    [
      userId,
      appId,
      objectType,
      objectId,
      JSON.stringify(subject),
      JSON.stringify(message),
      link,
      most - 1,
    ],
  );
  return row;
}

/** Of these senders, newest first. */
export async function listNotifications(
  runner: SqlRunner,
  userId: string,
  senders: readonly string[],
  limit: number,
): Promise<Notification[]> {
  return runner.query<Notification>(
    `select ${ROW} from notification n where n.user_id = $1 and n.app_id = any($2)
      order by n.id desc limit $3`,
    [userId, senders, limit],
  );
}

/** Those of the ids that exist, of these senders, lowest first. */
export async function findNotifications(
  runner: SqlRunner,
  userId: string,
  senders: readonly string[],
  ids: readonly number[],
): Promise<Notification[]> {
  return runner.query<Notification>(
    `select ${ROW} from notification n
      where n.user_id = $1 and n.app_id = any($2) and n.id = any($3) order by n.id`,
    [userId, senders, ids],
  );
}

/** The user's notifications, and those of others that mention the user. Reads the whole table. */
export async function eraseNotifications(runner: SqlRunner, userId: string): Promise<void> {
  await runner.query(
    `delete from notification
      where user_id = $1
         or jsonb_path_exists(json_build_array(subject, message)::jsonb,
              '$[*].parameters.* ? (@.type == "user" && @.id == $user)',
              jsonb_build_object('user', $1::text))`,
    [userId],
  );
}

/** Reads the whole table. */
export async function removeOlderThan(runner: SqlRunner, days: number): Promise<void> {
  await runner.query(
    'delete from notification where created_at < now() - make_interval(days => $1)',
    [days],
  );
}

import { Injectable } from '@nestjs/common';
import type {
  NewNotification,
  Notification,
  RichText,
} from '../../common/ports/notification-center.js';
import { Database } from '../../database/database.js';
import { entityOf, p } from '../../database/entity-of.js';
import { selectList } from '../../database/select-list.js';

/** A message to a user from an external app or a room, until it is dismissed. */
export class NotificationEntity extends entityOf('notification', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  userId: p.text(),
  /** The sender. */
  appId: p.text(),
  /** Type of the subject, in the sender's terms. */
  objectType: p.text(),
  objectId: p.text(),
  subject: p.json().columnType('json').$type<Notification['subject']>(),
  message: p.json().columnType('json').$type<Notification['subject']>(),
  link: p.text(),
  createdAt: p.datetime().defaultRaw('now()'),
}) {}

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

const ANNOUNCEMENT = `app_id = $1 and object_type = 'announcement'`;

const MOST_BYTES_OF_A_LIST = 1024 * 1024;

/** Notifications. Reads are limited to one user and to the senders whose notifications are visible. */
@Injectable()
export class NotificationsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds one and removes the oldest beyond `most` in one statement.
   *
   * @param most notifications of this sender that the user keeps, this one included; older ones are
   *   removed, so that a sender in a loop only removes its own
   */
  async add(notification: NewNotification, most: number): Promise<Notification> {
    const { userId, appId, objectType, objectId, subject, message, link } = notification;
    const [row] = await this.database.query<Notification>(
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
    if (row === undefined) {
      throw new Error(`The notification of ${appId} for ${userId} was not saved`);
    }
    return row;
  }

  /** One notification of all users, in the place of the former one. @returns the number of users */
  async announce(appId: string, subject: RichText, message: RichText): Promise<number> {
    const rows = await this.database.query(
      `with former as (delete from notification where ${ANNOUNCEMENT})
       insert into notification (user_id, app_id, object_type, object_id, subject, message, link)
       select user_id, $1, 'announcement', 'all', $2, $3, ''
         from account where disabled_at is null order by user_id returning 1`,
      [appId, JSON.stringify(subject), JSON.stringify(message)],
    );
    return rows.length;
  }

  /** @returns at most one, with the number of users who have not dismissed it; by notification_app_id_index */
  async announcements(appId: string): Promise<{ text: string; at: number; users: number }[]> {
    return this.database.query(
      `select message ->> 'text' as text, extract(epoch from created_at)::bigint as at,
              count(*)::int as users
         from notification where ${ANNOUNCEMENT} group by 1, 2`,
      [appId],
    );
  }

  async withdrawAnnouncement(appId: string): Promise<void> {
    await this.#delete({ appId, objectType: 'announcement' });
  }

  /** Newest first: at most `limit`, and fewer if they are large, but one in any case. */
  async list(userId: string, senders: readonly string[], limit: number): Promise<Notification[]> {
    return this.database.query<Notification>(
      `with newest as (
         select n.id, row_number() over newer as place, sum(n.bytes) over newer as bytes
           from (select n.id, octet_length(n.subject::text) + octet_length(n.message::text) as bytes
                   from notification n where n.user_id = $1 and n.app_id = any($2)
                  order by n.id desc limit $3) n
         window newer as (order by n.id desc)
       )
       select ${ROW} from notification n join newest on newest.id = n.id
        where newest.place = 1 or newest.bytes <= $4 order by n.id desc`,
      [userId, senders, limit, MOST_BYTES_OF_A_LIST],
    );
  }

  /** Newest first. Notifications never change, so that their ids tell whether the list does. */
  async newestIds(userId: string, senders: readonly string[], limit: number): Promise<number[]> {
    const rows = await this.database.query<Pick<Notification, 'id'>>(
      `select n.id from notification n where n.user_id = $1 and n.app_id = any($2)
        order by n.id desc limit $3`,
      [userId, senders, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** The notifications that exist, lowest id first. */
  async find(
    userId: string,
    senders: readonly string[],
    ids: readonly number[],
  ): Promise<Notification[]> {
    return this.database.query<Notification>(
      `select ${ROW} from notification n
        where n.user_id = $1 and n.app_id = any($2) and n.id = any($3) order by n.id`,
      [userId, senders, ids],
    );
  }

  /** @returns false when the user has no such notification */
  async remove(userId: string, id: number): Promise<boolean> {
    return (await this.#delete({ userId, id })) > 0;
  }

  /** Removes all of a user, including invisible senders'. */
  async removeAll(userId: string): Promise<void> {
    await this.#delete({ userId });
  }

  /** Erases the user's notifications, and others' that mention the user. Reads the whole table. */
  async erase(userId: string): Promise<void> {
    await this.database.query(
      `delete from notification
        where user_id = $1
           or jsonb_path_exists(json_build_array(subject, message)::jsonb,
                '$[*].parameters.* ? (@.type == "user" && @.id == $user)',
                jsonb_build_object('user', $1::text))`,
      [userId],
    );
  }

  /** Reads the whole table. */
  async removeOlderThan(days: number, heldUserIds: readonly string[]): Promise<void> {
    await this.database.query(
      `delete from notification
        where created_at < now() - make_interval(days => $1) and user_id <> all($2::text[])`,
      [days, heldUserIds],
    );
  }

  async removeAllAbout({
    userId,
    appId,
    objectType,
    objectId,
  }: Pick<NewNotification, 'userId' | 'appId' | 'objectType' | 'objectId'>): Promise<void> {
    await this.#delete({ userId, appId, objectType, objectId });
  }

  async removeAllOfSender(appId: string): Promise<void> {
    await this.#delete({ appId });
  }

  async #delete(
    where: Partial<Pick<NotificationEntity, 'id' | 'userId' | 'appId' | 'objectType' | 'objectId'>>,
  ): Promise<number> {
    return this.database.entities((em) => em.nativeDelete(NotificationEntity, where));
  }
}

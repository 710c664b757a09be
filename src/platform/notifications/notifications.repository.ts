import { Injectable } from '@nestjs/common';
import type { NewNotification, Notification } from '../../common/ports/notification-center.js';
import { Database } from '../../database/database.js';

const COLUMNS = `
  id, user_id as "userId", app_id as "appId", object_type as "objectType", object_id as "objectId",
  subject, message, link, floor(extract(epoch from created_at))::bigint as "createdSeconds"`;

/** Notifications. Every reading query names whose they are, and whose of the senders may be seen. */
@Injectable()
export class NotificationsRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param most how many of the same sender the user keeps, this one included; older ones go, so
   *   that a sender in a loop pushes out only its own words
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
       insert into notification (user_id, app_id, object_type, object_id, subject, message, link)
       values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
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

  /** Newest first. */
  async list(userId: string, senders: readonly string[], limit: number): Promise<Notification[]> {
    return this.database.query<Notification>(
      `select ${COLUMNS} from notification where user_id = $1 and app_id = any($2)
        order by id desc limit $3`,
      [userId, senders, limit],
    );
  }

  /** Those of the ids that are there, lowest first. */
  async find(
    userId: string,
    senders: readonly string[],
    ids: readonly number[],
  ): Promise<Notification[]> {
    return this.database.query<Notification>(
      `select ${COLUMNS} from notification
        where user_id = $1 and app_id = any($2) and id = any($3) order by id`,
      [userId, senders, ids],
    );
  }

  /** @returns whether there was one */
  async remove(userId: string, id: number): Promise<boolean> {
    const rows = await this.database.query(
      'delete from notification where user_id = $1 and id = $2 returning 1',
      [userId, id],
    );
    return rows.length > 0;
  }

  /** The user's own, hidden ones too. */
  async removeAll(userId: string): Promise<void> {
    await this.database.query('delete from notification where user_id = $1', [userId]);
  }

  /**
   * For a deleted account: its own notifications, and those of others that name it. Reads the whole
   * table.
   */
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

  async removeOlderThan(days: number): Promise<void> {
    await this.database.query(
      'delete from notification where created_at < now() - make_interval(days => $1)',
      [days],
    );
  }

  async removeAllAbout({
    userId,
    appId,
    objectType,
    objectId,
  }: Pick<NewNotification, 'userId' | 'appId' | 'objectType' | 'objectId'>): Promise<void> {
    await this.database.query(
      `delete from notification
        where user_id = $1 and app_id = $2 and object_type = $3 and object_id = $4`,
      [userId, appId, objectType, objectId],
    );
  }

  async removeAllOfSender(appId: string): Promise<void> {
    await this.database.query('delete from notification where app_id = $1', [appId]);
  }
}

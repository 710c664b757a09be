import { Injectable } from '@nestjs/common';
import type { NewNotification, Notification } from '../../common/ports/notification-center.js';
import { Database } from '../../database/database.js';
import { NotificationEntity } from './notification.entity.js';
import {
  addNotification,
  eraseNotifications,
  findNotifications,
  listNotifications,
  removeOlderThan,
} from './notifications.sql.js';

/** Notifications. Reads are limited to one user and to the senders whose notifications are visible. */
@Injectable()
export class NotificationsRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param most notifications of this sender that the user keeps, this one included; older ones are
   *   removed, so that a sender in a loop only removes its own
   */
  async add(notification: NewNotification, most: number): Promise<Notification> {
    const row = await addNotification(this.database, notification, most);
    if (row === undefined) {
      const { appId, userId } = notification;
      throw new Error(`The notification of ${appId} for ${userId} was not saved`);
    }
    return row;
  }

  /** Newest first. */
  async list(userId: string, senders: readonly string[], limit: number): Promise<Notification[]> {
    return listNotifications(this.database, userId, senders, limit);
  }

  /** Those of the ids that exist, lowest first. */
  async find(
    userId: string,
    senders: readonly string[],
    ids: readonly number[],
  ): Promise<Notification[]> {
    return findNotifications(this.database, userId, senders, ids);
  }

  /** @returns false when the user has no such notification */
  async remove(userId: string, id: number): Promise<boolean> {
    return (await this.#delete({ userId, id })) > 0;
  }

  /** All of a user, those of invisible senders included. */
  async removeAll(userId: string): Promise<void> {
    await this.#delete({ userId });
  }

  /** Removes a deleted user's notifications, and those of others that mention the user. */
  async erase(userId: string): Promise<void> {
    await eraseNotifications(this.database, userId);
  }

  async removeOlderThan(days: number): Promise<void> {
    await removeOlderThan(this.database, days);
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

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Capabilities } from '../../common/ports/capabilities.js';
import { AccountDeletionHooks } from '../../common/ports/hooks.js';
import {
  NotificationSenders,
  type NewNotification,
  type Notification,
  type NotificationCenter,
} from '../../common/ports/notification-center.js';
import { NotificationNotFound } from '../platform.errors.js';
import { NotificationsRepository } from './notifications.repository.js';

/** Maximum length of the list; the newest are shown, fewer if they are large. */
const MOST_SHOWN = 200;

/** Maximum per sender and user; the oldest are removed. */
const MOST_OF_ONE_SENDER = 200;

/** Supported features: the first five are routes, the others are fields of responses. */
const ENDPOINTS = ['list', 'get', 'delete', 'delete-all', 'exists', 'icons', 'rich-strings'];

/** Delivers notifications, and shows only enabled senders'. */
@Injectable()
export class NotificationsService implements NotificationCenter, OnModuleInit {
  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly senders: NotificationSenders,
    private readonly deletionHooks: AccountDeletionHooks,
    private readonly capabilities: Capabilities,
  ) {}

  onModuleInit(): void {
    this.deletionHooks.add((userId) => this.notifications.erase(userId));
    this.capabilities.contribute((account) =>
      account === undefined ? {} : { notifications: { 'ocs-endpoints': ENDPOINTS } },
    );
  }

  async notify(notification: NewNotification): Promise<Notification> {
    return this.notifications.add(notification, MOST_OF_ONE_SENDER);
  }

  async withdraw(
    about: Pick<NewNotification, 'userId' | 'appId' | 'objectType' | 'objectId'>,
  ): Promise<void> {
    await this.notifications.removeAllAbout(about);
  }

  async forget(appId: string): Promise<void> {
    await this.notifications.removeAllOfSender(appId);
  }

  /** The ids of the newest, whether all of them have room in the list or not. */
  async newestIds(userId: string): Promise<number[]> {
    return this.notifications.newestIds(userId, await this.senders.seenNow(), MOST_SHOWN);
  }

  /** Newest first. */
  async list(userId: string): Promise<Notification[]> {
    return this.notifications.list(userId, await this.senders.seenNow(), MOST_SHOWN);
  }

  /** @throws NotificationNotFound also for one of a disabled sender */
  async find(userId: string, id: number): Promise<Notification> {
    const [found] = await this.#visible(userId, [id]);
    return NotificationNotFound.unless(found, id);
  }

  /** The ids that still exist, in ascending order. */
  async existing(userId: string, ids: readonly number[]): Promise<number[]> {
    return (await this.#visible(userId, ids)).map(({ id }) => id);
  }

  /** @throws NotificationNotFound */
  async dismiss(userId: string, id: number): Promise<void> {
    NotificationNotFound.unless(await this.notifications.remove(userId, id), id);
  }

  /** Dismisses all of the user, including disabled apps'. */
  async dismissAll(userId: string): Promise<void> {
    await this.notifications.removeAll(userId);
  }

  async #visible(userId: string, ids: readonly number[]): Promise<Notification[]> {
    return this.notifications.find(userId, await this.senders.seenNow(), ids);
  }
}

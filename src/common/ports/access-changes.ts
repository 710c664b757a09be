import { Injectable } from '@nestjs/common';
import { DatabaseNotices } from '../../database/database-notices.js';
import { Database } from '../../database/database.js';
import { NoticeWatches, type NoticeWatch } from '../../database/notice-watches.js';

/**
 * Tells all processes that access was revoked: for a user, because a session ended, the password was
 * changed, the account was disabled or lost its administrator rights; for an external app, because
 * it was disabled or removed. Long-lived connections opened with that access are then closed; the
 * client reconnects with whatever credentials are still valid.
 */
@Injectable()
export class AccessChanges {
  readonly #users: NoticeWatches;
  readonly #apps: NoticeWatches;

  constructor(
    private readonly database: Database,
    notices: DatabaseNotices,
  ) {
    this.#users = new NoticeWatches('gatefold_access', notices);
    this.#apps = new NoticeWatches('gatefold_app_closures', notices);
  }

  /** To be called after the commit of the change; so is `announceApp`. */
  async announce(userId: string): Promise<void> {
    await this.#users.announce(userId, this.database);
  }

  async announceApp(appId: string): Promise<void> {
    await this.#apps.announce(appId, this.database);
  }

  /** Resolves when no later change can be missed; so does `watchApp`. */
  async watch(userId: string): Promise<NoticeWatch> {
    return this.#users.watch(userId);
  }

  async watchApp(appId: string): Promise<NoticeWatch> {
    return this.#apps.watch(appId);
  }
}

import { Injectable } from '@nestjs/common';
import { DatabaseNotices } from '../../database/database-notices.js';
import { Database } from '../../database/database.js';
import { NoticeWatches, type NoticeWatch } from '../../database/notice-watches.js';

/**
 * Says, to all processes, that credentials of a user may count no more: a session ended, a password
 * was changed, the account was disabled, the rights of an administrator were taken. Whoever keeps a
 * connection open for the user ends it then; the client comes back, with credentials that still
 * count or not.
 */
@Injectable()
export class AccessChanges {
  readonly #watches: NoticeWatches;

  constructor(
    private readonly database: Database,
    notices: DatabaseNotices,
  ) {
    this.#watches = new NoticeWatches('gatefold_access', notices);
  }

  /** Called when the change is committed. */
  async announce(userId: string): Promise<void> {
    await this.#watches.announce(userId, this.database);
  }

  /** Returns when no change from now on is missed. */
  async watch(userId: string): Promise<NoticeWatch> {
    return this.#watches.watch(userId);
  }
}

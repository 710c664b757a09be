import { Injectable } from '@nestjs/common';
import { DatabaseNotices } from '../../../database/database-notices.js';
import { Database } from '../../../database/database.js';
import { NoticeWatches, type NoticeWatch } from '../../../database/notice-watches.js';

/**
 * Says, to all processes, that an app was disabled or is gone. Whoever keeps a connection open to it
 * for a browser ends it then.
 */
@Injectable()
export class AppClosures {
  readonly #watches: NoticeWatches;

  constructor(
    private readonly database: Database,
    notices: DatabaseNotices,
  ) {
    this.#watches = new NoticeWatches('gatefold_app_closures', notices);
  }

  /** Called when the change is committed. */
  async announce(appId: string): Promise<void> {
    await this.#watches.announce(appId, this.database);
  }

  /** Returns when no change from now on is missed. */
  async watch(appId: string): Promise<NoticeWatch> {
    return this.#watches.watch(appId);
  }
}

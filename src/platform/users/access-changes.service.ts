import { Injectable } from '@nestjs/common';
import { AccessChanges, type ChangeWatch } from '../../common/ports/access-changes.js';
import { DatabaseNotices } from '../../database/database-notices.js';
import { Database } from '../../database/database.js';
import { NoticeWatches } from '../../database/notice-watches.js';

/** Announces changes of access to all processes with `NOTIFY gatefold_access`. */
@Injectable()
export class AccessChangesService extends AccessChanges {
  readonly #watches: NoticeWatches;

  constructor(
    private readonly database: Database,
    notices: DatabaseNotices,
  ) {
    super();
    this.#watches = new NoticeWatches('gatefold_access', notices);
  }

  override async announce(userId: string): Promise<void> {
    await this.#watches.announce(userId, this.database);
  }

  override async watch(userId: string): Promise<ChangeWatch> {
    return this.#watches.watch(userId);
  }
}

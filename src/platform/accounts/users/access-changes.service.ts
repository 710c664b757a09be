import { Injectable } from '@nestjs/common';
import { currentActor } from '../../../common/auth/request-actor.js';
import { AccessChanges, type ChangeWatch } from '../../../common/ports/access-changes.js';
import { DatabaseNotices } from '../../../database/notices/notices.js';
import { Database } from '../../../database/database.js';
import { NoticeWatches } from '../../../database/notices/notice-watches.js';

/** Announces changes of access to all processes, users and external apps on a channel each. */
@Injectable()
export class AccessChangesService extends AccessChanges {
  readonly #users: NoticeWatches;
  readonly #apps: NoticeWatches;

  constructor(
    private readonly database: Database,
    notices: DatabaseNotices,
  ) {
    super();
    this.#users = new NoticeWatches('gatefold_access', notices);
    this.#apps = new NoticeWatches('gatefold_app_closures', notices);
  }

  override async announce(userId: string): Promise<void> {
    await this.#users.announce(userId, this.database);
  }

  override async watch(userId: string): Promise<ChangeWatch> {
    const ofUser = await this.#users.watch(userId);
    const appId = currentActor()?.appId;
    if (appId === undefined) {
      return ofUser;
    }
    try {
      return both(ofUser, await this.#apps.watch(appId));
    } catch (error) {
      ofUser.close();
      throw error;
    }
  }

  override async announceApp(appId: string): Promise<void> {
    await this.#apps.announce(appId, this.database);
  }

  override async watchApp(appId: string): Promise<ChangeWatch> {
    return this.#apps.watch(appId);
  }
}

function both(one: ChangeWatch, other: ChangeWatch): ChangeWatch {
  return {
    signal: AbortSignal.any([one.signal, other.signal]),
    close() {
      one.close();
      other.close();
    },
  };
}

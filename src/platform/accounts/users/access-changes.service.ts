import { Injectable } from '@nestjs/common';
import { currentActor } from '../../../common/auth/request-actor.js';
import { Rights } from '../../../common/auth/rights.js';
import { OpenRequests } from '../../../common/http/open-requests.js';
import { senderOfApp, senderOfUser, type Sender } from '../../../common/http/sender.js';
import type { AccessChanges, ChangeWatch } from '../../../common/ports/access-changes.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { DatabaseNotices, type NoticeListener } from '../../../database/notices/notices.js';

interface NoticeWatch {
  /** Aborts with the first change. */
  readonly signal: AbortSignal;
  /** Must be called when the signal is no longer needed. */
  close(): void;
}

/** Notifies all processes of changes to a name, such as a user or an external app. */
export class NoticeWatches {
  readonly #watches = new Map<string, Set<AbortController>>();
  readonly #listener: NoticeListener = {
    heard: (name) => {
      this.changed(name);
      this.#end(name);
    },
    // Missed changes take effect when the watching connection ends for another reason.
    resumed: () => this.changed(undefined),
  };

  /**
   * @param channel as `DatabaseNotices.listen` takes it
   * @param changed called with the name of each change, and with undefined when changes may have been missed
   */
  constructor(
    private readonly channel: string,
    private readonly notices: DatabaseNotices,
    private readonly changed: (name: string | undefined) => void,
  ) {
    notices.follow(channel, this.#listener);
  }

  async announce(name: string, on: SqlRunner): Promise<void> {
    await this.notices.announce(this.channel, name, on);
  }

  /** Resolves when no later change is missed. */
  async watch(name: string): Promise<NoticeWatch> {
    const controller = new AbortController();
    const ofName = this.#watches.get(name) ?? new Set();
    this.#watches.set(name, ofName.add(controller));
    const close = () => {
      ofName.delete(controller);
      if (ofName.size === 0 && this.#watches.get(name) === ofName) {
        this.#watches.delete(name);
      }
    };
    try {
      await this.notices.listen(this.channel, this.#listener);
      return { signal: controller.signal, close };
    } catch (error) {
      close();
      throw error;
    }
  }

  #end(name: string): void {
    const ended = this.#watches.get(name) ?? [];
    this.#watches.delete(name);
    for (const controller of ended) {
      controller.abort();
    }
  }
}

/** Announces changes of access to all processes, users and external apps on a channel each. */
@Injectable()
export class AccessChangesService implements AccessChanges {
  readonly #users: NoticeWatches;
  readonly #apps: NoticeWatches;

  constructor(
    private readonly database: Database,
    notices: DatabaseNotices,
    rights: Rights,
    requests: OpenRequests,
  ) {
    const changed = (senderOf: (name: string) => Sender) => (name: string | undefined) => {
      const key = name && senderOf(name).key;
      requests.forget(key);
      void rights.changed(key);
    };
    this.#users = new NoticeWatches('gatefold_access', notices, changed(senderOfUser));
    this.#apps = new NoticeWatches('gatefold_app_closures', notices, changed(senderOfApp));
  }

  async announce(userId: string): Promise<void> {
    noteChange();
    await this.#users.announce(userId, this.database);
  }

  async watch(userId: string): Promise<ChangeWatch> {
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

  async announceApp(appId: string): Promise<void> {
    noteChange();
    await this.#apps.announce(appId, this.database);
  }

  async watchApp(appId: string): Promise<ChangeWatch> {
    return this.#apps.watch(appId);
  }
}

/** The rest of the request that made the change, such as its entry in the log, is not refused. */
function noteChange(): void {
  const actor = currentActor();
  if (actor !== undefined) {
    actor.changesAccess = true;
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

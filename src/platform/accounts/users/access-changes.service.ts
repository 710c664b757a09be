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

/** Names whose last change is remembered. With more, every name counts as changed until the oldest change. */
const MOST_REMEMBERED = 1000;

/** Notifies all processes of changes to a name, such as a user or an external app. */
export class NoticeWatches {
  readonly #watches = new Map<string, Set<AbortController>>();
  /** When names were last heard of, in milliseconds of `performance.now()`, the latest last. */
  readonly #heardMs = new Map<string, number>();
  /** Changes until then may be unknown. */
  #unknownMs = 0;
  readonly #listener: NoticeListener = {
    heard: (name) => {
      this.#note(name);
      this.changed(name);
      this.#end(name);
    },
    resumed: () => {
      this.#unknownMs = performance.now();
      this.changed(undefined);
      if (this.endsUnsure) {
        [...this.#watches.keys()].forEach((name) => this.#end(name));
      }
    },
  };

  /**
   * @param channel as `DatabaseNotices.listen` takes it
   * @param changed called with the name of each change, and with undefined when changes may have been missed
   * @param endsUnsure whether all watches end when changes may have been missed, since `changed` does not
   *   decide about what they watch
   */
  constructor(
    private readonly channel: string,
    private readonly notices: DatabaseNotices,
    private readonly changed: (name: string | undefined) => void,
    private readonly endsUnsure: boolean,
  ) {
    notices.follow(channel, this.#listener);
  }

  async announce(name: string, on: SqlRunner): Promise<void> {
    await this.notices.announce(this.channel, name, on);
  }

  /** Resolves when no later change is missed. @param sinceMs see `AccessChanges.watch` */
  async watch(name: string, sinceMs = Infinity): Promise<NoticeWatch> {
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
      if (sinceMs <= Math.max(this.#unknownMs, this.#heardMs.get(name) ?? 0)) {
        controller.abort();
      }
      return { signal: controller.signal, close };
    } catch (error) {
      close();
      throw error;
    }
  }

  #note(name: string): void {
    this.#heardMs.delete(name);
    this.#heardMs.set(name, performance.now());
    const [oldest] = this.#heardMs;
    if (oldest !== undefined && this.#heardMs.size > MOST_REMEMBERED) {
      this.#heardMs.delete(oldest[0]);
      this.#unknownMs = Math.max(this.#unknownMs, oldest[1]);
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
    // What watches a user alone was admitted by guards, which `Rights` asks again; a connection to an app was not.
    this.#users = new NoticeWatches('gatefold_access', notices, changed(senderOfUser), false);
    this.#apps = new NoticeWatches('gatefold_app_closures', notices, changed(senderOfApp), true);
  }

  async announce(userId: string): Promise<void> {
    noteChange();
    await this.#users.announce(userId, this.database);
  }

  async watch(userId: string, sinceMs?: number): Promise<ChangeWatch> {
    const ofUser = await this.#users.watch(userId, sinceMs);
    const appId = currentActor()?.appId;
    if (appId === undefined) {
      return ofUser;
    }
    try {
      return both(ofUser, await this.#apps.watch(appId, sinceMs));
    } catch (error) {
      ofUser.close();
      throw error;
    }
  }

  async announceApp(appId: string): Promise<void> {
    noteChange();
    await this.#apps.announce(appId, this.database);
  }

  async watchApp(appId: string, sinceMs?: number): Promise<ChangeWatch> {
    return this.#apps.watch(appId, sinceMs);
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

import { Injectable } from '@nestjs/common';
import { DatabaseNotices, type NoticeListener } from '../../database/database-notices.js';
import { Database } from '../../database/database.js';

const CHANNEL = 'gatefold_access';

/** Whether a user's credentials still count as they did. */
export interface AccessWatch {
  /** Aborts with the first change. */
  readonly signal: AbortSignal;
  /** To be called when nobody looks at the signal any more. */
  close(): void;
}

/**
 * Says, to all processes, that credentials of a user may count no more: a session ended, a password
 * was changed, the account was disabled. Whoever keeps a connection open for the user ends it then;
 * the client comes back, with credentials that still count or not.
 */
@Injectable()
export class AccessChanges {
  readonly #watches = new Map<string, Set<AbortController>>();
  readonly #listener: NoticeListener = {
    heard: (userId) => this.#end(userId),
    // Those that were missed count when the connections end for another reason, as all do.
    resumed: () => {},
  };

  constructor(
    private readonly database: Database,
    private readonly notices: DatabaseNotices,
  ) {}

  /** Called when the change is committed. */
  async announce(userId: string): Promise<void> {
    await this.notices.announce(CHANNEL, userId, this.database);
  }

  /** Returns when no change from now on is missed. */
  async watch(userId: string): Promise<AccessWatch> {
    const controller = new AbortController();
    const ofUser = this.#watches.get(userId) ?? new Set();
    this.#watches.set(userId, ofUser.add(controller));
    const close = () => {
      ofUser.delete(controller);
      if (ofUser.size === 0 && this.#watches.get(userId) === ofUser) {
        this.#watches.delete(userId);
      }
    };
    try {
      await this.notices.listen(CHANNEL, this.#listener);
      return { signal: controller.signal, close };
    } catch (error) {
      close();
      throw error;
    }
  }

  #end(userId: string): void {
    const ended = this.#watches.get(userId) ?? [];
    this.#watches.delete(userId);
    for (const controller of ended) {
      controller.abort();
    }
  }
}

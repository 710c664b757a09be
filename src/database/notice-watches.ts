import type { DatabaseNotices, NoticeListener } from './database-notices.js';
import type { SqlRunner } from './database.js';

/** Whether something still is as it was when the watch began. */
export interface NoticeWatch {
  /** Aborts with the first change. */
  readonly signal: AbortSignal;
  /** To be called when nobody looks at the signal any more. */
  close(): void;
}

/** Names of which all processes are told when they change: users, external apps. */
export class NoticeWatches {
  readonly #watches = new Map<string, Set<AbortController>>();
  readonly #listener: NoticeListener = {
    heard: (name) => this.#end(name),
    // Those that were missed count when the connections end for another reason, as all do.
    resumed: () => {},
  };

  /** @param channel as `DatabaseNotices.listen` takes it */
  constructor(
    private readonly channel: string,
    private readonly notices: DatabaseNotices,
  ) {}

  async announce(name: string, on: SqlRunner): Promise<void> {
    await this.notices.announce(this.channel, name, on);
  }

  /** Returns when no change from now on is missed. */
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

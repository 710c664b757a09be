import type { DatabaseNotices, NoticeListener } from './notices.js';
import type { SqlRunner } from '../database.js';

interface NoticeWatch {
  /** Aborts with the first change. */
  readonly signal: AbortSignal;
  /** Must be called when the signal is no longer needed. */
  close(): void;
}

/** Notifies all processes of changes by name, such as those of users or external apps. */
export class NoticeWatches {
  readonly #watches = new Map<string, Set<AbortController>>();
  readonly #listener: NoticeListener = {
    heard: (name) => this.#end(name),
    // Missed changes take effect when the watching connection ends for another reason.
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

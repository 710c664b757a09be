import { Injectable } from '@nestjs/common';
import { AccessChanges } from '../../../../common/ports/access-changes.js';

/** Beyond it the oldest long poll is ended, since its client has probably disconnected. */
const LONG_POLLS_PER_USER = 30;

interface LongPoll {
  /** Aborts when a newer long poll takes its place, or the user's access changes. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Limits long polls per user, and ends them when the user's access changes. */
@Injectable()
export class LongPollLimit {
  readonly #active = new Map<string, Set<AbortController>>();

  constructor(private readonly accessChanges: AccessChanges) {}

  async begin(userId: string): Promise<LongPoll> {
    const watch = await this.accessChanges.watch(userId);
    const replaced = new AbortController();
    const ofUser = this.#active.get(userId) ?? new Set();
    this.#active.set(userId, ofUser.add(replaced));
    const [oldest] = ofUser;
    if (ofUser.size > LONG_POLLS_PER_USER && oldest !== undefined) {
      ofUser.delete(oldest);
      oldest.abort();
    }
    const end = () => {
      watch.close();
      ofUser.delete(replaced);
      if (ofUser.size === 0 && this.#active.get(userId) === ofUser) {
        this.#active.delete(userId);
      }
    };
    return { signal: AbortSignal.any([watch.signal, replaced.signal]), end };
  }
}

import type { DatabaseNotices } from './notices.js';

/**
 * Changes that the database announces on a channel, for caches of this process. A value may be cached if no
 * change was announced since before it was read; while no notices are received, none may.
 */
export class NoticedChanges {
  #count = 0;
  #isHearing = false;

  /**
   * Call in the constructor of a provider.
   *
   * @param forget called with the payload of each notice, and with null when any may have been missed
   */
  constructor(
    notices: DatabaseNotices,
    channel: string,
    private readonly forget: (changed: string | null) => void,
  ) {
    notices.follow(channel, {
      heard: (changed) => this.note(changed),
      lost: () => {
        this.#isHearing = false;
        this.note(null);
      },
      resumed: () => {
        this.#isHearing = true;
        // Invalidates reads in progress, whose statement may precede the connection.
        this.note(null);
      },
    });
  }

  /** Must be read before the value in the database. */
  get count(): number {
    return this.#count;
  }

  get isHearing(): boolean {
    return this.#isHearing;
  }

  /** A change that this process makes: its notice may arrive later than a request. */
  note(changed: string | null): void {
    this.#count += 1;
    this.forget(changed);
  }

  /** Whether a value read after `countBefore` may be cached. */
  areNoneSince(countBefore: number): boolean {
    return this.#isHearing && this.#count === countBefore;
  }
}

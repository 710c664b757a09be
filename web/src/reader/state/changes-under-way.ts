/** Asking is repeated while local changes make the answer outdated, up to this many times. */
const MOST_TIMES = 4;

/** Changes that are being sent. */
export class ChangesUnderWay {
  #count = 0;
  readonly #running = new Set<Promise<unknown>>();

  /** Marks a change as pending: counts from the service may be outdated until it is done. */
  readonly whileChanging = async <T>(work: Promise<T>): Promise<T> => {
    this.#count += 1;
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
      this.#count += 1;
    }
  };

  /** Resolves when all pending changes have been accepted or refused. */
  readonly changesSent = async (): Promise<void> => {
    await Promise.allSettled(this.#running);
  };

  /** @returns an answer that no change has made outdated */
  readonly latest = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (let times = 1; ; times += 1) {
      const before = this.#count;
      const answer = await ask();
      const isOutdated = before !== this.#count || this.#running.size > 0;
      if (!isOutdated || times === MOST_TIMES) {
        return answer;
      }
      await this.changesSent();
    }
  };
}

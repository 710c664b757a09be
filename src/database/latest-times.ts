/**
 * Times of the latest use of rows, kept until they are written for all rows together: a statement for each
 * would cost more than most requests. A process that is killed loses what it has not written.
 */
export class LatestTimes<Key extends number | string> {
  #times = new Map<Key, Date>();

  /** @param store writes them, with one statement; throws DatabaseUnavailable */
  constructor(
    private readonly store: (keys: readonly Key[], times: readonly Date[]) => Promise<void>,
  ) {}

  note(key: Key, at: Date): void {
    this.#times.set(key, at);
  }

  /** What could not be written remains for the next call. @throws what `store` throws */
  async write(): Promise<void> {
    const times = this.#times;
    if (times.size === 0) {
      return;
    }
    this.#times = new Map();
    try {
      await this.store([...times.keys()], [...times.values()]);
    } catch (error) {
      this.#times = new Map([...times, ...this.#times]);
      throw error;
    }
  }
}

/** Sources that arrive together are fetched at this rate at most, so that others are not held up. */
const SECONDS_PER_SOURCE = 0.05;
/** And those of one host no faster than this; the schedule keeps the same distance. */
const SECONDS_PER_SOURCE_OF_ONE_HOST = 1;

/**
 * Spreads the first fetches of many new sources: each is due when all before it can have been
 * fetched, and those of one host a second apart.
 */
export class FirstFetches {
  readonly #nextByHost = new Map<string, number>();
  #next = 0;

  /** @returns seconds from now until the next source, one of this host, is due */
  dueInSeconds(hostKey: string): number {
    const due = Math.max(this.#next, this.#nextByHost.get(hostKey) ?? 0);
    this.#next += SECONDS_PER_SOURCE;
    this.#nextByHost.set(hostKey, due + SECONDS_PER_SOURCE_OF_ONE_HOST);
    return due;
  }
}

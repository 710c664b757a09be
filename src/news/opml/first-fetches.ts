/** The rate of first fetches, so that they do not delay the other sources. */
const SECONDS_PER_SOURCE = 0.02;
/** Interval per host; the schedule has the same minimum. */
const SECONDS_PER_SOURCE_OF_ONE_HOST = 1;

/** Spreads the first fetches of many new sources over time, one second apart per host. */
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

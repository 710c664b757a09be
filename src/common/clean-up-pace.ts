/**
 * When to clean up a table that grows with each call: at intervals, and after a number of
 * additions. Counted per process.
 */
export class CleanUpPace {
  #cleanedUpSeconds = 0;
  #additions = 0;

  constructor(
    private readonly everySeconds: number,
    private readonly everyAdditions: number,
  ) {}

  /** Counts an addition. @returns whether to clean up now */
  add(nowSeconds: number): boolean {
    this.#additions += 1;
    if (
      nowSeconds < this.#cleanedUpSeconds + this.everySeconds &&
      this.#additions < this.everyAdditions
    ) {
      return false;
    }
    this.#cleanedUpSeconds = nowSeconds;
    this.#additions = 0;
    return true;
  }
}

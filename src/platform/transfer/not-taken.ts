/** Things that an import did not take in, for one reason. */
export interface NotTaken {
  /** A sentence. */
  readonly reason: string;
  readonly count: number;
  /** The first of them. */
  readonly what: readonly string[];
}

const MOST_REASONS = 100;
const MOST_NAMED = 100;
const LONGEST_TEXT = 500;
/** Of those beyond the most. */
const OTHER_REASONS = 'For other reasons.';

/** Counts what is not taken in by its reason, and names the first. */
export class NotTakenCounts {
  readonly #byReason = new Map<string, { count: number; readonly what: string[] }>();
  #named = 0;

  add(what: string, givenReason: string): void {
    const reason = shortened(givenReason);
    const isListed = this.#byReason.has(reason) || this.#byReason.size < MOST_REASONS;
    const key = isListed ? reason : OTHER_REASONS;
    const known = this.#byReason.get(key) ?? { count: 0, what: [] };
    this.#byReason.set(key, known);
    known.count += 1;
    if (this.#named < MOST_NAMED) {
      this.#named += 1;
      known.what.push(shortened(what));
    }
  }

  all(): readonly NotTaken[] {
    return Array.from(this.#byReason, ([reason, counts]) => ({ reason, ...counts }));
  }
}

/** As the database stores it. */
function shortened(text: string): string {
  return text.slice(0, LONGEST_TEXT).replaceAll('\0', '').toWellFormed();
}

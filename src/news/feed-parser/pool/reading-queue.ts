import type { FeedDocument } from '../parsed-feed.js';

/** Nearly all feeds are smaller. */
const SMALL_BYTES = 512 * 1024;

/** Small documents that may overtake a waiting large one in a row. */
const MOST_PASSING = 20;

/** Whether reading a document takes milliseconds, unless it is malicious. */
export function isSmall({ bytes }: FeedDocument): boolean {
  return bytes.length <= SMALL_BYTES;
}

/** Queue of documents. Small ones overtake large ones, but not indefinitely. */
export class ReadingQueue<Job extends { readonly document: FeedDocument }> {
  readonly #small: Job[] = [];
  readonly #large: Job[] = [];
  #passing = 0;

  get length(): number {
    return this.#small.length + this.#large.length;
  }

  add(job: Job): void {
    (isSmall(job.document) ? this.#small : this.#large).push(job);
  }

  /** @param takesLarge whether a reader is available for a large document */
  next(takesLarge: boolean): Job | null {
    const largeWaits = takesLarge && this.#large.length > 0;
    if (this.#small.length === 0 || (largeWaits && this.#passing >= MOST_PASSING)) {
      this.#passing = 0;
      return takesLarge ? (this.#large.shift() ?? null) : null;
    }
    this.#passing += largeWaits ? 1 : 0;
    return this.#small.shift() ?? null;
  }

  clear(): Job[] {
    return [...this.#small.splice(0), ...this.#large.splice(0)];
  }
}

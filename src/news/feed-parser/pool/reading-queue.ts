import type { FeedDocument } from '../parsed-feed.js';

/** Documents up to this size are small: nearly all feeds are. */
const SMALL_BYTES = 512 * 1024;

/** After so many small documents in a row a large one that waits is next. */
const MOST_PASSING = 20;

/** Whether a document is read in no time, unless somebody wrote it to be slow. */
export function isSmall({ bytes }: FeedDocument): boolean {
  return bytes.length <= SMALL_BYTES;
}

/** Documents that wait to be read. Small ones pass large ones, but not for ever. */
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

  /** @param takesLarge whether a reader may be given to a large document now */
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

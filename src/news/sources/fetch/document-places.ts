import { setTimeout as delay } from 'node:timers/promises';
import { ReadingUnavailable } from '../../feed-parser/pool/reading-pool.js';

/** Shorter than a lease, together with the rest of a fetch. */
const PATIENCE_MS = 15_000;

/**
 * Limits the documents that are in memory. A fetch takes a place when a document arrives and leaves it
 * when the result is written; waiting for servers, and answers without a document, need none.
 */
export class DocumentPlaces {
  #free: number;
  readonly #waiting = new Set<() => void>();

  /** @param count of places */
  constructor(
    count: number,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.#free = count;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** @throws ReadingUnavailable when no place becomes free for too long, or before `signal` */
  async take(signal?: AbortSignal): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const place = Promise.withResolvers<'free'>();
    const enter = (): void => place.resolve('free');
    this.#waiting.add(enter);
    const timer = new AbortController();
    const ends = AbortSignal.any([timer.signal, ...(signal ? [signal] : [])]);
    const timeUp = delay(this.patienceMs, 'late', { signal: ends }).catch(() => 'late');
    const outcome = await Promise.race([place.promise, timeUp]);
    timer.abort();
    if (outcome !== 'free' && this.#waiting.delete(enter)) {
      throw new ReadingUnavailable('Too many documents are being read at once.');
    }
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

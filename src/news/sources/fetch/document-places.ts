import { setTimeout as delay } from 'node:timers/promises';
import { ReadingUnavailable } from '../../feed-parser/pool/reading-pool.js';

/** Shorter than a lease, together with the rest of a fetch. */
const PATIENCE_MS = 15_000;

/** Whether a publisher usually answers quickly. Others have half of the places, and go second. */
type Pace = 'quick' | 'slow';

/**
 * Limits the documents that are in memory. A fetch takes a place when a document arrives and leaves it
 * when the result is written; waiting for servers, and answers without a document, need none.
 */
export class DocumentPlaces {
  readonly #taken = { quick: 0, slow: 0 };
  readonly #lines = { quick: new Set<() => void>(), slow: new Set<() => void>() };

  /** @param count of places */
  constructor(
    private readonly count: number,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** Quick ones that are waiting. */
  get waiting(): number {
    return this.#lines.quick.size;
  }

  /** @throws ReadingUnavailable when no place becomes free for too long, or before `signal` */
  async take(signal?: AbortSignal, pace: Pace = 'quick'): Promise<void> {
    if (this.#isFree(pace)) {
      this.#taken[pace] += 1;
      return;
    }
    const place = Promise.withResolvers<'free'>();
    const enter = (): void => place.resolve('free');
    const line = this.#lines[pace];
    line.add(enter);
    const timer = new AbortController();
    const ends = AbortSignal.any([timer.signal, ...(signal ? [signal] : [])]);
    const timeUp = delay(this.patienceMs, 'late', { signal: ends }).catch(() => 'late');
    const outcome = await Promise.race([place.promise, timeUp]);
    timer.abort();
    if (outcome !== 'free' && line.delete(enter)) {
      throw new ReadingUnavailable('Too many documents are being read at once.');
    }
  }

  /** @param pace with which the place was taken */
  leave(pace: Pace = 'quick'): void {
    this.#taken[pace] -= 1;
    for (const next of ['quick', 'slow'] as const) {
      const [enter] = this.#lines[next];
      if (enter !== undefined && this.#isFree(next)) {
        this.#lines[next].delete(enter);
        this.#taken[next] += 1;
        enter();
        return;
      }
    }
  }

  #isFree(pace: Pace): boolean {
    const { quick, slow } = this.#taken;
    return quick + slow < this.count && (pace === 'quick' || slow < Math.ceil(this.count / 2));
  }
}

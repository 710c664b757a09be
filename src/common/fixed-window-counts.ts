import type { Clock } from './clock.js';

const HOUR_SECONDS = 3_600;
const MOST_COUNTED = 10_000;

/**
 * Counts of each user within a window of time, in this process. A window begins with the first count, and
 * the next one after its end. The oldest are forgotten when there are many.
 */
export class FixedWindowCounts {
  readonly #counts = new Map<string, { readonly fromSeconds: number; count: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly seconds = HOUR_SECONDS,
  ) {}

  /**
   * Counts one more, unless the user has had `most` within the time.
   *
   * @returns seconds until the next time begins; null when it was counted
   */
  add(userId: string, most: number): number | null {
    const now = this.clock.nowSeconds();
    const known = this.#counts.get(userId);
    const isSameTime = known !== undefined && now - known.fromSeconds < this.seconds;
    const counted = isSameTime ? known : { fromSeconds: now, count: 0 };
    if (counted.count >= most) {
      return counted.fromSeconds + this.seconds - now;
    }
    counted.count += 1;
    this.#counts.delete(userId);
    this.#counts.set(userId, counted);
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= MOST_COUNTED) {
        break;
      }
      this.#counts.delete(oldest);
    }
    return null;
  }
}

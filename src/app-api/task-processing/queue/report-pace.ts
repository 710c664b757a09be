import type { Clock } from '../../../common/clock.js';
import { keepLatest } from '../../../common/keep-latest.js';

const MOST_KEPT = 10_000;

/** Lets one report per name and time through. In memory: each process has its own. */
export class ReportPace {
  /** By name, longest ago first; milliseconds of the clock. */
  readonly #latest = new Map<string, number>();

  constructor(
    private readonly gapMs: number,
    private readonly clock: Clock,
  ) {}

  /** Whether none was let through within the gap; this one is then. */
  isDue(name: string): boolean {
    const now = this.clock.now().getTime();
    const latest = this.#latest.get(name);
    if (latest !== undefined && Math.abs(now - latest) < this.gapMs) {
      return false;
    }
    keepLatest(this.#latest, name, now, MOST_KEPT);
    return true;
  }
}

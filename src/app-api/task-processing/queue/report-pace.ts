const MOST_KEPT = 10_000;

/** Lets one report per name and time through. In memory: each process has its own. */
export class ReportPace {
  /** By name, longest ago first; milliseconds of `performance.now`. */
  readonly #latest = new Map<string, number>();

  constructor(
    private readonly gapMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Whether none was let through within the gap; this one is then. */
  isDue(name: string): boolean {
    const now = this.nowMs();
    const latest = this.#latest.get(name);
    if (latest !== undefined && now - latest < this.gapMs) {
      return false;
    }
    this.#latest.delete(name);
    this.#latest.set(name, now);
    for (const [oldest] of this.#latest) {
      if (this.#latest.size <= MOST_KEPT) {
        break;
      }
      this.#latest.delete(oldest);
    }
    return true;
  }
}

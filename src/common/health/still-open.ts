import { Injectable } from '@nestjs/common';

/** Unfinished work of this process, logged when a shutdown takes too long. */
@Injectable()
export class StillOpen {
  readonly #counts = new Map<string, () => number>();

  /** @param what in the plural, for instance "requests" */
  counts(what: string, count: () => number): void {
    this.#counts.set(what, count);
  }

  /** Example: "2 requests, 1 jobs"; "nothing" if there is none. */
  describe(): string {
    const parts = [...this.#counts]
      .map(([what, count]) => ({ what, count: count() }))
      .filter(({ count }) => count > 0)
      .map(({ what, count }) => `${count} ${what}`);
    return parts.join(', ') || 'nothing';
  }
}

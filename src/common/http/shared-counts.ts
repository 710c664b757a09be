import { Injectable } from '@nestjs/common';
import { Counts } from '../counts.js';

/** Validity of another process's announcement; it is renewed earlier. */
export const COUNTS_VALID_MS = 60_000;

/**
 * Requests or connections of a kind per user: exact for this process, announced by other processes.
 * @see docs/decisions/0059
 */
@Injectable()
export class SharedCounts {
  readonly #own = new Counts();
  readonly #others = new Map<string, { heardAtMs: number; readonly counts: Counts }>();
  readonly #observers = new Set<() => void>();
  now: () => number = Date.now;

  /** Count in all processes. */
  count(key: string): number {
    let count = this.#own.of(key);
    const validFromMs = this.now() - COUNTS_VALID_MS;
    for (const { heardAtMs, counts } of this.#others.values()) {
      if (heardAtMs > validFromMs) {
        count += counts.of(key);
      }
    }
    return count;
  }

  /** @param key kind and owner */
  add(key: string, change: 1 | -1): void {
    this.#own.add(key, change);
    this.#observers.forEach((changed) => changed());
  }

  /** @param changed is called after each change of a count in this process */
  observe(changed: () => void): void {
    this.#observers.add(changed);
  }

  /** Counts of this process. */
  own(): ReadonlyMap<string, number> {
    return this.#own.all();
  }

  /**
   * Stores another process's announcement.
   *
   * @param isComplete whether all unnamed work has ended
   */
  hear(processId: string, counts: Readonly<Record<string, number>>, isComplete: boolean): void {
    const nowMs = this.now();
    for (const [id, { heardAtMs }] of this.#others) {
      if (heardAtMs <= nowMs - COUNTS_VALID_MS) {
        this.#others.delete(id);
      }
    }
    const other = this.#others.get(processId) ?? { heardAtMs: nowMs, counts: new Counts() };
    this.#others.set(processId, other);
    other.heardAtMs = nowMs;
    if (isComplete) {
      other.counts.clear();
    }
    for (const [key, count] of Object.entries(counts)) {
      other.counts.set(key, count);
    }
  }
}

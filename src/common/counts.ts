/** Counts, or bytes, by key; counts of 0 take no memory. */
export class Counts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  all(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  add(key: string, change: number): void {
    this.set(key, this.of(key) + change);
  }

  set(key: string, count: number): void {
    if (count > 0) {
      this.#counts.set(key, count);
    } else {
      this.#counts.delete(key);
    }
  }

  clear(): void {
    this.#counts.clear();
  }
}

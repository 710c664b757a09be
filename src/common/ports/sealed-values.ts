/** One kind of values that a room keeps sealed with the installation's secret key. */
interface SealedKind {
  /** In the plural, for instance "secrets of external apps". */
  readonly what: string;
  /** What the operator does to set a lost one anew; one sentence. */
  readonly remedy: string;
  /** @returns the names of those that the present key does not open */
  lost(): Promise<readonly string[]>;
  /** Removes or replaces those, so that nothing fails because of them. */
  replaceLost(): Promise<void>;
}

/** Where rooms say what they keep sealed, so that a new key can be accepted. */
export class SealedValues {
  readonly #kinds: SealedKind[] = [];

  register(kind: SealedKind): void {
    this.#kinds.push(kind);
  }

  /** In the order of their registration. */
  kinds(): readonly SealedKind[] {
    return this.#kinds;
  }
}

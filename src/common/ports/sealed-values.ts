/** A kind of values that a room stores sealed with the secret key. */
interface SealedKind {
  /** Plural noun, for instance "secrets of external apps". */
  readonly what: string;
  /** One sentence: how the operator restores a lost value. */
  readonly remedy: string;
  /** @returns names of the values that the present key cannot open */
  lost(): Promise<readonly string[]>;
  /** Removes or replaces them. */
  replaceLost(): Promise<void>;
}

/** Rooms register their sealed values, so that a new key can be accepted. */
export class SealedValues {
  readonly #kinds: SealedKind[] = [];

  register(kind: SealedKind): void {
    this.#kinds.push(kind);
  }

  /** In order of registration. */
  kinds(): readonly SealedKind[] {
    return this.#kinds;
  }
}

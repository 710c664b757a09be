/** A position in a recording, on any device. In seconds. */
export interface Position {
  readonly itemId: number;
  readonly position: number;
  readonly duration: number | null;
}

interface Unsaved extends Omit<Position, 'itemId'> {
  /** Unix milliseconds. */
  readonly at: number;
}

const MOST_UNSAVED = 50;

/** Positions in recordings: those that the service has, and later ones of this browser. */
export class KnownPositions {
  readonly #positions = new Map<number, number>();
  readonly #durations = new Map<number, number>();
  readonly #unsaved: Map<number, Unsaved>;

  /** @param kept `unsaved` of an earlier page; entries of earlier versions are plain seconds */
  constructor(kept: unknown) {
    const entries = (Array.isArray(kept) ? kept : []) as [number, Unsaved | number][];
    this.#unsaved = new Map(
      entries.map(([itemId, entry]) => [
        itemId,
        // Older than anything that the service knows.
        typeof entry === 'number' ? { position: entry, duration: null, at: 0 } : entry,
      ]),
    );
  }

  /** The latest ones that the service does not have yet, by item id. */
  get unsaved(): [number, Unsaved][] {
    return [...this.#unsaved].slice(-MOST_UNSAVED);
  }

  /** In seconds; 0 if unknown. */
  positionOf(itemId: number): number {
    return this.#unsaved.get(itemId)?.position ?? this.#positions.get(itemId) ?? 0;
  }

  /** In seconds; 0 if unknown. */
  durationOf(itemId: number): number {
    return this.#durations.get(itemId) ?? 0;
  }

  /** Takes over positions that the service has. */
  take(positions: readonly Position[]): void {
    for (const { itemId, position, duration } of positions) {
      this.#positions.set(itemId, position);
      this.#durations.set(itemId, duration ?? 0);
    }
  }

  /** @param at unix milliseconds */
  keep({ itemId, position, duration }: Position, at: number): void {
    this.#positions.set(itemId, position);
    this.#unsaved.delete(itemId);
    this.#unsaved.set(itemId, { position, duration, at });
    this.#durations.set(itemId, duration ?? this.durationOf(itemId));
  }

  /** Sends unsaved positions until one fails; those of items that do not exist are dropped. */
  async save(send: (itemId: number, unsaved: Unsaved) => Promise<unknown>): Promise<void> {
    for (const [itemId, unsaved] of this.#unsaved) {
      try {
        await send(itemId, unsaved);
      } catch (error) {
        if ((error as { status?: number }).status !== 404) {
          break;
        }
      }
      if (this.#unsaved.get(itemId)?.at === unsaved.at) {
        this.#unsaved.delete(itemId);
      }
    }
  }
}

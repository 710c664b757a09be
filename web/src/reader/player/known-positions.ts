/** A position in a recording, on any device. In seconds. */
export interface Position {
  readonly itemId: number;
  readonly position: number;
  readonly duration: number | null;
}

/** A position that the service has. */
export interface SavedPosition extends Position {
  /** When it was reached, in unix seconds of the service; 0: unknown, older than any other. */
  readonly listenedAt: number;
}

interface Unsaved extends Omit<Position, 'itemId'> {
  /** Unix milliseconds. */
  readonly at: number;
}

const MOST_UNSAVED = 50;

/** Positions in recordings: those that the service has, and later ones of this browser. */
export class KnownPositions {
  readonly #saved = new Map<number, Omit<SavedPosition, 'itemId'>>();
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
    return this.#unsaved.get(itemId)?.position ?? this.#saved.get(itemId)?.position ?? 0;
  }

  /** In seconds; 0 if unknown. */
  durationOf(itemId: number): number {
    return this.#unsaved.get(itemId)?.duration ?? this.#saved.get(itemId)?.duration ?? 0;
  }

  /** Takes over what the service has, unless an earlier answer had a later position. */
  take(positions: readonly SavedPosition[]): void {
    for (const { itemId, position, duration, listenedAt } of positions) {
      const before = this.#saved.get(itemId);
      if (listenedAt >= (before?.listenedAt ?? 0)) {
        const known = duration ?? before?.duration ?? null;
        this.#saved.set(itemId, { position, duration: known, listenedAt });
      }
    }
  }

  /** @param at unix milliseconds */
  keep({ itemId, position, duration }: Position, at: number): void {
    const known = this.durationOf(itemId) || null;
    this.#unsaved.delete(itemId);
    this.#unsaved.set(itemId, { position, duration: duration ?? known, at });
  }

  /**
   * Sends unsaved positions until one fails.
   *
   * @param send answers with what the service knows now: maybe a later position of another device
   */
  async save(send: (itemId: number, unsaved: Unsaved) => Promise<SavedPosition>): Promise<void> {
    for (const [itemId, unsaved] of this.#unsaved) {
      try {
        this.take([await send(itemId, unsaved)]);
      } catch (error) {
        if ((error as { status?: number }).status !== 404) {
          break;
        }
        // Without such an item only this page knows it.
        this.take([{ itemId, ...unsaved, listenedAt: 0 }]);
      }
      if (this.#unsaved.get(itemId)?.at === unsaved.at) {
        this.#unsaved.delete(itemId);
      }
    }
  }
}

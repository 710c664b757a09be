import { Counts } from './counts.js';

/** Limits of running and waiting work: in total, and per owner. */
export interface TurnLimits {
  readonly atOnce: number;
  readonly atOnceOfOwner: number;
  readonly waiting: number;
  readonly waitingOfOwner: number;
}

/** Must be called once when the work has ended. */
export type EndTurn = () => void;

type Lines = Map<string, ((end: EndTurn) => void)[]>;

/**
 * Lets work wait for its turn. Owners take turns, so that much work of one delays each of the others by
 * one piece at most.
 */
export class FairTurns {
  readonly #running = new Counts();
  /** Waiting work by owner, the owner whose turn is next first. Known senders go before all others. */
  readonly #lines: Readonly<Record<'known' | 'others', Lines>> = {
    known: new Map(),
    others: new Map(),
  };
  #total = 0;

  /** @param refusal thrown when too much is waiting */
  constructor(
    private readonly most: TurnLimits,
    private readonly refusal: () => Error,
  ) {}

  /**
   * @param isKnown whether it waits in the first lane; each lane has a limit of its own
   * @throws the refusal, and any error of `work`
   */
  async run<Result>(owner: string, work: () => Promise<Result>, isKnown = false): Promise<Result> {
    const end = await this.begin(owner, isKnown);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Begins at once, or waits for a turn. @throws the refusal */
  async begin(owner: string, isKnown = false): Promise<EndTurn> {
    return this.beginNow(owner) ?? this.wait(owner, isKnown);
  }

  /** @returns null if it has to wait */
  beginNow(owner: string): EndTurn | null {
    return this.#hasRoom(owner) ? this.#begin(owner) : null;
  }

  /**
   * Waits for a turn.
   *
   * @throws the refusal
   */
  async wait(owner: string, isKnown = false): Promise<EndTurn> {
    const lines = this.#lines[isKnown ? 'known' : 'others'];
    const line = lines.get(owner) ?? [];
    const waiting = [...lines.values()].reduce((sum, { length }) => sum + length, 0);
    if (waiting >= this.most.waiting || line.length >= this.most.waitingOfOwner) {
      throw this.refusal();
    }
    return new Promise((start) => {
      line.push(start);
      lines.set(owner, line);
    });
  }

  #hasRoom(owner: string): boolean {
    return this.#total < this.most.atOnce && this.#running.of(owner) < this.most.atOnceOfOwner;
  }

  #begin(owner: string): EndTurn {
    this.#total += 1;
    this.#running.add(owner, 1);
    return () => {
      this.#total -= 1;
      this.#running.add(owner, -1);
      this.#startNext();
    };
  }

  #startNext(): void {
    for (const lines of [this.#lines.known, this.#lines.others]) {
      for (const [owner, line] of lines) {
        if (this.#hasRoom(owner)) {
          const start = line.shift();
          // Move the owner to the end of the queue.
          lines.delete(owner);
          if (line.length > 0) {
            lines.set(owner, line);
          }
          start?.(this.#begin(owner));
          return;
        }
      }
    }
  }
}

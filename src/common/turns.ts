import { setImmediate as everybodyElse } from 'node:timers/promises';

/** Others wait no longer than for one piece. */
const PIECE_MS = 10;

/** For long work on the main thread: divides it into pieces, between which everything else is served. */
export class Turns {
  #begunAt = performance.now();

  /** @param pieceMs shorter where a single step takes long */
  constructor(private readonly pieceMs = PIECE_MS) {}

  /** Call often, wherever the work can pause; resolves at once while the piece is short. */
  async take(): Promise<void> {
    if (performance.now() - this.#begunAt > this.pieceMs) {
      await everybodyElse();
      this.#begunAt = performance.now();
    }
  }

  /** `map` of a list, in turns. */
  async map<Thing, Result>(
    things: readonly Thing[],
    toResult: (thing: Thing) => Result,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for (const thing of things) {
      await this.take();
      results.push(toResult(thing));
    }
    return results;
  }
}

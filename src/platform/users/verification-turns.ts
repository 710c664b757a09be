import { Injectable } from '@nestjs/common';
import { TooManyVerifications } from '../platform.errors.js';

// Hashes run in Node's small thread pool, which files and name look-ups need too.
const MOST_AT_A_TIME = 2;
const MOST_WAITING = 200;

/** Lets verifications of passwords run a few at a time, first come, first served. */
@Injectable()
export class VerificationTurns {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @throws TooManyVerifications when too many wait already, and whatever `work` throws */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#begin();
    try {
      return await work();
    } finally {
      this.#end();
    }
  }

  async #begin(): Promise<void> {
    if (this.#running < MOST_AT_A_TIME) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= MOST_WAITING) {
      throw new TooManyVerifications();
    }
    // Whoever ends hands the turn over, so the count stays as it is.
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    next();
  }
}

import { Injectable } from '@nestjs/common';
import { TooManyGatewayFailures } from '../../common/auth/auth.errors.js';
import { Config } from '../../common/config/config.js';
import { networkOf } from '../../common/http/client-network.js';
import { GatewayThrottle, type Claim } from '../../common/ports/gateway-throttle.js';

/** Waiting requests per client address and app. */
const MOST_WAITING = 100;
const RETRY_AFTER_SECONDS = 5;

/** A request that may fail as a wrong guess. */
export interface Guess {
  /** Must be called when the guess is answered or aborted; idempotent. */
  end(): void;
}

/** The guesses of one claim. */
class Line {
  underWay = 0;
  waiting = 0;
  /** Settles when the latest request has been admitted or refused. */
  tail: Promise<void> = Promise.resolve();
  #onEnd: (() => void)[] = [];

  nextEnd(): Promise<void> {
    return new Promise((resolve) => this.#onEnd.push(resolve));
  }

  end(): void {
    this.underWay -= 1;
    for (const resolve of this.#onEnd.splice(0)) {
      resolve();
    }
  }
}

/**
 * Limits concurrent guesses to the number of failures that are left: each counts as a failure until it
 * is answered. Otherwise hundreds of concurrent guesses would pass before the first one has failed.
 * Concurrency is counted per process, failures across all.
 */
@Injectable()
export class GuessTurns {
  readonly #lines = new Map<string, Line>();

  constructor(
    private readonly throttle: GatewayThrottle,
    private readonly config: Config,
  ) {}

  /**
   * Waits for its turn and for the delay that earlier failures impose.
   *
   * @throws TooManyGatewayFailures after too many failures, or if too many requests are waiting
   */
  async begin(claim: Claim): Promise<Guess> {
    if (!this.config.rateLimits) {
      return { end: () => {} };
    }
    const key = JSON.stringify([networkOf(claim.clientAddress), claim.claimed]);
    const line = this.#lines.get(key) ?? new Line();
    this.#lines.set(key, line);
    const guess = await this.#letIn(line, key, claim);
    try {
      await this.throttle.delay(claim);
      return guess;
    } catch (error) {
      guess.end();
      throw error;
    }
  }

  async #letIn(line: Line, key: string, claim: Claim): Promise<Guess> {
    if (line.waiting >= MOST_WAITING) {
      throw new TooManyGatewayFailures(RETRY_AFTER_SECONDS);
    }
    line.waiting += 1;
    const before = line.tail;
    const turn = Promise.withResolvers<void>();
    line.tail = turn.promise;
    try {
      await before;
      await this.#room(line, claim);
      line.underWay += 1;
    } finally {
      line.waiting -= 1;
      turn.resolve();
      this.#drop(line, key);
    }
    let ended = false;
    return {
      end: () => {
        if (!ended) {
          ended = true;
          line.end();
          this.#drop(line, key);
        }
      },
    };
  }

  async #room(line: Line, claim: Claim): Promise<void> {
    for (;;) {
      // Read first: a guess that fails meanwhile is counted twice rather than not at all.
      const { underWay } = line;
      if (underWay < (await this.throttle.failuresLeft(claim))) {
        return;
      }
      if (line.underWay === underWay) {
        await line.nextEnd();
      }
    }
  }

  #drop(line: Line, key: string): void {
    if (line.underWay === 0 && line.waiting === 0 && this.#lines.get(key) === line) {
      this.#lines.delete(key);
    }
  }
}

import { Injectable } from '@nestjs/common';
import { TooManyGatewayFailures } from '../../common/auth/auth.errors.js';
import { GatewayThrottle, type Claim } from '../../common/ports/gateway-throttle.js';
import { Config } from '../../common/config/config.js';
import { networkOf } from '../../common/http/client-network.js';

/** Requests of one address to one app that may wait for those before them to be answered. */
const MOST_WAITING = 100;
const RETRY_AFTER_SECONDS = 5;

/** A request that may turn out to be a wrong guess. */
export interface Guess {
  /** It was answered, or never will be; called again it does nothing. */
  end(): void;
}

/** The guesses of one claim. */
class Line {
  underWay = 0;
  waiting = 0;
  /** Settles when the one that came last has been let in or refused. */
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
 * Lets through no more requests at once than may still fail: each counts as a failure until it is
 * answered. Otherwise hundreds of guesses sent at once would arrive before the first one has failed.
 * Counted by each process for itself; failures are counted by all together.
 */
@Injectable()
export class GuessTurns {
  readonly #lines = new Map<string, Line>();

  constructor(
    private readonly throttle: GatewayThrottle,
    private readonly config: Config,
  ) {}

  /**
   * Waits until the guesses before it leave room for this one, and for as long as failures demand.
   *
   * @throws TooManyGatewayFailures after too many failures, or with too many waiting already
   */
  async begin(claim: Claim): Promise<Guess> {
    if (!this.config.rateLimitsEnabled) {
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
      // Before the question: a guess that fails meanwhile is counted twice rather than not at all.
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

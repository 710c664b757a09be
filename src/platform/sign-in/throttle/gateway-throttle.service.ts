import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { TooManyGatewayFailures } from '../../../common/auth/auth.errors.js';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import { networkOf } from '../../../common/http/client-network.js';
import { Pause } from '../../../common/pause.js';
import type { GatewayThrottle, Claim } from '../../../common/ports/gateway-throttle.js';
import { ThrottleRepository, type GatewayFailure } from './throttle.repository.js';

// A wrong secret mostly comes from a redeployed app that retries at once, so the first failures only
// delay it. Secrets are too long to be guessed.
const FIRST_DELAY_SECONDS = 0.2;
const LONGEST_DELAY_SECONDS = 25;

const REFUSE_WITHIN_SECONDS = 1800;
const REFUSE_BEYOND_FAILURES = 10;
/** Limit of all claims of a network: enough for several apps on one host, not for guessing ids. */
const REFUSE_ADDRESS_BEYOND_FAILURES = 100;

/**
 * Delays wrong secrets, and refuses a claim after 10 failures in 30 minutes, a network after 100;
 * across all processes. Apps on one host are counted apart.
 */
@Injectable()
export class GatewayThrottleService implements GatewayThrottle {
  constructor(
    private readonly throttle: ThrottleRepository,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly pause: Pause,
  ) {}

  async countAndDelay(claim: Claim): Promise<void> {
    if (!this.config.rateLimits) {
      return;
    }
    const own = await this.#ownFailures(claim);
    await this.failed(claim);
    await this.#pauseAfter(own.length);
  }

  async delay(claim: Claim): Promise<void> {
    if (this.config.rateLimits) {
      await this.#pauseAfter((await this.#ownFailures(claim)).length);
    }
  }

  async failuresLeft(claim: Claim): Promise<number> {
    const since = this.clock.nowSeconds() - REFUSE_WITHIN_SECONDS;
    const own = await this.#ownFailures(claim);
    return REFUSE_BEYOND_FAILURES + 1 - own.filter(({ seconds }) => seconds > since).length;
  }

  async failed(claim: Claim): Promise<void> {
    if (!this.config.rateLimits) {
      return;
    }
    await this.throttle.addGatewayFailure(...keyOf(claim), this.clock.now());
  }

  async forget(claim: Claim): Promise<void> {
    await this.throttle.removeGatewayFailures(...keyOf(claim));
  }

  /**
   * Failures of this claim in the last 12 hours, newest first.
   *
   * @throws TooManyGatewayFailures
   */
  async #ownFailures(claim: Claim): Promise<GatewayFailure[]> {
    const failures = await this.throttle.gatewayFailures(
      ...keyOf(claim),
      this.clock.now(),
      REFUSE_ADDRESS_BEYOND_FAILURES + 1,
    );
    const own = failures.filter(({ isOwn }) => isOwn);
    const decisiveSeconds = Math.max(
      own[REFUSE_BEYOND_FAILURES]?.seconds ?? 0,
      failures[REFUSE_ADDRESS_BEYOND_FAILURES]?.seconds ?? 0,
    );
    const waitSeconds = Math.ceil(
      decisiveSeconds + REFUSE_WITHIN_SECONDS - this.clock.nowSeconds(),
    );
    if (waitSeconds > 0) {
      throw new TooManyGatewayFailures(waitSeconds);
    }
    return own;
  }

  async #pauseAfter(failures: number): Promise<void> {
    if (failures > 0) {
      await this.pause.forSeconds(delaySeconds(failures));
    }
  }
}

/** 0.2, 0.4, 0.8 … seconds. */
function delaySeconds(failures: number): number {
  return Math.min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (failures - 1));
}

/** Network and hash of the claim, as stored. */
function keyOf({ clientAddress, claimed }: Claim): [string, string] {
  return [networkOf(clientAddress), createHash('sha256').update(claimed).digest('base64url')];
}

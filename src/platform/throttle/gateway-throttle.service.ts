import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Database } from '../../database/database.js';
import { CleanUpPace } from './clean-up-pace.js';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { networkOf } from '../../common/http/client-network.js';
import { GatewayThrottle, type Claim } from '../../common/ports/gateway-throttle.js';
import { Pause } from '../../common/pause.js';
import { TooManyGatewayFailures } from '../../common/auth/auth.errors.js';

// A wrong secret is mostly that of a redeployed app which tries again at once, so the first failures
// only slow it down. Secrets are far too long to be guessed at any speed.
const FIRST_DELAY_SECONDS = 0.2;
const LONGEST_DELAY_SECONDS = 25;
const REMEMBER_SECONDS = 12 * 3600;

const REFUSE_WITHIN_SECONDS = 1800;
const REFUSE_BEYOND_FAILURES = 10;
/** Of all apps of an address together: room for several that share a host, but not for guessing ids. */
const REFUSE_ADDRESS_BEYOND_FAILURES = 100;

const CLEAN_UP_SECONDS = 600;
const CLEAN_UP_ADDITIONS = 1000;

interface Failure {
  /** Unix seconds. */
  readonly seconds: number;
  /** Whether it was of the same claim, and not merely of the same address. */
  readonly isOwn: boolean;
}

/**
 * Slows down who sends wrong credentials of external apps or guesses at them, and refuses the whole
 * address when there is no end to it; together across all replicas. Apps that share a host do not
 * suffer from one another. Where the service itself can tell right from wrong it does so first, and
 * asks here about wrong ones only: nobody's failures lock a right secret out.
 */
@Injectable()
export class GatewayThrottleService extends GatewayThrottle {
  readonly #cleanUpPace = new CleanUpPace(CLEAN_UP_SECONDS, CLEAN_UP_ADDITIONS);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly pause: Pause,
  ) {
    super();
  }

  /**
   * Counts what proved to be wrong, and waits as long as the failures before it demand.
   *
   * @throws TooManyGatewayFailures when there were so many lately that waiting is not enough
   */
  override async countAndDelay(claim: Claim): Promise<void> {
    if (!this.config.rateLimitsEnabled) {
      return;
    }
    const own = await this.#ownFailures(claim);
    await this.failed(claim);
    await this.#pauseAfter(own.length);
  }

  /**
   * Waits as long as the failures of this claim demand, before it is known whether this is another.
   *
   * @throws TooManyGatewayFailures when there were so many lately that waiting is not enough
   */
  override async delay(claim: Claim): Promise<void> {
    if (this.config.rateLimitsEnabled) {
      await this.#pauseAfter((await this.#ownFailures(claim)).length);
    }
  }

  /**
   * How many more failures are taken from this claim before it is refused; at least one.
   *
   * @throws TooManyGatewayFailures when there is none left
   */
  override async failuresLeft(claim: Claim): Promise<number> {
    const since = this.clock.nowSeconds() - REFUSE_WITHIN_SECONDS;
    const own = await this.#ownFailures(claim);
    return REFUSE_BEYOND_FAILURES + 1 - own.filter(({ seconds }) => seconds > since).length;
  }

  override async failed(claim: Claim): Promise<void> {
    if (!this.config.rateLimitsEnabled) {
      return;
    }
    const now = this.clock.now();
    await this.database.query(
      'insert into gateway_failure (network, claim_hash, failed_at) values ($1, $2, $3)',
      [...keyOf(claim), now],
    );
    await this.#cleanUp(now);
  }

  /** Those of this claim alone: what one app takes for right says nothing about another. */
  override async forget(claim: Claim): Promise<void> {
    await this.database.query(
      'delete from gateway_failure where network = $1 and claim_hash = $2',
      [...keyOf(claim)],
    );
  }

  /**
   * Those of this claim.
   *
   * @throws TooManyGatewayFailures
   */
  async #ownFailures(claim: Claim): Promise<Failure[]> {
    const now = this.clock.nowSeconds();
    const failures = await this.#newestFailures(claim, now);
    const own = failures.filter(({ isOwn }) => isOwn);
    const decisiveSeconds = Math.max(
      own[REFUSE_BEYOND_FAILURES]?.seconds ?? 0,
      failures[REFUSE_ADDRESS_BEYOND_FAILURES]?.seconds ?? 0,
    );
    const waitSeconds = Math.ceil(decisiveSeconds + REFUSE_WITHIN_SECONDS - now);
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

  /** Newest first; no more of them than make a difference to the address. */
  async #newestFailures(claim: Claim, now: number): Promise<Failure[]> {
    return this.database.query<Failure>(
      `select extract(epoch from failed_at)::float8 as seconds, claim_hash = $2 as "isOwn"
         from gateway_failure where network = $1 and failed_at > to_timestamp($3)
        order by failed_at desc limit $4`,
      [...keyOf(claim), now - REMEMBER_SECONDS, REFUSE_ADDRESS_BEYOND_FAILURES + 1],
    );
  }

  async #cleanUp(now: Date): Promise<void> {
    const nowSeconds = now.getTime() / 1000;
    if (!this.#cleanUpPace.add(nowSeconds)) {
      return;
    }
    // Strangers decide how many there are.
    await this.database.query(
      `delete from gateway_failure
        where failed_at <= greatest(
          to_timestamp($1),
          (select failed_at from gateway_failure order by failed_at desc offset $2 limit 1))`,
      [nowSeconds - REMEMBER_SECONDS, this.config.keepFailedLogins],
    );
  }
}

/** 0.2, 0.4, 0.8 … seconds. */
function delaySeconds(failures: number): number {
  return Math.min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (failures - 1));
}

/** Network and claim, as they are stored. */
function keyOf({ clientAddress, claimed }: Claim): [string, string] {
  return [networkOf(clientAddress), createHash('sha256').update(claimed).digest('base64url')];
}

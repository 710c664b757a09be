import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { Clock } from '../clock.js';
import { Config } from '../config/config.js';
import { networkOf } from '../http/client-network.js';
import { Pause } from '../pause.js';
import { TooManyGatewayFailures } from './auth.errors.js';

// A wrong secret is mostly that of a redeployed app which tries again at once, so the first failures
// only slow it down. Secrets are far too long to be guessed at any speed.
const FIRST_DELAY_SECONDS = 0.2;
const LONGEST_DELAY_SECONDS = 25;
const REMEMBER_SECONDS = 12 * 3600;

const REFUSE_BEYOND_FAILURES = 10;
const REFUSE_WITHIN_SECONDS = 1800;

const CLEAN_UP_SECONDS = 600;

/** Slows down an address that sends wrong gateway credentials, together across all replicas. */
@Injectable()
export class GatewayThrottle {
  #cleanedUpSeconds = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly pause: Pause,
  ) {}

  /**
   * Waits as long as the address's failures demand.
   *
   * @returns whether there were any
   * @throws TooManyGatewayFailures when there were so many lately that waiting is not enough
   */
  async delay(clientAddress: string): Promise<boolean> {
    if (!this.config.rateLimitsEnabled) {
      return false;
    }
    const now = this.clock.nowSeconds();
    const failedSeconds = await this.#newestFailures(networkOf(clientAddress), now);
    const decisiveSeconds = failedSeconds[REFUSE_BEYOND_FAILURES] ?? 0;
    const waitSeconds = Math.ceil(decisiveSeconds + REFUSE_WITHIN_SECONDS - now);
    if (waitSeconds > 0) {
      throw new TooManyGatewayFailures(waitSeconds);
    }
    if (failedSeconds.length === 0) {
      return false;
    }
    await this.pause.forSeconds(delaySeconds(failedSeconds.length));
    return true;
  }

  async failed(clientAddress: string): Promise<void> {
    if (!this.config.rateLimitsEnabled) {
      return;
    }
    const now = this.clock.now();
    await this.database.query('insert into gateway_failure (network, failed_at) values ($1, $2)', [
      networkOf(clientAddress),
      now,
    ]);
    await this.#cleanUp(now);
  }

  async forget(clientAddress: string): Promise<void> {
    await this.database.query('delete from gateway_failure where network = $1', [
      networkOf(clientAddress),
    ]);
  }

  /** Unix seconds, newest first; no more of them than make a difference. */
  async #newestFailures(network: string, now: number): Promise<number[]> {
    const rows = await this.database.query<{ seconds: number }>(
      `select extract(epoch from failed_at)::float8 as seconds from gateway_failure
        where network = $1 and failed_at > to_timestamp($2)
        order by failed_at desc limit $3`,
      [network, now - REMEMBER_SECONDS, REFUSE_BEYOND_FAILURES + 1],
    );
    return rows.map(({ seconds }) => seconds);
  }

  async #cleanUp(now: Date): Promise<void> {
    const nowSeconds = now.getTime() / 1000;
    if (nowSeconds < this.#cleanedUpSeconds + CLEAN_UP_SECONDS) {
      return;
    }
    this.#cleanedUpSeconds = nowSeconds;
    await this.database.query('delete from gateway_failure where failed_at < to_timestamp($1)', [
      nowSeconds - REMEMBER_SECONDS,
    ]);
  }
}

/** 0.2, 0.4, 0.8 … seconds. */
function delaySeconds(failures: number): number {
  return Math.min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (failures - 1));
}

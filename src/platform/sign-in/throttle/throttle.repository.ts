import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Database } from '../../../database/database.js';
import { CleanUpPace } from './clean-up-pace.js';
import { GatewayFailureEntity } from './gateway-failure.entity.js';
import { LoginThrottleEntity } from './login-throttle.entity.js';
import {
  countFailure,
  forgetUser,
  listGatewayFailures,
  readCounters,
  removeOldCounters,
  removeOldGatewayFailures,
  type GatewayFailure,
  type LoginCounter,
} from './throttle.sql.js';

export type { GatewayFailure, LoginCounter };

const FORGET_LOGIN_SECONDS = 3600;
const FORGET_GATEWAY_SECONDS = 12 * 3600;
const CLEAN_UP_SECONDS = 600;
const CLEAN_UP_ADDITIONS = 1000;

/**
 * Stored state of both throttles, for all processes. Anonymous clients control the number of rows,
 * so additions also remove old rows, and those beyond `GATEFOLD_KEEP_FAILED_LOGINS`.
 */
@Injectable()
export class ThrottleRepository {
  readonly #loginPace = new CleanUpPace(CLEAN_UP_SECONDS, CLEAN_UP_ADDITIONS);
  readonly #gatewayPace = new CleanUpPace(CLEAN_UP_SECONDS, CLEAN_UP_ADDITIONS);

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** By key; counters without failures and trust are missing. */
  async counters(keys: readonly string[]): Promise<Map<string, LoginCounter>> {
    const rows = await readCounters(this.database, keys);
    return new Map(rows.map((row) => [row.key, row]));
  }

  /** Adds a failure to each counter. A counter starts anew an hour after its latest failure. */
  async countFailure(
    keys: readonly string[],
    now: Date,
  ): Promise<Pick<LoginCounter, 'key' | 'failures'>[]> {
    const forgetBefore = secondsBefore(now, FORGET_LOGIN_SECONDS);
    const rows = await countFailure(this.database, keys, now, forgetBefore);
    if (this.#loginPace.add(now.getTime() / 1000)) {
      await removeOldCounters(this.database, now, forgetBefore, this.config.keepFailedLogins);
    }
    return rows;
  }

  /** Resets a counter, and marks it trusted until a time. */
  async trust(key: string, trustedUntil: Date): Promise<void> {
    const counter = { key, failures: 0, lastFailureAt: null, trustedUntil };
    await this.database.entities((em) =>
      em.upsert(LoginThrottleEntity, counter, { disableIdentityMap: true }),
    );
  }

  async forget(key: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(LoginThrottleEntity, { key }));
  }

  async forgetUser(userId: string): Promise<void> {
    await forgetUser(this.database, userId);
  }

  /** Failures of a network in the last 12 hours, newest first. */
  async gatewayFailures(
    network: string,
    claimHash: string,
    now: Date,
    limit: number,
  ): Promise<GatewayFailure[]> {
    const since = secondsBefore(now, FORGET_GATEWAY_SECONDS);
    return listGatewayFailures(this.database, network, claimHash, since, limit);
  }

  async addGatewayFailure(network: string, claimHash: string, failedAt: Date): Promise<void> {
    await this.database.entities((em) =>
      em.insert(GatewayFailureEntity, { network, claimHash, failedAt }),
    );
    if (this.#gatewayPace.add(failedAt.getTime() / 1000)) {
      const forgetBefore = secondsBefore(failedAt, FORGET_GATEWAY_SECONDS);
      await removeOldGatewayFailures(this.database, forgetBefore, this.config.keepFailedLogins);
    }
  }

  async removeGatewayFailures(network: string, claimHash: string): Promise<void> {
    await this.database.entities((em) =>
      em.nativeDelete(GatewayFailureEntity, { network, claimHash }),
    );
  }
}

function secondsBefore(time: Date, seconds: number): Date {
  return new Date(time.getTime() - seconds * 1000);
}

import { Injectable } from '@nestjs/common';
import { CleanUpPace } from '../../../common/clean-up-pace.js';
import { Database } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { AccountsSettings } from '../../accounts/accounts.settings.js';

export class LoginThrottleEntity extends entityOf('login_throttle', {
  key: p.text().primary(),
  failures: p.integer(),
  lastFailureAt: p.datetime().strictNullable(),
  trustedUntil: p.datetime().strictNullable(),
}) {}

// Rows are only counted and deleted in bulk; the table itself has no key.
export class GatewayFailureEntity extends entityOf('gateway_failure', {
  network: p.text().primary(),
  failedAt: p.datetime().primary(),
  claimHash: p.text().primary().default(''),
}) {}

export class UsedAllowanceEntity extends entityOf('used_allowance', {
  owner: p.text().primary(),
  kind: p.text().primary(),
  endsAt: p.datetime(),
  used: p.integer(),
  granted: p.integer(),
}) {}

const FORGET_LOGIN_SECONDS = 3600;
const FORGET_GATEWAY_SECONDS = 12 * 3600;
const CLEAN_UP_SECONDS = 600;
const CLEAN_UP_ADDITIONS = 1000;

const COUNTER = selectList(LoginThrottleEntity, 't', ['key', 'failures']);

export type LoginCounter = RowOf<typeof COUNTER> & {
  /** Unix seconds of the latest failure. */
  readonly failedSeconds: number | null;
  /** Unix seconds until which the pair is trusted. */
  readonly trustedSeconds: number | null;
};

/** A wrong secret of an app or chat bot. */
export interface GatewayFailure {
  /** Unix seconds. */
  readonly seconds: number;
  /** Whether it belongs to the same claim, and not only to the same network. */
  readonly isOwn: boolean;
}

/**
 * Stored state of both throttles, for all processes. Anonymous clients control the number of rows, so
 * additions also remove rows that are old or beyond `GATEFOLD_KEEP_FAILED_LOGINS`.
 */
@Injectable()
export class ThrottleRepository {
  readonly #loginPace = new CleanUpPace(CLEAN_UP_SECONDS, CLEAN_UP_ADDITIONS);
  readonly #gatewayPace = new CleanUpPace(CLEAN_UP_SECONDS, CLEAN_UP_ADDITIONS);

  constructor(
    private readonly database: Database,
    private readonly settings: AccountsSettings,
  ) {}

  /** Counters by key, except those without failures and trust. */
  async counters(keys: readonly string[]): Promise<Map<string, LoginCounter>> {
    const rows = await this.database.query<LoginCounter>(
      `select ${COUNTER},
         extract(epoch from t.last_failure_at)::float8 as "failedSeconds",
         extract(epoch from t.trusted_until)::float8 as "trustedSeconds"
       from login_throttle t where t.key = any($1)`,
      [keys],
    );
    return new Map(rows.map((row) => [row.key, row]));
  }

  /**
   * Adds a failure to each counter. A counter restarts an hour after its latest failure. In the order of
   * the keys, so that concurrent statements never deadlock.
   */
  async countFailure(
    keys: readonly string[],
    now: Date,
  ): Promise<Pick<LoginCounter, 'key' | 'failures'>[]> {
    const forgetBefore = secondsBefore(now, FORGET_LOGIN_SECONDS);
    const rows = await this.database.query<RowOf<typeof COUNTER>>(
      `insert into login_throttle as t (key, failures, last_failure_at)
       select key, 1, $2 from unnest($1::text[]) as key order by key
       on conflict (key) do update set
         failures = case when t.last_failure_at > $3 then t.failures + 1 else 1 end,
         last_failure_at = $2
       returning ${COUNTER}`,
      [keys, now, forgetBefore],
    );
    if (this.#loginPace.add(now.getTime() / 1000)) {
      // Counters without trust whose latest failure is old, or not among the newest.
      await this.database.query(
        `delete from login_throttle
         where coalesce(trusted_until < $2, true)
           and coalesce(last_failure_at <= greatest($1, (
                 select last_failure_at from login_throttle where last_failure_at is not null
                  order by last_failure_at desc offset $3 limit 1)), true)`,
        [forgetBefore, now, this.settings.keepFailedLogins],
      );
    }
    return rows;
  }

  /** Resets a counter, and marks it trusted until a time. */
  async trust(key: string, trustedUntil: Date): Promise<void> {
    const counter = { key, failures: 0, lastFailureAt: null, trustedUntil };
    await this.database.entities((em) => em.upsert(LoginThrottleEntity, counter));
  }

  async forget(key: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(LoginThrottleEntity, { key }));
  }

  /** Removes the counters of a user. Reads the whole table. */
  async forgetUser(userId: string): Promise<void> {
    await this.database.query(
      'delete from login_throttle where key = any($1) or starts_with(key, $2)',
      [[`user:${userId}`, `code:${userId}`], `pair:${userId}@`],
    );
  }

  /** Failures of a network in the last 12 hours, newest first; by the index of network and time. */
  async gatewayFailures(
    network: string,
    claimHash: string,
    now: Date,
    limit: number,
  ): Promise<GatewayFailure[]> {
    const since = secondsBefore(now, FORGET_GATEWAY_SECONDS);
    return this.database.query<GatewayFailure>(
      `select extract(epoch from failed_at)::float8 as seconds, claim_hash = $2 as "isOwn"
         from gateway_failure where network = $1 and failed_at > $3
        order by failed_at desc limit $4`,
      [network, claimHash, since, limit],
    );
  }

  async addGatewayFailure(network: string, claimHash: string, failedAt: Date): Promise<void> {
    await this.database.entities((em) =>
      em.insert(GatewayFailureEntity, { network, claimHash, failedAt }),
    );
    if (this.#gatewayPace.add(failedAt.getTime() / 1000)) {
      const forgetBefore = secondsBefore(failedAt, FORGET_GATEWAY_SECONDS);
      await this.database.query(
        `delete from gateway_failure
          where failed_at <= greatest(
            $1, (select failed_at from gateway_failure order by failed_at desc offset $2 limit 1))`,
        [forgetBefore, this.settings.keepFailedLogins],
      );
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

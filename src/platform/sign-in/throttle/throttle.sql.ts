import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { LoginThrottleEntity } from './login-throttle.entity.js';

const COUNTER = selectList(LoginThrottleEntity, 't', ['key', 'failures']);

/** A counter of failed logins. */
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

/** By primary key. */
export async function readCounters(
  runner: SqlRunner,
  keys: readonly string[],
): Promise<LoginCounter[]> {
  return runner.query<LoginCounter>(
    `select ${COUNTER},
       extract(epoch from t.last_failure_at)::float8 as "failedSeconds",
       extract(epoch from t.trusted_until)::float8 as "trustedSeconds"
     from login_throttle t where t.key = any($1)`,
    [keys],
  );
}

/**
 * Adds a failure to each counter; one whose latest failure was before `forgetBefore` starts at 1.
 * In the order of the keys, so that concurrent statements never deadlock.
 */
export async function countFailure(
  runner: SqlRunner,
  keys: readonly string[],
  now: Date,
  forgetBefore: Date,
): Promise<RowOf<typeof COUNTER>[]> {
  return runner.query<RowOf<typeof COUNTER>>(
    `insert into login_throttle as t (key, failures, last_failure_at)
     select key, 1, $2 from unnest($1::text[]) as key order by key
     on conflict (key) do update set
       failures = case when t.last_failure_at > $3 then t.failures + 1 else 1 end,
       last_failure_at = $2
     returning ${COUNTER}`,
    [keys, now, forgetBefore],
  );
}

/** Removes the counters of a user. Reads the whole table. */
export async function forgetUser(runner: SqlRunner, userId: string): Promise<void> {
  await runner.query('delete from login_throttle where key = any($1) or starts_with(key, $2)', [
    [`user:${userId}`, `code:${userId}`],
    `pair:${userId}@`,
  ]);
}

/** Removes counters without trust whose latest failure is old, or not among the `most` newest. */
export async function removeOldCounters(
  runner: SqlRunner,
  now: Date,
  forgetBefore: Date,
  most: number,
): Promise<void> {
  await runner.query(
    `delete from login_throttle
     where coalesce(trusted_until < $2, true)
       and coalesce(last_failure_at <= greatest($1, (
             select last_failure_at from login_throttle where last_failure_at is not null
              order by last_failure_at desc offset $3 limit 1)), true)`,
    [forgetBefore, now, most],
  );
}

/** Failures of a network since a time, newest first; by the index of network and time. */
export async function listGatewayFailures(
  runner: SqlRunner,
  network: string,
  claimHash: string,
  since: Date,
  limit: number,
): Promise<GatewayFailure[]> {
  return runner.query<GatewayFailure>(
    `select extract(epoch from failed_at)::float8 as seconds, claim_hash = $2 as "isOwn"
       from gateway_failure where network = $1 and failed_at > $3
      order by failed_at desc limit $4`,
    [network, claimHash, since, limit],
  );
}

/** Removes failures that are old, or not among the `most` newest. */
export async function removeOldGatewayFailures(
  runner: SqlRunner,
  forgetBefore: Date,
  most: number,
): Promise<void> {
  await runner.query(
    `delete from gateway_failure
      where failed_at <= greatest(
        $1, (select failed_at from gateway_failure order by failed_at desc offset $2 limit 1))`,
    [forgetBefore, most],
  );
}

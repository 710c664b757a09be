import { Injectable } from '@nestjs/common';
import { CleanUpPace } from './clean-up-pace.js';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { networkOf } from '../../common/http/client-network.js';
import { AccountDeletionHooks } from '../../common/ports/account-deletion-hooks.js';
import { Database } from '../../database/database.js';
import { TooManyLoginAttempts } from '../platform.errors.js';
import { isUserId } from '../users/user-id.js';

/** How many failures are free, and how long a block may grow to. */
export interface ThrottleLimit {
  readonly freeFailures: number;
  readonly longestBlockSeconds: number;
}

// Three counters, because each alone has a hole. A user from one address: somebody guesses, or a
// program holds an old password. An address: somebody tries many users. A user from anywhere:
// somebody guesses from many addresses. The last is generous and its block short, because strangers
// can bring it about. A user who has logged in from an address lately answers only for the first
// counter there, so that no stranger can lock them out, neither from afar nor from the same house.
const LIMITS = {
  pair: { freeFailures: 5, longestBlockSeconds: 900 },
  address: { freeFailures: 30, longestBlockSeconds: 900 },
  user: { freeFailures: 100, longestBlockSeconds: 60 },
} as const satisfies Record<string, ThrottleLimit>;

type Counter = keyof typeof LIMITS;

const SECOND = 1000;
const FORGET_FAILURES_SECONDS = 3600;
const TRUST_SECONDS = 30 * 86_400;
const RENEW_TRUST_SECONDS = 86_400;
const CLEAN_UP_SECONDS = 600;
const CLEAN_UP_ADDITIONS = 1000;

/** Leave to verify one password, and what to do with the outcome. */
export interface Admission {
  readonly pairKey: string;
  /** The counters that a failure adds to. */
  readonly keys: readonly string[];
  /** Whether a success has anything to write. */
  readonly renewsTrust: boolean;
}

interface ThrottleRow {
  readonly key: string;
  readonly failures: number;
  readonly failed_seconds: number | null;
  readonly trusted_seconds: number | null;
}

/**
 * Slows down guessing of passwords, together across all replicas: a few failures are free, then
 * each one doubles the wait. Attempts during a wait are refused unseen and not counted.
 */
@Injectable()
export class LoginThrottle {
  readonly #cleanUpPace = new CleanUpPace(CLEAN_UP_SECONDS, CLEAN_UP_ADDITIONS);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: Config,
    deletionHooks: AccountDeletionHooks,
  ) {
    deletionHooks.onErase((userId) => this.#forgetUser(userId));
  }

  /** @throws TooManyLoginAttempts while the user or the address has to wait */
  async admit(userId: string, clientAddress: string): Promise<Admission> {
    const keys = throttleKeys(userId, clientAddress);
    if (!this.config.rateLimitsEnabled) {
      return { pairKey: keys.pair, keys: [], renewsTrust: false };
    }
    const rows = await this.#read(Object.values(keys));
    const now = this.clock.nowSeconds();
    const pair = rows.get(keys.pair);
    const trustedSeconds = (pair?.trusted_seconds ?? 0) - now;
    const counters: Counter[] = trustedSeconds > 0 ? ['pair'] : ['pair', 'address', 'user'];
    const waits = counters.map((counter) =>
      waitSeconds(rows.get(keys[counter]), LIMITS[counter], now),
    );
    const longestWait = Math.max(...waits);
    if (longestWait > 0) {
      throw new TooManyLoginAttempts(longestWait);
    }
    return {
      pairKey: keys.pair,
      keys: counters.map((counter) => keys[counter]),
      renewsTrust:
        trustedSeconds < TRUST_SECONDS - RENEW_TRUST_SECONDS || (pair?.failures ?? 0) > 0,
    };
  }

  /** @returns whether this failure was the one too many, after which somebody has to wait */
  async failed({ keys }: Admission): Promise<boolean> {
    if (keys.length === 0) {
      return false;
    }
    const now = this.clock.now();
    // Sorted, so that two statements never wait for each other's rows.
    const rows = await this.database.query<{ key: string; failures: number }>(
      `insert into login_throttle as t (key, failures, last_failure_at)
       select key, 1, $2 from unnest($1::text[]) as key order by key
       on conflict (key) do update set
         failures = case when t.last_failure_at > $3 then t.failures + 1 else 1 end,
         last_failure_at = $2
       returning key, failures`,
      [keys, now, secondsBefore(now, FORGET_FAILURES_SECONDS)],
    );
    await this.#cleanUp(now);
    return rows.some(({ key, failures }) => failures === limitOf(key).freeFailures + 1);
  }

  async succeeded({ pairKey, renewsTrust }: Admission): Promise<void> {
    if (!renewsTrust) {
      return;
    }
    const trustedUntil = secondsBefore(this.clock.now(), -TRUST_SECONDS);
    await this.database.query(
      `insert into login_throttle (key, failures, trusted_until) values ($1, 0, $2)
       on conflict (key) do update set
         failures = 0, last_failure_at = null, trusted_until = excluded.trusted_until`,
      [pairKey, trustedUntil],
    );
  }

  /** Where somebody logged in, and how often they failed, is about them. */
  async #forgetUser(userId: string): Promise<void> {
    await this.database.query('delete from login_throttle where key = $1 or starts_with(key, $2)', [
      `user:${userId}`,
      `pair:${userId}@`,
    ]);
  }

  async #read(keys: readonly string[]): Promise<Map<string, ThrottleRow>> {
    const rows = await this.database.query<ThrottleRow>(
      `select key, failures,
         extract(epoch from last_failure_at)::float8 as failed_seconds,
         extract(epoch from trusted_until)::float8 as trusted_seconds
       from login_throttle where key = any($1)`,
      [keys],
    );
    return new Map(rows.map((row) => [row.key, row]));
  }

  /** Strangers decide what names are tried, so the table must not keep them. */
  async #cleanUp(now: Date): Promise<void> {
    if (!this.#cleanUpPace.add(now.getTime() / SECOND)) {
      return;
    }
    await this.database.query(
      `delete from login_throttle
       where coalesce(trusted_until < $2, true)
         and coalesce(last_failure_at <= greatest($1, (
               select last_failure_at from login_throttle where last_failure_at is not null
                order by last_failure_at desc offset $3 limit 1)), true)`,
      [secondsBefore(now, FORGET_FAILURES_SECONDS), now, this.config.keepFailedLogins],
    );
  }
}

/** How long the last failure blocks: not at all while failures are free, then 2, 4, 8 … seconds. */
export function blockSeconds(failures: number, limit: ThrottleLimit): number {
  const beyond = failures - limit.freeFailures;
  return beyond <= 0 ? 0 : Math.min(limit.longestBlockSeconds, 2 ** beyond);
}

function throttleKeys(userId: string, clientAddress: string): Record<Counter, string> {
  // Names that no user can have share a counter, so that long ones do not fill the table.
  const user = isUserId(userId) ? userId : '?';
  const network = networkOf(clientAddress);
  return { pair: `pair:${user}@${network}`, address: `address:${network}`, user: `user:${user}` };
}

function limitOf(key: string): ThrottleLimit {
  const counter = (['pair', 'address', 'user'] as const).find((name) => key.startsWith(`${name}:`));
  return LIMITS[counter ?? 'pair'];
}

function waitSeconds(row: ThrottleRow | undefined, limit: ThrottleLimit, now: number): number {
  const failedSeconds = row?.failed_seconds ?? 0;
  if (row === undefined || failedSeconds < now - FORGET_FAILURES_SECONDS) {
    return 0;
  }
  const blockedSeconds = blockSeconds(row.failures, limit);
  // A failure that is free blocks nobody for the rest of its second either.
  return blockedSeconds === 0 ? 0 : Math.ceil(failedSeconds + blockedSeconds - now);
}

function secondsBefore(time: Date, seconds: number): Date {
  return new Date(time.getTime() - seconds * SECOND);
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import { networkOf } from '../../../common/http/client-network.js';
import { keepLatest } from '../../../common/keep-latest.js';
import { AccountDeletionHooks } from '../../../common/ports/hooks.js';
import { isUserId } from '../../accounts/users/user-id.js';
import { TooManyLoginAttempts } from '../../platform.errors.js';
import { ThrottleRepository, type LoginCounter } from './throttle.repository.js';

/** Number of failures without a block, and the longest block. */
interface ThrottleLimit {
  readonly freeFailures: number;
  readonly longestBlockSeconds: number;
}

// Three counters, because each alone leaves a gap. `pair`, a user from one network: guesses, or a
// program with an old password. `address`, a network: one attacker, many users. `user`: one user,
// many networks; generous with a short block, because strangers can cause it. After a login, the pair is
// trusted for 30 days and only its own counter applies, so that others cannot lock the user out, from any
// network.
const LIMITS = {
  pair: { freeFailures: 5, longestBlockSeconds: 900 },
  address: { freeFailures: 30, longestBlockSeconds: 900 },
  user: { freeFailures: 100, longestBlockSeconds: 60 },
  // Wrong tokens and keys of a network; not with passwords, since an old program sends its key forever.
  secret: { freeFailures: 30, longestBlockSeconds: 900 },
  // Codes of second factors: only a client with the password can try them. So it applies everywhere, and
  // strangers cannot cause its block.
  code: { freeFailures: 5, longestBlockSeconds: 900 },
} as const satisfies Record<string, ThrottleLimit>;

type Counter = keyof typeof LIMITS;

const FORGET_FAILURES_SECONDS = 3600;
const TRUST_SECONDS = 30 * 86_400;
const RENEW_TRUST_SECONDS = 86_400;
const MOST_NETWORKS = 10_000;

/** Permission to verify one password, and the counters that the result updates. */
export interface Admission {
  readonly pairKey: string;
  /** Whether the user, or any user since the start of the process, has logged in from there. */
  readonly isKnown: boolean;
  /** Counters that a failure increments. */
  readonly keys: readonly string[];
  /** Whether a success writes anything. */
  readonly renewsTrust: boolean;
}

type SuccessfulLogin = Pick<Admission, 'pairKey' | 'renewsTrust'>;

/** Permission to check one code of a second factor. */
interface CodeAdmission {
  readonly pairKey: string;
  readonly codeKey: string;
  /** Other counters that a failure increments. */
  readonly keys: readonly string[];
  /** Failures with this one; 0 without limits. */
  readonly failures: number;
}

/**
 * Limits failed logins across all processes: a few failures are free, then each one doubles the
 * block. Attempts during a block are refused without verification and not counted.
 */
@Injectable()
export class LoginThrottle {
  /** Networks of logins, the latest last. */
  readonly #networks = new Map<string, true>();

  constructor(
    private readonly throttle: ThrottleRepository,
    private readonly clock: Clock,
    private readonly config: Config,
    deletionHooks: AccountDeletionHooks,
  ) {
    deletionHooks.add((userId) => throttle.forgetUser(userId));
  }

  /** @throws TooManyLoginAttempts while the user or the network is blocked */
  async admit(userId: string, clientAddress: string): Promise<Admission> {
    const keys = throttleKeys(userId, clientAddress);
    if (!this.config.rateLimits) {
      return { pairKey: keys.pair, isKnown: true, keys: [], renewsTrust: false };
    }
    const rows = await this.throttle.counters([keys.pair, keys.address, keys.user]);
    const now = this.clock.nowSeconds();
    const pair = rows.get(keys.pair);
    const trustedSeconds = (pair?.trustedSeconds ?? 0) - now;
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
      isKnown: trustedSeconds > 0 || this.#networks.has(networkOf(clientAddress)),
      keys: counters.map((counter) => keys[counter]),
      renewsTrust:
        trustedSeconds < TRUST_SECONDS - RENEW_TRUST_SECONDS || (pair?.failures ?? 0) > 0,
    };
  }

  /**
   * Counts a wrong secret that names no user. Right ones are always accepted: they are too long to be
   * guessed, so failures of others at the address cannot lock programs out.
   *
   * @returns whether this failure was the first that leads to a block
   * @throws TooManyLoginAttempts while the network is blocked; then nothing is counted
   */
  async countWrongSecret(clientAddress: string): Promise<boolean> {
    if (!this.config.rateLimits) {
      return false;
    }
    const key = throttleKeys('?', clientAddress).secret;
    const row = (await this.throttle.counters([key])).get(key);
    const wait = waitSeconds(row, LIMITS.secret, this.clock.nowSeconds());
    if (wait > 0) {
      throw new TooManyLoginAttempts(wait);
    }
    return this.#count([key]);
  }

  /** @returns whether this failure was the first that leads to a block */
  async failed({ keys }: Admission): Promise<boolean> {
    return keys.length > 0 && this.#count(keys);
  }

  async succeeded({ pairKey, renewsTrust }: SuccessfulLogin): Promise<void> {
    keepLatest(this.#networks, pairKey.slice(pairKey.lastIndexOf('@') + 1), true, MOST_NETWORKS);
    if (!renewsTrust) {
      return;
    }
    const trustedUntil = new Date(this.clock.now().getTime() + TRUST_SECONDS * 1000);
    await this.throttle.trust(pairKey, trustedUntil);
  }

  /**
   * Counts the attempt as a failure until it succeeds, so that concurrent attempts get no more checks than
   * sequential ones.
   *
   * @throws TooManyLoginAttempts while codes of the user, or the network, are blocked
   */
  async admitCode(userId: string, clientAddress: string): Promise<CodeAdmission> {
    const { pair: pairKey, address, code: codeKey } = throttleKeys(userId, clientAddress);
    if (!this.config.rateLimits) {
      return { pairKey, codeKey, keys: [], failures: 0 };
    }
    const rows = await this.throttle.counters([pairKey, address, codeKey]);
    const now = this.clock.nowSeconds();
    const isTrusted = (rows.get(pairKey)?.trustedSeconds ?? 0) > now;
    const wait = Math.max(
      waitSeconds(rows.get(codeKey), LIMITS.code, now),
      isTrusted ? 0 : waitSeconds(rows.get(address), LIMITS.address, now),
    );
    if (wait > 0) {
      throw new TooManyLoginAttempts(wait);
    }
    const [counted] = await this.throttle.countFailure([codeKey], this.clock.now());
    const failures = counted?.failures ?? 1;
    const inBetween = failures - 1 - (rows.get(codeKey)?.failures ?? 0);
    if (inBetween > 0 && failures > LIMITS.code.freeFailures) {
      throw new TooManyLoginAttempts(blockSeconds(failures, LIMITS.code));
    }
    return { pairKey, codeKey, keys: isTrusted ? [] : [address], failures };
  }

  /** @returns whether this failure was the first that leads to a block */
  async codeFailed({ keys, failures }: CodeAdmission): Promise<boolean> {
    const isFirst = failures === LIMITS.code.freeFailures + 1;
    return (keys.length > 0 && (await this.#count(keys))) || isFirst;
  }

  /** Completes a login, too: the pair is trusted from now on. */
  async codeSucceeded({ pairKey, codeKey, failures }: CodeAdmission): Promise<void> {
    if (failures > 0) {
      await this.throttle.forget(codeKey);
      await this.succeeded({ pairKey, renewsTrust: true });
    }
  }

  async #count(keys: readonly string[]): Promise<boolean> {
    const rows = await this.throttle.countFailure(keys, this.clock.now());
    return rows.some(({ key, failures }) => failures === limitOf(key).freeFailures + 1);
  }
}

/** Length of the block after the latest failure: 0 while failures are free, then 2, 4, 8 … */
export function blockSeconds(failures: number, limit: ThrottleLimit): number {
  const beyond = failures - limit.freeFailures;
  return beyond <= 0 ? 0 : Math.min(limit.longestBlockSeconds, 2 ** beyond);
}

function throttleKeys(userId: string, clientAddress: string): Record<Counter, string> {
  // Invalid user ids share one counter, so that long ones do not fill the table.
  const user = isUserId(userId) ? userId : '?';
  const network = networkOf(clientAddress);
  return {
    pair: `pair:${user}@${network}`,
    address: `address:${network}`,
    user: `user:${user}`,
    secret: `secret:${network}`,
    code: `code:${user}`,
  };
}

function limitOf(key: string): ThrottleLimit {
  const counter = (Object.keys(LIMITS) as Counter[]).find((name) => key.startsWith(`${name}:`));
  return LIMITS[counter ?? 'pair'];
}

function waitSeconds(row: LoginCounter | undefined, limit: ThrottleLimit, now: number): number {
  const failedSeconds = row?.failedSeconds ?? 0;
  if (row === undefined || failedSeconds < now - FORGET_FAILURES_SECONDS) {
    return 0;
  }
  const blockedSeconds = blockSeconds(row.failures, limit);
  // Otherwise a free failure would block for the rest of its second.
  return blockedSeconds === 0 ? 0 : Math.ceil(failedSeconds + blockedSeconds - now);
}

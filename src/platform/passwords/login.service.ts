import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { Account, LoggedIn, LoginAttempt } from '../../common/ports/user-directory.js';
import { SecurityEventsService } from '../security/security-events.service.js';
import { AppPasswordsService } from '../app-passwords/app-passwords.service.js';
import { SecondFactorRule } from '../second-factor/second-factor-rule.js';
import { SecondFactorRequired } from '../second-factor/second-factor.errors.js';
import { LoginThrottle, type Admission } from '../throttle/login-throttle.js';
import { PasswordHash } from './password-hash.js';
import { isUserId } from '../users/user-id.js';
import { UsersRepository, type AccountRow } from '../users/users.repository.js';
import { VerificationTurns } from './verification-turns.js';
import { VerifiedCredentials, type VerifiedCredential } from './verified-credentials.js';

const REMEMBER_LOGIN_EVERY_SECONDS = 60;

/**
 * Verifies the credentials of requests. Reads the account each time, so that a changed password,
 * disabled account or revoked right takes effect at once on every replica; the slow hash is skipped
 * for recently verified passwords.
 */
@Injectable()
export class LoginService {
  /** Verifications in progress, so that a burst of first requests costs one hash. */
  readonly #underWay = new Map<string, Promise<boolean>>();

  constructor(
    private readonly users: UsersRepository,
    private readonly appPasswords: AppPasswordsService,
    private readonly turns: VerificationTurns,
    private readonly passwordHash: PasswordHash,
    private readonly verified: VerifiedCredentials,
    private readonly throttle: LoginThrottle,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
    private readonly rule: SecondFactorRule,
  ) {}

  /**
   * @returns null for wrong credentials of any kind
   * @throws SecondFactorRequired for the right password of an account that needs more than that
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   */
  async authenticate(attempt: LoginAttempt): Promise<LoggedIn | null> {
    const owner = await this.appPasswords.ownerOf(attempt.password);
    if (owner !== null && owner.userId === attempt.userId && !owner.disabled) {
      const { appPasswordId: id, mayAdminister, scope } = owner;
      const credential = { kind: 'app password', id, mayAdminister, scope } as const;
      return { account: await this.enter(owner), credential };
    }
    const account = await this.ownerOfPassword(attempt);
    if (account === null) {
      return null;
    }
    if (this.rule.needsMore(account)) {
      throw new SecondFactorRequired(!account.hasSecondFactor);
    }
    return { account: await this.enter(account), credential: { kind: 'password' } };
  }

  /**
   * Verifies the account's password alone. The caller asks for the second factor where one is needed,
   * and then calls `enter`.
   *
   * @returns null for a wrong password, an unknown user or a disabled account
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   */
  async ownerOfPassword(attempt: LoginAttempt): Promise<AccountRow | null> {
    const found = isUserId(attempt.userId) ? await this.users.find(attempt.userId) : null;
    const account = found === null || found.disabled ? null : found;
    return (await this.#isRight(attempt, account)) ? account : null;
  }

  /** Records the login of an authenticated account, at most once a minute. */
  async enter(account: AccountRow): Promise<Account> {
    const now = this.clock.nowSeconds();
    if (now - account.lastLoginSeconds < REMEMBER_LOGIN_EVERY_SECONDS) {
      return toAccount(account);
    }
    await this.users.changeLastLogin(account.userId, this.clock.now());
    return toAccount({ ...account, lastLoginSeconds: now });
  }

  async #isRight(attempt: LoginAttempt, account: AccountRow | null): Promise<boolean> {
    if (account !== null && this.verified.has(credentialOf(attempt, account))) {
      return true;
    }
    const key = JSON.stringify([
      attempt.userId,
      attempt.password,
      attempt.clientAddress,
      account?.passwordHash,
    ]);
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) {
      return underWay;
    }
    const verification = this.#verify(attempt, account).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, verification);
    return verification;
  }

  async #verify(attempt: LoginAttempt, account: AccountRow | null): Promise<boolean> {
    const { userId, password, clientAddress } = attempt;
    await this.throttle.admit(userId, clientAddress);
    return this.turns.inTurn(clientAddress, async () => {
      // Checked again, so that concurrent guesses see earlier failures.
      const admission = await this.throttle.admit(userId, clientAddress);
      const matches = await this.passwordHash.matches(password, account?.passwordHash ?? null);
      if (!matches || account === null) {
        await this.#failed(admission, account, clientAddress);
        return false;
      }
      // Otherwise somebody who knows the password could reset the counters between guesses of codes.
      if (!account.hasSecondFactor) {
        await this.throttle.succeeded(admission);
      }
      this.verified.remember(credentialOf(attempt, account));
      return true;
    });
  }

  async #failed(admission: Admission, account: AccountRow | null, address: string): Promise<void> {
    const userId = account?.userId;
    const details = account === null ? 'no such user, or disabled' : undefined;
    await this.events.record({ kind: 'login_failed', userId, address, details });
    if (await this.throttle.failed(admission)) {
      await this.events.record({ kind: 'login_throttled', userId, address });
    }
  }
}

export function toAccount(row: AccountRow): Account {
  const { userId, displayName, isAdmin, lastLoginSeconds } = row;
  return { userId, displayName, isAdmin, lastLoginSeconds };
}

function credentialOf(
  { userId, password }: LoginAttempt,
  { passwordHash }: AccountRow,
): VerifiedCredential {
  return { userId, password, passwordHash };
}

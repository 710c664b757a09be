import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { Account, LoggedIn, LoginAttempt } from '../../../common/ports/user-directory.js';
import { AppPasswordsService } from '../app-passwords/app-passwords.service.js';
import { SecondFactorRule } from '../second-factor/second-factor-rule.js';
import { SecondFactorRequired } from '../second-factor/second-factor.errors.js';
import { PasswordVerification } from './password-verification.js';
import { isUserId } from '../../accounts/users/user-id.js';
import { UsersRepository, type AccountRow } from '../../accounts/users/users.repository.js';

const REMEMBER_LOGIN_EVERY_SECONDS = 60;

/**
 * Verifies the credentials of requests. Reads the account each time, so that a changed password,
 * disabled account or revoked right takes effect at once on every replica.
 */
@Injectable()
export class LoginService {
  constructor(
    private readonly users: UsersRepository,
    private readonly appPasswords: AppPasswordsService,
    private readonly verification: PasswordVerification,
    private readonly clock: Clock,
    private readonly rule: SecondFactorRule,
  ) {}

  /**
   * @returns null for wrong credentials of any kind
   * @throws SecondFactorRequired for the right password of an account that needs more than that
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   * @throws DirectoryUnavailable for a user of the directory
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
   * @throws DirectoryUnavailable for a user of the directory
   */
  async ownerOfPassword(attempt: LoginAttempt): Promise<AccountRow | null> {
    const found = isUserId(attempt.userId) ? await this.users.find(attempt.userId) : null;
    const account = found === null || found.disabled ? null : found;
    return this.verification.ownerOf(attempt, account);
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
}

export function toAccount(row: AccountRow): Account {
  const { userId, displayName, isAdmin, lastLoginSeconds } = row;
  return { userId, displayName, isAdmin, lastLoginSeconds };
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { Account, LoginAttempt } from '../../../common/ports/user-directory.js';
import { PasswordVerification } from './password-verification.js';
import { toAccount } from '../../accounts/users/to-account.js';
import { isUserId } from '../../accounts/users/user-id.js';
import { UsersRepository, type AccountRow } from '../../accounts/users/users.repository.js';

const REMEMBER_LOGIN_EVERY_SECONDS = 60;

/**
 * Logins with the password of an account. Reads the account each time, so that a changed password,
 * disabled account or revoked right takes effect at once on every replica.
 */
@Injectable()
export class LoginService {
  constructor(
    private readonly users: UsersRepository,
    private readonly verification: PasswordVerification,
    private readonly clock: Clock,
  ) {}

  /**
   * Verifies the account's password alone. The caller asks for the second factor where one is needed,
   * and then calls `enter`.
   *
   * @returns null for a wrong password, an unknown user or a disabled account
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

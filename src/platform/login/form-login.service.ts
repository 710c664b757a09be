import { Injectable } from '@nestjs/common';
import type { LoginAttempt } from '../../common/ports/user-directory.js';
import { LoginRefused } from '../platform.errors.js';
import { LoginService } from '../passwords/login.service.js';
import type { AccountRow } from '../users/users.repository.js';

/** Authenticates the login form. */
@Injectable()
export class FormLoginService {
  constructor(private readonly login: LoginService) {}

  /**
   * Rejects app passwords: each belongs to one program, and a session may do more.
   *
   * @returns the account; the login is complete unless it has a second factor
   * @throws LoginRefused for wrong credentials of any kind
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   */
  async authenticate(attempt: LoginAttempt): Promise<AccountRow> {
    const account = await this.login.ownerOfPassword(attempt);
    if (account === null) {
      throw new LoginRefused();
    }
    if (!account.hasSecondFactor) {
      await this.login.enter(account);
    }
    return account;
  }
}

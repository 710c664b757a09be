import { Injectable } from '@nestjs/common';
import type { LoginAttempt } from '../../../common/ports/user-directory.js';
import { LoginRefused } from '../../platform.errors.js';
import { LoginService } from '../passwords/login.service.js';
import { SecondFactorRule } from '../second-factor/second-factor-rule.js';
import type { AccountRow } from '../../accounts/users/users.repository.js';

export interface PasswordLogin {
  readonly account: AccountRow;
  /** False if a second factor is needed. */
  readonly isComplete: boolean;
}

/** Authenticates the login form. */
@Injectable()
export class FormLoginService {
  constructor(
    private readonly login: LoginService,
    private readonly rule: SecondFactorRule,
  ) {}

  /**
   * Rejects app passwords: each belongs to one program, and a session may do more.
   *
   * @returns the account, and whether the login is complete
   * @throws LoginRefused for wrong credentials of any kind
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   */
  async authenticate(attempt: LoginAttempt): Promise<PasswordLogin> {
    const account = await this.login.ownerOfPassword(attempt);
    if (account === null) {
      throw new LoginRefused();
    }
    const isComplete = !this.rule.needsMore(account);
    if (isComplete) {
      await this.login.enter(account);
    }
    return { account, isComplete };
  }
}

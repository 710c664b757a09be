import { Injectable } from '@nestjs/common';
import type { Account, LoginAttempt } from '../../common/ports/user-directory.js';
import { LoginRefused } from '../platform.errors.js';
import { LoginService } from '../passwords/login.service.js';

/** Authenticates the login form. */
@Injectable()
export class FormLoginService {
  constructor(private readonly login: LoginService) {}

  /**
   * Rejects app passwords: each belongs to one program, and a session may do more.
   *
   * @throws LoginRefused for wrong credentials of any kind
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   */
  async authenticate(attempt: LoginAttempt): Promise<Account> {
    const loggedIn = await this.login.authenticate(attempt);
    if (loggedIn?.credential.kind !== 'password') {
      throw new LoginRefused();
    }
    return loggedIn.account;
  }
}

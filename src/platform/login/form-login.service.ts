import { Injectable } from '@nestjs/common';
import type { Account, LoginAttempt } from '../../common/ports/user-directory.js';
import { LoginRefused } from '../platform.errors.js';
import { LoginService } from '../passwords/login.service.js';

/** Decides on what a person typed into the form. */
@Injectable()
export class FormLoginService {
  constructor(private readonly login: LoginService) {}

  /**
   * An app password is no way in here: it belongs to one program, and a session may do more.
   *
   * @throws LoginRefused for every kind of wrong credentials alike
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

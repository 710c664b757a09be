import { Injectable } from '@nestjs/common';
import type { Account, LoginAttempt } from '../../common/ports/user-directory.js';
import { LogInRefused } from '../platform.errors.js';
import { LogInService } from '../users/login.service.js';

/** Decides on what a person typed into the form. */
@Injectable()
export class FormLogInService {
  constructor(private readonly logIn: LogInService) {}

  /**
   * An app password is no way in here: it belongs to one program, and a session may do more.
   *
   * @throws LogInRefused for every kind of wrong credentials alike
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   */
  async authenticate(attempt: LoginAttempt): Promise<Account> {
    const loggedIn = await this.logIn.authenticate(attempt);
    if (loggedIn?.credential.kind !== 'password') {
      throw new LogInRefused();
    }
    return loggedIn.account;
  }
}

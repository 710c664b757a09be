import { Injectable } from '@nestjs/common';
import type { Account, LoginAttempt } from '../../common/ports/user-directory.js';
import { LogInRefused } from '../platform.errors.js';
import { AppPasswordsService } from '../users/app-passwords.service.js';
import { LogInService } from '../users/log-in.service.js';

/** Decides on what a person typed into the form. */
@Injectable()
export class FormLogInService {
  constructor(
    private readonly logIn: LogInService,
    private readonly appPasswords: AppPasswordsService,
  ) {}

  /**
   * An app password is no way in here: it belongs to one program, and a session may do more.
   *
   * @throws LogInRefused for every kind of wrong credentials alike
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   */
  async authenticate(attempt: LoginAttempt): Promise<Account> {
    const isForPrograms = (await this.appPasswords.ownerOf(attempt.password)) !== null;
    const account = isForPrograms ? null : await this.logIn.authenticate(attempt);
    if (account === null) {
      throw new LogInRefused();
    }
    return account;
  }
}

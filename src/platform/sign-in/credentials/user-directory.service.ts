import { Injectable } from '@nestjs/common';
import type {
  Account,
  LoggedIn,
  LoginAttempt,
  UserDirectory,
} from '../../../common/ports/user-directory.js';
import {
  RememberedLogins,
  type GivenCredentials,
} from '../../accounts/users/remembered-logins.provider.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { AppPasswordsService } from '../app-passwords/app-passwords.service.js';
import { LoginService, SecondFactorRule } from '../passwords/login.service.js';
import { SecondFactorRequired } from '../second-factor/second-factor.errors.js';

/** Credentials of requests: passwords of accounts, and app passwords. */
@Injectable()
export class UserDirectoryService implements UserDirectory {
  constructor(
    private readonly users: UsersService,
    private readonly login: LoginService,
    private readonly appPasswords: AppPasswordsService,
    private readonly rule: SecondFactorRule,
    private readonly remembered: RememberedLogins,
  ) {}

  recent(credentials: GivenCredentials): LoggedIn | null {
    return this.remembered.find(credentials);
  }

  /** Remembers the login for `recent`. */
  async authenticate(attempt: LoginAttempt): Promise<LoggedIn | null> {
    const { changes } = this.remembered;
    const loggedIn = await this.verify(attempt);
    // A directory may know a user by other names, of which changes of the account say nothing.
    if (loggedIn?.account.userId === attempt.userId) {
      this.remembered.remember(attempt, loggedIn, changes);
    }
    return loggedIn;
  }

  /**
   * Remembers nothing; otherwise as `authenticate`.
   *
   * @returns null for wrong credentials of any kind
   */
  async verify(attempt: LoginAttempt): Promise<LoggedIn | null> {
    const owner = await this.appPasswords.ownerOf(attempt.password);
    if (owner !== null && owner.userId === attempt.userId && !owner.disabled) {
      const { appPasswordId: id, mayAdminister, scope } = owner;
      const credential = { kind: 'app password', id, mayAdminister, scope } as const;
      return { account: await this.login.enter(owner), credential };
    }
    const account = await this.login.ownerOfPassword(attempt);
    if (account === null) {
      return null;
    }
    if (this.rule.needsMore(account)) {
      throw new SecondFactorRequired(!account.hasSecondFactor);
    }
    return { account: await this.login.enter(account), credential: { kind: 'password' } };
  }

  async find(userId: string): Promise<Account | null> {
    return this.users.find(userId);
  }

  async list(): Promise<Account[]> {
    return this.users.list();
  }
}

import { Injectable } from '@nestjs/common';
import type { LoggedIn, LoginAttempt } from '../../../common/ports/user-directory.js';
import { LoginService } from './login.service.js';
import { RememberedLogins, type GivenCredentials } from './remembered-logins.js';

/** `LoginService`, and logins of the last seconds for routes that allow these. */
@Injectable()
export class RecentLoginService {
  constructor(
    private readonly login: LoginService,
    private readonly remembered: RememberedLogins,
  ) {}

  /** @returns null unless the same credentials were right within the last seconds */
  recent(credentials: GivenCredentials): LoggedIn | null {
    return this.remembered.find(credentials);
  }

  /**
   * Remembers the login for `recent`.
   *
   * @returns null for wrong credentials of any kind
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   */
  async authenticate(attempt: LoginAttempt): Promise<LoggedIn | null> {
    const { changes } = this.remembered;
    const loggedIn = await this.login.authenticate(attempt);
    // A directory may know a user by other names, of which changes of the account say nothing.
    if (loggedIn?.account.userId === attempt.userId) {
      this.remembered.remember(attempt, loggedIn, changes);
    }
    return loggedIn;
  }
}

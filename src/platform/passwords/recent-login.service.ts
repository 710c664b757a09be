import { Injectable } from '@nestjs/common';
import type { LoggedIn, LoginAttempt } from '../../common/ports/user-directory.js';
import { LoginService } from './login.service.js';
import { RememberedLogins } from './remembered-logins.js';

/** `LoginService`, without a statement for a login of the last seconds on routes that allow that. */
@Injectable()
export class RecentLoginService {
  constructor(
    private readonly login: LoginService,
    private readonly remembered: RememberedLogins,
  ) {}

  /**
   * @returns null for wrong credentials of any kind
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   */
  async authenticate(attempt: LoginAttempt): Promise<LoggedIn | null> {
    if (attempt.mayBeRemembered !== true) {
      return this.login.authenticate(attempt);
    }
    const { changes } = this.remembered;
    const remembered = this.remembered.find(attempt);
    if (remembered !== undefined) {
      return remembered;
    }
    const loggedIn = await this.login.authenticate(attempt);
    if (loggedIn !== null) {
      this.remembered.remember(attempt, loggedIn, changes);
    }
    return loggedIn;
  }
}

import { Injectable } from '@nestjs/common';
import type { LoginAttempt } from '../../../common/ports/user-directory.js';
import { OldPasswordWrong } from '../../platform.errors.js';
import { LoginService } from './login.service.js';
import { UsersService } from '../../accounts/users/users.service.js';

/** Changes the caller's password, given the old one. */
@Injectable()
export class OwnPasswordService {
  constructor(
    private readonly login: LoginService,
    private readonly users: UsersService,
  ) {}

  /**
   * @param attempt with the old password; throttled like a login
   * @param sessionId the caller's session, which remains
   * @throws OldPasswordWrong also for an app password as the old one
   * @throws InvalidPassword when the new one breaks a rule
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   */
  async change(attempt: LoginAttempt, newPassword: string, sessionId?: number): Promise<void> {
    if ((await this.login.ownerOfPassword(attempt)) === null) {
      throw new OldPasswordWrong();
    }
    await this.users.changePassword(attempt.userId, newPassword, sessionId);
  }
}

import { Ip } from '@nestjs/common';
import { z } from 'zod';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { Config } from '../../../common/config/config.js';
import { Put } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { CurrentSession, CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Session } from '../../../common/ports/sessions.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { OldPasswordWrong, PasswordsNotTaken } from '../../platform.errors.js';
import { mayHavePassword } from '../sign-in.settings.js';
import { AccountPasswordGuard } from './account-password.guard.js';
import { LoginService } from './login.service.js';

const PasswordChange = z.object({ oldPassword: z.string().max(4096), newPassword: z.string() });

/** Changes the caller's password. Ends all other sessions. */
@OcsController('core/password', { guards: [BasicAuthGuard, AccountPasswordGuard] })
export class OwnPasswordController {
  constructor(
    private readonly login: LoginService,
    private readonly users: UsersService,
    private readonly config: Config,
  ) {}

  @Put('', 'Changes the password of the caller, and ends other sessions.', 'nothing')
  @WorksOnFullDisk()
  async change(
    @CurrentUser() { userId }: Account,
    @CurrentSession() session: Session | undefined,
    @Ip() clientAddress: string,
    @Input(PasswordChange) { oldPassword, newPassword }: In<typeof PasswordChange>,
  ): Promise<void> {
    if (!mayHavePassword(userId, this.config)) {
      throw new PasswordsNotTaken();
    }
    const attempt = { userId, password: oldPassword, clientAddress };
    // Throttled like a login; an app password is refused.
    if ((await this.login.ownerOfPassword(attempt)) === null) {
      throw new OldPasswordWrong();
    }
    await this.users.changePassword(userId, newPassword, session?.id);
  }
}

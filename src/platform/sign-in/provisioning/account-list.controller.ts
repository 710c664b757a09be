import { Param } from '@nestjs/common';
import { z } from 'zod';
import { AdminGuard, ProgramsToo } from '../../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { CurrentSession } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { looseBoolean, orElse } from '../../../common/http/loose-inputs.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Session } from '../../../common/ports/sessions.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { AppPasswordsService } from '../app-passwords/app-passwords.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { AccountsFilter, UserToCheck } from './users.controller.js';
import { UserCountAnswer } from './users.wire.js';

const LogOut = z.object({
  /** Whether programs lose their access, too. */
  appPasswords: orElse(looseBoolean('must be a boolean'), false),
});

/** Routes of the pages beside the host's own, for administrators. */
@OcsController('apps/gatefold/api/v1/users', { guards: [BasicAuthGuard, AdminGuard] })
export class AccountListController {
  constructor(
    private readonly users: UsersService,
    private readonly sessions: SessionsService,
    private readonly appPasswords: AppPasswordsService,
  ) {}

  /** Total of all pages. */
  @Get('count', 'Counts accounts.', UserCountAnswer)
  async count(@Input(AccountsFilter) { search, ...filter }: In<typeof AccountsFilter>) {
    return { count: await this.users.count({ text: search, ...filter }) };
  }

  /** Changes nothing, and requires no proof, so that forms are checked before the user is asked for one. */
  @Post('check', 'Tells what is wrong with a new account.', 'nothing')
  @ProgramsToo()
  async check(@Input(UserToCheck) { userid, ...user }: In<typeof UserToCheck>) {
    await this.users.check({ userId: userid, ...user });
  }

  /** The session of an administrator who asks for their own remains. Passwords do, too. */
  @Delete(':userId/sessions', 'Logs a user out of all browsers.', 'nothing', {
    description: 'With `appPasswords`, those of programs are revoked as well.',
  })
  async logOut(
    @Param('userId') userId: string,
    @CurrentSession() own: Session | undefined,
    @Input(LogOut) { appPasswords }: In<typeof LogOut>,
  ): Promise<void> {
    await this.users.show(userId);
    if (appPasswords) {
      await this.appPasswords.revokeAll(userId);
    }
    await this.sessions.revokeAll(
      userId,
      undefined,
      own?.account.userId === userId ? own.id : undefined,
    );
  }
}

import { Get, Post } from '../../../common/contracts/routes.js';
import { AdminGuard, ProgramsToo } from '../../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { AccountsFilter, UserToCheck } from './users.controller.js';
import { UserCountAnswer } from './users.wire.js';

/** Routes of the pages beside the host's own, for administrators. */
@OcsController('apps/gatefold/api/v1/users', { guards: [BasicAuthGuard, AdminGuard] })
export class AccountListController {
  constructor(private readonly users: UsersService) {}

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
}

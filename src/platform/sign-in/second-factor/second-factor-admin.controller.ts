import { Param } from '@nestjs/common';
import { Delete } from '../../../common/contracts/routes.js';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { SecondFactorResets } from './second-factor-resets.js';

/** Second factors of other users, for administrators. */
@OcsController('cloud/users/:userId/secondfactors', { guards: [BasicAuthGuard, AdminGuard] })
export class SecondFactorAdminController {
  constructor(private readonly resets: SecondFactorResets) {}

  @Delete('', 'Removes the second factors of a user who has lost them.', 'nothing')
  async reset(@CurrentUser() account: Account, @Param('userId') userId: string): Promise<void> {
    await this.resets.resetOfOther(account, userId);
  }
}

import { Delete, Get, Param, Post, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { InvalidInput } from '../../common/errors/domain-error.js';
import { Input } from '../../common/http/input.decorator.js';
import { OcsCodes } from '../../common/ocs/ocs-codes.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import {
  AccountNotFound,
  LastAdministrator,
  NotToOneself,
  UnknownGroup,
} from '../platform.errors.js';
import { ProvisioningService } from '../users/provisioning.service.js';
import { UsersService } from '../users/users.service.js';
import { ADMIN_GROUP, assertAdminGroup } from './admin-group.js';
import { GroupChoice, PageOfList } from './inputs.js';

const CHANGE_CODES = [
  [InvalidInput, 101],
  [UnknownGroup, 102],
  [AccountNotFound, 103],
  [NotToOneself, 105],
  [LastAdministrator, 105],
] as const;

/** Groups as tools know them. There is one, of those who may administer. */
@OcsController('cloud')
export class GroupsController {
  constructor(
    private readonly users: UsersService,
    private readonly provisioning: ProvisioningService,
  ) {}

  @Get('groups')
  @UseGuards(AdminGuard)
  list(@Input(PageOfList) { search, limit = 1, offset = 0 }: z.output<typeof PageOfList>) {
    const found = ADMIN_GROUP.includes(search.toLowerCase()) ? [ADMIN_GROUP] : [];
    return { groups: found.slice(offset, offset + limit) };
  }

  @Get(['groups/:groupId', 'groups/:groupId/users'])
  @UseGuards(AdminGuard)
  @OcsCodes([UnknownGroup, 404])
  async members(
    @Param('groupId') groupId: string,
    @Input(PageOfList) { search, limit, offset }: z.output<typeof PageOfList>,
  ) {
    assertAdminGroup(groupId);
    const members = await this.users.search({
      text: search,
      administratorsOnly: true,
      limit,
      offset,
    });
    return { users: members.map(({ userId }) => userId) };
  }

  @Get('users/:userId/groups')
  @OcsCodes([AccountNotFound, 998])
  async groupsOf(@CurrentUser() account: Account, @Param('userId') userId: string) {
    const { isAdmin } = await this.provisioning.show(account, userId);
    return { groups: isAdmin ? [ADMIN_GROUP] : [] };
  }

  @Post('users/:userId/groups')
  @UseGuards(AdminGuard)
  @OcsCodes(...CHANGE_CODES)
  async enter(
    @Param('userId') userId: string,
    @Input(GroupChoice) { groupid }: z.output<typeof GroupChoice>,
  ): Promise<void> {
    assertAdminGroup(groupid);
    await this.users.makeAdministrator(userId);
  }

  @Delete('users/:userId/groups')
  @UseGuards(AdminGuard)
  @OcsCodes(...CHANGE_CODES)
  async leave(
    @CurrentUser() account: Account,
    @Param('userId') userId: string,
    @Input(GroupChoice) { groupid }: z.output<typeof GroupChoice>,
  ): Promise<void> {
    assertAdminGroup(groupid);
    await this.provisioning.unmakeAdministrator(account, userId);
  }
}

import { Param, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { Delete, Get, Post, Put } from '../../../common/contracts/routes.js';
import { InvalidInput } from '../../../common/errors/domain-error.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import {
  AccountNotFound,
  AdministratorsStay,
  GroupAlreadyExists,
  InvalidGroup,
  LastAdministrator,
  NotToOneself,
  UnknownGroup,
} from '../../platform.errors.js';
import { assertMayKnow } from '../users/account-rights.js';
import { PageOfList } from '../users/lists.input.js';
import { OcsCodes } from '../users/ocs-codes.decorator.js';
import { UsersService } from '../users/users.service.js';
import type { GroupRow } from './groups.repository.js';
import { GroupsService } from './groups.service.js';

const NewGroupInput = z.object({
  groupid: z.string().trim(),
  displayname: z
    .string()
    .nullish()
    .transform((text) => text ?? undefined),
});

const GroupEdit = z.object({
  key: z.literal('displayname', { error: 'must be "displayname"' }),
  value: z.string().trim(),
});

const GroupChoice = z.object({ groupid: z.string().trim().min(1, 'must name a group') });

const GroupsAnswer = z.object({ groups: z.array(z.string()) });

const GroupDetailsAnswer = z.object({
  groups: z.array(
    z.object({
      id: z.string(),
      displayname: z.string(),
      usercount: z.int(),
      disabled: z.int(),
      canAdd: z.boolean(),
      canRemove: z.boolean(),
      managedBy: z
        .enum(['oidc', 'ldap', 'scim'])
        .nullable()
        .describe('Where the group comes from; null for one that was made here.'),
    }),
  ),
  total: z.int().describe('The number of groups on all pages.'),
});

const MembersAnswer = z.object({ users: z.array(z.string()) });

const SubAdministratorsAnswer = z.array(z.string()).max(0);

const MEMBERSHIP_CODES = [
  [InvalidInput, 101],
  [UnknownGroup, 102],
  [AccountNotFound, 103],
  [NotToOneself, 105],
  [LastAdministrator, 105],
] as const;

/** Group management of the OCS API. */
@OcsController('cloud')
export class GroupsController {
  constructor(
    private readonly groups: GroupsService,
    private readonly users: UsersService,
  ) {}

  @InTurn()
  @Get('groups', 'Lists the groups.', GroupsAnswer)
  @UseGuards(AdminGuard)
  async list(@Input(PageOfList) page: In<typeof PageOfList>) {
    return { groups: (await this.groups.list(page)).map(({ groupId }) => groupId) };
  }

  @InTurn()
  @Get(
    'groups/details',
    'Lists the groups with their names and numbers of members.',
    GroupDetailsAnswer,
  )
  @UseGuards(AdminGuard)
  async listDetails(@Input(PageOfList) page: In<typeof PageOfList>) {
    const groups = await this.groups.list(page);
    return { groups: groups.map(toGroupJson), total: groups[0]?.total ?? 0 };
  }

  @Post('groups', 'Creates a group.', 'nothing')
  @UseGuards(AdminGuard)
  @OcsCodes([InvalidInput, 101], [InvalidGroup, 101], [GroupAlreadyExists, 102])
  async add(
    @Input(NewGroupInput) { groupid, displayname }: In<typeof NewGroupInput>,
  ): Promise<void> {
    await this.groups.add(groupid, displayname);
  }

  /** `key` is `displayname`, `value` the new one. */
  @Put('groups/:groupId', 'Renames a group.', 'nothing')
  @UseGuards(AdminGuard)
  @OcsCodes([UnknownGroup, 404], [InvalidGroup, 101], [AdministratorsStay, 101])
  async edit(
    @Param('groupId') groupId: string,
    @Input(GroupEdit) { value }: In<typeof GroupEdit>,
  ): Promise<void> {
    await this.groups.rename(groupId, value);
  }

  @Delete('groups/:groupId', 'Removes a group.', 'nothing')
  @UseGuards(AdminGuard)
  @OcsCodes([UnknownGroup, 101], [AdministratorsStay, 102])
  async remove(@Param('groupId') groupId: string): Promise<void> {
    await this.groups.remove(groupId);
  }

  @InTurn()
  @Get(['groups/:groupId', 'groups/:groupId/users'], 'Lists the members of a group.', MembersAnswer)
  @UseGuards(AdminGuard)
  @OcsCodes([UnknownGroup, 404])
  async members(@Param('groupId') groupId: string, @Input(PageOfList) page: In<typeof PageOfList>) {
    return { users: await this.groups.memberIds(groupId, page) };
  }

  /** Always empty: there are no group administrators. */
  @Get(
    'groups/:groupId/subadmins',
    'Lists administrators of a group, which there are none of.',
    SubAdministratorsAnswer,
  )
  @UseGuards(AdminGuard)
  @OcsCodes([UnknownGroup, 101])
  async subAdministrators(@Param('groupId') groupId: string) {
    await this.groups.assertKnown([groupId]);
    return [];
  }

  @Get('users/:userId/groups', 'Lists the groups of a user.', GroupsAnswer)
  @OcsCodes([AccountNotFound, 998])
  async groupsOf(@CurrentUser() account: Account, @Param('userId') userId: string) {
    assertMayKnow(account, userId);
    await this.users.show(userId);
    return { groups: (await this.groups.groupsOf([userId])).get(userId) ?? [] };
  }

  @Post('users/:userId/groups', 'Adds a user to a group.', 'nothing')
  @UseGuards(AdminGuard)
  @OcsCodes(...MEMBERSHIP_CODES)
  async enter(
    @Param('userId') userId: string,
    @Input(GroupChoice) { groupid }: In<typeof GroupChoice>,
  ): Promise<void> {
    await this.groups.enter(groupid, userId);
  }

  @Delete('users/:userId/groups', 'Removes a user from a group.', 'nothing')
  @UseGuards(AdminGuard)
  @OcsCodes(...MEMBERSHIP_CODES)
  async leave(
    @CurrentUser() account: Account,
    @Param('userId') userId: string,
    @Input(GroupChoice) { groupid }: In<typeof GroupChoice>,
  ): Promise<void> {
    await this.groups.leave(account, groupid, userId);
  }
}

function toGroupJson(group: GroupRow) {
  const { groupId, displayName, members, disabledMembers, managedBy } = group;
  return {
    id: groupId,
    displayname: displayName,
    usercount: members,
    disabled: disabledMembers,
    // Whether members can be added and removed here.
    canAdd: managedBy === null,
    canRemove: managedBy === null,
    managedBy,
  };
}

import { Ip, Param, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import { Delete, Get, Post, Put } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { InvalidInput } from '../../../common/errors/domain-error.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import {
  CurrentCredential,
  CurrentSession,
  CurrentUser,
} from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { OcsFailure } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Session } from '../../../common/ports/sessions.js';
import { StorageUses } from '../../../common/ports/storage-use.js';
import type { Account, Credential } from '../../../common/ports/user-directory.js';
import { languageOf } from '../../../common/texts/languages.js';
import { GroupsService } from '../../accounts/groups/groups.service.js';
import { generatePassword } from '../../accounts/passwords/new-passwords.service.js';
import { AccountQuotas, readQuota } from '../../accounts/users/account-quotas.service.js';
import { ADMIN_GROUP, assertMayKnow } from '../../accounts/users/account-rights.js';
import { PageOfList, SearchedFor } from '../../accounts/users/lists.input.js';
import { OcsCodes, type OcsCode } from '../../accounts/users/ocs-codes.decorator.js';
import { UsersService, type ListedUser } from '../../accounts/users/users.service.js';
import {
  AccountAlreadyExists,
  AccountNotFound,
  InvalidDisplayName,
  InvalidEmail,
  InvalidPassword,
  InvalidQuota,
  InvalidUserId,
  LastAdministrator,
  NotToOneself,
  UnknownGroup,
  UnknownUserField,
} from '../../platform.errors.js';
import { InvitationsService } from '../../sign-in/password-links/invitations.service.js';
import { EmailRequired, NotInvited } from '../../sign-in/password-links/password-links.errors.js';
import { EDITABLE_FIELDS, ProvisioningService } from './provisioning.service.js';
import {
  toUserJson,
  type UserJson,
  UserAnswer,
  EditableFieldsAnswer,
  UserIdsAnswer,
  UserDetailsAnswer,
  NewUserAnswer,
} from './users.wire.js';

/** Conditions of a list of accounts. */
export const AccountsFilter = SearchedFor.extend({
  /** Id of a group; empty matches all. */
  group: z.string().default(''),
  state: z.enum(['all', 'enabled', 'disabled', 'administrators']).default('all'),
});

const PageOfAccounts = PageOfList.extend({
  ...AccountsFilter.shape,
  order: z.enum(['id', 'name', 'login']).default('id'),
});

const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? undefined);

const NewUserInput = z.object({
  userid: z.string(),
  /** Empty: the user is invited by mail. */
  password: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
  displayName: optionalText,
  email: optionalText,
  /** Syntax of `readQuota`; empty as `default`. */
  quota: optionalText,
  groups: z
    .union([z.array(z.string()), z.literal('').transform(() => [])])
    .nullish()
    .transform((groups) => groups ?? []),
});

export const UserToCheck = NewUserInput.pick({
  userid: true,
  password: true,
  displayName: true,
  email: true,
});

const UserEdit = z.object({
  key: z.string(),
  value: z.string(),
  /** The caller's password, for changing their email address in a session. */
  password: z.string().max(4096).optional(),
});

/** Code of a refused change at all of these routes. */
const REFUSED = 101;
const PASSWORD_AGAINST_RULES = 107;
const EMAIL_REQUIRED = 108;

const REFUSALS: readonly OcsCode[] = [
  [NotToOneself, REFUSED],
  [LastAdministrator, REFUSED],
];

/** The caller's own account for clients, and account management for administrators. */
@OcsController('cloud')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly provisioning: ProvisioningService,
    private readonly groups: GroupsService,
    private readonly storage: StorageUses,
    private readonly invitations: InvitationsService,
    private readonly quotas: AccountQuotas,
  ) {}

  /** Clients also use it to verify credentials. */
  @Get('user', 'Shows the account of the caller.', UserAnswer)
  @InScope('any')
  async showSelf(@CurrentUser() account: Account) {
    return this.#present(await this.users.show(account.userId));
  }

  /** Editable fields, by the names in `PUT users/{userId}`. */
  @Get('user/fields', 'Lists the fields of accounts that can be changed.', EditableFieldsAnswer)
  listEditable() {
    return EDITABLE_FIELDS;
  }

  @InTurn()
  @Get('users', 'Lists the ids of accounts.', UserIdsAnswer)
  @UseGuards(AdminGuard)
  async list(@Input(PageOfAccounts) { search, ...page }: In<typeof PageOfAccounts>) {
    const found = await this.users.search({ text: search, ...page });
    return { users: found.map(({ userId }) => userId) };
  }

  @InTurn()
  @Get('users/details', 'Lists accounts.', UserDetailsAnswer)
  @UseGuards(AdminGuard)
  async listDetails(@Input(PageOfAccounts) { search, ...page }: In<typeof PageOfAccounts>) {
    const found = await this.users.search({ text: search, ...page });
    const users = (await this.#presentAll(found)).map((user) => [user.id, user]);
    return { users: Object.fromEntries(users) as Record<string, UserJson> };
  }

  @Get('users/:userId', 'Shows an account.', UserAnswer)
  async show(@CurrentUser() account: Account, @Param('userId') userId: string) {
    try {
      assertMayKnow(account, userId);
      return await this.#present(await this.users.show(userId));
    } catch (error) {
      throw error instanceof AccountNotFound ? new OcsFailure(404, 'User does not exist') : error;
    }
  }

  @Post(
    'users',
    'Creates an account; without a password, the user is invited by mail.',
    NewUserAnswer,
  )
  @UseGuards(AdminGuard)
  @OcsCodes(
    [InvalidInput, 101],
    [InvalidUserId, 101],
    [InvalidDisplayName, 101],
    [InvalidEmail, 101],
    [InvalidQuota, 101],
    [AccountAlreadyExists, 102],
    [UnknownGroup, 104],
    [InvalidPassword, PASSWORD_AGAINST_RULES],
    [EmailRequired, EMAIL_REQUIRED],
  )
  async add(@Req() request: Request, @Input(NewUserInput) input: In<typeof NewUserInput>) {
    const { userid: userId, displayName, email, groups } = input;
    const quota = readQuota(input.quota || 'default');
    await this.groups.assertKnown(groups);
    const isAdmin = groups.includes(ADMIN_GROUP);
    const isInvited = input.password === '' && this.invitations.areOffered;
    if (isInvited && !email?.trim()) {
      throw new EmailRequired();
    }
    const password = isInvited ? generatePassword() : input.password;
    await this.users.add({ userId, password, displayName, email, isAdmin });
    for (const groupId of groups.filter((one) => one !== ADMIN_GROUP)) {
      await this.groups.enter(groupId, userId);
    }
    if (quota !== 'default') {
      await this.quotas.change(userId, String(quota));
    }
    if (isInvited) {
      await this.invitations.invite(userId, languageOf(request));
    }
    return { id: userId };
  }

  @Post('users/:userId/welcome', 'Sends an invitation by mail, once more.', 'nothing')
  @UseGuards(AdminGuard)
  @OcsCodes([AccountNotFound, 998], [EmailRequired, 101], [NotInvited, 102])
  async invite(@Req() request: Request, @Param('userId') userId: string): Promise<void> {
    await this.invitations.invite(userId, languageOf(request));
  }

  /** `key` is the field, `value` the new value. */
  @Put('users/:userId', 'Changes a field of an account.', 'nothing')
  @OcsCodes(
    [AccountNotFound, 998],
    [InvalidDisplayName, 101],
    [InvalidEmail, 101],
    [InvalidQuota, 101],
    [InvalidPassword, PASSWORD_AGAINST_RULES],
    [UnknownUserField, 113],
  )
  async edit(
    @CurrentUser() account: Account,
    @CurrentCredential() credential: Credential | undefined,
    @CurrentSession() session: Session | undefined,
    @Param('userId') userId: string,
    @Ip() clientAddress: string,
    @Input(UserEdit) { key, value, password }: In<typeof UserEdit>,
  ): Promise<void> {
    const actor = { account, credential, session, clientAddress, password };
    await this.provisioning.edit(actor, userId, key, value);
  }

  @Put('users/:userId/enable', 'Enables an account.', 'nothing')
  @UseGuards(AdminGuard)
  @OcsCodes([AccountNotFound, 101])
  async enable(@Param('userId') userId: string): Promise<void> {
    await this.users.enable(userId);
  }

  @Put('users/:userId/disable', 'Disables an account.', 'nothing')
  @UseGuards(AdminGuard)
  @OcsCodes([AccountNotFound, 101], ...REFUSALS)
  @WorksOnFullDisk()
  async disable(@CurrentUser() account: Account, @Param('userId') userId: string): Promise<void> {
    await this.provisioning.disable(account, userId);
  }

  @Delete('users/:userId', 'Removes an account with all that it has.', 'nothing')
  @UseGuards(AdminGuard)
  @OcsCodes([AccountNotFound, 998], ...REFUSALS)
  async remove(@CurrentUser() account: Account, @Param('userId') userId: string): Promise<void> {
    await this.provisioning.delete(account, userId);
  }

  async #present(user: ListedUser): Promise<UserJson> {
    const [storage, groups] = await this.#backgroundOf([user]);
    return toUserJson(user, groups.get(user.userId), storage.get(user.userId));
  }

  async #presentAll(users: readonly ListedUser[]): Promise<UserJson[]> {
    const [storage, groups] = await this.#backgroundOf(users);
    return users.map((user) => toUserJson(user, groups.get(user.userId), storage.get(user.userId)));
  }

  async #backgroundOf(users: readonly ListedUser[]) {
    const userIds = users.map(({ userId }) => userId);
    return Promise.all([this.storage.of(userIds), this.groups.groupsOf(userIds)]);
  }
}

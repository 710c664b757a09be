import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../../common/config/public-address.js';
import { parseInput } from '../../../common/http/input.decorator.js';
import { generatePassword } from '../../accounts/passwords/new-passwords.service.js';
import { AccountDeletions } from '../../accounts/users/account-deletions.task.js';
import { UsersRepository } from '../../accounts/users/users.repository.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { AccountAlreadyExists } from '../../platform.errors.js';
import { patched, type PatchInput } from './scim-patch.js';
import { toUserResource, UserInput } from './scim-resources.js';
import { InvalidScim, NoScimResource, NotByScim, NotUnique } from './scim.errors.js';
import { ScimRepository, type ScimPage, type ScimUserRow } from './scim.repository.js';
import { ScimSettings } from './scim.settings.js';

type UserResource = ReturnType<typeof toUserResource>;

/** Requested changes of an account; undefined fields are unchanged. */
interface Wanted {
  readonly displayName: string | undefined;
  readonly email: string | null | undefined;
  readonly active: boolean | undefined;
  readonly password: string | undefined;
  readonly externalId: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
}

const NAMES = ['userName', 'externalId', 'displayName', 'name', 'emails', 'active', 'password'];

/**
 * Accounts as SCIM users. Only accounts that were created or linked by SCIM are seen and changed.
 *
 * @see docs/operations/identity.md "Accounts from a directory: SCIM"
 */
@Injectable()
export class ScimUsersService {
  constructor(
    private readonly scim: ScimRepository,
    private readonly users: UsersService,
    private readonly accounts: UsersRepository,
    private readonly deletions: AccountDeletions,
    private readonly address: PublicAddress,
    private readonly settings: ScimSettings,
  ) {}

  /** @throws InvalidScim for the filter */
  async list(page: ScimPage) {
    const { total, rows } = await this.scim.users(page);
    return { total, resources: await this.#resources(rows) };
  }

  async show(id: string): Promise<UserResource> {
    return this.#resource(await this.#row(id));
  }

  /**
   * Creates an account, or links one that exists with `GATEFOLD_SCIM_LINK_ACCOUNTS`.
   *
   * @throws NotUnique, NotByScim, and the errors of `UsersService.add`
   */
  async create(input: UserInput): Promise<UserResource> {
    const { userName: userId } = input;
    if ((await this.scim.userNamed(userId)) !== null) {
      throw new NotUnique(`There is already a user "${userId}".`);
    }
    const wanted = wantedOf(input);
    const linked = await this.#link(userId, wanted);
    if (!linked) {
      await this.#add(userId, wanted);
    }
    const row = await this.scim.userNamed(userId);
    if (row === null) {
      throw new NoScimResource('User', userId);
    }
    await this.#apply(row, linked ? wanted : { ...wanted, password: undefined });
    return this.show(row.id);
  }

  /**
   * Omitted attributes stay, except for `externalId` and the parts of the name.
   *
   * @throws NoScimResource, InvalidScim, NotByScim, and the errors of `UsersService`
   */
  async replace(id: string, input: UserInput): Promise<UserResource> {
    const row = await this.#row(id);
    if (input.userName.toLowerCase() !== row.userId.toLowerCase()) {
      throw new InvalidScim('mutability', 'The user name of an account cannot be changed.');
    }
    const wanted = wantedOf(input);
    await this.#apply(row, wanted);
    await this.scim.putUser({ ...wanted, userId: row.userId });
    return this.show(id);
  }

  /** @throws as `replace` */
  async patch(id: string, operations: PatchInput): Promise<UserResource> {
    const before = await this.show(id);
    const after = patched(before, operations, NAMES) as Record<string, unknown>;
    // A removed list is an empty one.
    return this.replace(id, parseInput(UserInput, { ...after, emails: after['emails'] ?? [] }));
  }

  /**
   * Disables the account at once, and deletes it with its data.
   *
   * @throws NotByScim for an administrator
   */
  async remove(id: string): Promise<void> {
    const { userId } = await this.#row(id);
    if ((await this.accounts.find(userId))?.isAdmin === true) {
      throw new NotByScim(`"${userId}" is an administrator here; disable the account instead.`);
    }
    await this.deletions.delete(userId);
  }

  async #add(userId: string, { externalId, givenName, familyName, ...wanted }: Wanted) {
    try {
      await this.users.add({
        userId,
        // A random password: users log in at their identity provider, or get another one.
        password: wanted.password ?? generatePassword(),
        displayName: wanted.displayName,
        email: wanted.email ?? undefined,
        link: this.scim.linkOfNew({ externalId, givenName, familyName }),
      });
    } catch (error) {
      throw error instanceof AccountAlreadyExists ? new NotUnique(error.message) : error;
    }
  }

  /** @returns whether there was an account to link */
  async #link(userId: string, wanted: Wanted): Promise<boolean> {
    const account = await this.accounts.find(userId);
    if (account === null || !this.settings.linkAccounts) {
      return false;
    }
    if (account.isAdmin) {
      throw new NotByScim(
        `"${userId}" is an administrator here, whose account SCIM does not link.`,
      );
    }
    await this.scim.putUser({ ...wanted, userId });
    return true;
  }

  /** Applies the differences. */
  async #apply(row: ScimUserRow, { password, displayName, email, active }: Wanted): Promise<void> {
    const { userId } = row;
    if (password !== undefined) {
      if (row.isAdmin) {
        throw new NotByScim(`"${userId}" is an administrator, whose password SCIM does not set.`);
      }
      await this.users.changePassword(userId, password);
    }
    if (displayName !== undefined && displayName !== row.displayName) {
      await this.users.changeDisplayName(userId, displayName);
    }
    if (email !== undefined && email !== row.email) {
      await this.users.changeEmail(userId, email ?? '');
    }
    if (active !== undefined && active !== row.active) {
      await (active ? this.users.enable(userId) : this.users.disable(userId));
    }
  }

  async #row(id: string): Promise<ScimUserRow> {
    const row = await this.scim.user(id);
    if (row === null) {
      throw new NoScimResource('User', id);
    }
    return row;
  }

  async #resource(row: ScimUserRow): Promise<UserResource> {
    const [resource] = await this.#resources([row]);
    return resource as UserResource;
  }

  async #resources(rows: readonly ScimUserRow[]): Promise<UserResource[]> {
    const groups = await this.scim.groupsOf(rows);
    const root = this.address.of('/scim/v2');
    return rows.map((row) => toUserResource(row, groups.get(row.id) ?? [], root));
  }
}

function wantedOf(input: UserInput): Wanted {
  const { displayName, name, emails, active, password, externalId } = input;
  const givenName = name?.givenName?.trim() || null;
  const familyName = name?.familyName?.trim() || null;
  const fullName = [givenName, familyName].filter((part) => part !== null).join(' ');
  return {
    displayName: displayName?.trim() || name?.formatted?.trim() || fullName || undefined,
    email: emails === undefined || emails === null ? undefined : mainOf(emails),
    active: active ?? undefined,
    password: password ?? undefined,
    externalId: externalId ?? null,
    givenName,
    familyName,
  };
}

function mainOf(emails: NonNullable<UserInput['emails']>): string | null {
  const main = emails.find(({ primary }) => primary === true) ?? emails[0];
  return main?.value?.trim() || null;
}

import { Injectable } from '@nestjs/common';
import {
  AdministrationLog,
  type AdministrationKind,
} from '../../../common/ports/administration-log.js';
import { GroupBelongingsOffer } from '../../../common/ports/group-belongings.js';
import type { Account } from '../../../common/ports/user-directory.js';
import {
  AdministratorsStay,
  GroupAlreadyExists,
  InvalidGroup,
  UnknownGroup,
} from '../../platform.errors.js';
import { assertOther, ADMIN_GROUP, isAdminGroup } from '../users/account-rights.js';
import { UsersService } from '../users/users.service.js';
import { GroupsRepository, type GroupRow } from './groups.repository.js';

/** A group of users. */
interface UserGroup {
  readonly groupId: string;
  readonly displayName: string;
  /** User ids, without disabled users. */
  readonly memberIds: readonly string[];
}

/** Filter and page of a list. */
interface GroupSearch {
  /** Part of the id or name, case-insensitive; empty matches all. */
  readonly search: string;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Groups of users. Members of `admin` have administrator rights; other groups give none. */
@Injectable()
export class GroupsService {
  constructor(
    private readonly groups: GroupsRepository,
    private readonly users: UsersService,
    private readonly log: AdministrationLog,
    private readonly belongings: GroupBelongingsOffer,
  ) {}

  /** @returns null for an unknown group */
  async find(groupId: string): Promise<UserGroup | null> {
    const displayName = await this.groups.nameOf(groupId);
    return displayName === null
      ? null
      : { groupId, displayName, memberIds: await this.groups.activeMemberIds(groupId) };
  }

  async list({ search, limit, offset = 0 }: GroupSearch): Promise<GroupRow[]> {
    return this.groups.search(search, limit ?? null, offset);
  }

  async memberIds(groupId: string, { search, limit, offset = 0 }: GroupSearch): Promise<string[]> {
    await this.assertKnown([groupId]);
    return this.groups.memberIds(groupId, search, limit ?? null, offset);
  }

  /** Ids of their groups by user id; users without groups have no entry. */
  async groupsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.groups.groupsOf(userIds);
  }

  /** @throws UnknownGroup for the first unknown one */
  async assertKnown(groupIds: readonly string[]): Promise<void> {
    for (const groupId of groupIds) {
      if ((await this.groups.nameOf(groupId)) === null) {
        throw new UnknownGroup(groupId);
      }
    }
  }

  /**
   * @param displayName default: the id
   * @throws GroupAlreadyExists
   */
  async add(groupId: string, displayName: string | undefined): Promise<void> {
    const name = displayName === undefined || displayName === '' ? groupId : displayName;
    assertGroupWords(groupId, name);
    if (isAdminGroup(groupId) || !(await this.groups.add(groupId, name))) {
      throw new GroupAlreadyExists(groupId);
    }
    await this.#record('group_created', groupId);
  }

  /** @throws UnknownGroup */
  async rename(groupId: string, displayName: string): Promise<void> {
    assertGroupWords(groupId, displayName);
    assertNotAdministrators(groupId);
    UnknownGroup.unless(await this.groups.rename(groupId, displayName), groupId);
    await this.#record('group_changed', groupId, { details: `name: ${displayName}` });
  }

  /**
   * The members' accounts remain.
   *
   * @returns names of the folders of feeds that are removed with it
   * @throws UnknownGroup
   */
  async remove(groupId: string): Promise<readonly string[]> {
    assertNotAdministrators(groupId);
    const folders = (await this.belongings.service?.foldersOf(groupId)) ?? [];
    UnknownGroup.unless(await this.groups.remove(groupId), groupId);
    const details = `with folders of feeds: ${folders.join(', ')}`;
    await this.#record('group_deleted', groupId, folders.length > 0 ? { details } : {});
    return folders;
  }

  async enter(groupId: string, userId: string): Promise<void> {
    if (groupId === ADMIN_GROUP) {
      return this.users.makeAdministrator(userId);
    }
    await this.assertKnown([groupId]);
    await this.users.show(userId);
    await this.groups.addMember(groupId, userId);
    await this.#record('group_joined', groupId, { userId });
  }

  /**
   * @throws NotToOneself, LastAdministrator for the administrators' group
   * @param actor undefined: the operator
   */
  async leave(actor: Account | undefined, groupId: string, userId: string): Promise<void> {
    if (groupId === ADMIN_GROUP) {
      if (actor !== undefined) {
        assertOther(actor, userId, 'revoke your own administrator rights');
      }
      return this.users.unmakeAdministrator(userId);
    }
    await this.assertKnown([groupId]);
    await this.users.show(userId);
    await this.groups.removeMember(groupId, userId);
    await this.#record('group_left', groupId, { userId });
  }

  async #record(
    kind: AdministrationKind,
    groupId: string,
    more: { readonly userId?: string; readonly details?: string } = {},
  ): Promise<void> {
    await this.log.record({ kind, subject: { kind: 'group', id: groupId }, ...more });
  }
}

function assertGroupWords(...words: readonly string[]): void {
  InvalidGroup.unless(words.every(isGroupWord));
}

function assertNotAdministrators(groupId: string): void {
  if (groupId === ADMIN_GROUP) {
    throw new AdministratorsStay();
  }
}

/** Whether a text can be the id or name of a group: 1 to 64 characters, no slashes or controls. */
export function isGroupWord(text: string): boolean {
  return /^[^/\p{Cc}]{1,64}$/u.test(text) && text.isWellFormed();
}

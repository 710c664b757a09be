import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { AccountGroupEntity } from '../../accounts/groups/account-group.entity.js';
import { isUserId } from '../../accounts/users/user-id.js';
import { InvalidScim } from './scim.errors.js';
import {
  addManagedGroup,
  listGroupsOfScimUsers,
  listMembersOfScimGroups,
  lockScimGroup,
  putScimGroup,
  putScimUser,
  searchScimGroups,
  searchScimUsers,
  setMembers,
  userIdsOfScimIds,
  type MemberChanges,
  type PageOfResources,
  type ReferenceRow,
  type ScimGroupRow,
  type ScimPage,
  type ScimUserRow,
} from './scim.sql.js';

export type { PageOfResources, ScimGroupRow, ScimPage, ScimUserRow };

/** What a group shall be; undefined members stay. */
interface WantedGroup {
  readonly externalId: string | null;
  readonly displayName: string;
  readonly memberIds: readonly string[] | undefined;
}

/** What a change of a group did. */
export interface GroupOutcome extends MemberChanges {
  readonly groupId: string;
  readonly renamedTo: string | undefined;
}

interface Reference {
  readonly value: string;
  readonly display: string;
}

/** References by the id of the resource that has them. */
type References = ReadonlyMap<string, readonly Reference[]>;

/** Accounts and groups that a provisioning service manages. */
@Injectable()
export class ScimRepository {
  constructor(private readonly database: Database) {}

  /** @throws InvalidScim for the filter */
  async users(search: ScimPage): Promise<PageOfResources<ScimUserRow>> {
    return searchScimUsers(this.database, search);
  }

  async user(id: string): Promise<ScimUserRow | null> {
    if (!isUuid(id)) {
      return null;
    }
    const { rows } = await this.users(oneOf('id', id));
    return rows[0] ?? null;
  }

  /** In any case of letters, as user names are compared in SCIM. */
  async userNamed(userId: string): Promise<ScimUserRow | null> {
    if (!isUserId(userId)) {
      return null;
    }
    const { rows } = await this.users(oneOf('userName', userId));
    return rows[0] ?? null;
  }

  /** @throws InvalidScim for the filter */
  async groups(search: ScimPage): Promise<PageOfResources<ScimGroupRow>> {
    return searchScimGroups(this.database, search);
  }

  async group(id: string): Promise<ScimGroupRow | null> {
    if (!isUuid(id)) {
      return null;
    }
    const { rows } = await this.groups(oneOf('id', id));
    return rows[0] ?? null;
  }

  async groupsOf(users: readonly ScimUserRow[]): Promise<References> {
    const userIds = users.map(({ userId }) => userId);
    return byResource(await listGroupsOfScimUsers(this.database, userIds));
  }

  async membersOf(groups: readonly ScimGroupRow[]): Promise<References> {
    const groupIds = groups.map(({ groupId }) => groupId);
    return byResource(await listMembersOfScimGroups(this.database, groupIds));
  }

  /** @throws InvalidScim for the first id that is not one of a managed user */
  async assertUsers(ids: readonly string[]): Promise<void> {
    await userIdsOf(this.database, ids);
  }

  /** @returns the id of the resource */
  async putUser(
    user: Pick<ScimUserRow, 'userId' | 'externalId' | 'givenName' | 'familyName'>,
  ): Promise<string> {
    return putScimUser(this.database, user);
  }

  /** @returns the id of the resource; null when there is a group of this id */
  async addGroup(
    group: Pick<ScimGroupRow, 'groupId' | 'displayName' | 'externalId'>,
  ): Promise<string | null> {
    return this.database.transaction(async (tx) =>
      (await addManagedGroup(tx, group.groupId, group.displayName))
        ? putScimGroup(tx, group)
        : null,
    );
  }

  /**
   * Changes a group; concurrent changes of it run one after the other.
   *
   * @param change gets the group and the ids of its managed members
   * @returns null for an unknown group
   * @throws InvalidScim for a member that is not a managed user
   */
  async changeGroup(
    id: string,
    change: (row: ScimGroupRow, memberIds: readonly string[]) => WantedGroup,
  ): Promise<GroupOutcome | null> {
    if (!isUuid(id)) {
      return null;
    }
    return this.database.transaction(async (tx) => {
      await lockScimGroup(tx, id);
      const [row] = (await searchScimGroups(tx, oneOf('id', id))).rows;
      if (row === undefined) {
        return null;
      }
      const { groupId } = row;
      const members = await listMembersOfScimGroups(tx, [groupId]);
      const wanted = change(
        row,
        members.map(({ value }) => value),
      );
      const isRenamed = wanted.displayName !== row.displayName;
      if (isRenamed) {
        await tx.em.nativeUpdate(
          AccountGroupEntity,
          { groupId },
          { displayName: wanted.displayName },
        );
      }
      await putScimGroup(tx, { groupId, externalId: wanted.externalId });
      const changes =
        wanted.memberIds === undefined
          ? { joined: [], left: [] }
          : await setMembers(tx, groupId, await userIdsOf(tx, wanted.memberIds));
      return { groupId, renamedTo: isRenamed ? wanted.displayName : undefined, ...changes };
    });
  }
}

/** User names of managed accounts. @throws InvalidScim for the first unknown id */
async function userIdsOf(runner: SqlRunner, ids: readonly string[]): Promise<string[]> {
  const known = await userIdsOfScimIds(runner, ids);
  return ids.map((id) => {
    const userId = known.get(id);
    if (userId === undefined) {
      throw new InvalidScim(
        'invalidValue',
        `There is no User ${JSON.stringify(id)} to be a member.`,
      );
    }
    return userId;
  });
}

function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}

function oneOf(attribute: 'id' | 'userName', value: string): ScimPage {
  return { filter: `${attribute} eq ${JSON.stringify(value)}`, startIndex: 1, count: 1 };
}

function byResource(rows: readonly ReferenceRow[]): References {
  const references = new Map<string, Reference[]>();
  for (const { of, value, display } of rows) {
    const known = references.get(of) ?? [];
    known.push({ value, display });
    references.set(of, known);
  }
  return references;
}

import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { AccountGroupEntity } from '../../accounts/groups/groups.entities.js';
import { ScimUserEntity } from '../../accounts/users/account-links.entities.js';
import { isUserId } from '../../accounts/users/user-id.js';
import type { AccountLink } from '../../accounts/users/users.repository.js';
import { conditionOf, GROUP_COLUMNS, USER_COLUMNS, type FilterColumns } from './scim-filter.js';
import { InvalidScim } from './scim.errors.js';

/** Requested changes of a group; undefined members are unchanged. */
interface WantedGroup {
  readonly externalId: string | null;
  readonly displayName: string;
  readonly memberIds: readonly string[] | undefined;
}

/** Result of a change of a group. */
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

/** A managed account. */
export interface ScimUserRow {
  readonly id: string;
  readonly userId: string;
  readonly externalId: string | null;
  readonly displayName: string;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly email: string | null;
  readonly active: boolean;
  readonly isAdmin: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly changedAt: string;
}

/** A managed group. */
export interface ScimGroupRow {
  readonly id: string;
  readonly groupId: string;
  readonly externalId: string | null;
  readonly displayName: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly changedAt: string;
}

/** A reference from one resource to another. */
interface ReferenceRow {
  /** Id of the resource that has the reference. */
  readonly of: string;
  readonly value: string;
  readonly display: string;
}

/** A page of a list. */
interface PageOfResources<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** A page of a list, RFC 7644 section 3.4.2. */
export interface ScimPage {
  readonly filter?: string | undefined;
  /** From 1. */
  readonly startIndex: number;
  /** At most; 0 for the total alone. */
  readonly count: number;
}

const iso = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const TIMES = `${iso('s.created_at')} as "createdAt", ${iso('s.changed_at')} as "changedAt"`;

const USERS = `scim_user s join account a on a.user_id = s.user_id and a.deletion_requested_at is null`;

/** Changes in the members of a group, by user name. */
interface MemberChanges {
  readonly joined: readonly string[];
  readonly left: readonly string[];
}

/** Accounts and groups that a provisioning service manages. */
@Injectable()
export class ScimRepository {
  constructor(private readonly database: Database) {}

  /** Sorted by user name. @throws InvalidScim for the filter */
  async users(search: ScimPage): Promise<PageOfResources<ScimUserRow>> {
    return pageOf(this.database, search, USER_COLUMNS, {
      from: USERS,
      order: 's.user_id collate "C"',
      columns: `s.id, s.user_id as "userId", s.external_id as "externalId",
        a.display_name as "displayName", s.given_name as "givenName", s.family_name as "familyName",
        a.email, a.disabled_at is null as active, a.is_admin as "isAdmin",
        ${TIMES}`,
    });
  }

  async user(id: string): Promise<ScimUserRow | null> {
    return isUuid(id) ? ((await this.users(oneOf('id', id))).rows[0] ?? null) : null;
  }

  /** Ignores case, as SCIM compares user names. */
  async userNamed(userId: string): Promise<ScimUserRow | null> {
    if (!isUserId(userId)) {
      return null;
    }
    const { rows } = await this.users(oneOf('userName', userId));
    return rows[0] ?? null;
  }

  /** Sorted by group id. @throws InvalidScim for the filter */
  async groups(
    search: ScimPage,
    runner: SqlRunner = this.database,
  ): Promise<PageOfResources<ScimGroupRow>> {
    return pageOf(runner, search, GROUP_COLUMNS, {
      from: 'scim_group s join account_group g on g.group_id = s.group_id',
      order: 's.group_id',
      columns: `s.id, s.group_id as "groupId", s.external_id as "externalId",
        g.display_name as "displayName", ${TIMES}`,
    });
  }

  async group(id: string): Promise<ScimGroupRow | null> {
    return isUuid(id) ? ((await this.groups(oneOf('id', id))).rows[0] ?? null) : null;
  }

  /** Managed groups of these users, memberships that were made here included. */
  async groupsOf(users: readonly ScimUserRow[]): Promise<References> {
    const rows = await this.database.query<ReferenceRow>(
      `select u.id as "of", s.id as value, g.display_name as display
         from scim_user u
         join account_group_member m on m.user_id = u.user_id
         join scim_group s on s.group_id = m.group_id
         join account_group g on g.group_id = s.group_id
        where u.user_id = any($1) order by g.group_id`,
      [users.map(({ userId }) => userId)],
    );
    return byResource(rows);
  }

  /** Managed members of these groups. */
  async membersOf(groups: readonly ScimGroupRow[]): Promise<References> {
    const groupIds = groups.map(({ groupId }) => groupId);
    return byResource(await listMembersOfScimGroups(this.database, groupIds));
  }

  /** @throws InvalidScim for the first id that is not one of a managed user */
  async assertUsers(ids: readonly string[]): Promise<void> {
    await userIdsOf(this.database, ids);
  }

  /** Makes an account one that the provisioning service manages when it is added. */
  linkOfNew(user: Pick<ScimUserEntity, 'externalId' | 'givenName' | 'familyName'>): AccountLink {
    return (tx, userId) => tx.em.insert(ScimUserEntity, { ...user, userId });
  }

  /**
   * Stores SCIM's own data of an account, and the time of the change.
   * @returns the id of the resource
   */
  async putUser(
    user: Pick<ScimUserRow, 'userId' | 'externalId' | 'givenName' | 'familyName'>,
  ): Promise<string> {
    const [row] = await this.database.query<{ id: string }>(
      `insert into scim_user (user_id, external_id, given_name, family_name) values ($1, $2, $3, $4)
       on conflict (user_id) do update set external_id = excluded.external_id,
         given_name = excluded.given_name, family_name = excluded.family_name, changed_at = now()
       returning id`,
      [user.userId, user.externalId, user.givenName, user.familyName],
    );
    return row?.id ?? '';
  }

  /** @returns the id of the resource; null when there is a group of this id */
  async addGroup(
    group: Pick<ScimGroupRow, 'groupId' | 'displayName' | 'externalId'>,
  ): Promise<string | null> {
    return this.database.transaction(async (tx) => {
      const added = await tx.query(
        `insert into account_group (group_id, display_name, managed_by) values ($1, $2, 'scim')
         on conflict do nothing returning 1`,
        [group.groupId, group.displayName],
      );
      return added.length > 0 ? putScimGroup(tx, group) : null;
    });
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
      await tx.query('select from scim_group where id = $1 for update', [id]);
      const [row] = (await this.groups(oneOf('id', id), tx)).rows;
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
  const rows = await runner.query<{ id: string; userId: string }>(
    `select s.id, s.user_id as "userId" from ${USERS} where s.id::text = any($1)`,
    [ids],
  );
  const known = new Map(rows.map(({ id, userId }) => [id, userId]));
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

async function pageOf<Row>(
  runner: SqlRunner,
  { filter, startIndex, count }: ScimPage,
  searchable: FilterColumns,
  { from, order, columns }: Readonly<Record<'from' | 'order' | 'columns', string>>,
): Promise<PageOfResources<Row>> {
  const params: unknown[] = [];
  const condition = conditionOf(filter, searchable, params);
  const [counted] = await runner.query<{ total: number }>(
    `select count(*) as total from ${from} where ${condition}`,
    params,
  );
  const place = `limit $${params.length + 1} offset $${params.length + 2}`;
  const rows =
    count === 0
      ? []
      : await runner.query<Row>(
          `select ${columns} from ${from} where ${condition} order by ${order} ${place}`,
          [...params, count, startIndex - 1],
        );
  return { total: counted?.total ?? 0, rows };
}

async function listMembersOfScimGroups(
  runner: SqlRunner,
  groupIds: readonly string[],
): Promise<ReferenceRow[]> {
  return runner.query(
    `select s.id as "of", u.id as value, a.display_name as display
       from scim_group s
       join account_group_member m on m.group_id = s.group_id
       join scim_user u on u.user_id = m.user_id
       join account a on a.user_id = u.user_id and a.deletion_requested_at is null
      where s.group_id = any($1) order by u.user_id collate "C"`,
    [groupIds],
  );
}

/** Stores SCIM's own data of a group, and the time of the change. @returns the id */
async function putScimGroup(
  runner: SqlRunner,
  group: Pick<ScimGroupRow, 'groupId' | 'externalId'>,
): Promise<string> {
  const [row] = await runner.query<{ id: string }>(
    `insert into scim_group (group_id, external_id) values ($1, $2)
     on conflict (group_id) do update set external_id = excluded.external_id, changed_at = now()
     returning id`,
    [group.groupId, group.externalId],
  );
  return row?.id ?? '';
}

/**
 * Makes these accounts the managed members of the group. Memberships of accounts that are not managed
 * stay.
 */
async function setMembers(
  tx: SqlRunner,
  groupId: string,
  userIds: readonly string[],
): Promise<MemberChanges> {
  const left = await tx.query<{ userId: string }>(
    `delete from account_group_member m using scim_user s
      where m.group_id = $1 and s.user_id = m.user_id and m.user_id <> all($2)
      returning m.user_id as "userId"`,
    [groupId, userIds],
  );
  const joined = await tx.query<{ userId: string }>(
    `insert into account_group_member (group_id, user_id, managed_by)
     select $1, s.user_id, 'scim' from scim_user s where s.user_id = any($2) order by s.user_id
     on conflict do nothing returning user_id as "userId"`,
    [groupId, userIds],
  );
  const ids = (rows: readonly { readonly userId: string }[]) =>
    rows.map(({ userId }) => userId).toSorted();
  return { left: ids(left), joined: ids(joined) };
}

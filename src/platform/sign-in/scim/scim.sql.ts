import type { SqlRunner } from '../../../database/database.js';
import { conditionOf, type FilterColumns } from './scim-filter.js';

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
export interface ReferenceRow {
  /** Id of the resource that has the reference. */
  readonly of: string;
  readonly value: string;
  readonly display: string;
}

/** A page of a list. */
export interface PageOfResources<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** Of a list, RFC 7644 section 3.4.2. */
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

const USER_COLUMNS: FilterColumns = new Map([
  ['id', { sql: 's.id::text', type: 'exact' }],
  ['externalid', { sql: 's.external_id', type: 'exact' }],
  ['username', { sql: 's.user_id', type: 'text' }],
  ['displayname', { sql: 'a.display_name', type: 'text' }],
  ['name.formatted', { sql: 'a.display_name', type: 'text' }],
  ['name.givenname', { sql: 's.given_name', type: 'text' }],
  ['name.familyname', { sql: 's.family_name', type: 'text' }],
  ['emails', { sql: 'a.email', type: 'text' }],
  ['emails.value', { sql: 'a.email', type: 'text' }],
  ['emails.type', { sql: `case when a.email is not null then 'work' end`, type: 'text' }],
  ['emails.primary', { sql: 'a.email is not null', type: 'boolean' }],
  ['active', { sql: 'a.disabled_at is null', type: 'boolean' }],
  ['meta.created', { sql: 's.created_at', type: 'time' }],
  ['meta.lastmodified', { sql: 's.changed_at', type: 'time' }],
]);

const GROUPS = `scim_group s join account_group g on g.group_id = s.group_id`;

const GROUP_COLUMNS: FilterColumns = new Map([
  ['id', { sql: 's.id::text', type: 'exact' }],
  ['externalid', { sql: 's.external_id', type: 'exact' }],
  ['displayname', { sql: 'g.display_name', type: 'text' }],
  ['meta.created', { sql: 's.created_at', type: 'time' }],
  ['meta.lastmodified', { sql: 's.changed_at', type: 'time' }],
]);

/** By user name. @throws InvalidScim for the filter */
export async function searchScimUsers(
  runner: SqlRunner,
  search: ScimPage,
): Promise<PageOfResources<ScimUserRow>> {
  return pageOf(runner, search, USER_COLUMNS, {
    from: USERS,
    order: 's.user_id collate "C"',
    columns: `s.id, s.user_id as "userId", s.external_id as "externalId",
      a.display_name as "displayName", s.given_name as "givenName", s.family_name as "familyName",
      a.email, a.disabled_at is null as active, a.is_admin as "isAdmin",
      ${TIMES}`,
  });
}

/** By id of the group. @throws InvalidScim for the filter */
export async function searchScimGroups(
  runner: SqlRunner,
  search: ScimPage,
): Promise<PageOfResources<ScimGroupRow>> {
  return pageOf(runner, search, GROUP_COLUMNS, {
    from: GROUPS,
    order: 's.group_id',
    columns: `s.id, s.group_id as "groupId", s.external_id as "externalId",
      g.display_name as "displayName", ${TIMES}`,
  });
}

async function pageOf<Row>(
  runner: SqlRunner,
  { filter, startIndex, count }: ScimPage,
  searchable: FilterColumns,
  {
    from,
    order,
    columns,
  }: { readonly from: string; readonly order: string; readonly columns: string },
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

/** Managed groups of these users, memberships that were made here included. */
export async function listGroupsOfScimUsers(
  runner: SqlRunner,
  userIds: readonly string[],
): Promise<ReferenceRow[]> {
  return runner.query(
    `select u.id as "of", s.id as value, g.display_name as display
       from scim_user u
       join account_group_member m on m.user_id = u.user_id
       join scim_group s on s.group_id = m.group_id
       join account_group g on g.group_id = s.group_id
      where u.user_id = any($1) order by g.group_id`,
    [userIds],
  );
}

/** Managed members of these groups. */
export async function listMembersOfScimGroups(
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

/** User names of managed accounts by their SCIM ids. */
export async function userIdsOfScimIds(
  runner: SqlRunner,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await runner.query<{ id: string; userId: string }>(
    `select s.id, s.user_id as "userId" from ${USERS} where s.id::text = any($1)`,
    [ids],
  );
  return new Map(rows.map(({ id, userId }) => [id, userId]));
}

/** Stores what provisioning alone knows of an account, and the time of the change. @returns the id */
export async function putScimUser(
  runner: SqlRunner,
  user: Pick<ScimUserRow, 'userId' | 'externalId' | 'givenName' | 'familyName'>,
): Promise<string> {
  const [row] = await runner.query<{ id: string }>(
    `insert into scim_user (user_id, external_id, given_name, family_name) values ($1, $2, $3, $4)
     on conflict (user_id) do update set external_id = excluded.external_id,
       given_name = excluded.given_name, family_name = excluded.family_name, changed_at = now()
     returning id`,
    [user.userId, user.externalId, user.givenName, user.familyName],
  );
  return row?.id ?? '';
}

/** The same of a group. */
export async function putScimGroup(
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

/** Creates a managed group. @returns false when there is one of this id */
export async function addManagedGroup(
  runner: SqlRunner,
  groupId: string,
  displayName: string,
): Promise<boolean> {
  const added = await runner.query(
    `insert into account_group (group_id, display_name, managed_by) values ($1, $2, 'scim')
     on conflict do nothing returning 1`,
    [groupId, displayName],
  );
  return added.length > 0;
}

/** Changes of a group wait for one another until the end of the transaction. */
export async function lockScimGroup(tx: SqlRunner, id: string): Promise<void> {
  await tx.query('select from scim_group where id = $1 for update', [id]);
}

/** What changed in the members of a group, by user name. */
export interface MemberChanges {
  readonly joined: readonly string[];
  readonly left: readonly string[];
}

/**
 * Makes these accounts the managed members of the group. Memberships of accounts that are not managed
 * stay.
 */
export async function setMembers(
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

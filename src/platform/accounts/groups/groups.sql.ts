import { ADMIN_GROUP } from './admin-group.js';
import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { AccountGroupEntity } from './account-group.entity.js';

/** All groups and memberships, the administrators' group included. */
const MEMBERSHIP = `
  membership as (
    select m.group_id, a.user_id, a.disabled_at
      from account_group_member m join account a on a.user_id = m.user_id
    union all
    select '${ADMIN_GROUP}', a.user_id, a.disabled_at from account a where a.is_admin
  ),
  every_group as (
    select group_id, display_name, managed_by from account_group
    union all
    select '${ADMIN_GROUP}', '${ADMIN_GROUP}', null
  )`;

const GROUP = selectList(AccountGroupEntity, 'g', ['groupId', 'displayName', 'managedBy']);

/** A group with the numbers of its members, and of all groups that were searched for. */
export type GroupRow = RowOf<typeof GROUP> & {
  readonly members: number;
  readonly disabledMembers: number;
  readonly total: number;
};

/** By id, an equal one first: groups whose id or name contains the text. Reads both tables. @param limit null for all */
export async function searchGroups(
  runner: SqlRunner,
  text: string,
  limit: number | null,
  offset: number,
): Promise<GroupRow[]> {
  return runner.query<GroupRow>(
    `with ${MEMBERSHIP}
     select ${GROUP}, count(m.user_id) as members, count(m.disabled_at) as "disabledMembers",
            count(*) over () as total
       from every_group g left join membership m on m.group_id = g.group_id
      where strpos(lower(g.group_id), lower($1)) > 0
         or strpos(lower(g.display_name), lower($1)) > 0
      group by g.group_id, g.display_name, g.managed_by
      order by g.group_id <> $1, g.group_id limit $2 offset $3`,
    [text, limit, offset],
  );
}

/** By user id: members whose id contains the text. @param limit null for all */
export async function listMembers(
  runner: SqlRunner,
  groupId: string,
  text: string,
  limit: number | null,
  offset: number,
): Promise<string[]> {
  const rows = await runner.query<{ userId: string }>(
    `with ${MEMBERSHIP}
     select user_id as "userId" from membership
      where group_id = $1 and strpos(lower(user_id), lower($2)) > 0
      order by user_id collate "C" limit $3 offset $4`,
    [groupId, text, limit, offset],
  );
  return rows.map(({ userId }) => userId);
}

/** By user id: members who are not disabled. */
export async function listActiveMembers(runner: SqlRunner, groupId: string): Promise<string[]> {
  const rows = await runner.query<{ userId: string }>(
    `with ${MEMBERSHIP}
     select user_id as "userId" from membership
      where group_id = $1 and disabled_at is null order by user_id collate "C"`,
    [groupId],
  );
  return rows.map(({ userId }) => userId);
}

/** One row per user who is in a group. */
export async function listGroupsOf(
  runner: SqlRunner,
  userIds: readonly string[],
): Promise<{ readonly userId: string; readonly groupIds: string[] }[]> {
  return runner.query(
    `with ${MEMBERSHIP}
     select user_id as "userId", array_agg(group_id order by group_id) as "groupIds"
       from membership where user_id = any($1) group by user_id`,
    [userIds],
  );
}

import type { SqlRunner } from '../../../database/database.js';
import type { GroupManager } from './group-manager.js';

/** What following the groups of a user changed. */
export interface GroupChanges {
  readonly created: readonly string[];
  readonly joined: readonly string[];
  readonly left: readonly string[];
  /** Of those asked for: groups that are not this manager's, and stay as they are. */
  readonly foreign: readonly string[];
}

/** Creates the groups that do not exist. @returns their ids */
export async function createManagedGroups(
  tx: SqlRunner,
  manager: GroupManager,
  groupIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `insert into account_group (group_id, display_name, managed_by)
     select id, id, $1 from unnest($2::text[]) id order by id
     on conflict do nothing returning group_id as id`,
    [manager, groupIds],
  );
  return rows.map(({ id }) => id);
}

/** Of these, groups of others. */
export async function listForeignGroups(
  tx: SqlRunner,
  manager: GroupManager,
  groupIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select group_id as id from account_group
      where group_id = any($2) and managed_by is distinct from $1 order by group_id`,
    [manager, groupIds],
  );
  return rows.map(({ id }) => id);
}

/** Adds the user to the manager's groups among these. A membership that exists stays what it is. */
export async function joinManagedGroups(
  tx: SqlRunner,
  manager: GroupManager,
  userId: string,
  groupIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `insert into account_group_member (group_id, user_id, managed_by)
     select group_id, $2, $1 from account_group
      where group_id = any($3) and managed_by = $1 order by group_id
     on conflict do nothing returning group_id as id`,
    [manager, userId, groupIds],
  );
  return rows.map(({ id }) => id);
}

/** Ends the user's memberships that this manager began, except in these groups. */
export async function leaveManagedGroups(
  tx: SqlRunner,
  manager: GroupManager,
  userId: string,
  except: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `delete from account_group_member
      where user_id = $2 and managed_by = $1 and group_id <> all($3) returning group_id as id`,
    [manager, userId, except],
  );
  return rows.map(({ id }) => id).toSorted();
}

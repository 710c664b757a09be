import type { SqlRunner } from '../../../database/database.js';

/** Nodes in all detached trees of a user. */
export async function countPendingNodes(runner: SqlRunner, userId: string): Promise<number> {
  const [row] = await runner.query<{ nodes: number }>(
    `select coalesce(sum(node_count), 0)::bigint as nodes from file_removal where user_id = $1`,
    [userId],
  );
  return row?.nodes ?? 0;
}

/** Locks a detached tree that no other process is removing. @returns its root id, if any */
export async function lockNextRemoval(runner: SqlRunner): Promise<number | undefined> {
  const [removal] = await runner.query<{ rootId: number }>(
    `select root_id as "rootId" from file_removal
      order by root_id limit 1 for update skip locked`,
  );
  return removal?.rootId;
}

/**
 * Locks one of a user's trees: a detached one first, by the row that `lockNextRemoval` locks, so that two
 * processes do not delete its nodes at the same time; then the present one, and those in the trash.
 *
 * @returns its root id, if any
 */
export async function lockRootOfUser(
  runner: SqlRunner,
  userId: string,
): Promise<number | undefined> {
  const [root] = await runner.query<{ id: number }>(
    `with removal as (select root_id from file_removal where user_id = $1 limit 1 for update),
          top as (select id from file_node where user_id = $1 and parent_id is null for update),
          trash as (select root_id from file_trash where user_id = $1 limit 1 for update)
     select root_id as id from removal
     union all select id from top
     union all select root_id from trash limit 1`,
    [userId],
  );
  return root?.id;
}

/** The first members of a folder, by name. */
export async function listChildren(
  runner: SqlRunner,
  folderId: number,
  limit: number,
): Promise<{ readonly id: number; readonly nodeCount: number }[]> {
  return runner.query(
    `select id, node_count as "nodeCount" from file_node
      where parent_id = $1 order by name limit $2`,
    [folderId, limit],
  );
}

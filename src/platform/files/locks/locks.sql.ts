import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FileLockEntity } from './file-lock.entity.js';

const LOCK = selectList(FileLockEntity, 'l', ['token', 'nodeId', 'isDeep', 'owner']);

/** An exclusive write lock. */
export type FileLock = RowOf<typeof LOCK> & {
  readonly secondsLeft: number;
  /** The node, its parent, and so on up to the top folder. */
  readonly lineage: readonly number[];
};

/** The node of the lock `l` and all its ancestors, as `up`. */
const LINEAGE = `
  with recursive up as (
    select id, parent_id from file_node where id = l.node_id
    union all
    select p.id, p.parent_id from up join file_node p on p.id = up.parent_id
  )`;

/** A user's locks that have not expired. Few at any time: editors hold one per open file. */
export async function listLocks(runner: SqlRunner, userId: string): Promise<FileLock[]> {
  return runner.query<FileLock>(
    `select ${LOCK}, ceil(extract(epoch from l.expires_at - now()))::int as "secondsLeft",
            (${LINEAGE} select json_agg(id) from up) as lineage
       from file_lock l where l.user_id = $1 and l.expires_at > now()`,
    [userId],
  );
}

export async function deleteExpiredLocks(runner: SqlRunner, userId: string): Promise<void> {
  await runner.query('delete from file_lock where user_id = $1 and expires_at <= now()', [userId]);
}

/** @param timeoutSeconds counted by the database's clock, which also decides about expiry */
export async function insertLock(
  runner: SqlRunner,
  userId: string,
  lock: Pick<FileLock, 'token' | 'nodeId' | 'isDeep' | 'owner'>,
  timeoutSeconds: number,
): Promise<void> {
  await runner.query(
    `insert into file_lock (token, user_id, node_id, is_deep, owner, expires_at)
     values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
    [lock.token, userId, lock.nodeId, lock.isDeep, lock.owner, timeoutSeconds],
  );
}

export async function extendLock(
  runner: SqlRunner,
  userId: string,
  token: string,
  timeoutSeconds: number,
): Promise<void> {
  await runner.query(
    `update file_lock set expires_at = now() + make_interval(secs => $3)
      where user_id = $1 and token = $2`,
    [userId, token, timeoutSeconds],
  );
}

/** Searches upwards from the locks, which are few, not down the tree, which may be large. */
export async function deleteLocksWithin(
  runner: SqlRunner,
  userId: string,
  nodeId: number,
): Promise<void> {
  await runner.query(
    `delete from file_lock l where l.user_id = $1 and $2 in (${LINEAGE} select id from up)`,
    [userId, nodeId],
  );
}

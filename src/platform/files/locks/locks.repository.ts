import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { selectList, type RowOf } from '../../../database/select-list.js';

/** An exclusive write lock (RFC 4918). */
export class FileLockEntity extends entityOf('file_lock', {
  token: p.uuid().primary(),
  userId: p.text(),
  nodeId: p.bigint('number'),
  /** Whether it also covers everything below the node. */
  isDeep: p.boolean(),
  /** XML that the client sent and reads back. */
  owner: p.text(),
  expiresAt: p.datetime(),
}) {}

const LOCK = selectList(FileLockEntity, 'l', ['token', 'nodeId', 'isDeep', 'owner']);

/** An exclusive write lock. */
export type FileLock = RowOf<typeof LOCK> & {
  readonly secondsLeft: number;
  /** The node, its parent, and so on up to the top folder. */
  readonly lineage: readonly number[];
};

/** Locks that have not expired. */
@Injectable()
export class LocksRepository {
  constructor(private readonly database: Database) {}

  /** A user's locks that have not expired. Few at any time: editors hold one per open file. */
  async list(userId: string, runner: SqlRunner = this.database): Promise<FileLock[]> {
    const locks = await runner.query<Omit<FileLock, 'lineage'>>(
      `select ${LOCK}, ceil(extract(epoch from l.expires_at - now()))::int as "secondsLeft"
         from file_lock l where l.user_id = $1 and l.expires_at > now()`,
      [userId],
    );
    if (locks.length === 0) {
      return [];
    }
    // Each node once: a way up for each lock takes seconds for a thousand of them.
    const nodes = await runner.query<{ readonly id: number; readonly parentId: number | null }>(
      `with recursive up as (
         select id, parent_id from file_node where id = any($1::bigint[])
         union
         select p.id, p.parent_id from up join file_node p on p.id = up.parent_id
       ) select id, parent_id as "parentId" from up`,
      [locks.map(({ nodeId }) => nodeId)],
    );
    const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
    return locks.map((lock) => ({ ...lock, lineage: lineageOf(lock.nodeId, parents) }));
  }

  /**
   * @param timeoutSeconds counted by the database's clock, which also decides about expiry
   * @returns the new lock's token
   */
  async add(
    tx: Transaction,
    userId: string,
    lock: Pick<FileLock, 'nodeId' | 'isDeep' | 'owner'>,
    timeoutSeconds: number,
  ): Promise<string> {
    const token = randomUUID();
    await tx.query('delete from file_lock where user_id = $1 and expires_at <= now()', [userId]);
    await tx.query(
      `insert into file_lock (token, user_id, node_id, is_deep, owner, expires_at)
       values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [token, userId, lock.nodeId, lock.isDeep, lock.owner, timeoutSeconds],
    );
    return token;
  }

  async extend(
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

  async remove(tx: Transaction, userId: string, token: string): Promise<void> {
    await tx.em.nativeDelete(FileLockEntity, { userId, token });
  }

  /**
   * Removes locks on a node and on everything below it: a lock does not move with its node. Searches
   * upwards from the locks, which are few, not down the tree, which may be large.
   */
  async removeWithin(runner: SqlRunner, userId: string, nodeId: number): Promise<void> {
    const locks = await this.list(userId, runner);
    const within = locks.filter(({ lineage }) => lineage.includes(nodeId));
    if (within.length > 0) {
      await runner.query('delete from file_lock where user_id = $1 and token = any($2::uuid[])', [
        userId,
        within.map(({ token }) => token),
      ]);
    }
  }
}

/** @param parents of nodes up to the top folder, which has none */
function lineageOf(nodeId: number, parents: ReadonlyMap<number, number | null>): number[] {
  const lineage: number[] = [];
  for (let id: number | null = nodeId; id !== null; id = parents.get(id) ?? null) {
    lineage.push(id);
  }
  return lineage;
}

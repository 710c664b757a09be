import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Database, type SqlRunner } from '../../database/database.js';

/** A client's claim to be the only one that writes. */
export interface FileLock {
  readonly token: string;
  readonly nodeId: number;
  /** Whether it holds for everything below the node, too. */
  readonly isDeep: boolean;
  /** XML that the client wants to read again. */
  readonly owner: string;
  readonly secondsLeft: number;
  /** The node, its parent, and so on up to the top. */
  readonly lineage: readonly number[];
}

const COLUMNS = `
  l.token, l.node_id as "nodeId", l.is_deep as "isDeep", l.owner,
  ceil(extract(epoch from l.expires_at - now()))::int as "secondsLeft",
  (with recursive up as (
     select id, parent_id from file_node where id = l.node_id
     union all
     select p.id, p.parent_id from up join file_node p on p.id = up.parent_id
   ) select json_agg(id) from up) as lineage`;

/** Locks that have not run out. Few at any time: editors take them while a file is open. */
@Injectable()
export class LocksRepository {
  constructor(private readonly database: Database) {}

  async list(userId: string, runner: SqlRunner = this.database): Promise<FileLock[]> {
    return runner.query<FileLock>(
      `select ${COLUMNS} from file_lock l where l.user_id = $1 and l.expires_at > now()`,
      [userId],
    );
  }

  async add(
    tx: SqlRunner,
    userId: string,
    nodeId: number,
    isDeep: boolean,
    owner: string,
    timeoutSeconds: number,
  ): Promise<string> {
    const token = randomUUID();
    await tx.query('delete from file_lock where user_id = $1 and expires_at <= now()', [userId]);
    await tx.query(
      `insert into file_lock (token, user_id, node_id, is_deep, owner, expires_at)
       values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [token, userId, nodeId, isDeep, owner, timeoutSeconds],
    );
    return token;
  }

  async extend(
    tx: SqlRunner,
    userId: string,
    token: string,
    timeoutSeconds: number,
  ): Promise<void> {
    await tx.query(
      `update file_lock set expires_at = now() + make_interval(secs => $3)
        where user_id = $1 and token = $2`,
      [userId, token, timeoutSeconds],
    );
  }

  async remove(tx: SqlRunner, userId: string, token: string): Promise<void> {
    await tx.query('delete from file_lock where user_id = $1 and token = $2', [userId, token]);
  }

  /** Locks stay behind when what they are on moves: those on the node and on everything below. */
  async removeWithin(tx: SqlRunner, userId: string, nodeId: number): Promise<void> {
    // Upwards from the locks, which are few, rather than down the tree, which may be large.
    await tx.query(
      `delete from file_lock l where l.user_id = $1 and $2 in (
         with recursive up as (
           select id, parent_id from file_node where id = l.node_id
           union all
           select p.id, p.parent_id from up join file_node p on p.id = up.parent_id
         ) select id from up
       )`,
      [userId, nodeId],
    );
  }
}

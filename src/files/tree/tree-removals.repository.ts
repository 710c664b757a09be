import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import type { StoredNode } from './nodes.repository.js';

/** Most rows one transaction removes. */
export const REMOVAL_BATCH = 2000;

interface Child {
  readonly id: number;
  readonly nodeCount: number;
}

/** Removes large trees in batches, leaves first. */
@Injectable()
export class TreeRemovalsRepository {
  constructor(private readonly database: Database) {}

  /** Takes a node out of its user's tree at once; `removeSome` removes it and all below it later. */
  async detach(tx: SqlRunner, { id, userId, nodeCount }: StoredNode): Promise<void> {
    await tx.query(`insert into file_removal (root_id, user_id, node_count) values ($1, $2, $3)`, [
      id,
      userId,
      nodeCount + 1,
    ]);
    await tx.query(
      `update file_node set user_id = null, parent_id = null, name = '' where id = $1`,
      [id],
    );
  }

  /** Files and folders in all detached trees of a user. */
  async pendingNodes(runner: SqlRunner, userId: string): Promise<number> {
    const [row] = await runner.query<{ nodes: number }>(
      `select coalesce(sum(node_count), 0)::bigint as nodes from file_removal where user_id = $1`,
      [userId],
    );
    return row?.nodes ?? 0;
  }

  /**
   * Removes one batch of some detached tree that no other process is removing.
   *
   * @returns false when there is none
   */
  async removeSome(): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [removal] = await tx.query<{ rootId: number }>(
        `select root_id as "rootId" from file_removal
          order by root_id limit 1 for update skip locked`,
      );
      if (removal === undefined) {
        return false;
      }
      await this.#removeBatch(tx, removal.rootId);
      return true;
    });
  }

  /**
   * Removes one batch of what a user has, detached trees included.
   *
   * @returns false when there is nothing left
   */
  async removeSomeOfUser(userId: string): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [root] = await tx.query<{ id: number }>(
        `select id from file_node where user_id = $1 and parent_id is null
         union all select root_id from file_removal where user_id = $1 limit 1`,
        [userId],
      );
      if (root === undefined) {
        return false;
      }
      await this.#removeBatch(tx, root.id);
      return true;
    });
  }

  /** Descends until there is a folder with members that together fit into a batch. */
  async #removeBatch(tx: SqlRunner, rootId: number): Promise<void> {
    for (let folderId = rootId; ;) {
      const children = await tx.query<Child>(
        `select id, node_count as "nodeCount" from file_node
          where parent_id = $1 order by name limit $2`,
        [folderId, REMOVAL_BATCH],
      );
      const batch = fittingChildren(children);
      const [first] = children;
      if (first === undefined || batch.length > 0) {
        await this.#removeTrees(tx, first === undefined ? [folderId] : batch);
        return;
      }
      folderId = first.id;
    }
  }

  async #removeTrees(tx: SqlRunner, ids: readonly number[]): Promise<void> {
    await tx.query(
      `with recursive tree as (
         select id from file_node where id = any($1)
         union all
         select n.id from tree join file_node n on n.parent_id = tree.id
       )
       delete from file_node using tree where file_node.id = tree.id`,
      [ids],
    );
  }
}

function fittingChildren(children: readonly Child[]): number[] {
  const ids: number[] = [];
  let nodes = 0;
  for (const { id, nodeCount } of children) {
    nodes += 1 + nodeCount;
    if (nodes > REMOVAL_BATCH) {
      break;
    }
    ids.push(id);
  }
  return ids;
}

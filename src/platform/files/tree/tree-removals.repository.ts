import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { FileNodeEntity, FileRemovalEntity } from '../tables/node.entity.js';
import { deleteTrees, type StoredNode } from './nodes.sql.js';

/** Most rows that one transaction deletes. */
export const REMOVAL_BATCH = 2000;

/** Removes large trees in batches, leaves first. */
@Injectable()
export class TreeRemovalsRepository {
  constructor(private readonly database: Database) {}

  /** Detaches a node from its user's tree; `removeSome` deletes it and everything below later. */
  async detach(
    tx: Transaction,
    { id, userId, nodeCount }: Pick<StoredNode, 'id' | 'userId' | 'nodeCount'>,
  ): Promise<void> {
    await tx.em.insert(FileRemovalEntity, { rootId: id, userId, nodeCount: nodeCount + 1 });
    await tx.em.nativeUpdate(FileNodeEntity, { id }, { userId: null, parentId: null, name: '' });
  }

  /** Nodes in all detached trees of a user. */
  async pendingNodes(runner: SqlRunner, userId: string): Promise<number> {
    const [row] = await runner.query<{ nodes: number }>(
      `select coalesce(sum(node_count), 0)::bigint as nodes from file_removal where user_id = $1`,
      [userId],
    );
    return row?.nodes ?? 0;
  }

  /**
   * Deletes one batch of a detached tree that no other process is removing.
   *
   * @returns false without one
   */
  async removeSome(): Promise<boolean> {
    return this.#removeBatchOf(
      'select root_id as id from file_removal order by root_id limit 1 for update skip locked',
    );
  }

  /**
   * Deletes one batch of a user's nodes: of a detached tree first, by the row that `removeSome` locks, so
   * that two processes do not delete its nodes at the same time; then of the present tree, and of trees in
   * the trash.
   *
   * @returns false when nothing is left
   */
  async removeSomeOfUser(userId: string): Promise<boolean> {
    return this.#removeBatchOf(
      `with removal as (select root_id from file_removal where user_id = $1 limit 1 for update),
            top as (select id from file_node where user_id = $1 and parent_id is null for update),
            trash as (select root_id from file_trash where user_id = $1 limit 1 for update)
       select root_id as id from removal
       union all select id from top
       union all select root_id from trash limit 1`,
      [userId],
    );
  }

  /** @param lockRoot locks a tree and selects its root, if any */
  async #removeBatchOf(lockRoot: string, params: readonly unknown[] = []): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [root] = await tx.query<{ id: number }>(lockRoot, params);
      if (root !== undefined) {
        await deleteTrees(tx, await nextBatch(tx, root.id));
      }
      return root !== undefined;
    });
  }
}

/** Descends to a folder some of whose members fit into a batch, or that is empty. */
async function nextBatch(tx: SqlRunner, rootId: number): Promise<number[]> {
  for (let folderId = rootId; ;) {
    const children = await tx.query<{ readonly id: number; readonly nodeCount: number }>(
      `select id, node_count as "nodeCount" from file_node
        where parent_id = $1 order by name limit $2`,
      [folderId, REMOVAL_BATCH],
    );
    const [first] = children;
    if (first === undefined) {
      return [folderId];
    }
    const batch = fittingChildren(children);
    if (batch.length > 0) {
      return batch;
    }
    folderId = first.id;
  }
}

function fittingChildren(
  children: readonly { readonly id: number; readonly nodeCount: number }[],
): number[] {
  let nodes = 0;
  const tooMany = children.findIndex(({ nodeCount }) => (nodes += 1 + nodeCount) > REMOVAL_BATCH);
  return children.slice(0, tooMany < 0 ? undefined : tooMany).map(({ id }) => id);
}

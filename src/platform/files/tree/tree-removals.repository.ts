import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { FileNodeEntity } from './file-node.entity.js';
import { FileRemovalEntity } from './file-removal.entity.js';
import { deleteTrees, type StoredNode } from './nodes.sql.js';
import {
  countPendingNodes,
  listChildren,
  lockNextRemoval,
  lockRootOfUser,
} from './tree-removals.sql.js';

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
  readonly pendingNodes = countPendingNodes;

  /**
   * Deletes one batch of a detached tree that no other process is removing.
   *
   * @returns false when there is none
   */
  async removeSome(): Promise<boolean> {
    return this.#removeBatchOf(lockNextRemoval);
  }

  /**
   * Deletes one batch of a user's nodes, detached trees included.
   *
   * @returns false when nothing is left
   */
  async removeSomeOfUser(userId: string): Promise<boolean> {
    return this.#removeBatchOf((tx) => lockRootOfUser(tx, userId));
  }

  async #removeBatchOf(lockRoot: (tx: SqlRunner) => Promise<number | undefined>): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const rootId = await lockRoot(tx);
      if (rootId !== undefined) {
        await deleteTrees(tx, await nextBatch(tx, rootId));
      }
      return rootId !== undefined;
    });
  }
}

/** Descends to a folder some of whose members fit into a batch, or that is empty. */
async function nextBatch(tx: SqlRunner, rootId: number): Promise<number[]> {
  for (let folderId = rootId; ;) {
    const children = await listChildren(tx, folderId, REMOVAL_BATCH);
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

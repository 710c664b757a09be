import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../../database/database.js';
import { FileNodeEntity } from '../tree/file-node.entity.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { FileTrashEntity } from './file-trash.entity.js';
import {
  attachNode,
  findFreeNumber,
  listCrowdedUsers,
  listTrash,
  takeEntry,
  takeExcess,
  takeExpired,
  type TrashedNode,
  type TrashEntry,
} from './trash.sql.js';

/** Deleted trees, detached from the trees of their users. */
@Injectable()
export class TrashRepository {
  constructor(private readonly database: Database) {}

  /** Detaches a node, with everything below it, from its user's tree. */
  async add(
    tx: Transaction,
    node: StoredNode,
    deletion: Pick<TrashEntry, 'folderId' | 'folderPath' | 'deletedSeconds'>,
  ): Promise<void> {
    const { id, userId, name, sizeBytes, nodeCount } = node;
    const folderPath = [...deletion.folderPath];
    await tx.em.insert(FileTrashEntity, {
      ...deletion,
      rootId: id,
      userId,
      name,
      folderPath,
      sizeBytes,
      nodeCount: nodeCount + 1,
    });
    await tx.em.nativeUpdate(FileNodeEntity, { id }, { userId: null, parentId: null, name: '' });
  }

  /** Latest deletions first. */
  async list(userId: string): Promise<TrashedNode[]> {
    return listTrash(this.database, userId);
  }

  /** Removes an entry; its tree must be attached or removed in the same transaction. */
  readonly take = takeEntry;
  /** Like `take`, for the oldest entries that exceed the room. */
  readonly takeExcess = takeExcess;

  /** Removes entries deleted before a time, and passes them to `remove`. @returns how many */
  async expire(
    beforeSeconds: number,
    limit: number,
    remove: (tx: Transaction, entry: TrashEntry) => Promise<void>,
  ): Promise<number> {
    return this.database.transaction(async (tx) => {
      const entries = await takeExpired(tx, beforeSeconds, limit);
      for (const entry of entries) {
        await remove(tx, entry);
      }
      return entries.length;
    });
  }

  /** Users whose files and trash together exceed the limits. */
  async crowdedUsers(most: { readonly bytes: number; readonly nodes: number }): Promise<string[]> {
    return listCrowdedUsers(this.database, most);
  }

  /** Attaches the tree of a taken entry to a folder. */
  readonly attach = attachNode;
  /** @returns the lowest number from 2 that makes `stem (2).txt` a free name in the folder */
  readonly freeNumber = findFreeNumber;
}

import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../../database/database.js';
import type { SqlRunner } from '../../../common/sql-runner.js';
import { listReferenced, takeUnreferenced } from './blobs.sql.js';
import { settleBytes } from '../stores/stores.sql.js';
import { FileBlobUnreferencedEntity } from './file-blob-unreferenced.entity.js';

/** Tracks content that no node refers to. */
@Injectable()
export class BlobsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Call before content is moved to its place, so that the sweep finds it after a crash.
   *
   * @param storeId the object store that has it; null for the folder
   * @throws Error when it was deleted because it took too long to arrive
   */
  async addUnreferenced(blobId: string, storeId: string | null): Promise<void> {
    if (storeId === null) {
      await this.database.entities((em) => em.insert(FileBlobUnreferencedEntity, { blobId }));
      return;
    }
    await this.database.transaction(async (tx) => {
      if (!(await settleBytes(tx, blobId, storeId))) {
        throw new Error(`Content ${blobId} was swept before it had arrived`);
      }
      await tx.em.insert(FileBlobUnreferencedEntity, { blobId });
    });
  }

  /**
   * Call in the transaction that makes a node refer to the content.
   *
   * @returns false when the sweep has removed the content already
   */
  async removeUnreferenced(tx: Transaction, blobId: string): Promise<boolean> {
    return (await tx.em.nativeDelete(FileBlobUnreferencedEntity, { blobId })) > 0;
  }

  /**
   * Content that nodes and pieces of uploads refer to in a snapshot, in the order of ids.
   *
   * @param after the last id of the page before
   */
  async referencedIn(
    snapshot: SqlRunner,
    after: string | undefined,
    limit: number,
  ): Promise<string[]> {
    return listReferenced(snapshot, after ?? null, limit);
  }

  /**
   * Passes content that has been unreferenced for `idleSeconds` to `remove`, and forgets it when all
   * of them have resolved. Passes none while a backup is written.
   *
   * @returns how many
   */
  async sweep(
    idleSeconds: number,
    limit: number,
    remove: (blobId: string, tx: Transaction) => Promise<void>,
  ): Promise<number> {
    return this.database.transaction(async (tx) => {
      const blobIds = await takeUnreferenced(tx, idleSeconds, limit);
      for (const blobId of blobIds) {
        await remove(blobId, tx);
      }
      return blobIds.length;
    });
  }
}

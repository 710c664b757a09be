import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { settleBytes, tryContentsLock } from '../stores/stores.repository.js';
import { FileBlobUnreferencedEntity } from '../tables/blob.entity.js';

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
   * Content that nodes and pieces of uploads refer to in a snapshot, each once, in the order of ids.
   *
   * @param after the last id of the page before
   */
  async referencedIn(
    snapshot: SqlRunner,
    after: string | undefined,
    limit: number,
  ): Promise<string[]> {
    const rows = await snapshot.query<{ blobId: string }>(
      `(select distinct blob_id as "blobId" from file_node
         where blob_id is not null and ($1::uuid is null or blob_id > $1::uuid)
         order by blob_id limit $2)
       union
       (select blob_id from file_upload_piece
         where $1::uuid is null or blob_id > $1::uuid
         order by blob_id limit $2)
       order by 1 limit $2`,
      [after ?? null, limit],
    );
    return rows.map(({ blobId }) => blobId);
  }

  /**
   * Passes content that has been unreferenced for `idleSeconds` to `remove`, oldest first, and forgets it
   * when all of them have resolved. Skips content that another process holds. Passes none while a backup is
   * written, whose snapshot may refer to it.
   *
   * @returns how many
   */
  async sweep(
    idleSeconds: number,
    limit: number,
    remove: (blobId: string, tx: Transaction) => Promise<void>,
  ): Promise<number> {
    return this.database.transaction(async (tx) => {
      if (!(await tryContentsLock(tx))) {
        return 0;
      }
      const rows = await tx.query<{ blobId: string }>(
        `delete from file_blob_unreferenced u using (
           select blob_id from file_blob_unreferenced
            where since <= now() - make_interval(secs => $1)
            order by since limit $2 for update skip locked
         ) due where u.blob_id = due.blob_id returning u.blob_id as "blobId"`,
        [idleSeconds, limit],
      );
      for (const { blobId } of rows) {
        await remove(blobId, tx);
      }
      return rows.length;
    });
  }
}

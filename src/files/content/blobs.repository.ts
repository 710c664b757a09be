import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';

/** Which content no node refers to, by the database's account. */
@Injectable()
export class BlobsRepository {
  constructor(private readonly database: Database) {}

  /** Before content comes to its place, so that the sweep knows of it whatever happens next. */
  async announce(blobId: string): Promise<void> {
    await this.database.query('insert into file_blob_unreferenced (blob_id) values ($1)', [blobId]);
  }

  /**
   * In the transaction that makes a node refer to the content.
   *
   * @returns false when the sweep was faster
   */
  async claim(tx: SqlRunner, blobId: string): Promise<boolean> {
    const rows = await tx.query(
      'delete from file_blob_unreferenced where blob_id = $1 returning 1',
      [blobId],
    );
    return rows.length > 0;
  }

  /**
   * Hands out what nobody has referred to for a while, and forgets it once `remove` has resolved.
   *
   * @returns how many
   */
  async sweep(
    idleSeconds: number,
    most: number,
    remove: (blobId: string) => Promise<void>,
  ): Promise<number> {
    return this.database.transaction(async (tx) => {
      const rows = await tx.query<{ blobId: string }>(
        `delete from file_blob_unreferenced u using (
           select blob_id from file_blob_unreferenced
            where since <= now() - make_interval(secs => $1)
            order by since limit $2 for update skip locked
         ) due where u.blob_id = due.blob_id returning u.blob_id as "blobId"`,
        [idleSeconds, most],
      );
      for (const { blobId } of rows) {
        await remove(blobId);
      }
      return rows.length;
    });
  }
}

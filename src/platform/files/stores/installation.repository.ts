import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../../database/database.js';
import { InstallationEntity } from '../tables/blob.entity.js';

/** Ids of this installation, created with its database. */
@Injectable()
export class InstallationRepository {
  #instanceId: string | undefined;

  constructor(private readonly database: Database) {}

  /** Read once per process. @param tx when called inside a transaction, which holds a connection */
  async instanceId(tx?: Transaction): Promise<string> {
    this.#instanceId ??= await this.#readInstanceId(tx);
    return this.#instanceId;
  }

  /**
   * The id in the marker file of the content folder.
   *
   * @param proposed stored when there is none yet
   */
  async filesMarker(proposed: string): Promise<string> {
    const [row] = await this.database.query<{ marker: string }>(
      `update installation set files_marker = coalesce(files_marker, $1)
       returning files_marker as marker`,
      [proposed],
    );
    return row?.marker ?? proposed;
  }

  /** @returns null before the first start */
  async knownFilesMarker(): Promise<string | null> {
    const [row] = await this.database.query<{ marker: string | null }>(
      'select files_marker as marker from installation',
    );
    return row?.marker ?? null;
  }

  /**
   * Ids of some contents that files refer to and that are in no object store, in no order; empty when
   * there are none.
   */
  async someContents(limit: number): Promise<string[]> {
    const rows = await this.database.query<{ blobId: string }>(
      `select n.blob_id as "blobId" from file_node n
        where n.blob_id is not null
          and not exists (select from file_blob_place p where p.blob_id = n.blob_id)
        limit $1`,
      [limit],
    );
    return rows.map(({ blobId }) => blobId);
  }

  async #readInstanceId(tx?: Transaction): Promise<string> {
    const find = (em: Transaction['em']) =>
      em.findOne(InstallationEntity, { onlyOne: true }, { fields: ['instanceId'] });
    const row = tx === undefined ? await this.database.entities(find) : await find(tx.em);
    if (row === null) {
      throw new Error('The table "installation" is empty; was its row deleted?');
    }
    return row.instanceId;
  }
}

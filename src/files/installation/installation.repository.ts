import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';

/** What this installation calls itself. Made with the database, so it lasts as long as that. */
@Injectable()
export class InstallationRepository {
  #instanceId: string | undefined;

  constructor(private readonly database: Database) {}

  async instanceId(runner: SqlRunner = this.database): Promise<string> {
    if (this.#instanceId === undefined) {
      const [row] = await runner.query<{ instanceId: string }>(
        'select instance_id as "instanceId" from installation',
      );
      if (row === undefined) {
        throw new Error('The installation has no id; was its row removed from the database?');
      }
      this.#instanceId = row.instanceId;
    }
    return this.#instanceId;
  }

  /**
   * The id in the marker of the folder with the contents of files.
   *
   * @param proposed becomes the id when there is none yet
   */
  async filesMarker(proposed: string): Promise<string> {
    const [row] = await this.database.query<{ marker: string }>(
      `update installation set files_marker = coalesce(files_marker, $1)
       returning files_marker as marker`,
      [proposed],
    );
    return row?.marker ?? proposed;
  }

  /** Ids of contents that files refer to, in no order; empty when no file has content. */
  async someContents(most: number): Promise<string[]> {
    const rows = await this.database.query<{ blobId: string }>(
      'select blob_id as "blobId" from file_node where blob_id is not null limit $1',
      [most],
    );
    return rows.map(({ blobId }) => blobId);
  }
}

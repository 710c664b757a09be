import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../../database/database.js';
import { InstallationEntity } from './installation.entity.js';
import { ensureFilesMarker, sampleContents } from './installation.sql.js';

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
    return ensureFilesMarker(this.database, proposed);
  }

  /** Ids of contents in the folder that files refer to, in no order; empty when there are none. */
  async someContents(limit: number): Promise<string[]> {
    return sampleContents(this.database, limit);
  }

  async #readInstanceId(tx?: Transaction): Promise<string> {
    const find = (em: Transaction['em']) =>
      em.findOne(
        InstallationEntity,
        { onlyOne: true },
        { fields: ['instanceId'], disableIdentityMap: true },
      );
    const row = tx === undefined ? await this.database.entities(find) : await find(tx.em);
    if (row === null) {
      throw new Error('The table "installation" is empty; was its row deleted?');
    }
    return row.instanceId;
  }
}

import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CONTENTS_LOCK } from '../../../database/backup/contents-lock.js';
import { Database } from '../../../database/database.js';
import { closeConnection, openConnection } from '../../../database/dedicated-connection.js';
import {
  countMisplaced,
  holdContent,
  isContentIn,
  listMisplaced,
  tryMoveLock,
  type MisplacedContent,
} from './content-moves.sql.js';
import { StoresRepository } from './stores.repository.js';

/** Contents that are moved from one store to another. */
@Injectable()
export class ContentMovesRepository {
  constructor(
    private readonly database: Database,
    private readonly stores: StoresRepository,
    private readonly orm: MikroORM,
  ) {}

  /** Runs `work` unless another process does. @returns null if so */
  async alone<Result>(work: () => Promise<Result>): Promise<Result | null> {
    const client = await openConnection(this.orm, { application_name: 'gatefold files:move' });
    const runner = {
      query: async <Row>(sql: string, params: readonly unknown[] = []) =>
        (await client.query(sql, [...params])).rows as Row[],
    };
    try {
      return (await tryMoveLock(runner)) ? await work() : null;
    } finally {
      await closeConnection(client);
    }
  }

  /** @param storeId where they should be; null for the folder */
  async count(
    storeId: string | null,
  ): Promise<{ readonly contents: number; readonly bytes: number }> {
    return countMisplaced(this.database, storeId);
  }

  /** Contents that should be in that store, in the order of ids, in batches. */
  async *misplaced(
    storeId: string | null,
    limit: number,
  ): AsyncGenerator<readonly MisplacedContent[], void, undefined> {
    for (let after: string | null = null; ;) {
      const batch: MisplacedContent[] = await listMisplaced(this.database, storeId, after, limit);
      yield batch;
      if (batch.length < limit) {
        return;
      }
      after = batch.at(-1)?.blobId ?? null;
    }
  }

  /** Whether the content still exists, and is in that store (null for the folder). */
  async isStill(blobId: string, storeId: string | null): Promise<boolean> {
    return isContentIn(this.database, blobId, storeId);
  }

  /**
   * From now on the content is read from its new store; the old bytes are deleted later.
   *
   * @param from null for the folder
   * @param to null for the folder; the bytes there were expected
   * @returns false when the content was deleted or moved meanwhile
   */
  async switch(
    blobId: string,
    from: string | null,
    to: string | null,
    keepSeconds: number,
  ): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const isThere = await holdContent(tx, CONTENTS_LOCK, blobId, from);
      if (!isThere || !(await this.stores.settle(tx, blobId, to))) {
        return false;
      }
      await this.stores.leave(tx, blobId, from, keepSeconds);
      return true;
    });
  }
}

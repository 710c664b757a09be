import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CONTENTS_LOCK } from '../../../database/backup/contents-lock.js';
import {
  closeConnection,
  openConnection,
} from '../../../database/connections/dedicated-connection.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { isKept } from '../tables/content-references.sql.js';
import { StoresRepository } from './stores.repository.js';

/** Arbitrary, but the same in every version. Held by the one process that moves contents. */
const MOVE_LOCK = 4_706_061;

/** Content that is not in the store where it should be. */
export interface MisplacedContent {
  readonly blobId: string;
  /** Null for the folder. */
  readonly storeId: string | null;
  /** `SHA1:…` as of its upload; null when it is unknown. */
  readonly checksum: string | null;
  /** Null when it is unknown. */
  readonly sizeBytes: number | null;
}

/** Contents that files and pieces of uploads refer to. */
const ELSEWHERE = `
  (select n.blob_id, min(n.checksum) as checksum, min(n.size_bytes) as size_bytes
     from file_node n where n.blob_id is not null group by n.blob_id
   union
   select u.blob_id, null, u.size_bytes from file_upload_piece u) c
  left join file_blob_place p on p.blob_id = c.blob_id
  where p.store_id is distinct from $1::uuid`;

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
    try {
      // Held until the connection ends.
      const { rows } = await client.query<{ held: boolean }>(
        'select pg_try_advisory_lock($1) as held',
        [MOVE_LOCK],
      );
      return rows[0]?.held === true ? await work() : null;
    } finally {
      await closeConnection(client);
    }
  }

  /** @param storeId where they should be; null for the folder */
  async count(
    storeId: string | null,
  ): Promise<{ readonly contents: number; readonly bytes: number }> {
    const [row] = await this.database.query<{ contents: number; bytes: number }>(
      `select count(*)::int as contents, coalesce(sum(c.size_bytes), 0)::bigint as bytes
         from ${ELSEWHERE}`,
      [storeId],
    );
    return row ?? { contents: 0, bytes: 0 };
  }

  /**
   * Contents that should be in that store, in the order of ids, in batches.
   *
   * @param storeId null for the folder
   */
  async *misplaced(
    storeId: string | null,
    limit: number,
  ): AsyncGenerator<readonly MisplacedContent[], void, undefined> {
    for (let after: string | null = null; ;) {
      const batch: MisplacedContent[] = await this.database.query<MisplacedContent>(
        `select c.blob_id as "blobId", p.store_id as "storeId", nullif(c.checksum, '') as checksum,
                c.size_bytes as "sizeBytes"
           from ${ELSEWHERE} and ($2::uuid is null or c.blob_id > $2::uuid)
          order by c.blob_id limit $3`,
        [storeId, after, limit],
      );
      yield batch;
      if (batch.length < limit) {
        return;
      }
      after = batch.at(-1)?.blobId ?? null;
    }
  }

  /** Whether the content still exists, and is in that store (null for the folder). */
  async isStill(
    blobId: string,
    storeId: string | null,
    runner: SqlRunner = this.database,
  ): Promise<boolean> {
    const [row] = await runner.query<{ isThere: boolean }>(
      `select ${isKept('$1')}
          and (select store_id from file_blob_place where blob_id = $1)
              is not distinct from $2::uuid as "isThere"`,
      [blobId, storeId],
    );
    return row?.isThere === true;
  }

  /**
   * Switches reads of the content to its new store; the old bytes are deleted later. Waits for a sweep that
   * is deleting contents; none begins before the transaction ends.
   *
   * @param from null for the folder
   * @param to null for the folder; the bytes there were expected
   * @returns false when the content was deleted or moved concurrently
   */
  async switch(
    blobId: string,
    from: string | null,
    to: string | null,
    keepSeconds: number,
  ): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock_shared($1)', [CONTENTS_LOCK]);
      const isThere = await this.isStill(blobId, from, tx);
      if (!isThere || !(await this.stores.settle(tx, blobId, to))) {
        return false;
      }
      await this.stores.leave(tx, blobId, from, keepSeconds);
      return true;
    });
  }
}

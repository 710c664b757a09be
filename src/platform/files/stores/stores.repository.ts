import { Injectable } from '@nestjs/common';
import { CONTENTS_LOCK } from '../../../database/backup/contents-lock.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { FileBlobPlaceEntity, FileStoreEntity } from '../tables/blob.entity.js';
import { isKept } from '../tables/content-references.sql.js';

interface Leftover {
  readonly blobId: string;
  /** Null for the folder. */
  readonly storeId: string | null;
  /** Whether the bytes have become the content there. */
  readonly isContent: boolean;
}

/** Object stores, which contents are in them, and bytes there that are no content. */
@Injectable()
export class StoresRepository {
  constructor(private readonly database: Database) {}

  /** @returns null for an address that is not known */
  async idOf(address: string): Promise<string | null> {
    const store = await this.database.entities((em) =>
      em.findOne(FileStoreEntity, { address }, { fields: ['id'] }),
    );
    return store?.id ?? null;
  }

  async isKnown(id: string): Promise<boolean> {
    const isId = /^[0-9a-f-]{36}$/.test(id);
    return isId && (await this.database.entities((em) => em.count(FileStoreEntity, { id }))) > 0;
  }

  /** @returns the id of the address: an earlier one, or that proposed */
  async register(address: string, proposedId: string): Promise<string> {
    const [row] = await this.database.query<{ id: string }>(
      `with added as (
         insert into file_store (id, address) values ($1, $2)
         on conflict (address) do update set address = excluded.address
         returning id)
       select id from added`,
      [proposedId, address],
    );
    return row?.id ?? proposedId;
  }

  /** Assigns the address to a store, even if another one had it. */
  async adopt(address: string, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(
        `with others as (
           update file_store set address = address || ' (until ' || now()::date || ', ' || id || ')'
            where address = $2 and id <> $1
           returning id)
         select count(*) from others`,
        [id, address],
      );
      await tx.query(
        `insert into file_store (id, address) values ($1, $2)
         on conflict (id) do update set address = excluded.address`,
        [id, address],
      );
    });
  }

  /** Whether any content is in the object store. */
  async hasContents(storeId: string): Promise<boolean> {
    const one = await this.database.entities((em) => em.findOne(FileBlobPlaceEntity, { storeId }));
    return one !== null;
  }

  async storesWithContents(): Promise<{ readonly id: string; readonly address: string }[]> {
    return this.database.query(
      `select s.id, s.address from file_store s
        where exists (select from file_blob_place p where p.store_id = s.id)
        order by s.address`,
    );
  }

  /** The object store that has the content; null for the folder. */
  async placeOf(blobId: string): Promise<string | null> {
    const [row] = await this.database.query<{ storeId: string }>(
      'select store_id as "storeId" from file_blob_place where blob_id = $1',
      [blobId],
    );
    return row?.storeId ?? null;
  }

  /**
   * Call before bytes are written, so that they are found after a crash.
   *
   * @param storeId null for the folder
   * @param forSeconds they are deleted after this time, unless they have become content
   */
  async expect(blobId: string, storeId: string | null, forSeconds: number): Promise<void> {
    await this.leave(this.database, blobId, storeId, forSeconds);
  }

  /** Records leftovers in a transaction, for bytes that are no longer needed. */
  async leave(
    runner: SqlRunner,
    blobId: string,
    storeId: string | null,
    forSeconds: number,
  ): Promise<void> {
    await runner.query(
      `insert into file_blob_leftover (blob_id, store_id, due_at)
       values ($1, $2, now() + make_interval(secs => $3))
       on conflict (blob_id, store_id) do update set due_at = excluded.due_at`,
      [blobId, storeId, forSeconds],
    );
  }

  /** Makes expected bytes the content. @returns false when they have been deleted */
  readonly settle = settleBytes;

  /** Called after a restore. @param storeId null for the folder */
  async place(blobId: string, storeId: string | null): Promise<void> {
    await this.database.transaction((tx) => settleBytes(tx, blobId, storeId));
  }

  /** All bytes in object stores of a content that is deleted become leftovers. @returns whether it had any */
  async abandon(runner: SqlRunner, blobId: string): Promise<boolean> {
    const rows = await runner.query(
      `with gone as (delete from file_blob_place where blob_id = $1 returning store_id)
       insert into file_blob_leftover (blob_id, store_id, due_at)
       select $1, store_id, now() from gone
       on conflict (blob_id, store_id) do update set due_at = excluded.due_at
       returning 1`,
      [blobId],
    );
    return rows.length > 0;
  }

  /**
   * Passes leftovers that are due to `remove`, and forgets them when all of them have resolved. Skips
   * leftovers that another process holds. Passes none while a backup is written.
   *
   * @param storeIds object stores that can be reached
   * @returns how many
   */
  async sweep(
    storeIds: readonly string[],
    limit: number,
    remove: (leftover: Leftover) => Promise<void>,
  ): Promise<number> {
    return this.database.transaction(async (tx) => {
      if (!(await tryContentsLock(tx))) {
        return 0;
      }
      const leftovers = await tx.query<Leftover>(
        `delete from file_blob_leftover l using (
           select id from file_blob_leftover
            where due_at <= now() and (store_id is null or store_id = any ($1::uuid[]))
            order by due_at limit $2 for update skip locked
         ) due where l.id = due.id
         returning l.blob_id as "blobId", l.store_id as "storeId",
                   coalesce(
                     (select p.store_id is not distinct from l.store_id
                        from file_blob_place p where p.blob_id = l.blob_id),
                     l.store_id is null and ${isKept('l.blob_id')}
                   ) as "isContent"`,
        [storeIds, limit],
      );
      await Promise.all(leftovers.filter(({ isContent }) => !isContent).map(remove));
      return leftovers.length;
    });
  }

  /** Called after a restore: contents are written to the store in the settings, not the backup's. */
  async forgetPlaces(): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(FileBlobPlaceEntity, {}));
  }
}

/** Held until the end of the transaction. @returns false while a backup or a move needs all contents */
export async function tryContentsLock(runner: SqlRunner): Promise<boolean> {
  const [backups] = await runner.query<{ none: boolean }>(
    'select pg_try_advisory_xact_lock($1) as none',
    [CONTENTS_LOCK],
  );
  return backups?.none === true;
}

/**
 * The bytes are the content from now on.
 *
 * @param storeId null for the folder
 * @returns false when nothing was expected any more: they have been deleted
 */
export async function settleBytes(
  runner: SqlRunner,
  blobId: string,
  storeId: string | null,
): Promise<boolean> {
  const expected = await runner.query(
    `delete from file_blob_leftover
      where blob_id = $1 and store_id is not distinct from $2 returning 1`,
    [blobId, storeId],
  );
  if (expected.length === 0) {
    return false;
  }
  await (storeId === null
    ? runner.query('delete from file_blob_place where blob_id = $1', [blobId])
    : runner.query(
        `insert into file_blob_place (blob_id, store_id) values ($1, $2)
         on conflict (blob_id) do update set store_id = excluded.store_id`,
        [blobId, storeId],
      ));
  return true;
}

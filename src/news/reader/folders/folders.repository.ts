import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../../database/count-up-to.js';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FolderEntity } from '../../tables/subscription.entity.js';

const FOLDER = selectList(FolderEntity, 'folder', ['id', 'name']);
export type Folder = RowOf<typeof FOLDER>;

/** A user's folders. Folders marked for deletion are visible to `findEvenDeleted` only. */
@Injectable()
export class FoldersRepository {
  constructor(private readonly database: Database) {}

  /** Sorted by name. */
  async list(readerId: number): Promise<Folder[]> {
    return this.database.query<Folder>(
      `select ${FOLDER}
         from folder
        where folder.reader_id = $1 and folder.deleted_at is null
        order by lower(folder.name), folder.id`,
      [readerId],
    );
  }

  /** @param tx to read in a transaction */
  async exists(readerId: number, folderId: number, tx?: Transaction): Promise<boolean> {
    const where = { id: folderId, readerId, deletedAt: null };
    const count =
      tx === undefined
        ? await this.database.entities((em) => em.count(FolderEntity, where))
        : await tx.em.count(FolderEntity, where);
    return count > 0;
  }

  /** Includes folders marked for deletion; counts no further than `most`. */
  async count(readerId: number, most: number, tx: SqlRunner): Promise<number> {
    return countUpTo(tx, 'folder where reader_id = $1', [readerId], most);
  }

  /** @returns the new folder, or null when the name is taken */
  async create(readerId: number, name: string, tx: SqlRunner): Promise<Folder | null> {
    const [folder] = await tx.query<Folder>(
      `insert into folder (reader_id, name) values ($1, $2)
       on conflict (reader_id, name) where deleted_at is null do nothing
       returning ${FOLDER}`,
      [readerId, name],
    );
    return folder ?? null;
  }

  /** Number of names without a folder. */
  async missing(readerId: number, names: readonly string[], tx: SqlRunner): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `select count(*)::int as count from (select distinct unnest($2::text[]) as name) wanted
        where not exists (select 1 from folder
                           where reader_id = $1 and name = wanted.name and deleted_at is null)`,
      [readerId, names],
    );
    return row?.count ?? 0;
  }

  /** @returns the ids by name; missing folders are created */
  async findOrCreate(
    readerId: number,
    names: readonly string[],
    tx: SqlRunner,
  ): Promise<Map<string, number>> {
    await tx.query(
      `insert into folder (reader_id, name) select distinct $1::bigint, unnest($2::text[])
       on conflict (reader_id, name) where deleted_at is null do nothing`,
      [readerId, names],
    );
    const folders = await tx.query<Folder>(
      `select ${FOLDER} from folder
        where reader_id = $1 and name = any($2::text[]) and deleted_at is null`,
      [readerId, names],
    );
    return new Map(folders.map(({ id, name }) => [name, id]));
  }

  async nameIsTaken(
    readerId: number,
    name: string,
    exceptFolderId: number,
    tx: Transaction,
  ): Promise<boolean> {
    const others = { readerId, name, id: { $ne: exceptFolderId }, deletedAt: null };
    return (await tx.em.count(FolderEntity, others)) > 0;
  }

  async rename(readerId: number, folderId: number, name: string, tx: Transaction): Promise<void> {
    await tx.em.nativeUpdate(FolderEntity, { id: folderId, readerId, deletedAt: null }, { name });
  }

  /** Moves the feeds of a folder to the root, including feeds marked for deletion. */
  async empty(readerId: number, folderId: number, tx: SqlRunner): Promise<void> {
    await tx.query(
      'update subscription set folder_id = null where reader_id = $1 and folder_id = $2',
      [readerId, folderId],
    );
  }

  /** Removes the folder with its subscriptions and their items (cascade). @returns whether it existed */
  async remove(readerId: number, folderId: number, tx: Transaction): Promise<boolean> {
    const removed = { id: folderId, readerId, deletedAt: null };
    return (await tx.em.nativeDelete(FolderEntity, removed)) > 0;
  }

  /**
   * Hides the folder and its feeds until `restore`, or `purgeDeleted` of subscriptions. Both are marked
   * with the same moment, the transaction's now(), by which `restore` distinguishes the feeds from
   * separately marked ones.
   *
   * @returns whether it existed
   */
  async markDeleted(readerId: number, folderId: number, tx: SqlRunner): Promise<boolean> {
    const rows = await tx.query(
      `with marked as (
         update folder set deleted_at = now()
          where id = $2 and reader_id = $1 and deleted_at is null returning id
       ), feeds as (
         update subscription set deleted_at = now()
           from marked
          where folder_id = marked.id and reader_id = $1 and subscription.deleted_at is null
       )
       select id from marked`,
      [readerId, folderId],
    );
    return rows.length > 0;
  }

  async findEvenDeleted(
    readerId: number,
    folderId: number,
    tx: Transaction,
  ): Promise<Folder | null> {
    return tx.em.findOne(FolderEntity, { id: folderId, readerId }, { fields: ['id', 'name'] });
  }

  /**
   * Restores a folder and the feeds that were marked together with it.
   *
   * @returns the ids of those feeds
   */
  async restore(readerId: number, folderId: number, tx: SqlRunner): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(
      `with restored as (
         update folder set deleted_at = null
           from folder former
          where folder.id = $2 and folder.reader_id = $1
            and former.reader_id = $1 and former.id = folder.id
            and former.deleted_at is not null
         returning folder.id, former.deleted_at as at
       )
       update subscription set deleted_at = null
         from restored
        where folder_id = restored.id and reader_id = $1 and deleted_at = restored.at
       returning subscription.id`,
      [readerId, folderId],
    );
    return rows.map(({ id }) => id);
  }
}

import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../../database/count-up-to.js';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FolderHasMandatoryFeeds, FolderNotFound, FolderOfGroup } from '../../news.errors.js';
import { FolderEntity } from '../../tables/subscription.entity.js';

const FOLDER = selectList(FolderEntity, 'folder', ['id', 'name']);
export type Folder = RowOf<typeof FOLDER>;

/** Whether a row that is marked for deletion may be restored: not if a former group's is kept. */
export const MAY_RETURN = "(kept_until is null or kept_until = 'infinity')";

/** Has what groups give compared again with the next synchronisation. */
export async function giveAgain(readerId: number, tx: SqlRunner): Promise<void> {
  await tx.query(
    `update group_folder_member set rev = 0
      where user_id = (select user_id from reader_user where reader_id = $1)`,
    [readerId],
  );
}

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

  /** @throws FolderNotFound, FolderOfGroup unless feeds of the user's own may be put into it */
  async assertOwn(
    readerId: number,
    folderId: number,
    tx: SqlRunner = this.database,
  ): Promise<void> {
    const [folder] = await tx.query<{ name: string; isOwn: boolean }>(
      `select name, group_folder_id is null as "isOwn" from folder
        where reader_id = $1 and id = $2 and deleted_at is null`,
      [readerId, folderId],
    );
    if (FolderNotFound.unless(folder, folderId).isOwn === false) {
      throw new FolderOfGroup(folder?.name ?? '');
    }
  }

  /**
   * Includes folders marked for deletion, but not those of groups; counts no further than `most`.
   */
  async count(readerId: number, most: number, tx: SqlRunner): Promise<number> {
    const own = 'folder where reader_id = $1 and group_folder_id is null';
    return countUpTo(tx, own, [readerId], most);
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

  /** @returns the ids by name, but not of folders of groups; missing folders are created */
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
        where reader_id = $1 and name = any($2::text[]) and deleted_at is null
          and group_folder_id is null`,
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
   * Before a folder is removed: hides the feeds in it that groups recommend, until they are restored, and the folder
   * itself if it is a group's.
   *
   * @returns whether it is a group's @throws FolderHasMandatoryFeeds
   */
  async hideGiven(readerId: number, folderId: number, tx: SqlRunner): Promise<boolean> {
    const [folder] = await tx.query<{ name: string; isOwn: boolean; hasMandatory: boolean }>(
      `select name, group_folder_id is null as "isOwn",
              exists (select 1 from subscription s
                       where s.reader_id = $1 and s.folder_id = $2 and s.is_mandatory
                         and s.deleted_at is null) as "hasMandatory"
         from folder where reader_id = $1 and id = $2 and deleted_at is null`,
      [readerId, folderId],
    );
    if (folder?.hasMandatory === true) {
      throw new FolderHasMandatoryFeeds(folder.name);
    }
    const hidden = await tx.query(
      `update subscription
          set deleted_at = coalesce(deleted_at, $4::timestamptz), is_own = false,
              kept_until = coalesce(kept_until, 'infinity'),
              folder_id = case when $3 then null else folder_id end
        where reader_id = $1 and folder_id = $2
          and (group_feed_id is not null or kept_until is not null)
       returning 1 as one`,
      [readerId, folderId, folder?.isOwn ?? true, new Date()],
    );
    if (folder?.isOwn !== false) {
      await (hidden.length > 0 ? giveAgain(readerId, tx) : undefined);
      return false;
    }
    await tx.query(
      `update folder set deleted_at = now(), kept_until = 'infinity'
        where reader_id = $1 and id = $2`,
      [readerId, folderId],
    );
    return true;
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

  async findEvenDeleted(readerId: number, folderId: number, tx: SqlRunner): Promise<Folder | null> {
    const [folder] = await tx.query<Folder>(
      `select ${FOLDER} from folder where reader_id = $1 and id = $2 and ${MAY_RETURN}`,
      [readerId, folderId],
    );
    return folder ?? null;
  }

  /**
   * Restores a folder and the feeds that were marked together with it.
   *
   * @returns the ids of those feeds
   */
  async restore(readerId: number, folderId: number, tx: SqlRunner): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(
      `with restored as (
         update folder set deleted_at = null, kept_until = null
           from folder former
          where folder.id = $2 and folder.reader_id = $1
            and former.reader_id = $1 and former.id = folder.id
            and former.deleted_at is not null
         returning folder.id, former.deleted_at as at
       )
       update subscription set deleted_at = null, kept_until = null
         from restored
        where folder_id = restored.id and reader_id = $1 and deleted_at = restored.at
          and ${MAY_RETURN}
       returning subscription.id`,
      [readerId, folderId],
    );
    return rows.map(({ id }) => id);
  }
}

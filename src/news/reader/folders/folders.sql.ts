import { countUpTo } from '../../../database/count-up-to.js';
import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FolderEntity } from './folder.entity.js';

const FOLDER = selectList(FolderEntity, 'folder', ['id', 'name']);
export type FolderRow = RowOf<typeof FOLDER>;

/** By name. */
export async function listFolders(runner: SqlRunner, readerId: number): Promise<FolderRow[]> {
  return runner.query<FolderRow>(
    `select ${FOLDER}
       from folder
      where folder.reader_id = $1 and folder.deleted_at is null
      order by lower(folder.name), folder.id`,
    [readerId],
  );
}

/** Counts marked ones as well, and no further than `most`. */
export async function countFolders(tx: SqlRunner, readerId: number, most: number): Promise<number> {
  return countUpTo(tx, 'folder where reader_id = $1', [readerId], most);
}

/** @returns null when the name is taken */
export async function insertFolder(
  tx: SqlRunner,
  readerId: number,
  name: string,
): Promise<FolderRow | null> {
  const [folder] = await tx.query<FolderRow>(
    `insert into folder (reader_id, name) values ($1, $2)
     on conflict (reader_id, name) where deleted_at is null do nothing
     returning ${FOLDER}`,
    [readerId, name],
  );
  return folder ?? null;
}

/** How many of the names no folder has. */
export async function countMissingFolders(
  tx: SqlRunner,
  readerId: number,
  names: readonly string[],
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from (select distinct unnest($2::text[]) as name) wanted
      where not exists (select 1 from folder
                         where reader_id = $1 and name = wanted.name and deleted_at is null)`,
    [readerId, names],
  );
  return row?.count ?? 0;
}

export async function insertMissingFolders(
  tx: SqlRunner,
  readerId: number,
  names: readonly string[],
): Promise<void> {
  await tx.query(
    `insert into folder (reader_id, name) select distinct $1::bigint, unnest($2::text[])
     on conflict (reader_id, name) where deleted_at is null do nothing`,
    [readerId, names],
  );
}

export async function findFoldersByName(
  tx: SqlRunner,
  readerId: number,
  names: readonly string[],
): Promise<FolderRow[]> {
  return tx.query<FolderRow>(
    `select ${FOLDER} from folder
      where reader_id = $1 and name = any($2::text[]) and deleted_at is null`,
    [readerId, names],
  );
}

export async function emptyFolder(
  tx: SqlRunner,
  readerId: number,
  folderId: number,
): Promise<void> {
  await tx.query(
    'update subscription set folder_id = null where reader_id = $1 and folder_id = $2',
    [readerId, folderId],
  );
}

/**
 * Marks the folder and its feeds with the same moment, the transaction's now(), by which
 * `unmarkFolder` tells them from feeds that were marked separately.
 */
export async function markFolder(
  tx: SqlRunner,
  readerId: number,
  folderId: number,
): Promise<boolean> {
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

/** @returns the ids of the feeds that were marked together with the folder */
export async function unmarkFolder(
  tx: SqlRunner,
  readerId: number,
  folderId: number,
): Promise<number[]> {
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

/** @returns how many were removed */
export async function purgeFolders(
  tx: SqlRunner,
  readerId: number,
  graceSeconds: number,
): Promise<number> {
  const rows = await tx.query(
    `delete from folder
      where reader_id = $1 and deleted_at <= now() - make_interval(secs => $2) returning id`,
    [readerId, graceSeconds],
  );
  return rows.length;
}

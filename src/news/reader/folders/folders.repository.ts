import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../../database/count-up-to.js';
import { Database, type SqlRunner } from '../../../database/database.js';

export interface Folder {
  readonly id: number;
  readonly name: string;
}

/** A user's folders. Those marked for deletion are hidden everywhere but from `purgeDeleted`. */
@Injectable()
export class FoldersRepository {
  constructor(private readonly database: Database) {}

  async list(userId: string): Promise<Folder[]> {
    return this.database.query<Folder>(
      `select folder.id, folder.name
         from folder join reader on reader.id = folder.reader_id
        where reader.user_id = $1 and folder.deleted_at is null
        order by lower(folder.name), folder.id`,
      [userId],
    );
  }

  async exists(
    readerId: number,
    folderId: number,
    runner: SqlRunner = this.database,
  ): Promise<boolean> {
    const rows = await runner.query(
      'select 1 from folder where id = $2 and reader_id = $1 and deleted_at is null',
      [readerId, folderId],
    );
    return rows.length > 0;
  }

  /** Those to be removed included; counted no further than `most`. */
  async count(tx: SqlRunner, readerId: number, most: number): Promise<number> {
    return countUpTo(tx, 'folder where reader_id = $1', [readerId], most);
  }

  /** @returns the new folder, or null when the name is taken */
  async create(tx: SqlRunner, readerId: number, name: string): Promise<Folder | null> {
    const [folder] = await tx.query<Folder>(
      `insert into folder (reader_id, name) values ($1, $2)
       on conflict (reader_id, name) where deleted_at is null do nothing
       returning id, name`,
      [readerId, name],
    );
    return folder ?? null;
  }

  /** How many of the names no folder has. */
  async missing(tx: SqlRunner, readerId: number, names: readonly string[]): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `select count(*)::int as count from (select distinct unnest($2::text[]) as name) wanted
        where not exists (select from folder
                           where reader_id = $1 and name = wanted.name and deleted_at is null)`,
      [readerId, names],
    );
    return row?.count ?? 0;
  }

  /** Folders by these names, created where there are none. @returns ids by name */
  async findOrCreate(
    tx: SqlRunner,
    readerId: number,
    names: readonly string[],
  ): Promise<Map<string, number>> {
    await tx.query(
      `insert into folder (reader_id, name) select distinct $1::bigint, unnest($2::text[])
       on conflict (reader_id, name) where deleted_at is null do nothing`,
      [readerId, names],
    );
    const rows = await tx.query<Folder>(
      `select id, name from folder
        where reader_id = $1 and name = any($2::text[]) and deleted_at is null`,
      [readerId, names],
    );
    return new Map(rows.map(({ id, name }) => [name, id]));
  }

  async nameIsTaken(
    tx: SqlRunner,
    readerId: number,
    name: string,
    exceptFolderId: number,
  ): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from folder
        where reader_id = $1 and name = $2 and id <> $3 and deleted_at is null`,
      [readerId, name, exceptFolderId],
    );
    return rows.length > 0;
  }

  async rename(tx: SqlRunner, readerId: number, folderId: number, name: string): Promise<boolean> {
    const rows = await tx.query(
      `update folder set name = $3
        where id = $2 and reader_id = $1 and deleted_at is null returning id`,
      [readerId, folderId, name],
    );
    return rows.length > 0;
  }

  /** Takes the folder's subscriptions and their items along. */
  async remove(tx: SqlRunner, readerId: number, folderId: number): Promise<boolean> {
    const rows = await tx.query(
      'delete from folder where id = $2 and reader_id = $1 and deleted_at is null returning id',
      [readerId, folderId],
    );
    return rows.length > 0;
  }

  /** Hides the folder and its feeds until `restore`, or until they are removed for good. */
  async markDeleted(tx: SqlRunner, readerId: number, folderId: number): Promise<boolean> {
    // One transaction has one now(): by the same moment `restore` knows what went together.
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

  /** A folder, marked for deletion or not. */
  async findEvenDeleted(tx: SqlRunner, readerId: number, folderId: number): Promise<Folder | null> {
    const [folder] = await tx.query<Folder>(
      'select id, name from folder where id = $2 and reader_id = $1',
      [readerId, folderId],
    );
    return folder ?? null;
  }

  /**
   * Takes the mark away from a folder and from the feeds that were marked together with it.
   *
   * @returns the ids of those feeds
   */
  async restore(tx: SqlRunner, readerId: number, folderId: number): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(
      `with restored as (
         update folder set deleted_at = null
           from folder former
          where folder.id = $2 and folder.reader_id = $1 and former.id = folder.id
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

  /** Removes what this user marked for deletion at least `graceSeconds` ago. */
  async purgeDeleted(tx: SqlRunner, readerId: number, graceSeconds: number): Promise<number> {
    const rows = await tx.query(
      `delete from folder
        where reader_id = $1 and deleted_at <= now() - make_interval(secs => $2) returning id`,
      [readerId, graceSeconds],
    );
    return rows.length;
  }
}

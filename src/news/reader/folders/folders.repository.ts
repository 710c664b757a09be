import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { ReaderIds } from '../delivery/reader-ids.repository.js';
import { FolderEntity } from './folder.entity.js';
import {
  countFolders,
  countMissingFolders,
  emptyFolder,
  findFoldersByName,
  insertFolder,
  insertMissingFolders,
  listFolders,
  markFolder,
  purgeFolders,
  unmarkFolder,
  type FolderRow,
} from './folders.sql.js';

export type Folder = FolderRow;

/** A user's folders. Those marked for deletion are visible to `findEvenDeleted` and `purgeDeleted` only. */
@Injectable()
export class FoldersRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  /** By name. */
  async list(userId: string): Promise<Folder[]> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? [] : listFolders(this.database, readerId);
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
  readonly count = countFolders;
  /** @returns the new folder, or null when the name is taken */
  readonly create = insertFolder;
  /** How many of the names no folder has. */
  readonly missing = countMissingFolders;

  /** @returns the ids by name; missing folders are created */
  async findOrCreate(
    tx: SqlRunner,
    readerId: number,
    names: readonly string[],
  ): Promise<Map<string, number>> {
    await insertMissingFolders(tx, readerId, names);
    const folders = await findFoldersByName(tx, readerId, names);
    return new Map(folders.map(({ id, name }) => [name, id]));
  }

  async nameIsTaken(
    tx: Transaction,
    readerId: number,
    name: string,
    exceptFolderId: number,
  ): Promise<boolean> {
    const others = { readerId, name, id: { $ne: exceptFolderId }, deletedAt: null };
    return (await tx.em.count(FolderEntity, others)) > 0;
  }

  async rename(tx: Transaction, readerId: number, folderId: number, name: string): Promise<void> {
    await tx.em.nativeUpdate(FolderEntity, { id: folderId, readerId, deletedAt: null }, { name });
  }

  /** Moves the feeds of a folder to the root, those marked for deletion included. */
  readonly empty = emptyFolder;

  /** With the folder's subscriptions and their items (cascade). @returns whether it existed */
  async remove(tx: Transaction, readerId: number, folderId: number): Promise<boolean> {
    const removed = { id: folderId, readerId, deletedAt: null };
    return (await tx.em.nativeDelete(FolderEntity, removed)) > 0;
  }

  /** Hides the folder and its feeds until `restore` or `purgeDeleted`. @returns whether it existed */
  readonly markDeleted = markFolder;

  async findEvenDeleted(
    tx: Transaction,
    readerId: number,
    folderId: number,
  ): Promise<Folder | null> {
    return tx.em.findOne(
      FolderEntity,
      { id: folderId, readerId },
      { fields: ['id', 'name'], disableIdentityMap: true },
    );
  }

  /**
   * Restores a folder and the feeds that were marked together with it.
   *
   * @returns the ids of those feeds
   */
  readonly restore = unmarkFolder;
  /** Removes what was marked for deletion at least `graceSeconds` ago. @returns how many */
  readonly purgeDeleted = purgeFolders;
}

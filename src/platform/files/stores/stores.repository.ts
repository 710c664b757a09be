import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { tryContentsLock } from '../content/blobs.sql.js';
import { FileBlobPlaceEntity } from './file-blob-place.entity.js';
import { FileStoreEntity } from './file-store.entity.js';
import {
  adoptStore,
  expectBytes,
  leaveBytes,
  listUsedStores,
  placeOfBlob,
  registerStore,
  settleBytes,
  takeLeftovers,
  type Leftover,
} from './stores.sql.js';

/** Object stores, which contents are in them, and bytes there that are no content. */
@Injectable()
export class StoresRepository {
  constructor(private readonly database: Database) {}

  /** @returns null for an address that is not known */
  async idOf(address: string): Promise<string | null> {
    const store = await this.database.entities((em) =>
      em.findOne(FileStoreEntity, { address }, { fields: ['id'], disableIdentityMap: true }),
    );
    return store?.id ?? null;
  }

  async isKnown(id: string): Promise<boolean> {
    const isId = /^[0-9a-f-]{36}$/.test(id);
    return isId && (await this.database.entities((em) => em.count(FileStoreEntity, { id }))) > 0;
  }

  /** @returns the id of the address: an earlier one, or that proposed */
  async register(address: string, proposedId: string): Promise<string> {
    return registerStore(this.database, address, proposedId);
  }

  /** Gives the address to a store. */
  async adopt(address: string, id: string): Promise<void> {
    await this.database.transaction((tx) => adoptStore(tx, address, id));
  }

  /** Whether any content is in the object store. */
  async hasContents(storeId: string): Promise<boolean> {
    const one = await this.database.entities((em) =>
      em.findOne(FileBlobPlaceEntity, { storeId }, { disableIdentityMap: true }),
    );
    return one !== null;
  }

  /** Object stores with contents. */
  async storesWithContents(): Promise<{ readonly id: string; readonly address: string }[]> {
    return listUsedStores(this.database);
  }

  /** The object store that has the content; null for the folder. */
  async placeOf(blobId: string): Promise<string | null> {
    return placeOfBlob(this.database, blobId);
  }

  /**
   * Call before bytes are written, so that they are found after a crash.
   *
   * @param storeId null for the folder
   * @param forSeconds they are deleted after this time, unless they have become content
   */
  async expect(blobId: string, storeId: string | null, forSeconds: number): Promise<void> {
    await expectBytes(this.database, blobId, storeId, forSeconds);
  }

  /** The same in a transaction, for bytes that are not needed any more. */
  readonly leave = expectBytes;
  /** Makes expected bytes the content. @returns false when they have been deleted */
  readonly settle = settleBytes;

  /** After a restore. @param storeId null for the folder */
  async place(blobId: string, storeId: string | null): Promise<void> {
    await this.database.transaction((tx) => settleBytes(tx, blobId, storeId));
  }

  /** All bytes in object stores of a content that is deleted become leftovers. @returns whether it had any */
  readonly abandon = leaveBytes;

  /**
   * Passes leftovers that are due to `remove`, and forgets them when all of them have resolved. Passes
   * none while a backup is written.
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
      const leftovers = (await tryContentsLock(tx)) ? await takeLeftovers(tx, storeIds, limit) : [];
      await Promise.all(leftovers.filter(({ isContent }) => !isContent).map(remove));
      return leftovers.length;
    });
  }

  /** After a restore: contents are written where the settings say, whatever the backup says. */
  async forgetPlaces(): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(FileBlobPlaceEntity, {}));
  }
}

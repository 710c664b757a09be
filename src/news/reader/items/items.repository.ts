import { Injectable } from '@nestjs/common';
import type { RowOfBytes } from '../../../database/copy-query.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { ReaderIds } from '../delivery/reader-ids.repository.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import {
  asJson,
  BY_INDEX,
  changedItems,
  itemList,
  type ItemPage,
  type ItemSelection,
} from './item-list.sql.js';
import { FlagChanges, type FlagChange } from './flag-changes.repository.js';
import {
  findItem,
  findItemIds,
  findNewestItemId,
  listUsersWithOldRead,
  removeOldRead,
  setFlags,
  shareOfFolder,
  stampFeeds,
  type FlagsChanged,
  type GuidHashPair,
  type ItemFlag,
  type ItemJson,
} from './items.sql.js';

export type { FlagsChanged, GuidHashPair, ItemFlag, ItemJson, ReadScope } from './items.sql.js';

/**
 * One user's items. Every change of a flag goes through here and stamps the items that changed, so
 * that no client misses a change; items that did not change are not stamped, so none is sent twice.
 */
@Injectable()
export class ItemsRepository {
  readonly #flagChanges: FlagChanges;

  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {
    this.#flagChanges = new FlagChanges(database, ids);
  }

  /** Batches of items by id, `asJson`. */
  async *list(
    readerId: number,
    selection: ItemSelection,
    page: ItemPage,
  ): AsyncGenerator<RowOfBytes[]> {
    const share =
      selection.of === 'folder'
        ? await shareOfFolder(this.database, readerId, selection.folderId)
        : 1;
    const direction = page.oldestFirst ? 'asc' : 'desc';
    const list = asJson(itemList(readerId, selection, page, share), direction);
    yield* this.database.copy(list, BY_INDEX);
  }

  /** Batches of items, `asJson`, stamped at or after `sinceMicros`, newest id first. */
  changedSince(
    readerId: number,
    selection: ItemSelection,
    sinceMicros: number,
  ): AsyncIterable<RowOfBytes[]> {
    return this.database.copy(asJson(changedItems(readerId, selection, sinceMicros), 'desc'));
  }

  /** @returns null when the user has no such item */
  async one(readerId: number, itemId: number): Promise<ItemJson | null> {
    return findItem(this.database, readerId, itemId);
  }

  /** @returns null without items */
  async newestId(readerId: number): Promise<number | null> {
    return findNewestItemId(this.database, readerId);
  }

  /** Changes flags in a transaction that other changes of the user may share. @see FlagChanges */
  async changeFlags(userId: string, change: FlagChange): Promise<FlagsChanged> {
    return this.#flagChanges.make(userId, change);
  }

  /** Sets a flag in an open transaction; ids of other users' items and unknown ids are ignored. */
  async setFlags(
    tx: SqlRunner,
    reader: LockedReader,
    itemIds: readonly number[],
    flag: ItemFlag,
    value: boolean,
  ): Promise<void> {
    await setFlags(tx, reader, new Map(itemIds.map((id) => [id, { [flag]: value }])));
  }

  /** @returns the ids of the user's items; pairs without an item are left out */
  async idsByGuidHash(userId: string, pairs: readonly GuidHashPair[]): Promise<number[]> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? [] : findItemIds(this.database, readerId, pairs);
  }

  /** Reports all items of these feeds as changed, for clients that dropped them. */
  async stampFeeds(tx: SqlRunner, reader: LockedReader, feedIds: readonly number[]): Promise<void> {
    await stampFeeds(tx, reader, feedIds);
  }

  /**
   * Removes read, unstarred items of one reader beyond the newest `keepReadItems` of each feed, or
   * beyond the publisher's longest document if that is longer. They cannot come back: the
   * subscription's watermark stays above them.
   *
   * @param beforeMicros spares items that changed at this time or later, so that other clients learn
   *   that they were read before they vanish; unix microseconds
   * @returns how many were removed; at most `limit`
   */
  async removeOldRead(
    tx: SqlRunner,
    reader: LockedReader,
    keepReadItems: number,
    beforeMicros: number,
    limit: number,
  ): Promise<number> {
    return removeOldRead(tx, reader.id, keepReadItems, beforeMicros, limit);
  }

  /** Users who have more read, unstarred items of some feed than `removeOldRead` keeps. */
  async usersWithOldRead(keepReadItems: number): Promise<string[]> {
    return listUsersWithOldRead(this.database, keepReadItems);
  }
}

import { Injectable } from '@nestjs/common';
import type { RowOfBytes } from '../../../database/copy-query.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { ReaderIds } from '../delivery/reader-ids.repository.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import type { ReaderPosition } from '../delivery/readers.repository.js';
import type { Statement } from '../../../database/statement.js';
import {
  asJson,
  BY_INDEX,
  changedIds,
  changedItems,
  itemIds,
  itemList,
  type ItemPage,
  type ItemSelection,
} from './item-list.sql.js';
import {
  CHUNK_ITEMS,
  endOfChunk,
  idOfCut,
  idsInSteps,
  itemChunks,
} from './item-chunks.repository.js';
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

/** A statement for a part of a list, after an id. */
type PartOfList = (limit: number, after: number | null) => Statement;

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

  /** Chunks of items by id, `asJson`. */
  async *list(
    reader: ReaderPosition,
    selection: ItemSelection,
    page: ItemPage,
  ): AsyncGenerator<readonly RowOfBytes[]> {
    const { id } = reader;
    const share =
      selection.of === 'folder' ? await shareOfFolder(this.database, id, selection.folderId) : 1;
    const direction = page.oldestFirst ? 'asc' : 'desc';
    yield* this.#inChunks(reader, direction, page, {
      items: (limit, offset) => itemList(id, selection, { ...page, offset, limit }, share),
      ids: (limit, offset) => itemIds(id, selection, { ...page, offset, limit }, share),
    });
  }

  /** Chunks of items, `asJson`, stamped at or after `sinceMicros`, newest id first. */
  changedSince(
    reader: ReaderPosition,
    selection: ItemSelection,
    sinceMicros: number,
  ): AsyncIterable<readonly RowOfBytes[]> {
    const all = { offset: null, limit: null };
    return this.#inChunks(reader, 'desc', all, {
      items: (limit, belowId) => changedItems(reader.id, selection, sinceMicros, belowId, limit),
      ids: (limit, belowId) => changedIds(reader.id, selection, sinceMicros, belowId, limit),
    });
  }

  /** A page as most clients ask for is one statement; what is beyond a chunk is read by its ids. */
  async *#inChunks(
    reader: ReaderPosition,
    direction: 'asc' | 'desc',
    { offset, limit }: Pick<ItemPage, 'offset' | 'limit'>,
    list: Readonly<Record<'items' | 'ids', PartOfList>>,
  ): AsyncGenerator<readonly RowOfBytes[]> {
    const most = Math.min(limit ?? Infinity, CHUNK_ITEMS);
    const first = asJson(list.items(most, offset), direction, reader.lastModifiedMicros);
    let count = 0;
    let last: RowOfBytes | undefined;
    for await (const rows of this.database.copy(first, BY_INDEX)) {
      yield rows;
      count += rows.length;
      last = rows.at(-1);
    }
    const end = last === undefined ? undefined : endOfChunk(last);
    if (end === undefined || (count < most && idOfCut(end) === null)) {
      return;
    }
    const rest = (limit ?? Infinity) - count;
    for await (const ids of idsInSteps(this.database, rest, end.id, list.ids)) {
      yield* itemChunks(this.database, reader, ids, direction);
    }
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
  readonly stampFeeds = stampFeeds;

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

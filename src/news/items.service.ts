import { Injectable } from '@nestjs/common';
import { DeliveryService } from './delivery.service.js';
import { ItemNotFound } from './news.errors.js';
import type { ItemPage, ItemSelection, ListedItem } from './store/item-list.sql.js';
import { ItemsRepository, type ItemFlag } from './store/items.repository.js';
import { ReadersRepository } from './store/readers.repository.js';

/** How level v1-2 names an item when it is starred. */
export interface GuidHashPair {
  readonly feedId: number;
  readonly guidHash: string;
}

/** Batches of a list, oldest or newest id first; read to the end or given up at any point. */
export type ItemBatches = AsyncIterable<readonly ListedItem[]>;

/** A user's items and their two flags. */
@Injectable()
export class ItemsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly delivery: DeliveryService,
    private readonly items: ItemsRepository,
  ) {}

  /** A page of items. The first page of a list also brings what arrived since. */
  async list(userId: string, selection: ItemSelection, page: ItemPage): Promise<ItemBatches> {
    if (page.offset === null) {
      await this.delivery.deliverTo(userId);
    }
    const readerId = await this.readers.idOf(userId);
    return readerId === null ? NO_ITEMS : this.items.list(readerId, selection, page);
  }

  /**
   * Items that arrived or changed at or after a moment, flags included.
   *
   * @param sinceMicros unix microseconds
   */
  async changedSince(
    userId: string,
    selection: ItemSelection,
    sinceMicros: number,
  ): Promise<ItemBatches> {
    await this.delivery.deliverTo(userId);
    const readerId = await this.readers.idOf(userId);
    if (readerId === null) {
      return NO_ITEMS;
    }
    await this.readers.waitForWriters(readerId);
    return this.items.changedSince(readerId, selection, sinceMicros);
  }

  /** @throws ItemNotFound */
  async setFlag(userId: string, itemId: number, flag: ItemFlag, value: boolean): Promise<void> {
    await this.readers.change(userId, async (tx, reader) => {
      if (!(await this.items.setFlag(tx, reader, itemId, flag, value))) {
        throw new ItemNotFound(itemId);
      }
    });
  }

  /** Items that do not exist are passed over: a client may push flags of items long gone. */
  async setFlags(
    userId: string,
    itemIds: readonly number[],
    flag: ItemFlag,
    value: boolean,
  ): Promise<void> {
    if (itemIds.length === 0) {
      return;
    }
    await this.readers.change(userId, (tx, reader) =>
      this.items.setFlags(tx, reader, itemIds, flag, value),
    );
  }

  /** Marks all of the user's items read, up to and including `newestItemId`. */
  async markAllReadUpTo(userId: string, newestItemId: number): Promise<void> {
    await this.readers.change(userId, (tx, reader) =>
      this.items.markReadUpTo(tx, reader, { of: 'all' }, newestItemId),
    );
  }

  /** @throws ItemNotFound */
  async idByGuidHash(userId: string, pair: GuidHashPair): Promise<number> {
    const [itemId] = await this.idsByGuidHash(userId, [pair]);
    if (itemId === undefined) {
      throw new ItemNotFound(pair.guidHash);
    }
    return itemId;
  }

  /** Pairs that name nothing are left out. */
  async idsByGuidHash(userId: string, pairs: readonly GuidHashPair[]): Promise<number[]> {
    const readerId = await this.readers.idOf(userId);
    const wellFormed = pairs.filter(({ guidHash }) => /^[0-9a-f]{32}$/i.test(guidHash));
    if (readerId === null || wellFormed.length === 0) {
      return [];
    }
    return this.items.idsByGuidHash(readerId, wellFormed);
  }
}

const NO_ITEMS: ItemBatches = {
  async *[Symbol.asyncIterator]() {
    // A user who never subscribed to anything.
  },
};

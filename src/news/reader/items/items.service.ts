import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../../database/database.js';
import { currentClientKey } from '../delivery/changing-client.js';
import { DeliveryService } from '../delivery/delivery.service.js';
import { ItemNotFound } from '../../news.errors.js';
import type { ItemPage, ItemSelection, ListedItem } from './item-list.sql.js';
import { ItemsRepository, type ItemFlag } from './items.repository.js';
import { ReaderClientsRepository } from '../delivery/reader-clients.repository.js';
import type { LockedReader } from '../delivery/reader-locks.js';
import { ReadersRepository, type ReaderPosition } from '../delivery/readers.repository.js';

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
    private readonly clients: ReaderClientsRepository,
  ) {}

  /** A page of items. The first page of a list also brings what arrived since. */
  async list(userId: string, selection: ItemSelection, page: ItemPage): Promise<ItemBatches> {
    if (page.offset === null) {
      await this.delivery.deliverTo(userId);
    }
    const position = await this.readers.positionOf(userId);
    if (position === null) {
      return NO_ITEMS;
    }
    const batches = await this.items.list(position.id, selection, page);
    return page.offset === null ? this.#synchronising(position, batches) : batches;
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
    const position = await this.readers.positionOf(userId);
    if (position === null) {
      return NO_ITEMS;
    }
    await this.readers.waitForWriters(position.id);
    const batches = await this.items.changedSince(position.id, selection, sinceMicros);
    return this.#synchronising(position, batches);
  }

  /** @throws ItemNotFound */
  async setFlag(userId: string, itemId: number, flag: ItemFlag, value: boolean): Promise<void> {
    await this.#change(userId, async (tx, reader) => {
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
    await this.#change(userId, (tx, reader) =>
      this.items.setFlags(tx, reader, itemIds, flag, value),
    );
  }

  /** Marks all of the user's items read, up to and including `newestItemId`. */
  async markAllReadUpTo(userId: string, newestItemId: number): Promise<void> {
    await this.#change(userId, (tx, reader) =>
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

  /** Notes that the program which asks knows every change up to now, once it has read to the end. */
  #synchronising({ id, lastModifiedMicros }: ReaderPosition, batches: ItemBatches): ItemBatches {
    const client = currentClientKey();
    if (client === null) {
      return batches;
    }
    const { clients } = this;
    return (async function* () {
      yield* batches;
      await clients.noteSynchronised(id, client, lastModifiedMicros);
    })();
  }

  /** Changes flags on behalf of a program, which counts as one of the user's from then on. */
  async #change(
    userId: string,
    work: (tx: Transaction, reader: LockedReader) => Promise<void>,
  ): Promise<void> {
    const client = currentClientKey();
    const readerId = await this.readers.change(userId, async (tx, reader) => {
      await work(tx, reader);
      return reader.id;
    });
    if (client !== null) {
      await this.clients.noteSeen(readerId, client);
    }
  }
}

const NO_ITEMS: ItemBatches = {
  async *[Symbol.asyncIterator]() {
    // A user who never subscribed to anything.
  },
};

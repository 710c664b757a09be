import { Injectable } from '@nestjs/common';
import type { RowOfBytes } from '../../../database/byte-rows.js';
import { currentClientKey } from '../../http/requesting-client.interceptor.js';
import { ItemNotFound } from '../../news.errors.js';
import { DeliveryService } from '../delivery/delivery.service.js';
import { ReaderClientsRepository } from '../delivery/reader-clients.repository.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository, type ReaderPosition } from '../delivery/readers.repository.js';
import type { FlagChange, FlagsChanged, ItemFlag, ReadScope } from './flag-changes.repository.js';
import type { ItemPage, ItemSelection } from './item-list.sql.js';
import { ItemsRepository, type GuidHashPair } from './items.repository.js';
import type { OneItem } from './items.wire.js';

/** Chunks of a list by id, `asJson`; the consumer may stop at any point. */
export type ItemBatches = AsyncIterable<readonly RowOfBytes[]>;

/** An empty list. */
const NO_ITEMS: ItemBatches = {
  async *[Symbol.asyncIterator]() {
    // Nothing to yield.
  },
};

/**
 * A user's items and their two flags.
 *
 * @see docs/spec/feed-reader-api.md "Items"
 */
@Injectable()
export class ItemsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly delivery: DeliveryService,
    private readonly items: ItemsRepository,
    private readonly clients: ReaderClientsRepository,
  ) {}

  /** A page of items. The first page starts a synchronisation: it delivers first. */
  async list(reader: Reader, selection: ItemSelection, page: ItemPage): Promise<ItemBatches> {
    const isFirst = page.offset === null;
    const position = isFirst
      ? await this.delivery.deliverTo(reader)
      : await this.readers.positionOf(reader);
    if (position.isEarly && page.limit !== null) {
      return this.#paged(reader, selection, { ...page, limit: page.limit });
    }
    const batches = this.items.list(position, selection, page);
    return isFirst ? this.#synchronising(position, batches) : batches;
  }

  /**
   * A page for a client of an early reader: nothing is delivered while it asks for the next ones. The first
   * one shows what deliveries had begun to write.
   */
  async #paged(
    reader: Reader,
    selection: ItemSelection,
    page: ItemPage & { readonly limit: number },
  ): Promise<ItemBatches> {
    const client = currentClientKey();
    if (client !== null) {
      await this.clients.notePaging(reader.id, client, true);
      await this.readers.waitForWriters(reader.id);
    }
    const position = await this.readers.positionOf(reader);
    const batches = this.items.list(position, selection, page);
    const { clients } = this;
    const toTheLast = async function* (): AsyncGenerator<readonly RowOfBytes[]> {
      let left = page.limit;
      for await (const rows of batches) {
        yield rows;
        left -= rows.length;
      }
      if (left > 0 && client !== null) {
        await clients.notePaging(reader.id, client, false);
      }
    };
    return page.offset === null ? this.#synchronising(position, toTheLast()) : toTheLast();
  }

  /**
   * Items that arrived or changed at or after a moment, flags included. Delivers first.
   *
   * @param sinceMicros unix microseconds
   */
  async changedSince(
    reader: Reader,
    selection: ItemSelection,
    sinceMicros: number,
  ): Promise<ItemBatches> {
    const position = await this.delivery.deliverTo(reader, true);
    // No item has a later stamp than its reader.
    const isUpToDate = sinceMicros > position.lastModifiedMicros;
    const batches = isUpToDate
      ? NO_ITEMS
      : this.items.changedSince(position, selection, sinceMicros);
    return this.#synchronising(position, batches);
  }

  /**
   * One item as lists show it. Does not deliver.
   *
   * @throws ItemNotFound
   */
  async one(reader: Reader, itemId: number): Promise<OneItem> {
    return ItemNotFound.unless(await this.items.one(reader.id, itemId), itemId);
  }

  /** @throws ItemNotFound */
  async setFlag(reader: Reader, itemId: number, flag: ItemFlag, value: boolean): Promise<void> {
    const { found } = await this.#change(reader, { itemIds: [itemId], flag, value });
    ItemNotFound.unless(found.includes(itemId), itemId);
  }

  /**
   * Unknown items are ignored: a client may push flags of items that were removed long ago. Very many are changed
   * in steps, of which the first ones last if a later one fails: clients send all of them again.
   */
  async setFlags(
    reader: Reader,
    itemIds: readonly number[],
    flag: ItemFlag,
    value: boolean,
  ): Promise<void> {
    for (const some of inSteps(itemIds)) {
      await this.#change(reader, { itemIds: some, flag, value });
    }
  }

  /** Marks all of the user's items read, up to and including `newestItemId`. */
  async markAllReadUpTo(reader: Reader, newestItemId: number): Promise<void> {
    await this.#change(reader, { readUpTo: newestItemId, scope: { of: 'all' } });
  }

  /**
   * Marks the items of a scope read that arrived at or before a moment.
   *
   * @param upToMicros unix microseconds; null marks all present ones
   */
  async markReadArrived(
    reader: Reader,
    scope: ReadScope,
    upToMicros: number | null,
  ): Promise<void> {
    const change: FlagChange =
      upToMicros === null
        ? { readUpTo: Number.MAX_SAFE_INTEGER, scope }
        : { readUpTo: upToMicros, by: 'arrival', scope };
    await this.#change(reader, change);
  }

  /** @throws ItemNotFound */
  async idByGuidHash(reader: Reader, pair: GuidHashPair): Promise<number> {
    const [itemId] = await this.idsByGuidHash(reader, [pair]);
    return ItemNotFound.unless(itemId, pair.guidHash);
  }

  /** Skips pairs without an item. */
  async idsByGuidHash(reader: Reader, pairs: readonly GuidHashPair[]): Promise<number[]> {
    const wellFormed = pairs.filter(({ guidHash }) => /^[0-9a-f]{32}$/i.test(guidHash));
    const ids: number[] = [];
    for (const some of inSteps(wellFormed)) {
      ids.push(...(await this.items.idsByGuidHash(reader.id, some)));
    }
    return ids;
  }

  /** Once the list was read to its end, records that the client knows every change up to `reader`. */
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

  /** Changes flags; the requesting client counts as one of the user's from then on. */
  async #change(reader: Reader, change: FlagChange): Promise<FlagsChanged> {
    const client = currentClientKey();
    const changed = await this.items.changeFlags(reader, change);
    if (client !== null && changed.readerId !== null) {
      await this.clients.noteSeen(changed.readerId, client);
    }
    return changed;
  }
}

/** Takes milliseconds to send, and holds the lock of the user's items for a moment. */
const STEP_ITEMS = 10_000;

function* inSteps<Element>(list: readonly Element[]): Generator<readonly Element[]> {
  for (let at = 0; at < list.length; at += STEP_ITEMS) {
    yield list.slice(at, at + STEP_ITEMS);
  }
}

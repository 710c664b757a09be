import { Injectable } from '@nestjs/common';
import { DeliveryService } from '../delivery/delivery.service.js';
import { ReaderClientsRepository } from '../delivery/reader-clients.repository.js';
import { ReadersRepository, type ReaderPosition } from '../delivery/readers.repository.js';
import { currentClientKey } from '../delivery/requesting-client.js';
import { ItemsService } from '../items/items.service.js';
import type { ItemSet, StreamItem, StreamPage, StreamSelection } from './stream.js';
import { StreamsRepository } from './streams.repository.js';

const EVERYTHING = 1_000_000_000;
const ITEMS_PER_BATCH = 200;

/** Streams of a user's items. First pages deliver. */
@Injectable()
export class StreamsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly delivery: DeliveryService,
    private readonly streams: StreamsRepository,
    private readonly items: ItemsService,
    private readonly clients: ReaderClientsRepository,
  ) {}

  async ids(
    userId: string,
    selection: StreamSelection,
    page: StreamPage,
  ): Promise<AsyncIterable<readonly number[]>> {
    const reader = await this.#readerFor(userId, page.after === null);
    const { clients, streams } = this;
    const client = currentClientKey();
    return (async function* () {
      if (reader === null) {
        return;
      }
      yield await streams.ids(reader.id, selection, page);
      if (page.after === null && client !== null) {
        await clients.noteSynchronised(reader.id, client, reader.lastModifiedMicros);
      }
    })();
  }

  async contents(
    userId: string,
    selection: StreamSelection,
    page: StreamPage,
  ): Promise<AsyncIterable<readonly StreamItem[]>> {
    const reader = await this.#readerFor(userId, page.after === null);
    const itemIds = reader === null ? [] : await this.streams.ids(reader.id, selection, page);
    return this.#batches(reader, itemIds, page.oldestFirst);
  }

  async named(
    userId: string,
    itemIds: readonly number[],
  ): Promise<AsyncIterable<readonly StreamItem[]>> {
    const newestFirst = itemIds.toSorted((a, b) => b - a);
    return this.#batches(await this.readers.positionOf(userId), newestFirst, false);
  }

  async count(userId: string, selection: StreamSelection): Promise<number> {
    const reader = await this.#readerFor(userId, true);
    return reader === null ? 0 : this.streams.count(reader.id, selection);
  }

  async newestArrivals(userId: string): Promise<ReadonlyMap<number, number>> {
    const readerId = await this.readers.idOf(userId);
    return readerId === null ? new Map() : this.streams.newestArrivals(readerId);
  }

  async markRead(userId: string, set: ItemSet, upToMicros: number | null): Promise<void> {
    const readerId = await this.readers.idOf(userId);
    if (readerId === null) {
      return;
    }
    const within: ItemSet[] = [set, { of: 'unread' }];
    const ids = await this.streams.ids(
      readerId,
      { within, without: [], fromMicros: null, toMicros: upToMicros },
      { oldestFirst: true, after: null, limit: EVERYTHING },
    );
    await this.items.setFlags(userId, ids, 'unread', false);
  }

  async #readerFor(userId: string, isFirst: boolean): Promise<ReaderPosition | null> {
    return isFirst ? this.delivery.deliverTo(userId, true) : this.readers.positionOf(userId);
  }

  async *#batches(
    reader: ReaderPosition | null,
    itemIds: readonly number[],
    oldestFirst: boolean,
  ): AsyncGenerator<readonly StreamItem[]> {
    if (reader === null) {
      return;
    }
    for (let at = 0; at < itemIds.length; at += ITEMS_PER_BATCH) {
      yield await this.streams.items(
        reader.id,
        itemIds.slice(at, at + ITEMS_PER_BATCH),
        oldestFirst,
      );
    }
  }
}

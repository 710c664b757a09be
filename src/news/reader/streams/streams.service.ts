import { Injectable } from '@nestjs/common';
import { currentClientKey } from '../../http/requesting-client.interceptor.js';
import { DeliveryService } from '../delivery/delivery.service.js';
import { ReaderClientsRepository } from '../delivery/reader-clients.repository.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository, type ReaderPosition } from '../delivery/readers.repository.js';
import type { ReadScope } from '../items/flag-changes.repository.js';
import { ItemsService } from '../items/items.service.js';
import type { ItemSet, StreamItem, StreamPage, StreamSelection } from './stream.js';
import { StreamsRepository } from './streams.repository.js';

/** An id is no array index, so wrong ones may be anything. */
const isItemId = (id: number) => Number.isSafeInteger(id) && id > 0;

/**
 * Streams of a user's items in the order of their arrival, as the Google Reader and Fever APIs have them.
 *
 * @see docs/decisions/0045-streams-by-arrival.md
 */
@Injectable()
export class StreamsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly delivery: DeliveryService,
    private readonly items: ItemsService,
    private readonly streams: StreamsRepository,
    private readonly clients: ReaderClientsRepository,
  ) {}

  /**
   * The ids of a page, in batches. To know whether more remain, request one more. The first page delivers
   * first, and waits for writers: a client may store its time.
   */
  async ids(
    reader: Reader,
    selection: StreamSelection,
    page: StreamPage,
  ): Promise<AsyncIterable<readonly number[]>> {
    const position = await this.#positionOf(reader, page);
    return this.#synchronising(position, page, this.streams.ids(reader.id, selection, page));
  }

  /** The items of a page, in chunks. Otherwise as `ids`. */
  async contents(
    reader: Reader,
    selection: StreamSelection,
    page: StreamPage,
  ): Promise<AsyncIterable<readonly StreamItem[]>> {
    const position = await this.#positionOf(reader, page);
    return this.#synchronising(position, page, this.streams.contents(reader.id, selection, page));
  }

  /** Items by their ids, newest first. Ignores unknown items and other users' items. Never delivers. */
  async named(
    reader: Reader,
    itemIds: readonly number[],
  ): Promise<AsyncIterable<readonly StreamItem[]>> {
    return this.streams.named(reader.id, itemIds.filter(isItemId));
  }

  /** Delivers first. */
  async count(reader: Reader, selection: StreamSelection): Promise<number> {
    await this.delivery.deliverTo(reader, true);
    return this.streams.count(reader.id, selection);
  }

  /**
   * @returns by feed the arrival of its newest item, unix microseconds; skips feeds without items. Does not
   *   deliver
   */
  async newestArrivals(reader: Reader): Promise<ReadonlyMap<number, number>> {
    return this.streams.newestArrivals(reader.id);
  }

  /**
   * Marks the items of a set read that arrived at or before a moment. Does not deliver.
   *
   * @param upToMicros unix microseconds; null marks all present ones
   */
  async markRead(reader: Reader, set: ItemSet, upToMicros: number | null): Promise<void> {
    if (set.of === 'items') {
      const within: readonly ItemSet[] = [set, { of: 'unread' }];
      const arrived = { within, without: [], fromMicros: null, toMicros: upToMicros };
      const all = { oldestFirst: false, after: null, limit: set.itemIds.length };
      for await (const ids of this.streams.ids(reader.id, arrived, all)) {
        await this.items.setFlags(reader, ids, 'unread', false);
      }
      return;
    }
    const scope = toReadScope(set);
    if (scope === null) {
      return;
    }
    await this.items.markReadArrived(reader, scope, upToMicros);
  }

  async #positionOf(reader: Reader, page: StreamPage): Promise<ReaderPosition> {
    return page.after === null
      ? this.delivery.deliverTo(reader, true)
      : this.readers.positionOf(reader);
  }

  /**
   * Records a client's synchronisation at the end of a first page. It detects read items by their absence
   * from its lists, so the clean-up need not wait for it.
   */
  async *#synchronising<Batch>(
    { id, lastModifiedMicros }: ReaderPosition,
    { after }: StreamPage,
    batches: AsyncIterable<Batch>,
  ): AsyncGenerator<Batch> {
    const client = currentClientKey();
    yield* batches;
    if (after === null && client !== null) {
      await this.clients.noteSynchronised(id, client, lastModifiedMicros);
    }
  }
}

/** @returns null if none of the items can be unread */
function toReadScope(set: Exclude<ItemSet, { readonly of: 'items' }>): ReadScope | null {
  if (set.of === 'tag') {
    return set;
  }
  if (set.of === 'read') {
    return null;
  }
  return { of: set.of === 'starred' ? 'starred' : 'all' };
}

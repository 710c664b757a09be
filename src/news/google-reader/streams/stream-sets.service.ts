import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/errors/domain-error.js';
import type { Reader } from '../../reader/delivery/reader-ids.repository.js';
import { SubscriptionsRepository } from '../../reader/feeds/subscriptions.repository.js';
import { SavedSearchesService } from '../../reader/search/saved-searches.service.js';
import type { ItemSet, StreamSelection } from '../../reader/streams/stream.js';
import { feedAddress } from '../../sources/feed-address.js';
import { streamNameOf, type StreamName } from '../stream-names.js';
import type { StreamRequest } from './stream-request.input.js';
import { StreamSetsRepository, type FeedPlace } from './stream-sets.repository.js';

/** The empty set: for unknown streams, and streams that only Google had. */
const NOTHING: ItemSet = { of: 'tag', feedIds: [], labelId: null };

const STATES = new Map<string, ItemSet>([
  ['reading-list', { of: 'all' }],
  ['read', { of: 'read' }],
  ['unread', { of: 'unread' }],
  ['kept-unread', { of: 'unread' }],
  ['tracking-kept-unread', { of: 'unread' }],
  ['starred', { of: 'starred' }],
]);

/** Resolves names of streams to items. */
@Injectable()
export class StreamSetsService {
  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly sets: StreamSetsRepository,
    private readonly searches: SavedSearchesService,
  ) {}

  async selectionOf(reader: Reader, request: StreamRequest): Promise<StreamSelection> {
    const { fromMicros, toMicros } = request;
    const named = async (streams: readonly string[]): Promise<ItemSet[]> =>
      Promise.all(streams.map((stream) => this.setOf(reader, stream)));
    return {
      within: await named([request.stream, ...request.within]),
      without: await named(request.without),
      fromMicros,
      toMicros,
    };
  }

  /** A stream that is not there has no items; it is no error, as for the feed of another user. */
  async setOf(reader: Reader, stream: string): Promise<ItemSet> {
    const named = streamNameOf(stream);
    switch (named.of) {
      case 'state':
        return STATES.get(named.state) ?? NOTHING;
      case 'label': {
        const [feedIds, labelId] = await Promise.all([
          this.sets.feedIdsInFolder(reader.id, named.name),
          this.sets.labelId(reader.id, named.name),
        ]);
        const isTag = feedIds.length > 0 || labelId !== null;
        const itemIds = isTag ? null : await this.searches.itemsInClients(reader, named.name);
        return itemIds === null ? { of: 'tag', feedIds, labelId } : { of: 'items', itemIds };
      }
      default: {
        const feedId = await this.#feedIdOf(reader, named);
        return feedId === null ? NOTHING : { of: 'tag', feedIds: [feedId], labelId: null };
      }
    }
  }

  /** @returns null unless the stream is one of the user's feeds */
  async feedIdOf(reader: Reader, stream: string): Promise<number | null> {
    const feedId = await this.#feedIdOf(reader, streamNameOf(stream));
    const isTheirs = feedId !== null && (await this.subscriptions.exists(reader.id, feedId));
    return isTheirs ? feedId : null;
  }

  /** The user's feeds by id, without delivering. */
  async feedPlaces(reader: Reader): Promise<ReadonlyMap<number, FeedPlace>> {
    const places = await this.sets.feedPlaces(reader.id);
    return new Map(places.map((place) => [place.id, place]));
  }

  /** @returns the tag by name; null if there is none */
  async tagNamed(
    reader: Reader,
    name: string,
  ): Promise<{ readonly folderId: number | null; readonly labelId: number | null }> {
    const [folderId, labelId] = await Promise.all([
      this.sets.folderId(reader.id, name),
      this.sets.labelId(reader.id, name),
    ]);
    return { folderId, labelId };
  }

  async #feedIdOf(reader: Reader, named: StreamName): Promise<number | null> {
    if (named.of === 'feed') {
      return named.feedId;
    }
    return named.of === 'address' ? this.#followedAt(reader, named.address) : null;
  }

  async #followedAt(reader: Reader, address: string): Promise<number | null> {
    try {
      const { href } = feedAddress(address);
      return (await this.subscriptions.followedAt(reader.id, [href])).get(href)?.id ?? null;
    } catch (error) {
      if (error instanceof DomainError) {
        return null;
      }
      throw error;
    }
  }
}

import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/errors/domain-error.js';
import { ReadersRepository } from '../../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../../reader/feeds/subscriptions.repository.js';
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
    private readonly readers: ReadersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly sets: StreamSetsRepository,
  ) {}

  async selectionOf(userId: string, request: StreamRequest): Promise<StreamSelection> {
    const { fromMicros, toMicros } = request;
    const named = async (streams: readonly string[]): Promise<ItemSet[]> =>
      Promise.all(streams.map((stream) => this.setOf(userId, stream)));
    return {
      within: await named([request.stream, ...request.within]),
      without: await named(request.without),
      fromMicros,
      toMicros,
    };
  }

  /** A stream that is not there has no items; it is no error, as for the feed of another user. */
  async setOf(userId: string, stream: string): Promise<ItemSet> {
    const named = streamNameOf(stream);
    switch (named.of) {
      case 'state':
        return STATES.get(named.state) ?? NOTHING;
      case 'label': {
        const [feedIds, labelId] = await Promise.all([
          this.sets.feedIdsInFolder(userId, named.name),
          this.sets.labelId(userId, named.name),
        ]);
        return { of: 'tag', feedIds, labelId };
      }
      default: {
        const feedId = await this.#feedIdOf(userId, named);
        return feedId === null ? NOTHING : { of: 'tag', feedIds: [feedId], labelId: null };
      }
    }
  }

  /** @returns null unless the stream is one of the user's feeds */
  async feedIdOf(userId: string, stream: string): Promise<number | null> {
    const feedId = await this.#feedIdOf(userId, streamNameOf(stream));
    const isTheirs =
      feedId !== null && (await this.subscriptions.exists(await this.readers.idOf(userId), feedId));
    return isTheirs ? feedId : null;
  }

  /** The user's feeds by id, without delivering. */
  async feedPlaces(userId: string): Promise<ReadonlyMap<number, FeedPlace>> {
    const places = await this.sets.feedPlaces(userId);
    return new Map(places.map((place) => [place.id, place]));
  }

  /** @returns the tag by name; null if there is none */
  async tagNamed(
    userId: string,
    name: string,
  ): Promise<{ readonly folderId: number | null; readonly labelId: number | null }> {
    const [folderId, labelId] = await Promise.all([
      this.sets.folderId(userId, name),
      this.sets.labelId(userId, name),
    ]);
    return { folderId, labelId };
  }

  async #feedIdOf(userId: string, named: StreamName): Promise<number | null> {
    if (named.of === 'feed') {
      return named.feedId;
    }
    return named.of === 'address' ? this.#followedAt(userId, named.address) : null;
  }

  async #followedAt(userId: string, address: string): Promise<number | null> {
    try {
      const { href } = feedAddress(address);
      return (
        (await this.subscriptions.followedAt(await this.readers.idOf(userId), [href])).get(href)
          ?.id ?? null
      );
    } catch (error) {
      if (error instanceof DomainError) {
        return null;
      }
      throw error;
    }
  }
}

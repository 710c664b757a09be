import { Injectable } from '@nestjs/common';
import type { ItemSet, StreamItem, StreamSelection } from '../reader/streams/stream.js';
import { StreamsService } from '../reader/streams/streams.service.js';
import { feedsOfGroup } from './fever-groups.js';
import type { WantedItems } from './fever.input.js';
import { FeverRepository } from './fever.repository.js';

/** By the specification. */
const MOST_ITEMS = 50;

/** All: clients mark what is missing as read. */
const MOST_IDS = Number.MAX_SAFE_INTEGER;

/** The items that clients of this API read. */
@Injectable()
export class FeverListsService {
  constructor(
    private readonly fever: FeverRepository,
    private readonly streams: StreamsService,
  ) {}

  /** How many items there are. Delivers first. */
  async itemCount(userId: string): Promise<number> {
    return this.streams.count(userId, selectionOf([]));
  }

  /** At most 50. Does not deliver, but for a first page without a beginning. */
  async items(userId: string, wanted: WantedItems): Promise<AsyncIterable<readonly StreamItem[]>> {
    const feedIds = await this.#feedIds(userId, wanted);
    const { withIds, sinceId, maxId } = wanted;
    if (withIds !== null) {
      const named = await this.streams.named(userId, withIds.slice(0, MOST_ITEMS));
      return feedIds === null ? named : onlyOf(feedIds, named);
    }
    const sets = feedIds === null ? [] : [{ of: 'tag', feedIds, labelId: null } as const];
    return this.streams.contents(userId, selectionOf(sets), {
      oldestFirst: sinceId !== null,
      after: sinceId ?? maxId,
      limit: MOST_ITEMS,
    });
  }

  /**
   * All, ascending, as some clients require.
   *
   * @param delivers false for the answer to a change: changes never deliver
   */
  async ids(
    userId: string,
    of: 'unread' | 'starred',
    delivers: boolean,
  ): Promise<AsyncIterable<readonly number[]>> {
    // A page with a beginning never delivers.
    const page = { oldestFirst: true, after: delivers ? null : 0, limit: MOST_IDS };
    return this.streams.ids(userId, selectionOf([{ of }]), page);
  }

  /** Null for all feeds. */
  async #feedIds(
    userId: string,
    { feedIds, groupIds }: WantedItems,
  ): Promise<readonly number[] | null> {
    if (groupIds === null) {
      return feedIds;
    }
    const feeds = await this.fever.feeds(userId);
    return [...(feedIds ?? []), ...groupIds.flatMap((id) => feedsOfGroup(feeds, id))];
  }
}

function selectionOf(within: readonly ItemSet[]): StreamSelection {
  return { within, without: [], fromMicros: null, toMicros: null };
}

async function* onlyOf(
  feedIds: readonly number[],
  batches: AsyncIterable<readonly StreamItem[]>,
): AsyncGenerator<readonly StreamItem[], void, undefined> {
  const wanted = new Set(feedIds);
  for await (const batch of batches) {
    yield batch.filter(({ feedId }) => wanted.has(feedId));
  }
}

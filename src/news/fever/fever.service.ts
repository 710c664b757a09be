import { Injectable } from '@nestjs/common';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ItemsService } from '../reader/items/items.service.js';
import type { ItemSet, StreamItem, StreamSelection } from '../reader/streams/stream.js';
import { StreamsService } from '../reader/streams/streams.service.js';
import type { Mark, WantedItems } from './fever.input.js';
import { FeverRepository, type FeverFeed } from './fever.repository.js';

/** Limit of the specification for one page. */
const MOST_ITEMS = 50;

/** No limit: clients mark missing ids as read. */
const MOST_IDS = Number.MAX_SAFE_INTEGER;

/** The group of all feeds. */
const ALL = 0;

/**
 * The group of feeds at the root, which clients would not show otherwise. Not 0, which means all feeds;
 * clients read ids as integers of 32 bits, and folders never reach the largest.
 */
export const ROOT_GROUP = 2_147_483_647;

/** The items that clients of this API read, and changes of their flags. */
@Injectable()
export class FeverService {
  constructor(
    private readonly fever: FeverRepository,
    private readonly items: ItemsService,
    private readonly streams: StreamsService,
  ) {}

  /** Number of items. Delivers first. */
  async itemCount(reader: Reader): Promise<number> {
    return this.streams.count(reader, selectionOf([]));
  }

  /** At most 50 items. Delivers only for a first page without a beginning. */
  async page(reader: Reader, wanted: WantedItems): Promise<AsyncIterable<readonly StreamItem[]>> {
    const feedIds = await this.#feedIds(reader, wanted);
    const { withIds, sinceId, maxId } = wanted;
    if (withIds !== null) {
      const named = await this.streams.named(reader, withIds.slice(0, MOST_ITEMS));
      return feedIds === null ? named : onlyOf(feedIds, named);
    }
    const sets = feedIds === null ? [] : [ofFeeds(feedIds)];
    return this.streams.contents(reader, selectionOf(sets), {
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
    reader: Reader,
    of: 'unread' | 'starred',
    delivers: boolean,
  ): Promise<AsyncIterable<readonly number[]>> {
    // A page with a beginning never delivers.
    const page = { oldestFirst: true, after: delivers ? null : 0, limit: MOST_IDS };
    return this.streams.ids(reader, selectionOf([{ of }]), page);
  }

  /**
   * Changes flags; ids that are unknown or of other users are ignored. Never delivers, so that nothing is
   * marked that the client cannot have seen.
   */
  async apply(reader: Reader, { what, as, ids, upToMicros }: Mark): Promise<void> {
    if (what !== 'item') {
      const set = what === 'feed' ? ofFeeds(ids) : await this.#ofGroups(reader, ids);
      await this.streams.markRead(reader, set, upToMicros);
      return;
    }
    const flag = as === 'read' || as === 'unread' ? 'unread' : 'starred';
    await this.items.setFlags(reader, ids, flag, as === 'unread' || as === 'saved');
  }

  async #ofGroups(reader: Reader, groupIds: readonly number[]): Promise<ItemSet> {
    if (groupIds.includes(ALL)) {
      return { of: 'all' };
    }
    const feeds = await this.fever.feeds(reader.id);
    return ofFeeds(groupIds.flatMap((id) => feedsOfGroup(feeds, id)));
  }

  /** Null for all feeds. */
  async #feedIds(
    reader: Reader,
    { feedIds, groupIds }: WantedItems,
  ): Promise<readonly number[] | null> {
    if (groupIds === null) {
      return feedIds;
    }
    const feeds = await this.fever.feeds(reader.id);
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

function ofFeeds(feedIds: readonly number[]): ItemSet {
  return { of: 'tag', feedIds, labelId: null };
}

/** The feeds of a group, a folder or `ROOT_GROUP`. */
function feedsOfGroup(feeds: readonly FeverFeed[], groupId: number): number[] {
  return feeds.filter((feed) => groupOf(feed) === groupId).map(({ id }) => id);
}

export function groupOf({ folderId }: FeverFeed): number {
  return folderId ?? ROOT_GROUP;
}

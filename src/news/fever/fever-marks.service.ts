import { Injectable } from '@nestjs/common';
import { ItemsService } from '../reader/items/items.service.js';
import type { ItemSet } from '../reader/streams/stream.js';
import { StreamsService } from '../reader/streams/streams.service.js';
import { feedsOfGroup } from './fever-groups.js';
import type { Mark } from './fever.input.js';
import { FeverRepository } from './fever.repository.js';

/** The group of all feeds. */
const ALL = 0;

/** Changes flags. Never delivers, so that nothing is marked that the client cannot have seen. */
@Injectable()
export class FeverMarksService {
  constructor(
    private readonly fever: FeverRepository,
    private readonly items: ItemsService,
    private readonly streams: StreamsService,
  ) {}

  /** Unknown ids, and those of other users, are ignored. */
  async apply(userId: string, { what, as, ids, upToMicros }: Mark): Promise<void> {
    if (what !== 'item') {
      const set = what === 'feed' ? ofFeeds(ids) : await this.#ofGroups(userId, ids);
      await this.streams.markRead(userId, set, upToMicros);
      return;
    }
    const flag = as === 'read' || as === 'unread' ? 'unread' : 'starred';
    await this.items.setFlags(userId, ids, flag, as === 'unread' || as === 'saved');
  }

  async #ofGroups(userId: string, groupIds: readonly number[]): Promise<ItemSet> {
    if (groupIds.includes(ALL)) {
      return { of: 'all' };
    }
    const feeds = await this.fever.feeds(userId);
    return ofFeeds(groupIds.flatMap((id) => feedsOfGroup(feeds, id)));
  }
}

function ofFeeds(feedIds: readonly number[]): ItemSet {
  return { of: 'tag', feedIds, labelId: null };
}

import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { assertBelowLimit, LimitReached } from '../../../common/errors/limit-reached.js';
import type { SqlRunner } from '../../../database/database.js';
import {
  checkedName,
  FeedAlreadyExists,
  FeedNotFound,
  InvalidFeedTitle,
} from '../../news.errors.js';
import {
  changedAccess,
  NO_ACCESS,
  type PartialAccess,
} from '../../sources/access/feed-access.service.js';
import { typedAddress, type FeedAddress } from '../../sources/feed-address.js';
import { SourceFinder } from '../../sources/finding/source-finder.service.js';
import { DeliveriesRepository } from '../delivery/deliveries.repository.js';
import { DeliveryService } from '../delivery/delivery.service.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { FoldersRepository } from '../folders/folders.repository.js';
import { ItemsRepository } from '../items/items.repository.js';
import { sameFeeds } from './same-feeds.js';
import {
  MOST_BYTES_OF_A_LIST,
  SubscriptionsRepository,
  type Feed,
} from './subscriptions.repository.js';

interface FeedList {
  readonly feeds: readonly Feed[];
  readonly starredCount: number;
  /** Highest item id of the user; null without items. */
  readonly newestItemId: number | null;
  /** The feed that another one has become, by the id of that. */
  readonly sameAs: ReadonlyMap<number, number>;
}

/** Initial state of a new feed. */
interface Beginning {
  /** Number of newest items that stay unread; null is all. */
  readonly startUnread?: number | null | undefined;
  readonly access?: PartialAccess | undefined;
}

/**
 * A user's feeds: subscriptions to sources, each in one folder or at the root.
 *
 * @see docs/spec/feed-reader-api.md "Feeds"
 */
@Injectable()
export class FeedsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly folders: FoldersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly items: ItemsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly delivery: DeliveryService,
    private readonly sources: SourceFinder,
    private readonly config: Config,
  ) {}

  /** Starts a synchronisation: delivers first. @throws LimitReached if the list is too large to be made */
  async list(reader: Reader): Promise<FeedList> {
    await this.delivery.deliverTo(reader);
    const feeds = await this.subscriptions.list(reader.id);
    const [first] = feeds;
    if (first === undefined && (await this.subscriptions.hasAny(reader.id))) {
      throw new LimitReached(MOST_BYTES_OF_A_LIST, 'bytes of addresses and titles of feeds');
    }
    return {
      feeds,
      starredCount: feeds.reduce((sum, feed) => sum + feed.starredCount, 0),
      // Items of a feed that was removed for now remain.
      newestItemId: first === undefined ? await this.items.newestId(reader.id) : first.newestItemId,
      sameAs: sameFeeds(feeds),
    };
  }

  /**
   * Subscribes to the feed at an address, or to the feed that a web page there links to. Delivers the
   * publisher's current list in the same transaction.
   *
   * @param folderId null is the root
   * @throws FolderNotFound, FolderOfGroup
   * @throws FeedAlreadyExists
   */
  async subscribe(
    reader: Reader,
    url: string,
    folderId: number | null,
    { startUnread = null, access = {} }: Beginning = {},
  ): Promise<{ feed: Feed; newestItemId: number | null }> {
    const address = typedAddress(url);
    await this.#refuseEarly(reader, address, folderId);

    const { addresses, ...found } = await this.sources.find(
      address,
      changedAccess(NO_ACCESS, access),
    );
    const feedId = await this.readers.change(reader, async (tx, reader) => {
      if (folderId !== null) {
        await this.folders.assertOwn(reader.id, folderId, tx);
      }
      await this.subscriptions.assertNew(reader.id, addresses, tx);
      await this.#assertRoom(reader.id, tx);
      const created = await this.subscriptions.create(
        reader.id,
        {
          ...found,
          folderId,
          startUnread: startUnread ?? null,
        },
        tx,
      );
      if (created === null) {
        throw new FeedAlreadyExists();
      }
      await this.deliveries.deliver(reader, tx);
      return created;
    });

    const feed = await this.#find(reader, feedId);
    return { feed, newestItemId: await this.items.newestId(reader.id) };
  }

  /** @param folderId null is the root @throws FeedNotFound, errors of `SubscriptionsRepository.move` */
  async move(reader: Reader, feedId: number, folderId: number | null): Promise<void> {
    await this.readers.change(reader, async (tx, reader) => {
      FeedNotFound.unless(await this.subscriptions.exists(reader.id, feedId, tx), feedId);
      await this.subscriptions.move(reader.id, feedId, folderId, tx);
    });
  }

  /**
   * Sets the user's title of a feed, which later fetches do not change.
   *
   * @throws FeedNotFound
   */
  async rename(reader: Reader, feedId: number, givenTitle: string): Promise<void> {
    const title = checkedTitle(givenTitle);
    await this.readers.change(reader, async (tx, reader) => {
      FeedNotFound.unless(await this.subscriptions.rename(reader.id, feedId, title, tx), feedId);
    });
  }

  /**
   * Removes the feed and its items. One that a group recommends is only hidden.
   *
   * @throws FeedNotFound
   * @throws MandatoryFeed
   */
  async unsubscribe(reader: Reader, feedId: number): Promise<void> {
    await this.readers.change(reader, async (tx, reader) => {
      await this.deliveries.leave(reader, { feedId }, tx);
      const isHidden = await this.subscriptions.hideGiven(reader.id, feedId, tx);
      FeedNotFound.unless(
        isHidden || (await this.subscriptions.remove(reader.id, feedId, tx)),
        feedId,
      );
    });
  }

  /**
   * Hides the feed and its items; `restore` undoes it until the clean-up removes them, which it does not with what
   * a group recommends.
   *
   * @throws FeedNotFound
   * @throws MandatoryFeed
   */
  async unsubscribeForNow(reader: Reader, feedId: number): Promise<void> {
    await this.readers.change(reader, async (tx, reader) => {
      await this.deliveries.leave(reader, { feedId }, tx);
      const isHidden = await this.subscriptions.hideGiven(reader.id, feedId, tx);
      FeedNotFound.unless(
        isHidden || (await this.subscriptions.markDeleted(reader.id, feedId, tx)),
        feedId,
      );
    });
  }

  /**
   * Undoes `unsubscribeForNow`, and shows what a group recommends again, with ids and flags. All items count as changed, since clients may have
   * dropped them. Does nothing for a feed that was not removed.
   *
   * @throws FeedNotFound also after the clean-up
   */
  async restore(reader: Reader, feedId: number): Promise<Feed> {
    await this.readers.change(reader, async (tx, reader) => {
      if (await this.subscriptions.restore(reader.id, feedId, tx)) {
        await this.items.stampFeeds(reader, [feedId], tx);
      }
    });
    return this.#find(reader, feedId);
  }

  /**
   * Marks the items of a feed read, up to and including `newestItemId`.
   * Items that arrived after the client last looked stay unread.
   *
   * @throws FeedNotFound
   */
  async markReadUpTo(reader: Reader, feedId: number, newestItemId: number): Promise<void> {
    const { found } = await this.items.changeFlags(reader, {
      readUpTo: newestItemId,
      scope: { of: 'feed', feedId },
    });
    FeedNotFound.unless(found.length > 0, feedId);
  }

  /** @throws FeedNotFound when it was removed concurrently */
  async #find(reader: Reader, feedId: number): Promise<Feed> {
    return FeedNotFound.unless(await this.subscriptions.find(reader.id, feedId), feedId);
  }

  async #assertRoom(readerId: number, tx: SqlRunner): Promise<void> {
    const most = this.config.limits['feeds-per-user'];
    const count = await this.subscriptions.count(readerId, most, tx);
    assertBelowLimit(this.config, 'feeds-per-user', count);
  }

  /** Rejects before the publisher is asked; the transaction checks again. */
  async #refuseEarly(reader: Reader, address: FeedAddress, folderId: number | null): Promise<void> {
    if (folderId !== null) {
      await this.folders.assertOwn(reader.id, folderId);
    }
    await this.subscriptions.assertNew(reader.id, [address]);
  }
}

const MAX_TITLE_CHARACTERS = 1000;

/** The user's title of a feed, trimmed. */
export const checkedTitle = (given: string): string =>
  checkedName(given, MAX_TITLE_CHARACTERS, InvalidFeedTitle);

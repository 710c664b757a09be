import { Injectable } from '@nestjs/common';
import { FeedNotFound } from './news.errors.js';
import { FeedSettingsRepository, type FeedSettings } from './store/feed-settings.repository.js';
import { ReadersRepository } from './store/readers.repository.js';
import { SubscriptionsRepository, type Feed } from './store/subscriptions.repository.js';

/** How a user wants to see one feed. */
@Injectable()
export class FeedSettingsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly settings: FeedSettingsRepository,
    private readonly subscriptions: SubscriptionsRepository,
  ) {}

  /**
   * Changes the settings that are given. Full text of the newest articles is fetched in the
   * background once it is switched on.
   *
   * @throws FeedNotFound
   */
  async change(userId: string, feedId: number, wanted: FeedSettings): Promise<Feed> {
    const readerId = await this.readers.change(userId, async (tx, reader) => {
      if (!(await this.settings.change(tx, reader, feedId, wanted))) {
        throw new FeedNotFound(feedId);
      }
      return reader.id;
    });
    const feed = await this.subscriptions.find(readerId, feedId);
    if (feed === null) {
      throw new FeedNotFound(feedId);
    }
    return feed;
  }
}

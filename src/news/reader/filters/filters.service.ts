import { Injectable } from '@nestjs/common';
import { FeedNotFound } from '../../news.errors.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { SubscriptionsRepository } from '../feeds/subscriptions.repository.js';
import { checkedKeywords, type FilterKeywords } from './filter-keywords.js';
import { FiltersRepository, type Filter } from './filters.repository.js';

/** Keyword filters of feeds: items that match are delivered as read and `filtered`. */
@Injectable()
export class FiltersService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly filters: FiltersRepository,
  ) {}

  /**
   * @returns null for a feed without a filter
   * @throws FeedNotFound
   */
  async find(reader: Reader, feedId: number): Promise<Filter | null> {
    FeedNotFound.unless(await this.subscriptions.exists(reader.id, feedId), feedId);
    return this.filters.find(reader.id, feedId);
  }

  /**
   * Creates or replaces the filter of a feed; without a keyword, removes it. Applies at once to unread
   * items and to items that the former filter marked.
   *
   * @throws FeedNotFound
   */
  async save(reader: Reader, feedId: number, given: FilterKeywords): Promise<Filter | null> {
    const keywords = checkedKeywords(given);
    return this.readers.change(reader, async (tx, reader) => {
      FeedNotFound.unless(await this.subscriptions.exists(reader.id, feedId, tx), feedId);
      if (keywords === null) {
        await this.filters.remove(reader, feedId, tx);
        return null;
      }
      await this.filters.save(reader, feedId, keywords, tx);
      return this.filters.find(reader.id, feedId, tx);
    });
  }

  /**
   * Removes the filter, if there is one. Items that it marked stay read and are no longer `filtered`.
   *
   * @throws FeedNotFound
   */
  async remove(reader: Reader, feedId: number): Promise<void> {
    await this.readers.change(reader, async (tx, reader) => {
      FeedNotFound.unless(await this.subscriptions.exists(reader.id, feedId, tx), feedId);
      await this.filters.remove(reader, feedId, tx);
    });
  }
}

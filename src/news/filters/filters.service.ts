import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { checkedKeywords, type FilterKeywords } from './filter-keywords.js';
import { FeedNotFound } from '../news.errors.js';
import { FiltersRepository, type Filter } from './filters.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';

/** What users do not want to be told of: items that match are delivered as read and `filtered`. */
@Injectable()
export class FiltersService {
  constructor(
    private readonly database: Database,
    private readonly readers: ReadersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly filters: FiltersRepository,
  ) {}

  /**
   * @returns null for a feed without a filter
   * @throws FeedNotFound
   */
  async find(userId: string, feedId: number): Promise<Filter | null> {
    const readerId = await this.readers.idOf(userId);
    if (readerId === null || !(await this.subscriptions.exists(this.database, readerId, feedId))) {
      throw new FeedNotFound(feedId);
    }
    return this.filters.find(this.database, feedId);
  }

  /**
   * Sets, replaces or, without a keyword, removes the filter of a feed. It is asked at once about
   * unread items, and about those that an earlier one took out.
   *
   * @throws InvalidFilter
   * @throws FeedNotFound
   */
  async save(userId: string, feedId: number, given: FilterKeywords): Promise<Filter | null> {
    const keywords = checkedKeywords(given);
    return this.readers.change(userId, async (tx, reader) => {
      if (!(await this.subscriptions.exists(tx, reader.id, feedId))) {
        throw new FeedNotFound(feedId);
      }
      if (keywords === null) {
        await this.filters.remove(tx, reader, feedId);
        return null;
      }
      await this.filters.save(tx, reader, feedId, keywords);
      return this.filters.find(tx, feedId);
    });
  }

  /**
   * Removes the filter, if there is one. What it took out stays read and is `filtered` no more.
   *
   * @throws FeedNotFound
   */
  async remove(userId: string, feedId: number): Promise<void> {
    await this.readers.change(userId, async (tx, reader) => {
      if (!(await this.subscriptions.exists(tx, reader.id, feedId))) {
        throw new FeedNotFound(feedId);
      }
      await this.filters.remove(tx, reader, feedId);
    });
  }
}

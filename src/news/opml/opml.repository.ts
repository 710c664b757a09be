import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import {
  countFetched,
  exportedFeeds,
  findNewestFeedId,
  listFailing,
  type ExportedFeed,
  type FailingFeed,
  type FetchProgress,
} from './opml.sql.js';

export type { ExportedFeed, FailingFeed, FetchProgress } from './opml.sql.js';

const FEEDS_AT_A_TIME = 200;

/** What an export contains, and how far the first fetches of an import have come. */
@Injectable()
export class OpmlRepository {
  constructor(private readonly database: Database) {}

  /** A user's feeds: those without a folder first, then folder by folder, empty ones included. */
  async *export(readerId: number): AsyncGenerator<ExportedFeed[]> {
    const { sql, params } = exportedFeeds(readerId);
    const feeds = await this.database.query<ExportedFeed>(sql, params);
    for (let at = 0; at < feeds.length; at += FEEDS_AT_A_TIME) {
      yield feeds.slice(at, at + FEEDS_AT_A_TIME);
    }
  }

  /** Id of the reader's newest feed, 0 without feeds; later ones get higher ids. */
  async newestFeedId(readerId: number): Promise<number> {
    return findNewestFeedId(this.database, readerId);
  }

  /** @param afterFeedId counts only feeds with a higher id */
  async fetchProgress(readerId: number, afterFeedId: number): Promise<FetchProgress> {
    return countFetched(this.database, readerId, afterFeedId);
  }

  /** In the order in which they were added. @param afterFeedId only feeds with a higher id */
  async failing(readerId: number, afterFeedId: number, limit: number): Promise<FailingFeed[]> {
    return listFailing(this.database, readerId, afterFeedId, limit);
  }
}

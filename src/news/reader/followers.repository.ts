import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { listFeedsOfSource, listOwners, type FeedOwner } from './followers.sql.js';

export type { FeedOwner } from './followers.sql.js';

/** Followers of sources across all users, for the updater and live updates. */
@Injectable()
export class FollowersRepository {
  constructor(private readonly database: Database) {}

  /** Every feed of every user, by id. */
  async owners(): Promise<FeedOwner[]> {
    return listOwners(this.database);
  }

  async feedsOfSource(
    sourceId: number,
    readerIds: readonly number[],
  ): Promise<{ readonly readerId: number; readonly feedId: number }[]> {
    return listFeedsOfSource(this.database, sourceId, readerIds);
  }
}

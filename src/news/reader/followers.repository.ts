import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import {
  findUpdateRequest,
  listFeedsOfSource,
  listOwners,
  noteUpdateServed,
  type FeedOwner,
  type UpdateRequest,
} from './followers.sql.js';

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

  /** @returns null when the user has no such feed */
  async findForUpdate(userId: string, feedId: number): Promise<UpdateRequest | null> {
    return findUpdateRequest(this.database, userId, feedId);
  }

  /** Records that an updater's request for this feed was served. */
  async noteUpdateServed(feedId: number): Promise<void> {
    await noteUpdateServed(this.database, feedId);
  }
}

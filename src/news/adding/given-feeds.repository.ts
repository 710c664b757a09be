import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../database/database.js';
import { insertSubscriptions } from '../reader/feeds/subscriptions.sql.js';
import {
  createGivenSource,
  deleteGivenSources,
  findGivenFeed,
  listByGuids,
  type GivenSource,
} from './given-sources.sql.js';

/** A feed whose items come from requests, and its source. */
export interface GivenFeed {
  readonly feedId: number;
  readonly sourceId: number;
}

/** Feeds with sources that are not fetched, and that no other user can follow. */
@Injectable()
export class GivenFeedsRepository {
  constructor(private readonly database: Database) {}

  readonly find = findGivenFeed;

  /** Under the lock of the reader, who has no such feed. */
  async create(tx: Transaction, readerId: number, source: GivenSource): Promise<GivenFeed> {
    const sourceId = await createGivenSource(tx, readerId, source);
    const feed = { sourceId, folderId: null, url: source.url, title: null };
    await insertSubscriptions(tx, readerId, [feed]);
    const created = await findGivenFeed(tx, readerId, source.urlKey);
    if (created === null) {
      throw new Error(`The feed of source ${sourceId} was not created`);
    }
    return created;
  }

  /** Removes the user's sources, after the feeds. */
  async removeOfUser(userId: string): Promise<void> {
    await deleteGivenSources(this.database, userId);
  }

  /** Ids of delivered items by the hashes of their guids. */
  async itemIds(
    readerId: number,
    feed: GivenFeed,
    guidHashes: readonly string[],
  ): Promise<Map<string, number>> {
    const found = await listByGuids(this.database, readerId, feed, guidHashes);
    return new Map(found.map(({ id, guidHash }) => [guidHash, id]));
  }
}

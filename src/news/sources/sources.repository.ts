import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import { SourceEntity } from './source.entity.js';
import { SubscriptionEntity } from '../reader/feeds/subscription.entity.js';
import type { FeedAddress } from './feed-address.js';
import {
  createSource,
  createSources,
  deleteArticlesOfRemoved,
  deleteOrphans,
  deleteUnfollowedSources,
  findSource,
  findSourceByKey,
  listSourcesWithAccess,
  lastFetchSeconds,
  type NewSource,
  type Source,
} from './sources.sql.js';

/** Sources: one per address, shared by everyone who subscribed to it. */
@Injectable()
export class SourcesRepository {
  constructor(private readonly database: Database) {}

  async find(sourceId: number): Promise<Source | null> {
    return findSource(this.database, sourceId);
  }

  async findByKey(key: FeedAddress['key']): Promise<Source | null> {
    return findSourceByKey(this.database, key);
  }

  async listWithAccess(): Promise<Pick<Source, 'id' | 'url' | 'access'>[]> {
    return listSourcesWithAccess(this.database);
  }

  /** @param access null removes the headers of these sources, which are then fetched without */
  async setAccess(sourceIds: readonly number[], access: Buffer | null): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(SourceEntity, { id: { $in: [...sourceIds] } }, { access }),
    );
  }

  /** Creates the source, due at once, or finds an existing one. @returns its id */
  async create(address: FeedAddress): Promise<number> {
    return this.database.transaction((tx) => createSource(tx, address));
  }

  /**
   * Creates many sources, or finds existing ones, whose schedule stays as it is.
   *
   * @returns ids by the key as hex digits
   */
  async createMany(tx: SqlRunner, sources: readonly NewSource[]): Promise<Map<string, number>> {
    const created = await createSources(tx, sources);
    return new Map(created.map(({ id, urlKey }) => [urlKey, id]));
  }

  /** Removes sources without followers; their articles follow. @returns how many, at most `limit` */
  async removeUnfollowed(limit: number): Promise<number> {
    return deleteUnfollowedSources(this.database, limit);
  }

  /** Removes the articles of removed sources. @returns of how many, at most `limit` */
  async removeArticlesOfRemoved(limit: number): Promise<number> {
    return deleteArticlesOfRemoved(this.database, limit);
  }

  /** Removes icons and hosts that removed sources no longer use. */
  async removeOrphans(): Promise<void> {
    await deleteOrphans(this.database);
  }

  /** The source of a feed. Checks no owner: for administrators only. */
  async idOfFeed(feedId: number): Promise<number | null> {
    const feed = await this.database.entities((em) =>
      em.findOne(
        SubscriptionEntity,
        { id: feedId, deletedAt: null },
        { fields: ['sourceId'], disableIdentityMap: true },
      ),
    );
    return feed?.sourceId ?? null;
  }

  /** How many users follow the source. */
  async followers(sourceId: number): Promise<number> {
    return this.database.entities((em) =>
      em.count(SubscriptionEntity, { sourceId, deletedAt: null }),
    );
  }

  /** @returns the time of the latest fetch of any source in unix seconds; null before the first */
  async lastFetchSeconds(): Promise<number | null> {
    return lastFetchSeconds(this.database);
  }
}

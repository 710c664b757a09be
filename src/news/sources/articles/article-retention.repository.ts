import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import {
  buryArticles,
  deleteTombstones,
  expirePending,
  lockSettledSources,
  usersWithExpired,
} from './article-retention.sql.js';

/**
 * Removes articles that nothing refers to.
 *
 * @see docs/decisions/0012-retention.md
 */
@Injectable()
export class ArticleRetentionRepository {
  constructor(private readonly database: Database) {}

  /**
   * Skips pending articles older than `keepDays` for a reader who has not synchronised for longer:
   * on return the reader finds what retention kept. To be called under the reader's lock.
   */
  async expirePending(tx: SqlRunner, readerId: number, keepDays: number): Promise<void> {
    await expirePending(tx, readerId, keepDays);
  }

  /** Users for whom `expirePending` has something to do. */
  async usersWithExpired(keepDays: number): Promise<string[]> {
    return usersWithExpired(this.database, keepDays);
  }

  /**
   * Replaces articles with tombstones that no item refers to, that the publisher does not list any
   * more, that are pending for nobody and that arrived at least `keepDays` ago.
   *
   * Goes through the sources by id and holds their locks, so that no ingest lists an article again
   * meanwhile. Skips sources whose listing just changed: a first delivery may still read the former
   * one.
   *
   * @returns the last source of this page, or null at the end; and how many articles were removed
   */
  async removeUnreferenced(
    afterSourceId: number,
    keepDays: number,
    limits: { readonly sources: number; readonly articles: number },
  ): Promise<{ lastSourceId: number | null; removed: number }> {
    return this.database.transaction(async (tx) => {
      const locked = await lockSettledSources(tx, afterSourceId, limits.sources);
      const removed = await buryArticles(tx, locked, keepDays, limits.articles);
      const isFull = removed === limits.articles;
      return { lastSourceId: isFull ? afterSourceId : (locked.at(-1) ?? null), removed };
    });
  }

  /**
   * Forgets all but the latest `keep` tombstones of each source. An article without one counts as new
   * when it is listed again.
   *
   * @returns how many, at most `limit`
   */
  async forgetRemoved(keep: number, limit: number): Promise<number> {
    return deleteTombstones(this.database, keep, limit);
  }
}

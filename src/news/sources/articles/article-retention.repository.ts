import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import {
  buryArticles,
  deleteTombstones,
  expiredRevisions,
  expireLate,
  listUnreferenced,
  lockSettled,
  oldArticles,
  pendingSources,
  pendingSourcesAfter,
  settledSources,
  skipTo,
  sourcesWithManyTombstones,
  usersBehind,
  usersWithLate,
  type OldArticle,
  type SourceRevision,
  type UserToExpire,
} from './article-retention.sql.js';

/** Whose articles are read by one statement. */
const MOST_SOURCES = 500;

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
    const pending = await pendingSources(tx, readerId);
    const expired = pending.length === 0 ? [] : await expiredRevisions(tx, pending, keepDays);
    if (expired.length > 0) {
      await skipTo(tx, readerId, expired);
    }
    await expireLate(tx, readerId, keepDays);
  }

  /** Users for whom `expirePending` has something to do. */
  async usersWithExpired(keepDays: number): Promise<string[]> {
    const users = new Map<number, string>();
    const add = (some: readonly UserToExpire[]) =>
      some.forEach(({ readerId, userId }) => users.set(readerId, userId));
    add(await usersWithLate(this.database, keepDays));
    let page: readonly SourceRevision[] = [];
    do {
      page = await pendingSourcesAfter(this.database, page.at(-1)?.sourceId ?? 0, MOST_SOURCES);
      const expired =
        page.length === 0 ? [] : await expiredRevisions(this.database, page, keepDays);
      add(expired.length === 0 ? [] : await usersBehind(this.database, expired));
    } while (page.length === MOST_SOURCES);
    return [...users].toSorted(([a], [b]) => a - b).map(([, userId]) => userId);
  }

  /**
   * Replaces articles with tombstones that no item refers to, that the publisher does not list any
   * more, that are pending for nobody and that arrived at least `keepDays` ago.
   *
   * Goes through the sources by id, and removes the articles of each in a transaction that holds the
   * source's lock, so that no ingest lists an article again meanwhile. Skips sources whose listing just
   * changed: a first delivery may still read the former one.
   *
   * @param limits of one page
   * @returns the last source of this page, or null at the end; and how many articles were removed
   */
  async removeUnreferenced(
    afterSourceId: number,
    keepDays: number,
    limits: { readonly sources: number; readonly articles: number },
  ): Promise<{ lastSourceId: number | null; removed: number }> {
    const sourceIds = await settledSources(this.database, afterSourceId, limits.sources);
    let removed = 0;
    let page: OldArticle[] = [];
    do {
      const last = page.at(-1) ?? null;
      page = await oldArticles(this.database, sourceIds, keepDays, last, limits.articles);
      const free = page.length === 0 ? [] : await listUnreferenced(this.database, page);
      for (const [sourceId, articles] of Map.groupBy(free, (article) => article.sourceId)) {
        removed += await this.#bury(sourceId, articles);
      }
    } while (page.length === limits.articles);
    return { lastSourceId: sourceIds.at(-1) ?? null, removed };
  }

  /** A transaction has one source, since its articles are on one server of a cluster. */
  async #bury(sourceId: number, articles: readonly OldArticle[]): Promise<number> {
    return this.database.transaction(async (tx) => {
      // An article that changed since is in a listing that changed since.
      const free = (await lockSettled(tx, sourceId)) ? await listUnreferenced(tx, articles) : [];
      if (free.length > 0) {
        await buryArticles(
          tx,
          sourceId,
          free.map(({ id }) => id),
        );
      }
      return free.length;
    });
  }

  /**
   * Forgets all but the latest `keep` tombstones of each source. An article without one counts as new
   * when it is listed again.
   *
   * @returns how many, at most `limit`
   */
  async forgetRemoved(keep: number, limit: number): Promise<number> {
    let removed = 0;
    for (const sourceId of await sourcesWithManyTombstones(this.database, keep, limit)) {
      removed += await deleteTombstones(this.database, sourceId, keep, limit - removed);
      if (removed === limit) {
        break;
      }
    }
    return removed;
  }
}

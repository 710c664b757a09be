import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import {
  buryArticles,
  deleteTombstones,
  expiredRevisions,
  expireLate,
  listHad,
  listUnlisted,
  lockSettled,
  lowestDelivered,
  nextFeeds,
  oldArticles,
  pendingSources,
  settledSources,
  skipTo,
  sourcesAfter,
  sourcesWithManyTombstones,
  usersBehind,
  usersWithLate,
  type FeedRange,
  type OldArticle,
  type SourceRevision,
  type UserToExpire,
} from './article-retention.sql.js';

/** Whose articles are read by one statement. */
const MOST_SOURCES = 500;

/**
 * Feeds of each source that are asked together whether they have an article: few at first, since most
 * articles that anyone has are had by many.
 */
const FIRST_FEEDS = 16;
const MOST_FEEDS = 4096;

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
      page = await sourcesAfter(this.database, page.at(-1)?.sourceId ?? 0, MOST_SOURCES);
      const ids = page.map(({ sourceId }) => sourceId);
      const delivered = await lowestDelivered(this.database, ids);
      const behind = page.filter(({ sourceId, rev }) => (delivered.get(sourceId) ?? rev) < rev);
      const expired =
        behind.length === 0 ? [] : await expiredRevisions(this.database, behind, keepDays);
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
      const free = page.length === 0 ? [] : await unreferenced(this.database, page);
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
      const free = (await lockSettled(tx, sourceId)) ? await unreferenced(tx, articles) : [];
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

/**
 * Those of the articles that are not listed any more, and neither delivered nor pending for anyone. In
 * this order: what is not pending any more is an item already.
 */
async function unreferenced(
  runner: SqlRunner,
  articles: readonly OldArticle[],
): Promise<OldArticle[]> {
  const unlisted = await listUnlisted(runner, articles);
  if (unlisted.length === 0) {
    return [];
  }
  const sourceIds = [...new Set(unlisted.map(({ sourceId }) => sourceId))];
  const delivered = await lowestDelivered(runner, sourceIds);
  const pendingFor = ({ sourceId, rev }: OldArticle) => (delivered.get(sourceId) ?? rev) < rev;
  return withoutHad(
    runner,
    unlisted.filter((article) => !pendingFor(article)),
  );
}

/** Those that no feed has. Asks ever more feeds, until each article is had by one or all were asked. */
async function withoutHad(
  runner: SqlRunner,
  articles: readonly OldArticle[],
): Promise<OldArticle[]> {
  const free: OldArticle[] = [];
  let rest = articles;
  const sourceIds = new Set(articles.map(({ sourceId }) => sourceId));
  let asked: FeedRange[] = Array.from(sourceIds, (id) => ({ sourceId: id, after: 0, upTo: 0 }));
  for (let size = FIRST_FEEDS; rest.length > 0; size = Math.min(size * FIRST_FEEDS, MOST_FEEDS)) {
    asked = await nextFeeds(runner, asked, size);
    const had = await listHad(runner, rest, asked);
    const unknown = rest.filter(({ id }) => !had.has(id));
    const last = new Map(asked.map(({ sourceId, upTo }) => [sourceId, upTo]));
    free.push(...unknown.filter(({ sourceId }) => last.get(sourceId) === null));
    rest = unknown.filter(({ sourceId }) => last.get(sourceId) !== null);
    const left = new Set(rest.map(({ sourceId }) => sourceId));
    asked = asked.filter(({ sourceId }) => left.has(sourceId));
  }
  return free;
}

import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import { ReaderIds } from '../reader/delivery/reader-ids.repository.js';
import { countAgain } from '../reader/delivery/kept-counts.sql.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import { SourcesRepository } from '../sources/sources.repository.js';
import type { NewSource } from '../sources/sources.sql.js';
import {
  deliverListed,
  findKnown,
  findLowestArticleId,
  hasFoldersOrFeeds,
  insertDocuments,
  insertFeeds,
  insertFolders,
  insertItems,
  listFolderNames,
  listFollowed,
  listListed,
  listMissing,
  listPubDates,
  listSourceKeys,
  listTakenIds,
  lockSources,
  noteLongestDocuments,
  raiseSequence,
  removeUnfollowedById,
  removeUnfollowedByKey,
  takeArticleIds,
  takeIds,
  upsertArticles,
  type ImportedArticle,
  type ImportedItems,
  type NumberedTable,
} from './imports.sql.js';

export type { ImportedArticle, ImportedItems } from './imports.sql.js';

/** The next id for articles that come before all others; rises with each. */
interface ArchiveIds {
  next: number;
}

/** A source of an import. */
export interface ImportedSource {
  readonly id: number;
  /** Followed by another user, so it has articles in the order of its fetches. */
  readonly isInUse: boolean;
}

const SOURCES_PER_STATEMENT = 500;
const ITEMS_PER_STATEMENT = 5_000;

/**
 * Writes the rows of another program with their ids, stamps and articles. Imported articles have
 * revision 0, below every revision of a fetch, so no subscription delivers them; their users get the
 * items directly.
 */
@Injectable()
export class ImportsRepository {
  constructor(
    private readonly database: Database,
    private readonly sources: SourcesRepository,
    private readonly ids: ReaderIds,
  ) {}

  /** @returns those of the ids that exist */
  async takenIds(table: NumberedTable, ids: readonly number[]): Promise<number[]> {
    return listTakenIds(this.database, table, ids);
  }

  /** Names of a user's folders, and keys of the user's sources in hexadecimal. */
  async whatReaderHas(userId: string): Promise<{ folderNames: Set<string>; urlKeys: Set<string> }> {
    const readerId = await this.ids.of(userId);
    if (readerId === null) {
      return { folderNames: new Set(), urlKeys: new Set() };
    }
    return {
      folderNames: new Set(await listFolderNames(this.database, readerId)),
      urlKeys: new Set(await listSourceKeys(this.database, readerId)),
    };
  }

  /**
   * Creates sources. Sources without a follower are replaced, so that nothing remains of an earlier
   * run or of former followers.
   *
   * @returns the sources by their key in hexadecimal
   */
  async createSources(sources: readonly NewSource[]): Promise<Map<string, ImportedSource>> {
    const created = new Map<string, ImportedSource>();
    for (let at = 0; at < sources.length; at += SOURCES_PER_STATEMENT) {
      const some = sources.slice(at, at + SOURCES_PER_STATEMENT);
      await this.database.transaction(async (tx) => {
        await removeUnfollowedByKey(
          tx,
          some.map(({ urlKey }) => urlKey),
        );
        const ids = await this.sources.createMany(tx, some);
        const followed = new Set(await listFollowed(tx, [...ids.values()]));
        for (const [key, id] of ids) {
          created.set(key, { id, isInUse: followed.has(id) });
        }
      });
    }
    return created;
  }

  /** Reserves `count` ids below all that exist. */
  async archiveIds(count: number): Promise<ArchiveIds> {
    return { next: (await findLowestArticleId(this.database)) - count };
  }

  /**
   * Writes articles in the given order, one per source and guid. Copies of an entry replace one another
   * until a fetch has brought it; after that they are ignored. Lists of one feed have the order of
   * article ids, so old entries of a source with articles get ids below those.
   *
   * @returns the id of each article, in the given order
   */
  async writeArticles(
    articles: readonly ImportedArticle[],
    archive: ArchiveIds,
  ): Promise<number[]> {
    const keyOf = ({ sourceId, article }: ImportedArticle) => `${sourceId}/${article.guidHash}`;
    const distinct = [...new Map(articles.map((article) => [keyOf(article), article])).values()];
    return this.database.transaction(async (tx) => {
      // As in every writer of articles, so that a concurrent fetch stores no duplicate of an entry.
      await lockSources(tx, [...new Set(articles.map(({ sourceId }) => sourceId))]);
      const known = new Map((await findKnown(tx, distinct)).map((one) => [one.key, one]));
      const count = distinct.filter((one) => !one.archived && !known.has(keyOf(one))).length;
      const fresh = (await takeArticleIds(tx, count)).values();
      const ids = new Map<string, number>();
      for (const one of distinct) {
        const newId = one.archived ? archive.next++ : undefined;
        const id = known.get(keyOf(one))?.id ?? newId ?? fresh.next().value;
        if (id === undefined) {
          throw new Error(`An article of source ${one.sourceId} got no id`);
        }
        ids.set(keyOf(one), id);
      }
      const idOf = (one: ImportedArticle) => ids.get(keyOf(one)) ?? 0;
      const written = distinct.filter((one) => known.get(keyOf(one))?.isImported !== false);
      await upsertArticles(tx, written, written.map(idOf));
      return articles.map(idOf);
    });
  }

  /**
   * Completes sources after their articles. For those that were never fetched, the newest articles
   * count as the publisher's current list.
   *
   * @param longest entries of the longest document, by source
   */
  async finishSources(longest: ReadonlyMap<number, number>): Promise<void> {
    await insertDocuments(this.database, longest);
    await noteLongestDocuments(this.database, longest);
  }

  /** Moves the sequences beyond ids that are about to be used. */
  async keepIdsFree(highestFolderId: number, highestFeedId: number): Promise<void> {
    await raiseSequence(this.database, 'folder', highestFolderId);
    await raiseSequence(this.database, 'subscription', highestFeedId);
  }

  async freshIds(table: NumberedTable, count: number): Promise<number[]> {
    return takeIds(this.database, table, count);
  }

  readonly hasAnything = hasFoldersOrFeeds;
  readonly createFolders = insertFolders;
  readonly createFeeds = insertFeeds;

  /** @param feedIds ids of subscriptions by the feed ids in `items` @returns how many were written */
  async createItems(
    tx: SqlRunner,
    reader: LockedReader,
    items: ImportedItems,
    feedIds: ReadonlyMap<number, number>,
  ): Promise<number> {
    for (let at = 0; at < items.ids.length; at += ITEMS_PER_STATEMENT) {
      const some = <Value>(column: readonly Value[]) => column.slice(at, at + ITEMS_PER_STATEMENT);
      const articleIds = some(items.articleIds);
      const pubDates = await listPubDates(tx, articleIds);
      await insertItems(tx, reader, {
        ids: some(items.ids),
        feedIds: some(items.feedIds).map((id) => feedIds.get(id) ?? id),
        articleIds,
        pubDates: articleIds.map((id) => pubDates.get(id) ?? 0),
        stamps: some(items.stamps),
        unread: some(items.unread),
        starred: some(items.starred),
      });
    }
    return items.ids.length;
  }

  /**
   * Delivers what publishers list now and the reader lacks, and moves the reader's counters.
   *
   * @param reached the counters of the imported items
   * @returns how many items were delivered
   */
  async finishReader(
    tx: SqlRunner,
    reader: LockedReader,
    reached: { readonly nextItemId: number; readonly lastModifiedMicros: number },
  ): Promise<number> {
    // Revisions before articles, whose lists they have, so that none is skipped.
    const feeds = await listListed(tx, reader.id);
    const listed = await listMissing(tx, reader.id, feeds);
    const pubDates = await listPubDates(
      tx,
      listed.map(({ articleId }) => articleId),
    );
    const missing = listed
      .flatMap((article) => {
        const pubDateSeconds = pubDates.get(article.articleId);
        return pubDateSeconds === undefined ? [] : [{ ...article, pubDateSeconds }];
      })
      .toSorted((a, b) => a.articleId - b.articleId);
    await deliverListed(
      tx,
      reader.id,
      feeds,
      missing,
      Math.max(reader.nextItemId, reached.nextItemId),
      Math.max(reader.stampMicros, reached.lastModifiedMicros),
    );
    await countAgain(tx, reader.id);
    return missing.length;
  }

  /** Removes sources that were created for users who then were not imported. */
  async removeUnfollowed(sourceIds: readonly number[]): Promise<void> {
    await removeUnfollowedById(this.database, sourceIds);
  }
}

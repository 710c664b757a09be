import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import { countAgain } from '../reader/delivery/kept-counts.sql.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import { SourcesRepository, type NewSource } from '../sources/sources.repository.js';
import {
  deliverListed,
  findKnown,
  insertItems,
  listListed,
  listMissing,
  listPubDates,
  upsertArticles,
  type ImportedArticle,
  type ImportedFeed,
  type ImportedItems,
} from './imports.sql.js';

export type { ImportedArticle, ImportedItems };

/** The next id for articles that come before all others; rises with each. */
interface ArchiveIds {
  next: number;
}

export interface ImportedSource {
  readonly id: number;
  /** Followed by another user, so it has articles in the order of its fetches. */
  readonly isInUse: boolean;
}

const SOURCES_PER_STATEMENT = 500;
const ITEMS_PER_STATEMENT = 5_000;

/** The tables whose ids an import may keep. */
type NumberedTable = 'folder' | 'subscription';

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
  ) {}

  /** @returns the ids that exist */
  async takenIds(table: NumberedTable, ids: readonly number[]): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      `select id from ${table} where id = any($1::bigint[]) order by id`,
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Names of a user's folders, and keys of the user's sources in hexadecimal. */
  async whatReaderHas(
    readerId: number,
  ): Promise<{ folderNames: Set<string>; urlKeys: Set<string> }> {
    const folders = await this.database.query<{ name: string }>(
      'select folder.name from folder where folder.reader_id = $1',
      [readerId],
    );
    const feeds = await this.database.query<{ urlKey: string }>(
      `select encode(source.url_key, 'hex') as "urlKey"
         from subscription s
         join source on source.id = s.source_id
        where s.reader_id = $1`,
      [readerId],
    );
    return {
      folderNames: new Set(folders.map(({ name }) => name)),
      urlKeys: new Set(feeds.map(({ urlKey }) => urlKey)),
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
        await tx.query(
          `delete from source where url_key = any($1::bytea[])
              and not exists (select 1 from follower where source_id = source.id)
              and not exists (select 1 from group_folder_feed where source_id = source.id)`,
          [some.map(({ urlKey }) => urlKey)],
        );
        const ids = await this.sources.createMany(some, tx);
        const rows = await tx.query<{ id: number }>(
          'select distinct source_id as id from follower where source_id = any($1::bigint[])',
          [[...ids.values()]],
        );
        const followed = new Set(rows.map(({ id }) => id));
        for (const [key, id] of ids) {
          created.set(key, { id, isInUse: followed.has(id) });
        }
      });
    }
    return created;
  }

  /** Reserves `count` ids below all that exist. */
  async archiveIds(count: number): Promise<ArchiveIds> {
    const [row] = await this.database.query<{ lowest: number }>(
      'select least(coalesce(min(id), 1), 1) as lowest from article',
    );
    return { next: (row?.lowest ?? 1) - count };
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
      // By id, so that two writers cannot deadlock.
      await tx.query('select 1 from source where id = any($1::bigint[]) order by id for update', [
        [...new Set(articles.map(({ sourceId }) => sourceId))],
      ]);
      const known = new Map((await findKnown(distinct, tx)).map((one) => [one.key, one]));
      const count = distinct.filter((one) => !one.archived && !known.has(keyOf(one))).length;
      const fresh = (await this.freshIds('article', count, tx)).values();
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
      await upsertArticles(written, written.map(idOf), tx);
      return articles.map(idOf);
    });
  }

  /**
   * Completes sources after their articles. For sources that were never fetched, the newest articles count
   * as the publisher's current list; its empty hash makes the first fetch read the whole document.
   *
   * @param longest entries of the longest document, by source
   */
  async finishSources(longest: ReadonlyMap<number, number>): Promise<void> {
    const newest = await this.database.query<{ sourceId: number; articleIds: string }>(
      `select source_id as "sourceId", array_agg(id order by id desc)::text as "articleIds"
         from (select article.source_id, id, given.longest,
                      row_number() over (partition by article.source_id order by id desc) as place
                 from article
                 join unnest($2::bigint[], $3::int[]) as given (source_id, longest)
                   on given.source_id = article.source_id
                where article.source_id = any($1::bigint[])) ranked
        where place <= longest
        group by source_id`,
      [[...longest.keys()], [...longest.keys()], [...longest.values()]],
    );
    const idsOf = new Map(newest.map(({ sourceId, articleIds }) => [sourceId, articleIds]));
    await this.database.query(
      `insert into source_document (source_id, body_hash, article_ids)
       select source_id, ''::bytea, article_ids::bigint[]
         from unnest($1::bigint[], $2::text[]) as given (source_id, article_ids)
       on conflict (source_id) do nothing`,
      [[...longest.keys()], Array.from(longest.keys(), (id) => idsOf.get(id) ?? '{}')],
    );
    // Revision 0 makes the search index the imported articles.
    await this.database.query(
      `update source
          set largest_document = greatest(largest_document, given.longest),
              search_rev = case when search_rev is not null then -1 end, tokens_rev = -1
         from unnest($1::bigint[], $2::int[]) as given (source_id, longest)
        where source.id = given.source_id`,
      [[...longest.keys()], [...longest.values()]],
    );
  }

  /** Moves the sequences beyond ids that are about to be used. */
  async keepIdsFree(highestFolderId: number, highestFeedId: number): Promise<void> {
    await this.#raiseSequence('folder', highestFolderId);
    await this.#raiseSequence('subscription', highestFeedId);
  }

  async #raiseSequence(table: NumberedTable, highest: number): Promise<void> {
    await this.database.query(
      `select setval(pg_get_serial_sequence($1, 'id'),
                     greatest($2::bigint, nextval(pg_get_serial_sequence($1, 'id'))))`,
      [table, highest],
    );
  }

  /** @returns the next ids of the sequence of a table */
  async freshIds(
    table: NumberedTable | 'article',
    count: number,
    runner: SqlRunner = this.database,
  ): Promise<number[]> {
    const rows = await runner.query<{ id: number }>(
      `select nextval(pg_get_serial_sequence($1, 'id')) as id from generate_series(1, $2::int)`,
      [table, count],
    );
    return rows.map(({ id }) => id);
  }

  /** Whether a reader has any folder or feed, marked for deletion or not. */
  async hasAnything(readerId: number, tx: SqlRunner): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from folder where reader_id = $1
       union all select 1 from subscription where reader_id = $1 limit 1`,
      [readerId],
    );
    return rows.length > 0;
  }

  async createFolders(
    readerId: number,
    folders: readonly { readonly id: number; readonly name: string }[],
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `insert into folder (id, reader_id, name) overriding system value
       select id, $1, name from unnest($2::bigint[], $3::text[]) as given (id, name)`,
      [readerId, folders.map(({ id }) => id), folders.map(({ name }) => name)],
    );
  }

  /** Subscriptions that count as delivered up to the source's present revision. */
  async createFeeds(
    readerId: number,
    feeds: readonly ImportedFeed[],
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `insert into subscription
              (id, reader_id, source_id, folder_id, url, title, added_at, ordering, pinned, update_mode,
               full_text, delivered_rev)
       overriding system value
       select given.id, $1, source.id, given.folder_id, given.url, nullif(given.title, source.title),
              to_timestamp(given.added_seconds), given.ordering, given.pinned,
              given.update_mode, given.full_text, source.rev
         from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[],
                     $8::smallint[], $9::boolean[], $10::smallint[], $11::boolean[])
              as given (id, source_id, folder_id, url, title, added_seconds, ordering, pinned,
                        update_mode, full_text)
         join source on source.id = given.source_id`,
      [
        readerId,
        feeds.map(({ id }) => id),
        feeds.map(({ sourceId }) => sourceId),
        feeds.map(({ folderId }) => folderId),
        feeds.map(({ url }) => url),
        feeds.map(({ title }) => title),
        feeds.map(({ addedSeconds }) => addedSeconds),
        feeds.map(({ ordering }) => ordering),
        feeds.map(({ pinned }) => pinned),
        feeds.map(({ updateMode }) => updateMode),
        feeds.map(({ fullText }) => fullText),
      ],
    );
  }

  /** @param feedIds ids of subscriptions by the feed ids in `items` @returns how many were written */
  async createItems(
    reader: LockedReader,
    items: ImportedItems,
    feedIds: ReadonlyMap<number, number>,
    tx: SqlRunner,
  ): Promise<number> {
    for (let at = 0; at < items.ids.length; at += ITEMS_PER_STATEMENT) {
      const some = <Value>(column: readonly Value[]) => column.slice(at, at + ITEMS_PER_STATEMENT);
      const articleIds = some(items.articleIds);
      const pubDates = await listPubDates(tx, articleIds);
      await insertItems(
        reader,
        {
          ids: some(items.ids),
          feedIds: some(items.feedIds).map((id) => feedIds.get(id) ?? id),
          articleIds,
          pubDates: articleIds.map((id) => pubDates.get(id) ?? 0),
          stamps: some(items.stamps),
          unread: some(items.unread),
          starred: some(items.starred),
        },
        tx,
      );
    }
    return items.ids.length;
  }

  /**
   * Delivers currently listed articles that the reader lacks, and moves the reader's counters.
   *
   * @param reached the counters of the imported items
   * @returns how many items were delivered
   */
  async finishReader(
    reader: LockedReader,
    reached: { readonly nextItemId: number; readonly lastModifiedMicros: number },
    tx: SqlRunner,
  ): Promise<number> {
    // Reads revisions before articles, so that no article is skipped.
    const feeds = await listListed(reader.id, tx);
    const listed = await listMissing(reader.id, feeds, tx);
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
      reader.id,
      feeds,
      missing,
      Math.max(reader.nextItemId, reached.nextItemId),
      Math.max(reader.stampMicros, reached.lastModifiedMicros),
      tx,
    );
    await countAgain(reader.id, tx);
    return missing.length;
  }

  /** Removes sources that were created for users who then were not imported. */
  async removeUnfollowed(sourceIds: readonly number[]): Promise<void> {
    await this.database.query(
      `delete from source where id = any($1::bigint[])
          and not exists (select 1 from follower where source_id = source.id)
              and not exists (select 1 from group_folder_feed where source_id = source.id)`,
      [sourceIds],
    );
  }
}

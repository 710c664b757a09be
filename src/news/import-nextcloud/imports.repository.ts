import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import { ARTICLE_COLUMNS } from '../sources/articles/article-writes.sql.js';
import type { ArticleContent } from '../feed-parser/parsed-feed.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import { SourcesRepository } from '../sources/sources.repository.js';
import type { NewSource } from '../sources/sources.sql.js';

/** An imported article on its way in. */
export interface ImportedArticle {
  readonly sourceId: number;
  /** Goes before every article that the source has already. */
  readonly archived: boolean;
  readonly article: ArticleContent;
}

/** Ids for articles that go before all others, in ascending order. */
export interface ArchiveIds {
  next: number;
}

export interface ImportedFeed {
  readonly id: number;
  readonly sourceId: number;
  readonly folderId: number | null;
  readonly url: string;
  readonly title: string | null;
  readonly addedSeconds: number;
  readonly ordering: number;
  readonly pinned: boolean;
  /** Shows the text of the article's page in place of what the feed says. */
  readonly fullText: boolean;
  /** What a changed article does to the flag unread: 0 leaves it, 1 sets it. */
  readonly updateMode: number;
}

/** Items as columns of equal length. */
export interface ImportedItems {
  readonly ids: readonly number[];
  readonly feedIds: readonly number[];
  readonly articleIds: readonly number[];
  readonly stamps: readonly number[];
  readonly unread: readonly boolean[];
  readonly starred: readonly boolean[];
}

const SOURCES_PER_STATEMENT = 500;
const ITEMS_PER_STATEMENT = 5_000;

/**
 * Writes what was collected by another program: rows with ids, stamps and articles of their own.
 *
 * Imported articles have revision 0, below whatever a fetch writes, so no subscription is ever
 * delivered one; users get theirs as items directly.
 */
@Injectable()
export class ImportsRepository {
  constructor(
    private readonly database: Database,
    private readonly sources: SourcesRepository,
  ) {}

  /** Of these, the ids of folders that exist. */
  async takenFolderIds(ids: readonly number[]): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      'select id from folder where id = any($1::bigint[]) order by id',
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Of these, the ids of subscriptions that exist. */
  async takenFeedIds(ids: readonly number[]): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      'select id from subscription where id = any($1::bigint[]) order by id',
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Names of folders, and keys of followed sources in hexadecimal. */
  async whatReaderHas(userId: string): Promise<{ folderNames: Set<string>; urlKeys: Set<string> }> {
    const folders = await this.database.query<{ name: string }>(
      `select folder.name from folder join reader on reader.id = folder.reader_id
        where reader.user_id = $1`,
      [userId],
    );
    const feeds = await this.database.query<{ urlKey: string }>(
      `select encode(source.url_key, 'hex') as "urlKey"
         from subscription s
         join reader on reader.id = s.reader_id
         join source on source.id = s.source_id
        where reader.user_id = $1`,
      [userId],
    );
    return {
      folderNames: new Set(folders.map(({ name }) => name)),
      urlKeys: new Set(feeds.map(({ urlKey }) => urlKey)),
    };
  }

  /**
   * Creates sources. Those that nobody follows are created anew, so that nothing of an earlier run
   * or of a former follower is in the way.
   *
   * @returns by the hexadecimal form of the key; in use are sources that somebody follows
   */
  async createSources(
    sources: readonly NewSource[],
  ): Promise<Map<string, { id: number; isInUse: boolean }>> {
    const created = new Map<string, { id: number; isInUse: boolean }>();
    for (let at = 0; at < sources.length; at += SOURCES_PER_STATEMENT) {
      const some = sources.slice(at, at + SOURCES_PER_STATEMENT);
      await this.database.transaction(async (tx) => {
        await tx.query(
          `delete from source where url_key = any($1::bytea[])
              and not exists (select from subscription where source_id = source.id)`,
          [some.map(({ urlKey }) => urlKey)],
        );
        const ids = await this.sources.createMany(tx, some);
        const inUse = await tx.query<{ id: number }>(
          'select distinct source_id as id from subscription where source_id = any($1::bigint[])',
          [[...ids.values()]],
        );
        const followed = new Set(inUse.map(({ id }) => id));
        for (const [key, id] of ids) {
          created.set(key, { id, isInUse: followed.has(id) });
        }
      });
    }
    return created;
  }

  /** Room for `count` ids below all that exist. */
  async archiveIds(count: number): Promise<ArchiveIds> {
    const [row] = await this.database.query<{ lowest: number }>(
      'select least(coalesce(min(id), 1), 1) as lowest from article',
    );
    return { next: (row?.lowest ?? 1) - count };
  }

  /**
   * Writes articles in the order given, one per source and guid. Copies of the same entry replace
   * one another until a fetch has brought it; what a fetch brought stays.
   *
   * Lists of one feed are in the order of articles, so old entries of a source that has articles
   * get ids below those.
   *
   * @returns the id of each article in the order given
   */
  async writeArticles(
    articles: readonly ImportedArticle[],
    archive: ArchiveIds,
  ): Promise<number[]> {
    const keyOf = ({ sourceId, article }: ImportedArticle) => `${sourceId}/${article.guidHash}`;
    const newest = new Map(articles.map((article) => [keyOf(article), article]));
    const sourceIds = [...new Set(articles.map(({ sourceId }) => sourceId))];
    return this.database.transaction(async (tx) => {
      // As every writer of articles: a fetch that found an entry new must not be overtaken.
      await tx.query('select 1 from source where id = any($1::bigint[]) order by id for update', [
        sourceIds,
      ]);
      await upsert(tx, [...newest.values()], archive);
      const rows = await tx.query<{ id: number; key: string }>(
        `select article.id, article.source_id || '/' || encode(article.guid_hash, 'hex') as key
           from unnest($1::bigint[], $2::bytea[]) as given (source_id, guid_hash)
           join article using (source_id, guid_hash)`,
        [
          [...newest.values()].map(({ sourceId }) => sourceId),
          [...newest.values()].map(({ article }) => Buffer.from(article.guidHash, 'hex')),
        ],
      );
      const ids = new Map(rows.map(({ id, key }) => [key, id]));
      return articles.map((article) => {
        const id = ids.get(keyOf(article));
        if (id === undefined) {
          throw new Error(`An article of source ${article.sourceId} was not written`);
        }
        return id;
      });
    });
  }

  /**
   * Finishes sources after their articles. For those that were never fetched, takes the newest
   * articles for what the publisher lists, until it is asked; the empty hash makes the first fetch
   * read the whole document.
   *
   * @param longest entries of the longest document, by source
   */
  async finishSources(longest: ReadonlyMap<number, number>): Promise<void> {
    const given = [[...longest.keys()], [...longest.values()]];
    await this.database.query(
      `insert into source_document (source_id, body_hash, article_ids)
       select given.source_id, ''::bytea,
              array(select id from article where article.source_id = given.source_id
                     order by id desc limit given.longest)
         from unnest($1::bigint[], $2::int[]) as given (source_id, longest)
       on conflict (source_id) do nothing`,
      given,
    );
    await this.database.query(
      // The search looks for articles above the revision it has reached, and these have 0.
      `update source
          set largest_document = greatest(largest_document, given.longest), search_rev = -1
         from unnest($1::bigint[], $2::int[]) as given (source_id, longest)
        where source.id = given.source_id`,
      given,
    );
  }

  /** Moves the counters beyond ids that are about to be used. */
  async keepIdsFree(highestFolderId: number, highestFeedId: number): Promise<void> {
    for (const [table, highest] of [
      ['folder', highestFolderId],
      ['subscription', highestFeedId],
    ] as const) {
      await this.database.query(
        `select setval(pg_get_serial_sequence($1, 'id'),
                       greatest($2::bigint, nextval(pg_get_serial_sequence($1, 'id'))))`,
        [table, highest],
      );
    }
  }

  async freshIds(table: 'folder' | 'subscription', count: number): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      `select nextval(pg_get_serial_sequence($1, 'id')) as id from generate_series(1, $2::int)`,
      [table, count],
    );
    return rows.map(({ id }) => id);
  }

  async hasAnything(tx: SqlRunner, readerId: number): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from folder where reader_id = $1
       union all select 1 from subscription where reader_id = $1 limit 1`,
      [readerId],
    );
    return rows.length > 0;
  }

  async createFolders(
    tx: SqlRunner,
    readerId: number,
    folders: readonly { readonly id: number; readonly name: string }[],
  ): Promise<void> {
    await tx.query(
      `insert into folder (id, reader_id, name) overriding system value
       select id, $1, name from unnest($2::bigint[], $3::text[]) as given (id, name)`,
      [readerId, folders.map(({ id }) => id), folders.map(({ name }) => name)],
    );
  }

  async createFeeds(
    tx: SqlRunner,
    readerId: number,
    feeds: readonly ImportedFeed[],
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

  /** @param feedIds ids of subscriptions by those in `items` @returns how many were written */
  async createItems(
    tx: SqlRunner,
    readerId: number,
    items: ImportedItems,
    feedIds: ReadonlyMap<number, number>,
  ): Promise<number> {
    for (let at = 0; at < items.ids.length; at += ITEMS_PER_STATEMENT) {
      const some = <Value>(column: readonly Value[]) => column.slice(at, at + ITEMS_PER_STATEMENT);
      await tx.query(
        `insert into item (reader_id, id, subscription_id, article_id, last_modified_micros, unread, starred)
         select $1, given.* from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
                                        $6::boolean[], $7::boolean[]) as given`,
        [
          readerId,
          some(items.ids),
          some(items.feedIds).map((id) => feedIds.get(id) ?? id),
          some(items.articleIds),
          some(items.stamps),
          some(items.unread),
          some(items.starred),
        ],
      );
    }
    return items.ids.length;
  }

  /**
   * Delivers what publishers list today and the user does not have, since others followed them
   * meanwhile, and moves the user's counters. One statement and so one snapshot, as in
   * `DeliveriesRepository.deliver`.
   *
   * @returns how many items were delivered
   */
  async finishReader(
    tx: SqlRunner,
    reader: LockedReader,
    reached: { readonly nextItemId: number; readonly lastModifiedMicros: number },
  ): Promise<number> {
    const nextItemId = Math.max(reader.nextItemId, reached.nextItemId);
    const stampMicros = Math.max(reader.stampMicros, reached.lastModifiedMicros);
    const [delivered] = await tx.query<{ count: number }>(
      `with followed as (
         select s.id as subscription_id, source.id as source_id, source.rev
           from subscription s join source on source.id = s.source_id where s.reader_id = $1
       ), missing as (
         select $2::bigint + row_number() over (order by article.id) - 1 as id,
                followed.subscription_id, article.id as article_id
           from followed
           join source_document document on document.source_id = followed.source_id
                                        and document.body_hash <> ''::bytea
           cross join unnest(document.article_ids) as listed (id)
           join article on article.id = listed.id
          where not exists (select from item where item.subscription_id = followed.subscription_id
                                               and item.article_id = article.id)
       ), inserted as (
         insert into item (reader_id, id, subscription_id, article_id, last_modified_micros, unread)
         select $1, id, subscription_id, article_id, $3, true from missing order by id
         returning id
       ), marked as (
         update subscription set delivered_rev = followed.rev
           from followed where subscription.id = followed.subscription_id
       )
       update reader
          set next_item_id = $2 + (select count(*) from inserted),
              last_modified_micros = case when exists (select from inserted) then $3
                                          else greatest(last_modified_micros, $4) end
        where id = $1
       returning (select count(*) from inserted)::int as count`,
      [reader.id, nextItemId, stampMicros, reached.lastModifiedMicros],
    );
    return delivered?.count ?? 0;
  }

  /** Takes back sources that were created for users who then were not imported. */
  async removeUnfollowed(sourceIds: readonly number[]): Promise<void> {
    await this.database.query(
      `delete from source where id = any($1::bigint[])
          and not exists (select from subscription where source_id = source.id)`,
      [sourceIds],
    );
  }
}

async function upsert(
  tx: SqlRunner,
  articles: readonly ImportedArticle[],
  archive: ArchiveIds,
): Promise<void> {
  const bytes = (hex: string) => Buffer.from(hex, 'hex');
  const column = <Value>(value: (article: ArticleContent) => Value) =>
    articles.map(({ article }) => value(article));
  await tx.query(
    `with given as (
       select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bytea[], $5::bytea[], $6::bytea[],
                            $7::text[], $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::text[],
                            $13::text[], $14::text[], $15::text[], $16::boolean[], $17::text[])
              with ordinality as given (id, source_id, ${ARTICLE_COLUMNS.join(', ')}, html, place)
     ), written as (
       insert into article as known (id, source_id, first_rev, rev, ${ARTICLE_COLUMNS.join(', ')})
       overriding system value
       select coalesce(given.id, nextval(pg_get_serial_sequence('article', 'id'))), source_id, 0, 0,
              ${ARTICLE_COLUMNS.map((name) => `given.${name}`).join(', ')}
         from (select * from given order by place) given
       on conflict (source_id, guid_hash) do update
          set ${ARTICLE_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}
        where known.rev = 0
       returning known.id, known.source_id, known.guid_hash
     )
     insert into article_body (article_id, html)
     select written.id, given.html from written join given using (source_id, guid_hash)
     on conflict (article_id) do update set html = excluded.html`,
    [
      articles.map(({ archived }) => (archived ? archive.next++ : null)),
      articles.map(({ sourceId }) => sourceId),
      column(({ guid }) => guid),
      column(({ guidHash }) => bytes(guidHash)),
      column(({ fingerprint }) => bytes(fingerprint)),
      column(({ contentHash }) => bytes(contentHash)),
      column(({ title }) => title),
      column(({ author }) => author),
      column(({ url }) => url),
      column(({ pubDateSeconds }) => pubDateSeconds),
      column(({ updatedDateSeconds }) => updatedDateSeconds),
      column(({ enclosureMime }) => enclosureMime),
      column(({ enclosureLink }) => enclosureLink),
      column(({ mediaThumbnail }) => mediaThumbnail),
      column(({ mediaDescription }) => mediaDescription),
      column(({ rtl }) => rtl),
      column(({ body }) => body),
    ],
  );
}

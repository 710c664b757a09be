import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import type { ArticleExtras } from '../feed-parser/items/extras.js';
import type { Place } from '../query/query.js';
import { cutToChunk, itemsByIds } from '../reader/items/item-list.sql.js';
import { OPENING_CHARACTERS } from '../reader/rows/opening.js';
import { isPublicSource, IS_PRIVATE, type SourceSecrets } from '../sources/is-public-source.js';
import { ArticleEntity } from '../tables/article.entity.js';

const ARTICLE = selectList(ArticleEntity, 'article', [
  'guid',
  'title',
  'url',
  'author',
  'pubDateSeconds',
  'updatedDateSeconds',
  'rtl',
  'enclosureMime',
  'enclosureLink',
  'sourceId',
]);

/** An article that is published. */
export type PublishedArticle = RowOf<typeof ARTICLE> & {
  /** Of the item. */
  readonly id: number;
  /** HTML; the whole, or its beginning. */
  readonly body: string | null;
  readonly extras: ArticleExtras | null;
};

/** A source, without what it has of its own readers. */
export interface PublicSource {
  readonly title: string;
  /** The website; null if it has none. */
  readonly link: string | null;
}

/** What published lists contain, of one reader. */
@Injectable()
export class ListContentsRepository {
  constructor(private readonly database: Database) {}

  /** The feeds of the reader, each with whether its articles may be published. */
  async feeds(readerId: number) {
    const feeds = await this.database.query<
      SourceSecrets & {
        readonly id: number;
        readonly folderId: number | null;
        readonly sourceId: number;
      }
    >(
      `select s.id, s.folder_id as "folderId", s.source_id as "sourceId", source.url, ${IS_PRIVATE}
         from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and s.deleted_at is null`,
      [readerId],
    );
    return feeds.map(({ id, folderId, sourceId, ...source }) => ({
      id,
      folderId,
      sourceId,
      isPublic: isPublicSource(source),
    }));
  }

  /** Of these sources those whose articles may be published, by id. @param board the source of one that is published */
  async publicSources(
    ids: readonly number[],
    board: number | null = null,
  ): Promise<ReadonlyMap<number, PublicSource>> {
    const sources = await this.database.query<
      SourceSecrets & PublicSource & { readonly id: number }
    >(`select id, title, link, url, ${IS_PRIVATE} from source where id = any($1::bigint[])`, [
      [...new Set(ids)],
    ]);
    return new Map(
      sources
        .filter((source) => source.id === board || isPublicSource(source))
        .map(({ id, title, link }) => [id, { title, link }]),
    );
  }

  /** The boards of the groups of a user. */
  async boards(userId: string) {
    return this.database.query<Place & { readonly sourceId: number }>(
      `select board.id, source.title as name, board.source_id as "sourceId"
         from account_group_member member
         join group_folder folder on folder.group_id = member.group_id
         join group_folder_feed feed on feed.folder_id = folder.id
         join board on board.feed_id = feed.id
         join source on source.id = board.source_id
        where member.user_id = $1`,
      [userId],
    );
  }

  /** Those of these entries that are still on the board. */
  async entriesOn(boardId: number, entryIds: readonly number[]): Promise<ReadonlySet<number>> {
    const rows = await this.database.query<{ id: number }>(
      'select id from board_entry where board_id = $1 and id = any($2::bigint[])',
      [boardId, entryIds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Those of these items that neither a rule hides nor a filter has marked read. */
  async shown(readerId: number, itemIds: readonly number[]): Promise<ReadonlySet<number>> {
    const rows = await this.database.query<{ id: number }>(
      `select id from item
        where reader_id = $1 and id = any($2::bigint[]) and not filtered
          and id not in (select item_id from item_mark where reader_id = $1 and hidden)`,
      [readerId, itemIds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The sources of the articles of items, by the item. */
  async sourceIds(
    readerId: number,
    itemIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    const columns = 'item.id, article.source_id as "sourceId"';
    const { sql, params } = itemsByIds(readerId, itemIds, 'desc', columns);
    const rows = await this.database.query<{ id: number; sourceId: number }>(sql, params);
    return new Map(rows.map(({ id, sourceId }) => [id, sourceId]));
  }

  /** Newest first. With whole texts, as many as have a megabyte, and at least one. */
  async articles(
    readerId: number,
    itemIds: readonly number[],
    fullText: boolean,
  ): Promise<PublishedArticle[]> {
    const body = fullText ? 'article.html' : `left(article.html, ${OPENING_CHARACTERS})`;
    const columns = `item.id, ${ARTICLE}, article.extras, ${body} as body`;
    const { sql, params } = itemsByIds(readerId, itemIds, 'desc', columns);
    return this.database.query<PublishedArticle>(
      `${cutToChunk(sql, 'desc')} order by id desc`,
      params,
    );
  }

  /** What the reader has noted about items, with the words that it is about; by the item, in the order of the text. */
  async notes(readerId: number, itemIds: readonly number[]) {
    const rows = await this.database.query<{ itemId: number; exact: string; note: string }>(
      `select item_id as "itemId", exact, note from item_highlight
        where reader_id = $1 and item_id = any($2::bigint[]) and note is not null
        order by item_id, position, id`,
      [readerId, itemIds],
    );
    return Map.groupBy(rows, ({ itemId }) => itemId);
  }
}

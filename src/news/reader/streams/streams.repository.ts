import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import type { ArticleExtras } from '../../feed-parser/items/extras.js';
import { ArticleEntity } from '../../tables/article.entity.js';
import { ItemEntity } from '../../tables/item.entity.js';
import { newestArrivals } from '../items/arrivals.sql.js';
import { idsInSteps, inChunks, type ChunkEnd } from '../items/item-chunks.sql.js';
import { cutToChunk, itemsByIds } from '../items/item-list.sql.js';
import type { StreamEnclosure, StreamItem, StreamPage, StreamSelection } from './stream.js';
import { findSurroundings, pickedIds, streamIds } from './streams.sql.js';

const ITEM = selectList(ItemEntity, 'item', [
  'id',
  'unread',
  'starred',
  'arrivedMicros',
  'lastModifiedMicros',
]);
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
]);

const COLUMNS = `${ITEM}, ${ARTICLE}, item.subscription_id as "feedId", article.html as body, article.extras,
  item.labels`;

type StreamRow = ChunkEnd &
  RowOf<typeof ITEM> &
  RowOf<typeof ARTICLE> & {
    readonly feedId: number;
    readonly body: string | null;
    readonly extras: ArticleExtras | null;
    readonly labels: readonly string[] | null;
  };

/** Streams of one reader's items. */
@Injectable()
export class StreamsRepository {
  constructor(private readonly database: Database) {}

  /** The ids of a page, in batches. */
  async *ids(
    readerId: number,
    selection: StreamSelection,
    page: StreamPage,
  ): AsyncGenerator<readonly number[]> {
    const surroundings = await findSurroundings(readerId, selection, this.database);
    yield* idsInSteps(this.database, page.limit, page.after, (limit, after) =>
      streamIds(readerId, selection, { ...page, limit, after }, surroundings),
    );
  }

  /** The items of a page, in chunks. */
  async *contents(
    readerId: number,
    selection: StreamSelection,
    page: StreamPage,
  ): AsyncGenerator<readonly StreamItem[]> {
    for await (const ids of this.ids(readerId, selection, page)) {
      yield* this.#chunks(readerId, ids, page.oldestFirst ? 'asc' : 'desc');
    }
  }

  /** Chunks, newest first; ids that the reader does not have are omitted. */
  named(readerId: number, itemIds: readonly number[]): AsyncIterable<readonly StreamItem[]> {
    const newestFirst = [...new Set(itemIds)].sort((a, b) => b - a);
    return this.#chunks(readerId, newestFirst, 'desc');
  }

  async count(readerId: number, selection: StreamSelection): Promise<number> {
    const surroundings = await findSurroundings(readerId, selection, this.database);
    const params: (string | number)[] = [readerId];
    const picked = pickedIds(params, selection, null, surroundings);
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from (${picked}) picked`,
      params,
    );
    return row?.count ?? 0;
  }

  /** @returns by feed the arrival of its newest item, unix microseconds */
  async newestArrivals(readerId: number): Promise<ReadonlyMap<number, number>> {
    const { sql, params } = newestArrivals(readerId);
    const rows = await this.database.query<{ feedId: number; micros: number }>(sql, params);
    return new Map(rows.map(({ feedId, micros }) => [feedId, micros]));
  }

  async *#chunks(
    readerId: number,
    itemIds: readonly number[],
    direction: 'asc' | 'desc',
  ): AsyncGenerator<readonly StreamItem[]> {
    const { database } = this;
    const read = async function* (some: readonly number[]) {
      const { sql, params } = itemsByIds(readerId, some, direction, COLUMNS);
      const chunk = `${cutToChunk(sql, direction)} order by id ${direction}`;
      yield await database.query<StreamRow>(chunk, params);
    };
    for await (const rows of inChunks(itemIds, read, (row) => row)) {
      yield rows.map(toStreamItem);
    }
  }
}

function toStreamItem({
  enclosureLink,
  enclosureMime,
  extras,
  labels,
  body,
  bytesSoFar,
  ...item
}: StreamRow): StreamItem {
  return {
    ...item,
    labels: labels ?? [],
    body: body ?? '',
    tags: extras?.tags ?? [],
    enclosures: enclosuresOf(enclosureLink, enclosureMime, extras?.media ?? []),
  };
}

/** @param media all files if there are others than the main one, otherwise none */
function enclosuresOf(
  link: string | null,
  mime: string | null,
  media: readonly StreamEnclosure[],
): StreamEnclosure[] {
  const all = media.map(({ url, mime, length }) => ({ url, mime, length }));
  if (link === null) {
    return all;
  }
  const main = all.find(({ url }) => url === link) ?? { url: link, mime, length: null };
  return [{ ...main, mime: mime ?? main.mime }, ...all.filter(({ url }) => url !== link)];
}

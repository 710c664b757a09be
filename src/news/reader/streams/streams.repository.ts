import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { ReaderIds } from '../delivery/reader-ids.repository.js';
import type { Statement } from '../../../database/statement.js';
import { BY_INDEX } from '../items/item-list.sql.js';
import { newestArrivals, type NewestArrival } from '../items/arrivals.sql.js';
import type { StreamEnclosure, StreamItem, StreamPage, StreamSelection } from './stream.js';
import {
  findSurroundings,
  namedContents,
  streamContents,
  streamCount,
  streamIds,
  type StreamRow,
} from './streams.sql.js';

/** Bodies may be long; the pages of all requests together must fit into memory. */
const ROWS_PER_READ = 50;

/** Streams of one reader's items. */
@Injectable()
export class StreamsRepository {
  constructor(
    private readonly database: Database,
    private readonly readerIds: ReaderIds,
  ) {}

  async *ids(
    readerId: number,
    selection: StreamSelection,
    page: StreamPage,
  ): AsyncGenerator<readonly number[]> {
    const surroundings = await findSurroundings(this.database, readerId, selection);
    const statement = streamIds(readerId, selection, page, surroundings);
    for await (const rows of this.database.copy(statement, BY_INDEX)) {
      yield rows.map(([id]) => Number(id));
    }
  }

  async *contents(
    readerId: number,
    selection: StreamSelection,
    page: StreamPage,
  ): AsyncGenerator<readonly StreamItem[]> {
    const surroundings = await findSurroundings(this.database, readerId, selection);
    yield* this.#items(streamContents(readerId, selection, page, surroundings));
  }

  /** Newest first; ids that the reader does not have are left out. */
  named(readerId: number, itemIds: readonly number[]): AsyncIterable<readonly StreamItem[]> {
    return this.#items(namedContents(readerId, itemIds));
  }

  async count(readerId: number, selection: StreamSelection): Promise<number> {
    const surroundings = await findSurroundings(this.database, readerId, selection);
    const { sql, params } = streamCount(readerId, selection, surroundings);
    const [row] = await this.database.query<{ count: number }>(sql, params);
    return row?.count ?? 0;
  }

  /** @returns by feed the arrival of its newest item, unix microseconds */
  async newestArrivals(userId: string): Promise<ReadonlyMap<number, number>> {
    const readerId = await this.readerIds.of(userId);
    if (readerId === null) {
      return new Map();
    }
    const { sql, params } = newestArrivals(readerId);
    const rows = await this.database.query<NewestArrival>(sql, params);
    return new Map(rows.map(({ feedId, micros }) => [feedId, micros]));
  }

  async *#items({ sql, params }: Statement): AsyncGenerator<readonly StreamItem[]> {
    for await (const rows of this.database.stream<StreamRow>(sql, params, ROWS_PER_READ)) {
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

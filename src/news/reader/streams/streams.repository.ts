import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { StreamItem, StreamPage, StreamSelection } from './stream.js';
import { countStream, listNewestArrivals, listStreamIds, listStreamItems } from './streams.sql.js';

/** Streams of one user's items. */
@Injectable()
export class StreamsRepository {
  constructor(private readonly database: Database) {}

  async ids(readerId: number, selection: StreamSelection, page: StreamPage): Promise<number[]> {
    return listStreamIds(this.database, readerId, selection, page);
  }

  async items(
    readerId: number,
    itemIds: readonly number[],
    oldestFirst: boolean,
  ): Promise<StreamItem[]> {
    return listStreamItems(this.database, readerId, itemIds, oldestFirst);
  }

  async count(readerId: number, selection: StreamSelection): Promise<number> {
    return countStream(this.database, readerId, selection);
  }

  async newestArrivals(readerId: number): Promise<Map<number, number>> {
    const rows = await listNewestArrivals(this.database, readerId);
    return new Map(rows.map(({ feedId, arrivedMicros }) => [feedId, arrivedMicros]));
  }
}

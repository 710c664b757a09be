import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { FIRST_PAGE_ROWS, rowsOfNextPage } from '../tree/page-rows.js';
import { findNodes, type FoundNode, type NodeSearch } from './search.sql.js';

@Injectable()
export class SearchRepository {
  constructor(private readonly database: Database) {}

  /** Yields pages of nodes. Concurrent changes may be missed or found twice. */
  async *find(
    search: NodeSearch,
    firstPageRows = FIRST_PAGE_ROWS,
  ): AsyncGenerator<FoundNode[], void, undefined> {
    const isById = search.order.length === 0;
    let rowsPerRead = firstPageRows;
    for (let found = 0, seen = 0, lastId = 0, full = true; full && found < search.limit;) {
      const limit = Math.min(rowsPerRead, search.limit - found);
      const page = { afterId: isById ? lastId : 0, offset: isById ? 0 : seen, limit };
      const rows = await findNodes(this.database, search, page);
      const attached = rows.filter((row) => row.attached);
      yield attached;
      found += attached.length;
      seen += rows.length;
      lastId = rows.at(-1)?.id ?? lastId;
      full = rows.length === limit;
      rowsPerRead = rowsOfNextPage(rows);
    }
  }
}

import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import {
  FIRST_PAGE_ROWS,
  rowsOfNextPage,
  MEMBER_COUNTS,
  NODE,
  NODE_PATH,
  type MemberCounts,
  type NodeWithPath,
  type StoredNode,
} from '../tree/nodes.sql.js';

/** Columns that a search compares and orders by. */
export type SearchField =
  | 'id'
  | 'name'
  | 'mime'
  | 'sizeBytes'
  | 'mtimeSeconds'
  | 'createdSeconds'
  | 'uploadedSeconds'
  | 'favorite';

export type Comparison = '=' | '<' | '>' | '<=' | '>=';

/** The `where` of a search. */
export type NodeCondition =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly NodeCondition[] }
  | { readonly kind: 'not'; readonly part: NodeCondition }
  | {
      readonly kind: 'compare';
      readonly field: SearchField;
      readonly comparison: Comparison;
      readonly value: string | number | boolean;
    }
  /** `%` matches any text, `_` one character; case-insensitive. */
  | { readonly kind: 'like'; readonly field: 'name' | 'mime'; readonly pattern: string }
  | { readonly kind: 'isFolder' };

export interface SearchOrder {
  readonly field: SearchField;
  readonly descending: boolean;
}

const COLUMN_OF: Readonly<Record<SearchField, string>> = {
  id: 'n.id',
  name: 'n.name',
  mime: 'n.mime',
  sizeBytes: 'n.size_bytes',
  mtimeSeconds: 'n.mtime_seconds',
  createdSeconds: 'n.created_seconds',
  uploadedSeconds: 'n.uploaded_seconds',
  favorite: 'n.favorite',
};

type FoundNode = NodeWithPath & MemberCounts;

/** A search below a folder, which is itself found only with `depth` 0. */
export interface NodeSearch {
  readonly folder: StoredNode;
  readonly depth: '0' | '1' | 'infinity';
  readonly condition: NodeCondition;
  readonly order: readonly SearchOrder[];
  /** Infinity for all. */
  readonly limit: number;
}

/** Ids of everything below the folder $2. */
const BELOW = `
  with recursive below as (
    select id from file_node where parent_id = $2
    union all
    select n.id from below join file_node n on n.parent_id = below.id
  )`;

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
      const rows = await this.#read(search, page);
      const attached = rows.filter((row) => row.attached);
      yield attached;
      found += attached.length;
      seen += rows.length;
      lastId = rows.at(-1)?.id ?? lastId;
      full = rows.length === limit;
      rowsPerRead = rowsOfNextPage(rows);
    }
  }

  /**
   * Reads every node in reach; looks up paths only for nodes on the page.
   *
   * @param page without an order pages follow `afterId`, otherwise they skip `offset` rows
   */
  async #read(
    { folder, depth, condition, order }: NodeSearch,
    page: { readonly afterId: number; readonly offset: number; readonly limit: number },
  ): Promise<(FoundNode & { readonly attached: boolean })[]> {
    const values: unknown[] = [folder.userId, folder.id];
    const wanted = conditionSql(condition, values);
    const ordered = orderSql(order);
    const [afterId, offset, limit] = [1, 2, 3].map((n) => `$${values.length + n}`);
    return this.database.query(
      `${depth === 'infinity' && folder.parentId !== null ? BELOW : ''}
       select ${NODE}, ${MEMBER_COUNTS}, place.*
         from (
           select * from file_node n
            where n.user_id = $1 and ${reachSql(folder, depth)} and ${wanted} and n.id > ${afterId}
            order by ${ordered} offset ${offset} limit ${limit}
         ) n ${NODE_PATH} order by ${ordered}`,
      [...values, page.afterId, page.offset, page.limit],
    );
  }
}

/** Condition for the user's nodes that a search covers; $2 is the folder. */
function reachSql(folder: StoredNode, depth: NodeSearch['depth']): string {
  switch (depth) {
    case '0':
      return 'n.id = $2';
    case '1':
      return 'n.parent_id = $2';
    case 'infinity':
      // Below the top folder is every other node of the user; no need to walk the tree.
      return folder.parentId === null ? 'n.id <> $2' : 'n.id in (select id from below)';
  }
}

/**
 * @param values parameters of the statement so far; the condition's are appended
 * @returns a SQL condition on the node `n`
 */
function conditionSql(condition: NodeCondition, values: unknown[]): string {
  switch (condition.kind) {
    case 'all':
    case 'any': {
      const parts = condition.parts.map((part) => conditionSql(part, values));
      return parts.length === 0
        ? String(condition.kind === 'all')
        : `(${parts.join(condition.kind === 'all' ? ' and ' : ' or ')})`;
    }
    case 'not':
      return `not ${conditionSql(condition.part, values)}`;
    case 'compare':
      return `${COLUMN_OF[condition.field]} ${condition.comparison} $${values.push(condition.value)}`;
    case 'like':
      // The column has a byte-wise collation, which knows upper and lower case of A to Z only.
      return (
        `${COLUMN_OF[condition.field]} collate "default"` +
        ` ilike $${values.push(condition.pattern)} escape ''`
      );
    case 'isFolder':
      return 'n.is_folder';
  }
}

/** Ends with the id, so that pages are stable. */
function orderSql(order: readonly SearchOrder[]): string {
  return [
    ...order.map(({ field, descending }) => `${COLUMN_OF[field]} ${descending ? 'desc' : 'asc'}`),
    'n.id',
  ].join(', ');
}

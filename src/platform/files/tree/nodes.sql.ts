import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FileNodeEntity } from '../tables/node.entity.js';

/** Columns of the node `n`. */
export const NODE = selectList(FileNodeEntity, 'n', [
  'id',
  'userId',
  'parentId',
  'name',
  'isFolder',
  'mime',
  'sizeBytes',
  'nodeCount',
  'etag',
  'mtimeSeconds',
  'createdSeconds',
  'uploadedSeconds',
  'favorite',
  'blobId',
  'checksum',
  'deadProperties',
]);

/** A file or folder in a user's tree. Detached trees, which have no user, are never read. */
export type StoredNode = RowOf<typeof NODE> & { readonly userId: string };

export interface NodeWithPath extends StoredNode {
  /** See `FilePath`. */
  readonly path: readonly string[];
  /** From the top folder down to the parent. */
  readonly ancestorIds: readonly number[];
}

/** Nodes directly inside a folder. */
export interface MemberCounts {
  readonly folders: number;
  readonly files: number;
}

export type CountedNode = StoredNode & Partial<MemberCounts>;

/** Properties that a client may change; absent ones keep their value. */
export type NodeChange = Partial<
  Pick<StoredNode, 'mtimeSeconds' | 'createdSeconds' | 'favorite' | 'deadProperties'>
>;

/** The columns that an upload writes. */
export type NewContent = Pick<
  StoredNode,
  'mime' | 'sizeBytes' | 'checksum' | 'mtimeSeconds' | 'uploadedSeconds'
> & { readonly blobId: string };

/** Change in the size of a subtree; negative when it shrinks. */
export interface TreeGrowth {
  readonly bytes: number;
  readonly nodes: number;
}

/** Counts of the members of the node `n`. */
export const MEMBER_COUNTS = `
  (select count(*) from file_node c where c.parent_id = n.id and c.is_folder) as folders,
  (select count(*) from file_node c where c.parent_id = n.id and not c.is_folder) as files`;

/**
 * Joins the path of the node `n`: names, ids of its ancestors (top first), and whether it is
 * attached, that is, reaches a user's top folder. Nodes of a tree that is being removed do not.
 */
export const NODE_PATH = `
  cross join lateral (
    with recursive up as (
      select n.id, n.parent_id, n.user_id, n.name, 0 as height
      union all
      select p.id, p.parent_id, p.user_id, p.name, up.height + 1
        from up join file_node p on p.id = up.parent_id
    )
    select coalesce(
             array_agg(up.name order by up.height desc) filter (where up.parent_id is not null), '{}'
           ) as path,
           coalesce(
             json_agg(up.id order by up.height desc) filter (where up.height > 0), '[]'
           ) as "ancestorIds",
           bool_or(up.parent_id is null and up.user_id is not null) as attached
      from up
  ) place`;

/** Deletes trees: one row per node. Content that nothing refers to any more is noted by a trigger. */
export async function deleteTrees(runner: SqlRunner, ids: readonly number[]): Promise<void> {
  await runner.query(
    `with recursive tree as (
       select id from file_node where id = any($1)
       union all
       select n.id from tree join file_node n on n.parent_id = tree.id
     )
     delete from file_node using tree where file_node.id = tree.id`,
    [ids],
  );
}

export const FIRST_PAGE_ROWS = 64;

const MOST_ROWS = 500;

const LEAST_ROWS = 8;

const PAGE_BYTES = 1_000_000;

/** Approximate size of a row without dead properties. */
const ROW_BYTES = 1000;

/** So many rows that the next page has about a megabyte; each node may have 64 KiB of dead properties. */
export function rowsOfNextPage(rows: readonly StoredNode[]): number {
  const bytes = rows.reduce(
    (sum, { deadProperties }) =>
      Object.values(deadProperties).reduce((ofNode, { length }) => ofNode + length, sum),
    rows.length * ROW_BYTES,
  );
  const fitting = Math.floor((PAGE_BYTES * rows.length) / Math.max(bytes, 1));
  return Math.min(MOST_ROWS, Math.max(LEAST_ROWS, fitting));
}

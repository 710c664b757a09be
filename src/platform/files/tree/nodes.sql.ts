import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FileNodeEntity } from './file-node.entity.js';
import type { FilePath } from './file-path.js';
import { propertyBytesOf } from './property-bytes.js';

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

/** A file or folder in a user's tree. Detached trees, which belong to nobody, are never read. */
export type StoredNode = RowOf<typeof NODE> & { readonly userId: string };

/** A node with its path. */
export interface NodeWithPath extends StoredNode {
  readonly path: FilePath;
  /** From the top folder down to the parent. */
  readonly ancestorIds: readonly number[];
}

/** Nodes directly inside a folder. */
export interface MemberCounts {
  readonly folders: number;
  readonly files: number;
}

export type CountedNode = StoredNode & Partial<MemberCounts>;

/** What a client may change; absent properties keep their value. */
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

/** The nodes along a path from the top folder down, as far as they exist. One index lookup each. */
export async function walkPath(
  runner: SqlRunner,
  userId: string,
  path: FilePath,
): Promise<StoredNode[]> {
  return runner.query<StoredNode>(
    `with recursive walk as (
       select id, 0 as depth from file_node where user_id = $1 and parent_id is null
       union all
       select n.id, walk.depth + 1
         from walk join file_node n
           on n.parent_id = walk.id and n.name = ($2::text[])[walk.depth + 1]
     )
     select ${NODE} from walk join file_node n on n.id = walk.id order by walk.depth`,
    [userId, path],
  );
}

/** Creates the user's top folder unless it exists. */
export async function ensureTopFolder(
  runner: SqlRunner,
  userId: string,
  mime: string,
  etag: string,
): Promise<void> {
  await runner.query(
    `insert into file_node (user_id, name, is_folder, mime, etag, mtime_seconds)
     select $1, '', true, $2, $3, floor(extract(epoch from now()))
      where not exists (select from file_node where user_id = $1 and parent_id is null)
     on conflict (user_id) where parent_id is null do nothing`,
    [userId, mime, etag],
  );
}

/** Serialises changes of one user's tree until the transaction ends. */
export async function lockTopFolder(runner: SqlRunner, userId: string): Promise<void> {
  await runner.query(
    'select from file_node where user_id = $1 and parent_id is null for no key update',
    [userId],
  );
}

/** Attached nodes with these ids, in no order. Walks from each node up to the top folder. */
export async function listNodesWithPaths(
  runner: SqlRunner,
  userId: string,
  ids: readonly number[],
): Promise<NodeWithPath[]> {
  return runner.query<NodeWithPath>(
    `select ${NODE}, place.* from file_node n ${NODE_PATH}
      where n.user_id = $1 and n.id = any($2) and place.attached`,
    [userId, ids],
  );
}

/**
 * A page of the members of a folder, by name. Uses file_node_parent_id_name_index.
 *
 * @param page.after name of the last member of the previous page; empty for the first page
 */
export async function listMembers(
  runner: SqlRunner,
  folder: Pick<StoredNode, 'id' | 'userId'>,
  page: { readonly after: string; readonly limit: number; readonly withCounts: boolean },
): Promise<CountedNode[]> {
  return runner.query<CountedNode>(
    `select ${NODE} ${page.withCounts ? `, ${MEMBER_COUNTS}` : ''}
       from file_node n where n.user_id = $1 and n.parent_id = $2 and n.name > $3
      order by n.name limit $4`,
    [folder.userId, folder.id, page.after, page.limit],
  );
}

/** Members of one folder; reads an index entry for each of them. */
export async function countMembers(
  runner: SqlRunner,
  folder: Pick<StoredNode, 'id' | 'userId'>,
): Promise<MemberCounts> {
  const [row] = await runner.query<MemberCounts>(
    `select ${MEMBER_COUNTS} from file_node n where n.user_id = $1 and n.id = $2`,
    [folder.userId, folder.id],
  );
  return row ?? { folders: 0, files: 0 };
}

/** All favorites of a user, by id. */
export async function listFavorites(
  runner: SqlRunner,
  userId: string,
): Promise<(NodeWithPath & MemberCounts)[]> {
  return runner.query<NodeWithPath & MemberCounts>(
    `select ${NODE}, ${MEMBER_COUNTS}, place.* from file_node n ${NODE_PATH}
      where n.user_id = $1 and n.favorite and place.attached order by n.id`,
    [userId],
  );
}

/** Inserts a file or a folder below `parent`. */
export async function insertNode(
  runner: SqlRunner,
  parent: Pick<StoredNode, 'id' | 'userId'>,
  node: Omit<NewContent, 'blobId'> & Pick<StoredNode, 'name' | 'isFolder' | 'etag' | 'blobId'>,
): Promise<StoredNode> {
  return only(
    await runner.query<StoredNode>(
      `insert into file_node as n (user_id, parent_id, name, is_folder, mime, size_bytes, etag,
         mtime_seconds, uploaded_seconds, blob_id, checksum)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${NODE}`,
      [
        parent.userId,
        parent.id,
        node.name,
        node.isFolder,
        node.mime,
        node.sizeBytes,
        node.etag,
        node.mtimeSeconds,
        node.uploadedSeconds,
        node.blobId,
        node.checksum,
      ],
    ),
  );
}

/** Points a file at other content. Its type follows its name and stays. */
export async function updateContent(
  runner: SqlRunner,
  file: StoredNode,
  content: NewContent,
  etag: string,
): Promise<StoredNode> {
  return only(
    await runner.query<StoredNode>(
      `update file_node n set size_bytes = $3, etag = $4, mtime_seconds = $5,
         uploaded_seconds = $6, blob_id = $7, checksum = $8
        where n.user_id = $1 and n.id = $2 returning ${NODE}`,
      [
        file.userId,
        file.id,
        content.sizeBytes,
        etag,
        content.mtimeSeconds,
        content.uploadedSeconds,
        content.blobId,
        content.checksum,
      ],
    ),
  );
}

/** @param etag set only when the modification time changes */
export async function updateNode(
  runner: SqlRunner,
  node: StoredNode,
  change: NodeChange,
  etag: string,
): Promise<StoredNode> {
  return only(
    await runner.query<StoredNode>(
      `update file_node n set
         mtime_seconds = coalesce($3, n.mtime_seconds),
         etag = case when $3::bigint is null then n.etag else $4 end,
         created_seconds = coalesce($5, n.created_seconds),
         favorite = coalesce($6, n.favorite),
         dead_properties = coalesce($7, n.dead_properties),
         property_bytes = coalesce($8, n.property_bytes)
        where n.user_id = $1 and n.id = $2 returning ${NODE}`,
      [
        node.userId,
        node.id,
        change.mtimeSeconds ?? null,
        etag,
        change.createdSeconds ?? null,
        change.favorite ?? null,
        change.deadProperties === undefined ? null : JSON.stringify(change.deadProperties),
        change.deadProperties === undefined ? null : propertyBytesOf(change.deadProperties),
      ],
    ),
  );
}

/** Moves a node, and with it everything below, to another parent. */
export async function updateParent(
  runner: SqlRunner,
  node: StoredNode,
  target: { readonly parentId: number; readonly name: string; readonly mime: string },
): Promise<StoredNode> {
  return only(
    await runner.query<StoredNode>(
      `update file_node n set parent_id = $3, name = $4, mime = $5
        where n.user_id = $1 and n.id = $2 returning ${NODE}`,
      [node.userId, node.id, target.parentId, target.name, target.mime],
    ),
  );
}

const SEQUENCE = `pg_get_serial_sequence('file_node', 'id')`;

/**
 * Copies a node and, unless `shallow`, everything below it: one row per node. Contents are shared,
 * since they never change. Copies are no favorites.
 */
export async function copyTree(
  runner: SqlRunner,
  node: StoredNode,
  target: { readonly parentId: number; readonly name: string; readonly mime: string },
  shallow: boolean,
): Promise<StoredNode> {
  const [{ newId } = { newId: 0 }] = await runner.query<{ newId: number }>(
    `with recursive tree as (
       select id, nextval(${SEQUENCE}) as new_id, $3::bigint as new_parent_id
         from file_node where user_id = $1 and id = $2
       union all
       select n.id, nextval(${SEQUENCE}), tree.new_id
         from tree join file_node n on n.parent_id = tree.id where not $6
     ),
     made as (
       insert into file_node (id, user_id, parent_id, name, is_folder, mime, size_bytes,
         node_count, etag, mtime_seconds, created_seconds, uploaded_seconds, blob_id, checksum,
         dead_properties, property_bytes)
       select tree.new_id, n.user_id, tree.new_parent_id,
              case when n.id = $2 then $4 else n.name end,
              n.is_folder,
              case when n.id = $2 then $5 else n.mime end,
              case when n.is_folder and $6 then 0 else n.size_bytes end,
              case when $6 then 0 else n.node_count end,
              md5(tree.new_id || n.etag), n.mtime_seconds, n.created_seconds,
              n.uploaded_seconds, n.blob_id, n.checksum, n.dead_properties,
              n.property_bytes
         from tree join file_node n on n.id = tree.id
     )
     select new_id as "newId" from tree where id = $2`,
    [node.userId, node.id, target.parentId, target.name, target.mime, shallow],
  );
  return only(
    await runner.query<StoredNode>(
      `select ${NODE} from file_node n where n.user_id = $1 and n.id = $2`,
      [node.userId, newId],
    ),
  );
}

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

/** Updates size, count, etag and time of a folder and all folders above it: one row per level. */
export async function updateAncestors(
  runner: SqlRunner,
  folderId: number,
  { bytes, nodes }: TreeGrowth,
  etag: string,
  nowSeconds: number,
): Promise<void> {
  await runner.query(
    `with recursive up as (
       select id, parent_id from file_node where id = $1
       union all
       select p.id, p.parent_id from up join file_node p on p.id = up.parent_id
     )
     update file_node n
        set size_bytes = n.size_bytes + $2, etag = $3,
            mtime_seconds = greatest(n.mtime_seconds, $4),
            node_count = greatest(n.node_count + $5, 0)
       from up where n.id = up.id`,
    [folderId, bytes, etag, nowSeconds, nodes],
  );
}

function only(rows: readonly StoredNode[]): StoredNode {
  const [row] = rows;
  if (row === undefined) {
    throw new Error('The file or folder was not saved');
  }
  return row;
}

import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Config } from '../../../common/config/config.js';
import { TooManyInProgress } from '../../../common/errors/too-many-in-progress.js';
import { FairTurns } from '../../../common/fair-turns.js';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { measureRows } from '../../../database/measure-rows.js';
import { FileNodeEntity } from '../tables/node.entity.js';
import { FOLDER_MIME } from './file-kinds.js';
import {
  assertExists,
  resolvePath,
  type ExistingPath,
  type FilePath,
  type ResolvedPath,
} from './file-path.js';
import {
  FIRST_PAGE_ROWS,
  rowsOfNextPage,
  deleteTrees,
  NODE,
  MEMBER_COUNTS,
  NODE_PATH,
  type StoredNode,
  type NodeWithPath,
  type MemberCounts,
  type CountedNode,
  type NodeChange,
  type NewContent,
  type TreeGrowth,
} from './nodes.sql.js';

const SEQUENCE = `pg_get_serial_sequence('file_node', 'id')`;

/** The trees of all users. Changes run inside `change`. */
@Injectable()
export class NodesRepository {
  /** By user id. Clients that have left may come again while their changes wait. */
  readonly #turns: FairTurns;

  constructor(
    private readonly database: Database,
    { limits }: Config,
  ) {
    const waitingOfOwner = limits['requests-per-user'];
    this.#turns = new FairTurns(
      { atOnce: Infinity, atOnceOfOwner: 1, waiting: Infinity, waitingOfOwner },
      () => new TooManyInProgress(waitingOfOwner, 'changes of files'),
    );
  }

  /**
   * Runs `work` as the only change of the user's tree, in one transaction. Locks the row of the top
   * folder, which every change updates anyway.
   *
   * @throws TooManyInProgress when too many of the user wait
   */
  async change<Result>(
    userId: string,
    work: (tx: Transaction) => Promise<Result>,
  ): Promise<Result> {
    // Queued here first: twenty parallel uploads would otherwise hold twenty waiting connections.
    return this.#turns.run(userId, () =>
      this.database.transaction(async (tx) => {
        await ensureTopFolder(tx, userId);
        await tx.query(
          'select from file_node where user_id = $1 and parent_id is null for no key update',
          [userId],
        );
        return work(tx);
      }),
    );
  }

  /** @throws FileNotFound */
  async locate(userId: string, path: FilePath, runner?: SqlRunner): Promise<ExistingPath> {
    const resolved = await this.resolve(userId, path, runner);
    assertExists(resolved);
    return resolved;
  }

  /** Creates the top folder when it is missing. One index lookup for each name. */
  async resolve(
    userId: string,
    path: FilePath,
    runner: SqlRunner = this.database,
  ): Promise<ResolvedPath> {
    const walk = () =>
      runner.query<StoredNode>(
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
    const chain = await walk();
    if (chain.length > 0) {
      return resolvePath(path, chain);
    }
    await ensureTopFolder(runner, userId);
    return resolvePath(path, await walk());
  }

  /** Existing nodes with these ids, in no order. Walks from each node up to the top folder. */
  async findWithPaths(
    userId: string,
    ids: readonly number[],
    runner: SqlRunner = this.database,
  ): Promise<NodeWithPath[]> {
    return runner.query<NodeWithPath>(
      `select ${NODE}, place.* from file_node n ${NODE_PATH}
        where n.user_id = $1 and n.id = any($2) and place.attached`,
      [userId, ids],
    );
  }

  /**
   * Members of a folder by name, in pages. No connection is held between pages, so slow readers do not
   * block others. Concurrent changes may be missed; they change the etag of the folder. Uses
   * file_node_parent_id_name_index.
   */
  async *members(
    folder: StoredNode,
    withCounts: boolean,
    firstPageRows = FIRST_PAGE_ROWS,
  ): AsyncGenerator<CountedNode[], void, undefined> {
    for (let after = '', limit = firstPageRows, full = true; full;) {
      const rows: CountedNode[] = await this.database.query<CountedNode>(
        `select ${NODE} ${withCounts ? `, ${MEMBER_COUNTS}` : ''}
           from file_node n where n.user_id = $1 and n.parent_id = $2 and n.name > $3
          order by n.name limit $4`,
        [folder.userId, folder.id, after, limit],
      );
      yield rows;
      after = rows.at(-1)?.name ?? '';
      full = rows.length === limit;
      limit = rowsOfNextPage(rows);
    }
  }

  /** Members of one folder; reads an index entry for each of them. */
  async count(folder: StoredNode): Promise<MemberCounts> {
    const [row] = await this.database.query<MemberCounts>(
      `select ${MEMBER_COUNTS} from file_node n where n.user_id = $1 and n.id = $2`,
      [folder.userId, folder.id],
    );
    return row ?? { folders: 0, files: 0 };
  }

  /** Dead properties of all files and folders of a user. */
  async propertyBytes(tx: Transaction, userId: string): Promise<number> {
    const from = 'file_node where user_id = $1 and property_bytes > 0';
    return (await measureRows(tx, 'property_bytes', from, [userId])).bytes;
  }

  /** All favorites of a user, by id. */
  async favorites(userId: string): Promise<(NodeWithPath & MemberCounts)[]> {
    return this.database.query<NodeWithPath & MemberCounts>(
      `select ${NODE}, ${MEMBER_COUNTS}, place.* from file_node n ${NODE_PATH}
        where n.user_id = $1 and n.favorite and place.attached order by n.id`,
      [userId],
    );
  }

  async addFile(
    tx: Transaction,
    parent: StoredNode,
    name: string,
    content: NewContent,
  ): Promise<StoredNode> {
    return insertNode(tx, parent, name, content);
  }

  /** Points a file at other content. Its type follows its name and stays. */
  async replaceContent(
    tx: Transaction,
    file: StoredNode,
    content: NewContent,
  ): Promise<StoredNode> {
    return saved(
      tx,
      `update file_node n set size_bytes = $3, etag = $4, mtime_seconds = $5,
           uploaded_seconds = $6, blob_id = $7, checksum = $8
          where n.user_id = $1 and n.id = $2 returning ${NODE}`,
      [
        file.userId,
        file.id,
        content.sizeBytes,
        newEtag(),
        content.mtimeSeconds,
        content.uploadedSeconds,
        content.blobId,
        content.checksum,
      ],
    );
  }

  async addFolder(
    tx: Transaction,
    parent: StoredNode,
    name: string,
    nowSeconds: number,
  ): Promise<StoredNode> {
    return insertNode(tx, parent, name, {
      mime: FOLDER_MIME,
      sizeBytes: 0,
      mtimeSeconds: nowSeconds,
      uploadedSeconds: nowSeconds,
      blobId: null,
      checksum: '',
    });
  }

  /** Changes the etag only together with the modification time. */
  async set(tx: Transaction, node: StoredNode, change: NodeChange): Promise<StoredNode> {
    return saved(
      tx,
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
        newEtag(),
        change.createdSeconds ?? null,
        change.favorite ?? null,
        change.deadProperties === undefined ? null : JSON.stringify(change.deadProperties),
        change.deadProperties === undefined ? null : propertyBytesOf(change.deadProperties),
      ],
    );
  }

  /** Includes everything below. */
  async remove(tx: Transaction, node: Pick<StoredNode, 'id'>): Promise<void> {
    await deleteTrees(tx, [node.id]);
  }

  /** Moves a node, and with it everything below, to another parent. */
  async move(
    tx: Transaction,
    node: StoredNode,
    parent: StoredNode,
    name: string,
    mime: string,
  ): Promise<StoredNode> {
    return saved(
      tx,
      `update file_node n set parent_id = $3, name = $4, mime = $5
          where n.user_id = $1 and n.id = $2 returning ${NODE}`,
      [node.userId, node.id, parent.id, name, mime],
    );
  }

  /**
   * Includes everything below unless `shallow`: one row per node. Contents are shared, since they never
   * change; copies are no favorites.
   */
  async copy(
    tx: Transaction,
    node: StoredNode,
    parent: StoredNode,
    name: string,
    mime: string,
    shallow: boolean,
  ): Promise<StoredNode> {
    const [{ newId } = { newId: 0 }] = await tx.query<{ newId: number }>(
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
      [node.userId, node.id, parent.id, name, mime, shallow],
    );
    return saved(tx, `select ${NODE} from file_node n where n.user_id = $1 and n.id = $2`, [
      node.userId,
      newId,
    ]);
  }

  /**
   * Updates sizes, counts, etags and times from `folder` up to the top: one row per level.
   *
   * @param growth of the subtree; negative for removals
   */
  async propagateChange(
    tx: Transaction,
    folder: StoredNode,
    { bytes, nodes }: TreeGrowth,
    nowSeconds: number,
  ): Promise<void> {
    await tx.query(
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
      [folder.id, bytes, newEtag(), nowSeconds, nodes],
    );
  }

  /** Bytes stored by each user, by user id; users without a tree are missing. */
  async usedBytes(userIds: readonly string[]): Promise<Map<string, number>> {
    const tops = await this.database.entities((em) =>
      em.find(
        FileNodeEntity,
        { userId: { $in: [...userIds] }, parentId: null },
        { fields: ['userId', 'sizeBytes'] },
      ),
    );
    return new Map(tops.map(({ userId, sizeBytes }) => [userId ?? '', sizeBytes]));
  }
}

/** Unique, so that it changes with the content. */
function newEtag(): string {
  return randomBytes(16).toString('hex');
}

/** @param sql returns the node */
async function saved(tx: SqlRunner, sql: string, params: readonly unknown[]): Promise<StoredNode> {
  const [row] = await tx.query<StoredNode>(sql, params);
  if (row === undefined) {
    throw new Error('The file or folder was not saved');
  }
  return row;
}

/** Creates the user's top folder unless it exists. */
async function ensureTopFolder(runner: SqlRunner, userId: string): Promise<void> {
  await runner.query(
    `insert into file_node (user_id, name, is_folder, mime, etag, mtime_seconds)
     select $1, '', true, $2, $3, floor(extract(epoch from now()))
      where not exists (select from file_node where user_id = $1 and parent_id is null)
     on conflict (user_id) where parent_id is null do nothing`,
    [userId, FOLDER_MIME, newEtag()],
  );
}

/** Inserts a file or, without content, a folder. */
async function insertNode(
  tx: SqlRunner,
  parent: StoredNode,
  name: string,
  content: Omit<NewContent, 'blobId'> & Pick<StoredNode, 'blobId'>,
): Promise<StoredNode> {
  return saved(
    tx,
    `insert into file_node as n (user_id, parent_id, name, is_folder, mime, size_bytes, etag,
       mtime_seconds, uploaded_seconds, blob_id, checksum)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${NODE}`,
    [
      parent.userId,
      parent.id,
      name,
      content.blobId === null,
      content.mime,
      content.sizeBytes,
      newEtag(),
      content.mtimeSeconds,
      content.uploadedSeconds,
      content.blobId,
      content.checksum,
    ],
  );
}

/** Counted size of dead properties; 0 without any. */
export function propertyBytesOf(dead: Readonly<Record<string, string>>): number {
  return Object.keys(dead).length === 0 ? 0 : Buffer.byteLength(JSON.stringify(dead));
}

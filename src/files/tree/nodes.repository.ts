import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Database, type SqlRunner } from '../../database/database.js';
import { FOLDER_MIME } from './file-kinds.js';
import type { FilePath } from './file-path.js';
import {
  conditionSql,
  orderSql,
  type NodeCondition,
  type SearchOrder,
} from '../search/node-condition.js';

/** A file or folder as it is kept. */
export interface StoredNode {
  readonly id: number;
  readonly userId: string;
  /** Null for the top folder. */
  readonly parentId: number | null;
  readonly name: string;
  readonly isFolder: boolean;
  readonly mime: string;
  readonly sizeBytes: number;
  /** Files and folders below a folder; 0 for a file. */
  readonly nodeCount: number;
  readonly etag: string;
  readonly mtimeSeconds: number;
  /** 0 when nobody said. */
  readonly createdSeconds: number;
  readonly uploadedSeconds: number;
  readonly favorite: boolean;
  /** Null for a folder. */
  readonly blobId: string | null;
  /** `SHA1:…`; empty for a folder. */
  readonly checksum: string;
  readonly deadProperties: Readonly<Record<string, string>>;
}

/** A node together with where it is. */
export interface NodeWithPath extends StoredNode {
  readonly path: FilePath;
  /** From the top folder down to the parent. */
  readonly ancestorIds: readonly number[];
}

export interface NewContent {
  readonly blobId: string;
  readonly mime: string;
  readonly sizeBytes: number;
  readonly checksum: string;
  readonly mtimeSeconds: number;
  readonly uploadedSeconds: number;
}

/** What a client may set on a node; what is left out stays. */
export interface NodeChange {
  readonly mtimeSeconds?: number;
  readonly createdSeconds?: number;
  readonly favorite?: boolean;
  readonly deadProperties?: Readonly<Record<string, string>>;
}

/** Nodes counted directly inside a folder. */
export interface MemberCounts {
  readonly folders: number;
  readonly files: number;
}

/** By how much a tree has grown, or shrunk where negative. */
export interface TreeGrowth {
  readonly bytes: number;
  readonly nodes: number;
}

export type CountedNode = StoredNode & Partial<MemberCounts>;

export type FoundNode = NodeWithPath & MemberCounts;

/** A search below a folder, which is not found itself unless `depth` is 0. */
export interface NodeSearch {
  readonly folder: StoredNode;
  readonly depth: '0' | '1' | 'infinity';
  readonly condition: NodeCondition;
  readonly order: readonly SearchOrder[];
  /** Infinity for all. */
  readonly most: number;
}

const ROWS_PER_READ = 500;

const COLUMNS = `
  n.id, n.user_id as "userId", n.parent_id as "parentId", n.name, n.is_folder as "isFolder",
  n.mime, n.size_bytes as "sizeBytes", n.node_count as "nodeCount", n.etag, n.mtime_seconds as "mtimeSeconds",
  n.created_seconds as "createdSeconds", n.uploaded_seconds as "uploadedSeconds", n.favorite,
  n.blob_id as "blobId", n.checksum, n.dead_properties as "deadProperties"`;

const COUNTS = `
  (select count(*) from file_node c where c.parent_id = n.id and c.is_folder) as folders,
  (select count(*) from file_node c where c.parent_id = n.id and not c.is_folder) as files`;

/**
 * From a node upwards: the names of its path, the ids of the folders it is in, top first, and whether
 * they lead to a user's top folder. In a tree that is being removed they do not.
 */
const PLACE = `
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

/** Ids of everything in the folder $2. */
const BELOW = `
  with recursive below as (
    select id from file_node where parent_id = $2
    union all
    select n.id from below join file_node n on n.parent_id = below.id
  )`;

/** The trees of all users. */
@Injectable()
export class NodesRepository {
  /** By user id: the end of the last change that this process has been asked for. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(private readonly database: Database) {}

  /**
   * Changes one user's tree; nobody else changes it meanwhile. The row of the top folder is the
   * lock, since every change ends there anyway.
   */
  async change<Result>(userId: string, work: (tx: SqlRunner) => Promise<Result>): Promise<Result> {
    // A program that sends twenty files at once would otherwise keep twenty connections waiting.
    const before = this.#turns.get(userId) ?? Promise.resolve();
    const result = before.then(() => this.#changeNow(userId, work));
    const turn = Promise.allSettled([result]);
    this.#turns.set(userId, turn);
    try {
      return await result;
    } finally {
      if (this.#turns.get(userId) === turn) {
        this.#turns.delete(userId);
      }
    }
  }

  /**
   * The nodes from the top folder down a path, as far as there are any: all of the path, when there
   * is one more than it has names.
   */
  async chain(
    userId: string,
    path: FilePath,
    runner: SqlRunner = this.database,
  ): Promise<StoredNode[]> {
    const chain = await this.#walk(userId, path, runner);
    if (chain.length > 0) {
      return chain;
    }
    await this.#makeTop(userId, runner);
    return this.#walk(userId, path, runner);
  }

  async find(userId: string, nodeId: number, runner: SqlRunner): Promise<StoredNode> {
    const [row] = await runner.query<StoredNode>(
      `select ${COLUMNS} from file_node n where n.user_id = $1 and n.id = $2`,
      [userId, nodeId],
    );
    if (row === undefined) {
      throw new Error(`The file ${nodeId} of ${userId} is gone`);
    }
    return row;
  }

  /** Those of the ids that are there, with their places. */
  async findWithPaths(userId: string, ids: readonly number[]): Promise<NodeWithPath[]> {
    return this.database.query<NodeWithPath>(
      `select ${COLUMNS}, place.* from file_node n ${PLACE}
        where n.user_id = $1 and n.id = any($2) and place.attached`,
      [userId, ids],
    );
  }

  /**
   * By name, piece by piece, and without a connection in between: whoever reads slowly keeps nobody
   * waiting. Rides on file_node_parent_id_name_index. What changes meanwhile may be missed; the
   * folder has another etag then.
   */
  async *members(
    folder: StoredNode,
    withCounts: boolean,
    rowsPerRead = ROWS_PER_READ,
  ): AsyncGenerator<CountedNode[], void, undefined> {
    // No name is empty but that of the top folder.
    for (let last = '', full = true; full;) {
      const rows = await this.database.query<CountedNode>(
        `select ${COLUMNS} ${withCounts ? `, ${COUNTS}` : ''}
           from file_node n where n.user_id = $1 and n.parent_id = $2 and n.name > $3
          order by n.name limit $4`,
        [folder.userId, folder.id, last, rowsPerRead],
      );
      yield rows;
      last = rows.at(-1)?.name ?? '';
      full = rows.length === rowsPerRead;
    }
  }

  async count(folder: StoredNode): Promise<MemberCounts> {
    const [row] = await this.database.query<MemberCounts>(
      `select ${COUNTS} from file_node n where n.user_id = $1 and n.id = $2`,
      [folder.userId, folder.id],
    );
    return row ?? { folders: 0, files: 0 };
  }

  /** What is marked as favorite anywhere in the tree. */
  async favorites(userId: string): Promise<(NodeWithPath & MemberCounts)[]> {
    return this.database.query<NodeWithPath & MemberCounts>(
      `select ${COLUMNS}, ${COUNTS}, place.* from file_node n ${PLACE}
        where n.user_id = $1 and n.favorite and place.attached order by n.id`,
      [userId],
    );
  }

  /**
   * Piece by piece, and only of each piece it is looked up where the nodes are. What changes
   * meanwhile may be missed, or found twice.
   */
  async *search(
    { folder, depth, condition, order, most }: NodeSearch,
    rowsPerRead = ROWS_PER_READ,
  ): AsyncGenerator<FoundNode[], void, undefined> {
    const values: unknown[] = [folder.userId, folder.id];
    const wanted = conditionSql(condition, values);
    const ordered = orderSql(order);
    const [after, skipped, limit] = [1, 2, 3].map((n) => `$${values.length + n}`);
    const byId = order.length === 0;
    for (let found = 0, seen = 0, lastId = 0, full = true; full && found < most;) {
      const size = Math.min(rowsPerRead, most - found);
      const rows = await this.database.query<FoundNode & { readonly attached: boolean }>(
        `${depth === 'infinity' && folder.parentId !== null ? BELOW : ''}
         select ${COLUMNS}, ${COUNTS}, place.*
           from (
             select * from file_node n
              where n.user_id = $1 and ${reachSql(folder, depth)} and ${wanted} and n.id > ${after}
              order by ${ordered} offset ${skipped} limit ${limit}
           ) n ${PLACE} order by ${ordered}`,
        [...values, byId ? lastId : 0, byId ? 0 : seen, size],
      );
      const attached = rows.filter((row) => row.attached);
      yield attached;
      found += attached.length;
      seen += rows.length;
      lastId = rows.at(-1)?.id ?? lastId;
      full = rows.length === size;
    }
  }

  async addFile(
    tx: SqlRunner,
    parent: StoredNode,
    name: string,
    content: NewContent,
  ): Promise<StoredNode> {
    return only(
      await tx.query<StoredNode>(
        `insert into file_node as n (user_id, parent_id, name, is_folder, mime, size_bytes, etag,
           mtime_seconds, uploaded_seconds, blob_id, checksum)
         values ($1, $2, $3, false, $4, $5, $6, $7, $8, $9, $10) returning ${COLUMNS}`,
        [
          parent.userId,
          parent.id,
          name,
          content.mime,
          content.sizeBytes,
          newEtag(),
          content.mtimeSeconds,
          content.uploadedSeconds,
          content.blobId,
          content.checksum,
        ],
      ),
    );
  }

  async replaceContent(tx: SqlRunner, file: StoredNode, content: NewContent): Promise<StoredNode> {
    return only(
      await tx.query<StoredNode>(
        `update file_node n set size_bytes = $3, etag = $4, mtime_seconds = $5,
           uploaded_seconds = $6, blob_id = $7, checksum = $8
          where n.user_id = $1 and n.id = $2 returning ${COLUMNS}`,
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
      ),
    );
  }

  async addFolder(
    tx: SqlRunner,
    parent: StoredNode,
    name: string,
    nowSeconds: number,
  ): Promise<StoredNode> {
    return only(
      await tx.query<StoredNode>(
        `insert into file_node as n
           (user_id, parent_id, name, is_folder, mime, etag, mtime_seconds, uploaded_seconds)
         values ($1, $2, $3, true, $4, $5, $6, $6) returning ${COLUMNS}`,
        [parent.userId, parent.id, name, FOLDER_MIME, newEtag(), nowSeconds],
      ),
    );
  }

  /** A node has another etag afterwards only when its time of change is another. */
  async set(tx: SqlRunner, node: StoredNode, change: NodeChange): Promise<StoredNode> {
    return only(
      await tx.query<StoredNode>(
        `update file_node n set
           mtime_seconds = coalesce($3, n.mtime_seconds),
           etag = case when $3::bigint is null then n.etag else $4 end,
           created_seconds = coalesce($5, n.created_seconds),
           favorite = coalesce($6, n.favorite),
           dead_properties = coalesce($7, n.dead_properties)
          where n.user_id = $1 and n.id = $2 returning ${COLUMNS}`,
        [
          node.userId,
          node.id,
          change.mtimeSeconds ?? null,
          newEtag(),
          change.createdSeconds ?? null,
          change.favorite ?? null,
          change.deadProperties === undefined ? null : JSON.stringify(change.deadProperties),
        ],
      ),
    );
  }

  /** With everything below it. */
  async remove(tx: SqlRunner, node: StoredNode): Promise<void> {
    await tx.query(
      `with recursive tree as (
         select id from file_node where user_id = $1 and id = $2
         union all
         select n.id from tree join file_node n on n.parent_id = tree.id
       )
       delete from file_node using tree where file_node.id = tree.id`,
      [node.userId, node.id],
    );
  }

  async move(
    tx: SqlRunner,
    node: StoredNode,
    parent: StoredNode,
    name: string,
    mime: string,
  ): Promise<StoredNode> {
    return only(
      await tx.query<StoredNode>(
        `update file_node n set parent_id = $3, name = $4, mime = $5
          where n.user_id = $1 and n.id = $2 returning ${COLUMNS}`,
        [node.userId, node.id, parent.id, name, mime],
      ),
    );
  }

  /**
   * With everything below it unless `shallow`. The content is not copied but shared: it never
   * changes. A copy is nobody's favorite.
   */
  async copy(
    tx: SqlRunner,
    node: StoredNode,
    parent: StoredNode,
    name: string,
    mime: string,
    shallow: boolean,
  ): Promise<StoredNode> {
    const [{ newId } = { newId: 0 }] = await tx.query<{ newId: number }>(
      `with recursive tree as (
         select id from file_node where user_id = $1 and id = $2
         union all
         select n.id from tree join file_node n on n.parent_id = tree.id where not $6
       ),
       twins as materialized (
         select id, nextval(pg_get_serial_sequence('file_node', 'id')) as new_id from tree
       ),
       made as (
         insert into file_node (id, user_id, parent_id, name, is_folder, mime, size_bytes,
           node_count, etag, mtime_seconds, created_seconds, uploaded_seconds, blob_id, checksum,
           dead_properties)
         select twin.new_id, n.user_id,
                case when n.id = $2 then $3 else parent_twin.new_id end,
                case when n.id = $2 then $4 else n.name end,
                n.is_folder,
                case when n.id = $2 then $5 else n.mime end,
                case when n.is_folder and $6 then 0 else n.size_bytes end,
                case when $6 then 0 else n.node_count end,
                md5(twin.new_id || n.etag), n.mtime_seconds, n.created_seconds,
                n.uploaded_seconds, n.blob_id, n.checksum, n.dead_properties
           from twins twin
           join file_node n on n.id = twin.id
           left join twins parent_twin on parent_twin.id = n.parent_id
       )
       select new_id as "newId" from twins where id = $2`,
      [node.userId, node.id, parent.id, name, mime, shallow],
    );
    return this.find(node.userId, newId, tx);
  }

  /**
   * Lets all folders from `folder` up to the top know that something below them has changed.
   *
   * @param growth what was added below; negative for what went
   */
  async propagateChange(
    tx: SqlRunner,
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

  /** What users keep in all, by user id; without those who have never had a file. */
  async usedBytes(userIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.database.query<{ userId: string; bytes: number }>(
      `select user_id as "userId", size_bytes as bytes
         from file_node where user_id = any($1) and parent_id is null`,
      [userIds],
    );
    return new Map(rows.map(({ userId, bytes }) => [userId, bytes]));
  }

  async #changeNow<Result>(
    userId: string,
    work: (tx: SqlRunner) => Promise<Result>,
  ): Promise<Result> {
    return this.database.transaction(async (tx) => {
      await this.#makeTop(userId, tx);
      await tx.query(
        'select from file_node where user_id = $1 and parent_id is null for no key update',
        [userId],
      );
      return work(tx);
    });
  }

  async #walk(userId: string, path: FilePath, runner: SqlRunner): Promise<StoredNode[]> {
    return runner.query<StoredNode>(
      `with recursive walk as (
         select id, 0 as depth from file_node where user_id = $1 and parent_id is null
         union all
         select n.id, walk.depth + 1
           from walk join file_node n
             on n.parent_id = walk.id and n.name = ($2::text[])[walk.depth + 1]
       )
       select ${COLUMNS} from walk join file_node n on n.id = walk.id order by walk.depth`,
      [userId, path],
    );
  }

  async #makeTop(userId: string, runner: SqlRunner): Promise<void> {
    await runner.query(
      `insert into file_node (user_id, name, is_folder, mime, etag, mtime_seconds)
       select $1, '', true, $2, $3, floor(extract(epoch from now()))
        where not exists (select from file_node where user_id = $1 and parent_id is null)
       on conflict (user_id) where parent_id is null do nothing`,
      [userId, FOLDER_MIME, newEtag()],
    );
  }
}

/** Which nodes of the user a search looks at; $2 is the folder. */
function reachSql(folder: StoredNode, depth: NodeSearch['depth']): string {
  switch (depth) {
    case '0':
      return 'n.id = $2';
    case '1':
      return 'n.parent_id = $2';
    case 'infinity':
      // Everything but the top folder, which need not be walked through.
      return folder.parentId === null ? 'n.id <> $2' : 'n.id in (select id from below)';
  }
}

/** Never the same twice, so that it changes with whatever it stands for. */
function newEtag(): string {
  return randomBytes(16).toString('hex');
}

function only(rows: readonly StoredNode[]): StoredNode {
  const [row] = rows;
  if (row === undefined) {
    throw new Error('The file was not saved');
  }
  return row;
}

import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { measureRows } from '../../../database/measure-rows.js';
import { FOLDER_MIME } from './file-kinds.js';
import { FileNodeEntity } from './file-node.entity.js';
import type { FilePath } from './file-path.js';
import {
  copyTree,
  countMembers,
  deleteTrees,
  ensureTopFolder,
  insertNode,
  listFavorites,
  listMembers,
  listNodesWithPaths,
  lockTopFolder,
  updateAncestors,
  updateContent,
  updateNode,
  updateParent,
  walkPath,
  type CountedNode,
  type MemberCounts,
  type NewContent,
  type NodeChange,
  type NodeWithPath,
  type StoredNode,
  type TreeGrowth,
} from './nodes.sql.js';
import { FIRST_PAGE_ROWS, rowsOfNextPage } from './page-rows.js';

/** The trees of all users. Changes run inside `change`. */
@Injectable()
export class NodesRepository {
  /** By user id: the end of the last change queued in this process. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(private readonly database: Database) {}

  /**
   * Runs `work` as the only change of the user's tree, in one transaction. Locks the row of the top
   * folder, which every change updates anyway.
   */
  async change<Result>(
    userId: string,
    work: (tx: Transaction) => Promise<Result>,
  ): Promise<Result> {
    // Queued here first: twenty parallel uploads would otherwise hold twenty waiting connections.
    const previous = this.#queues.get(userId) ?? Promise.resolve();
    const result = previous.then(() =>
      this.database.transaction(async (tx) => {
        await ensureTopFolder(tx, userId, FOLDER_MIME, newEtag());
        await lockTopFolder(tx, userId);
        return work(tx);
      }),
    );
    const end = Promise.allSettled([result]);
    this.#queues.set(userId, end);
    try {
      return await result;
    } finally {
      if (this.#queues.get(userId) === end) {
        this.#queues.delete(userId);
      }
    }
  }

  /**
   * The nodes along a path from the top folder down, as far as they exist. The path exists when there
   * is one node more than it has names. Creates the top folder when it is missing.
   */
  async chain(
    userId: string,
    path: FilePath,
    runner: SqlRunner = this.database,
  ): Promise<StoredNode[]> {
    const chain = await walkPath(runner, userId, path);
    if (chain.length > 0) {
      return chain;
    }
    await ensureTopFolder(runner, userId, FOLDER_MIME, newEtag());
    return walkPath(runner, userId, path);
  }

  /** Existing nodes with these ids, in no order. */
  async findWithPaths(
    userId: string,
    ids: readonly number[],
    runner: SqlRunner = this.database,
  ): Promise<NodeWithPath[]> {
    return listNodesWithPaths(runner, userId, ids);
  }

  /**
   * Members of a folder by name, in pages. No connection is held between pages, so slow readers block
   * nobody. Concurrent changes may be missed; they change the etag of the folder.
   */
  async *members(
    folder: StoredNode,
    withCounts: boolean,
    firstPageRows = FIRST_PAGE_ROWS,
  ): AsyncGenerator<CountedNode[], void, undefined> {
    for (let after = '', limit = firstPageRows, full = true; full;) {
      const rows = await listMembers(this.database, folder, { after, limit, withCounts });
      yield rows;
      after = rows.at(-1)?.name ?? '';
      full = rows.length === limit;
      limit = rowsOfNextPage(rows);
    }
  }

  async count(folder: StoredNode): Promise<MemberCounts> {
    return countMembers(this.database, folder);
  }

  /** Dead properties of all files and folders of a user. */
  async propertyBytes(tx: Transaction, userId: string): Promise<number> {
    const from = 'file_node where user_id = $1 and property_bytes > 0';
    return (await measureRows(tx, 'property_bytes', from, [userId])).bytes;
  }

  /** All favorites of a user, by id. */
  async favorites(userId: string): Promise<(NodeWithPath & MemberCounts)[]> {
    return listFavorites(this.database, userId);
  }

  async addFile(
    tx: Transaction,
    parent: StoredNode,
    name: string,
    content: NewContent,
  ): Promise<StoredNode> {
    return insertNode(tx, parent, { ...content, name, isFolder: false, etag: newEtag() });
  }

  async replaceContent(
    tx: Transaction,
    file: StoredNode,
    content: NewContent,
  ): Promise<StoredNode> {
    return updateContent(tx, file, content, newEtag());
  }

  async addFolder(
    tx: Transaction,
    parent: StoredNode,
    name: string,
    nowSeconds: number,
  ): Promise<StoredNode> {
    return insertNode(tx, parent, {
      name,
      isFolder: true,
      mime: FOLDER_MIME,
      sizeBytes: 0,
      etag: newEtag(),
      mtimeSeconds: nowSeconds,
      uploadedSeconds: nowSeconds,
      blobId: null,
      checksum: '',
    });
  }

  /** Changes the etag only together with the modification time. */
  async set(tx: Transaction, node: StoredNode, change: NodeChange): Promise<StoredNode> {
    return updateNode(tx, node, change, newEtag());
  }

  /** Includes everything below. */
  async remove(tx: Transaction, node: Pick<StoredNode, 'id'>): Promise<void> {
    await deleteTrees(tx, [node.id]);
  }

  async move(
    tx: Transaction,
    node: StoredNode,
    parent: StoredNode,
    name: string,
    mime: string,
  ): Promise<StoredNode> {
    return updateParent(tx, node, { parentId: parent.id, name, mime });
  }

  /** Includes everything below unless `shallow`. Contents are shared; copies are no favorites. */
  async copy(
    tx: Transaction,
    node: StoredNode,
    parent: StoredNode,
    name: string,
    mime: string,
    shallow: boolean,
  ): Promise<StoredNode> {
    return copyTree(tx, node, { parentId: parent.id, name, mime }, shallow);
  }

  /**
   * Updates sizes, counts, etags and times from `folder` up to the top.
   *
   * @param growth what was added below; negative for what was removed
   */
  async propagateChange(
    tx: Transaction,
    folder: StoredNode,
    growth: TreeGrowth,
    nowSeconds: number,
  ): Promise<void> {
    await updateAncestors(tx, folder.id, growth, newEtag(), nowSeconds);
  }

  /** Bytes stored by each user, by user id; users without a tree are missing. */
  async usedBytes(userIds: readonly string[]): Promise<Map<string, number>> {
    const tops = await this.database.entities((em) =>
      em.find(
        FileNodeEntity,
        { userId: { $in: [...userIds] }, parentId: null },
        { fields: ['userId', 'sizeBytes'], disableIdentityMap: true },
      ),
    );
    return new Map(tops.map(({ userId, sizeBytes }) => [userId ?? '', sizeBytes]));
  }
}

/** Unique, so that it changes with whatever it stands for. */
function newEtag(): string {
  return randomBytes(16).toString('hex');
}

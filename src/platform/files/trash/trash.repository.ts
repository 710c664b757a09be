import { Injectable } from '@nestjs/common';
import { AccountHoldsOffer } from '../../../common/ports/account-holds.js';
import { Database, type Transaction, type SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FileNodeEntity } from '../tables/node.entity.js';
import { FileTrashEntity } from '../tables/trash.entity.js';
import { NODE, type StoredNode } from '../tree/nodes.sql.js';

const ENTRY = selectList(FileTrashEntity, 't', [
  'rootId',
  'userId',
  'name',
  'folderId',
  'folderPath',
  'deletedSeconds',
  'sizeBytes',
  'nodeCount',
]);

/** A deleted file or folder. */
export type TrashEntry = RowOf<typeof ENTRY>;

/** An entry of the trash with its node, which has the entry's name and its owner. */
export type TrashedNode = StoredNode & Pick<TrashEntry, 'folderPath' | 'deletedSeconds'>;

/** Deleted trees, detached from the trees of their users. */
@Injectable()
export class TrashRepository {
  constructor(
    private readonly database: Database,
    private readonly holds: AccountHoldsOffer,
  ) {}

  /** Detaches a node, with everything below it, from its user's tree. */
  async add(
    tx: Transaction,
    node: StoredNode,
    deletion: Pick<TrashEntry, 'folderId' | 'folderPath' | 'deletedSeconds'>,
  ): Promise<void> {
    const { id, userId, name, sizeBytes, nodeCount } = node;
    const folderPath = [...deletion.folderPath];
    await tx.em.insert(FileTrashEntity, {
      ...deletion,
      rootId: id,
      userId,
      name,
      folderPath,
      sizeBytes,
      nodeCount: nodeCount + 1,
    });
    await tx.em.nativeUpdate(FileNodeEntity, { id }, { userId: null, parentId: null, name: '' });
  }

  /** Latest deletions first. */
  async list(userId: string): Promise<TrashedNode[]> {
    return this.database.query<TrashedNode>(
      `select ${NODE}, t.user_id as "userId", t.name as "name", t.folder_path as "folderPath",
              t.deleted_seconds as "deletedSeconds"
         from file_trash t join file_node n on n.id = t.root_id
        where t.user_id = $1 order by t.deleted_seconds desc, t.root_id desc`,
      [userId],
    );
  }

  /**
   * Removes an entry; its tree must be attached or removed in the same transaction.
   *
   * @returns the entry, or undefined
   */
  async take(runner: SqlRunner, userId: string, rootId: number): Promise<TrashEntry | undefined> {
    const [entry] = await runner.query<TrashEntry>(
      `delete from file_trash t where t.user_id = $1 and t.root_id = $2 returning ${ENTRY}`,
      [userId, rootId],
    );
    return entry;
  }

  /** Like `take`, for the oldest entries that exceed the room. Reads all entries of the user. */
  async takeExcess(
    runner: SqlRunner,
    userId: string,
    {
      bytes,
      nodes,
      entries,
    }: { readonly bytes: number; readonly nodes: number; readonly entries: number },
  ): Promise<TrashEntry[]> {
    return runner.query<TrashEntry>(
      `delete from file_trash t using (
         select root_id, sum(size_bytes) over newest as bytes, sum(node_count) over newest as nodes,
                row_number() over newest as place
           from file_trash where user_id = $1
         window newest as (order by deleted_seconds desc, root_id desc)
       ) kept
        where t.root_id = kept.root_id and (kept.bytes > $2 or kept.nodes > $3 or kept.place > $4)
        returning ${ENTRY}`,
      [userId, finite(bytes), finite(nodes), finite(entries)],
    );
  }

  /**
   * Removes entries deleted before a time, oldest first, and passes them to `remove`. Skips entries that
   * another process holds, and those of held accounts.
   *
   * @returns how many
   */
  async expire(
    beforeSeconds: number,
    limit: number,
    remove: (tx: Transaction, entry: TrashEntry) => Promise<void>,
  ): Promise<number> {
    const held = await this.holds.required.heldUserIds();
    return this.database.transaction(async (tx) => {
      const entries = await tx.query<TrashEntry>(
        `delete from file_trash t using (
           select root_id from file_trash
            where deleted_seconds < $1 and user_id <> all($3::text[])
            order by deleted_seconds limit $2 for update skip locked
         ) due where t.root_id = due.root_id returning ${ENTRY}`,
        [beforeSeconds, limit, held],
      );
      for (const entry of entries) {
        await remove(tx, entry);
      }
      return entries.length;
    });
  }

  /**
   * Users whose files and trash together exceed the limits. Reads the whole trash of all users.
   *
   * @param most.bytes limit of accounts without their own quota
   */
  async crowdedUsers(most: { readonly bytes: number; readonly nodes: number }): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      `select t.user_id as "userId"
         from (select user_id, sum(size_bytes) as bytes, sum(node_count) as nodes
                 from file_trash group by user_id) t
         join file_node top on top.user_id = t.user_id and top.parent_id is null
         left join file_quota q on q.user_id = t.user_id
        where t.bytes + top.size_bytes > case when q.user_id is null then $1 else q.quota_bytes end
           or t.nodes + top.node_count > $2`,
      [finite(most.bytes), finite(most.nodes)],
    );
    return rows.map(({ userId }) => userId);
  }

  /** Attaches the tree of a taken entry to a folder. */
  async attach(
    runner: SqlRunner,
    { rootId, userId }: TrashEntry,
    place: { readonly parentId: number; readonly name: string; readonly mime: string },
  ): Promise<StoredNode> {
    const [node] = await runner.query<StoredNode>(
      `update file_node n set user_id = $2, parent_id = $3, name = $4,
              mime = case when n.is_folder then n.mime else $5 end
        where n.id = $1 returning ${NODE}`,
      [rootId, userId, place.parentId, place.name, place.mime],
    );
    if (node === undefined) {
      throw new Error(`The node ${rootId} of the trash is missing`);
    }
    return node;
  }

  /**
   * One index lookup for each number that is taken.
   *
   * @returns the lowest number from 2 that makes `stem (2).txt` a free name in the folder
   */
  async freeNumber(
    runner: SqlRunner,
    folderId: number,
    stem: string,
    extension: string,
  ): Promise<number> {
    const [row] = await runner.query<{ number: number }>(
      `select number from generate_series(2, 1000000) number
        where not exists (
          select from file_node where parent_id = $1 and name = $2 || ' (' || number || ')' || $3
        ) limit 1`,
      [folderId, stem, extension],
    );
    return row?.number ?? 0;
  }
}

function finite(limit: number): number {
  return Math.min(limit, Number.MAX_SAFE_INTEGER);
}

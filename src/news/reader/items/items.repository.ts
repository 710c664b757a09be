import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import {
  itemList,
  changedItems,
  NOT_MARKED_FOR_DELETION,
  type ItemSelection,
  type ListedItem,
  type ItemPage,
} from './item-list.sql.js';
import type { LockedReader } from '../delivery/reader-locks.js';

export type ItemFlag = 'unread' | 'starred';

/** Which unread items a "mark all read" reaches. */
export type ReadScope =
  | { readonly of: 'all' }
  | { readonly of: 'folder'; readonly folderId: number }
  | { readonly of: 'feed'; readonly feedId: number };

export interface ItemTotals {
  readonly starredCount: number;
  /** Highest item id of the reader; null without items. */
  readonly newestItemId: number | null;
}

/** Enough rows to keep a socket busy, few enough to stay within a few megabytes of bodies. */
const ROWS_PER_READ = 200;

/**
 * One user's items. Everything that changes flags goes through here and stamps what it changed, so
 * that no client misses a change. What does not change is not stamped, so none is sent twice.
 */
@Injectable()
export class ItemsRepository {
  constructor(private readonly database: Database) {}

  /** Batches of items by id, read through a cursor. */
  async *list(
    readerId: number,
    selection: ItemSelection,
    page: ItemPage,
  ): AsyncGenerator<ListedItem[]> {
    const share =
      selection.of === 'folder' ? await this.#shareOfFolder(readerId, selection.folderId) : 1;
    const { sql, params } = itemList(readerId, selection, page, share);
    yield* this.database.stream<ListedItem>(sql, params, ROWS_PER_READ);
  }

  /** Batches of items stamped at or after `sinceMicros`, newest id first. */
  changedSince(
    readerId: number,
    selection: ItemSelection,
    sinceMicros: number,
  ): AsyncIterable<ListedItem[]> {
    const { sql, params } = changedItems(readerId, selection, sinceMicros);
    return this.database.stream<ListedItem>(sql, params, ROWS_PER_READ);
  }

  /** @returns what part of the reader's feeds is in the folder, 0 to 1; null is the root */
  async #shareOfFolder(readerId: number, folderId: number | null): Promise<number> {
    const [row] = await this.database.query<{ share: number }>(
      `select (count(*) filter (where folder_id is not distinct from $2::bigint))::float8
              / greatest(count(*), 1) as share
         from subscription where reader_id = $1`,
      [readerId, folderId],
    );
    return row?.share ?? 1;
  }

  /** Rides on the primary key and on item_starred_index. */
  async totals(readerId: number): Promise<ItemTotals> {
    const [totals] = await this.database.query<ItemTotals>(
      `select (select count(*) from item join subscription s on s.id = item.subscription_id
                where item.reader_id = $1 and item.starred and s.deleted_at is null)::int
                as "starredCount",
              (select max(id) from item where reader_id = $1) as "newestItemId"`,
      [readerId],
    );
    return totals ?? { starredCount: 0, newestItemId: null };
  }

  /** Sets a flag of one item. @returns whether the item exists */
  async setFlag(
    tx: SqlRunner,
    reader: LockedReader,
    itemId: number,
    flag: ItemFlag,
    value: boolean,
  ): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from item join subscription s on s.id = item.subscription_id
        where item.reader_id = $1 and item.id = $2 and s.deleted_at is null`,
      [reader.id, itemId],
    );
    if (rows.length === 0) {
      return false;
    }
    await this.setFlags(tx, reader, [itemId], flag, value);
    return true;
  }

  /** Sets a flag of many items; ids of nobody or of somebody else are passed over. */
  async setFlags(
    tx: SqlRunner,
    reader: LockedReader,
    itemIds: readonly number[],
    flag: ItemFlag,
    value: boolean,
  ): Promise<void> {
    await tx.query(
      stampChanged(`update item set ${flag} = $3, last_modified_micros = $2
                     where reader_id = $1 and id = any($4::bigint[]) and ${flag} <> $3
                       and ${NOT_MARKED_FOR_DELETION}`),
      [reader.id, reader.stampMicros, value, itemIds],
    );
  }

  /** Item ids of `{feedId, guidHash}` pairs, as level v1-2 addresses items; unknown pairs are left out. */
  async idsByGuidHash(
    readerId: number,
    pairs: readonly { readonly feedId: number; readonly guidHash: string }[],
  ): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      `select item.id
         from unnest($2::bigint[], $3::text[]) as pair (feed_id, guid_hash)
         join subscription s on s.id = pair.feed_id and s.reader_id = $1 and s.deleted_at is null
         join article on article.source_id = s.source_id
                     and article.guid_hash = decode(pair.guid_hash, 'hex')
         join item on item.subscription_id = s.id and item.article_id = article.id`,
      [readerId, pairs.map((p) => p.feedId), pairs.map((p) => p.guidHash)],
    );
    return rows.map(({ id }) => id);
  }

  /** Marks unread items read, up to and including `newestItemId`. Rides on item_unread_index. */
  async markReadUpTo(
    tx: SqlRunner,
    reader: LockedReader,
    scope: ReadScope,
    newestItemId: number,
  ): Promise<void> {
    const subscriptions = {
      all: '$4::bigint is null',
      folder: `subscription_id in (select id from subscription where reader_id = $1 and folder_id = $4)`,
      feed: 'subscription_id = $4',
    }[scope.of];
    const scopeId =
      scope.of === 'folder' ? scope.folderId : scope.of === 'feed' ? scope.feedId : null;
    await tx.query(
      stampChanged(`update item set unread = false, last_modified_micros = $2
                     where reader_id = $1 and unread and id <= $3 and ${subscriptions}
                       and ${NOT_MARKED_FOR_DELETION}`),
      [reader.id, reader.stampMicros, newestItemId, scopeId],
    );
  }

  /** Reports all items of these feeds as changed, for clients that dropped them meanwhile. */
  async stampFeeds(tx: SqlRunner, reader: LockedReader, feedIds: readonly number[]): Promise<void> {
    await tx.query(
      stampChanged(`update item set last_modified_micros = $2
                     where reader_id = $1 and subscription_id = any($3::bigint[])`),
      [reader.id, reader.stampMicros, feedIds],
    );
  }

  /**
   * Removes read, unstarred items of one reader beyond the newest `keepReadItems` of each feed, or
   * beyond the publisher's longest document when that is longer. They cannot come back: what was
   * delivered once lies below the subscription's watermark for ever.
   *
   * @param beforeMicros items that changed at this time or later stay, so that other clients learn
   *   that they were read before they vanish
   * @returns how many were removed; at most `limit`
   */
  async removeOldRead(
    tx: SqlRunner,
    reader: LockedReader,
    keepReadItems: number,
    beforeMicros: number,
    limit: number,
  ): Promise<number> {
    const rows = await tx.query(
      `delete from item using (
         select id from (
           select item.id, item.last_modified_micros,
                  row_number() over (partition by item.subscription_id order by item.id desc) as place,
                  greatest($2, source.largest_document) as keep
             from item
             join subscription s on s.id = item.subscription_id
             join source on source.id = s.source_id
            where item.reader_id = $1 and not item.unread and not item.starred
         ) ranked
          where place > keep and last_modified_micros < $4::bigint
          order by id limit $3
       ) old
       where item.reader_id = $1 and item.id = old.id
       returning item.id`,
      [reader.id, keepReadItems, limit, beforeMicros],
    );
    return rows.length;
  }

  /** Users who have more read, unstarred items of some feed than `removeOldRead` keeps. */
  async usersWithOldRead(keepReadItems: number): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      `select user_id as "userId" from reader
        where id in (select s.reader_id
                       from (select subscription_id, count(*) from item
                              where not unread and not starred
                              group by subscription_id having count(*) > $1) read
                       join subscription s on s.id = read.subscription_id
                       join source on source.id = s.source_id
                      where read.count > source.largest_document)
        order by id`,
      [keepReadItems],
    );
    return rows.map(({ userId }) => userId);
  }
}

/** Notes on the reader's row that a stamp was used, but only when it was. */
function stampChanged(update: string): string {
  return `with changed as (${update} returning 1)
          update reader set last_modified_micros = $2 where id = $1 and exists (select from changed)`;
}

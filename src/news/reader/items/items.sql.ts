import type { SqlRunner } from '../../../database/database.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { NOT_MARKED_FOR_DELETION } from './item-list.sql.js';

export type ItemFlag = 'unread' | 'starred';

/** The unread items that a "mark all read" includes. */
export type ReadScope =
  | { readonly of: 'all' }
  | { readonly of: 'folder'; readonly folderId: number }
  | { readonly of: 'feed'; readonly feedId: number };

/** How level v1-2 names an item. */
export interface GuidHashPair {
  readonly feedId: number;
  /** MD5 of the guid, hexadecimal. */
  readonly guidHash: string;
}

export interface ItemTotals {
  readonly starredCount: number;
  /** Highest item id of the reader; null without items. */
  readonly newestItemId: number | null;
}

/** By the primary key and item_starred_index. */
export async function countItems(runner: SqlRunner, readerId: number): Promise<ItemTotals> {
  const [totals] = await runner.query<ItemTotals>(
    `select (select count(*) from item join subscription s on s.id = item.subscription_id
              where item.reader_id = $1 and item.starred and s.deleted_at is null)::int
              as "starredCount",
            (select max(id) from item where reader_id = $1) as "newestItemId"`,
    [readerId],
  );
  return totals ?? { starredCount: 0, newestItemId: null };
}

/** @returns the share of the reader's feeds in a folder, 0 to 1; null is the root */
export async function shareOfFolder(
  runner: SqlRunner,
  readerId: number,
  folderId: number | null,
): Promise<number> {
  const [row] = await runner.query<{ share: number }>(
    `select (count(*) filter (where folder_id is not distinct from $2::bigint))::float8
            / greatest(count(*), 1) as share
       from subscription where reader_id = $1`,
    [readerId, folderId],
  );
  return row?.share ?? 1;
}

export async function itemExists(
  runner: SqlRunner,
  readerId: number,
  itemId: number,
): Promise<boolean> {
  const rows = await runner.query(
    `select 1 from item join subscription s on s.id = item.subscription_id
      where item.reader_id = $1 and item.id = $2 and s.deleted_at is null`,
    [readerId, itemId],
  );
  return rows.length > 0;
}

/** Ids of other users' items and unknown ids are ignored. */
export async function setFlags(
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

/** Joins the reader: one statement from the user to the items. Unknown pairs are left out. */
export async function findItemIds(
  runner: SqlRunner,
  userId: string,
  pairs: readonly GuidHashPair[],
): Promise<number[]> {
  const rows = await runner.query<{ id: number }>(
    `select item.id
       from unnest($2::bigint[], $3::text[]) as pair (feed_id, guid_hash)
       join reader on reader.user_id = $1
       join subscription s on s.id = pair.feed_id and s.reader_id = reader.id and s.deleted_at is null
       join article on article.source_id = s.source_id
                   and article.guid_hash = decode(pair.guid_hash, 'hex')
       join item on item.subscription_id = s.id and item.article_id = article.id`,
    [userId, pairs.map(({ feedId }) => feedId), pairs.map(({ guidHash }) => guidHash)],
  );
  return rows.map(({ id }) => id);
}

/** By item_unread_index. */
export async function markReadUpTo(
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

export async function stampFeeds(
  tx: SqlRunner,
  reader: LockedReader,
  feedIds: readonly number[],
): Promise<void> {
  await tx.query(
    stampChanged(`update item set last_modified_micros = $2
                   where reader_id = $1 and subscription_id = any($3::bigint[])`),
    [reader.id, reader.stampMicros, feedIds],
  );
}

/** @returns how many were removed; at most `limit` */
export async function removeOldRead(
  tx: SqlRunner,
  readerId: number,
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
    [readerId, keepReadItems, limit, beforeMicros],
  );
  return rows.length;
}

/** Users of whom `removeOldRead` may remove something. Scans all read items. */
export async function listUsersWithOldRead(
  runner: SqlRunner,
  keepReadItems: number,
): Promise<string[]> {
  const rows = await runner.query<{ userId: string }>(
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

/** Raises the reader's last stamp to `$2`, but only if the update changed an item. */
function stampChanged(update: string): string {
  return `with changed as (${update} returning 1)
          update reader set last_modified_micros = $2 where id = $1 and exists (select from changed)`;
}

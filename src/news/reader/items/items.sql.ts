import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import type { Statement } from '../../../database/statement.js';
import {
  choiceOf,
  summary,
  translatedTitle,
} from '../../assistance/automation/automatic-results.sql.js';
import { APPS_LISTEN, NO_APP_LISTENS } from '../events/item-events.sql.js';
import { keepCounts, moveStamp } from '../delivery/kept-counts.sql.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { locked } from '../delivery/readers.sql.js';
import { firstArrivedAt } from './arrivals.sql.js';
import { jsonColumns, LISTED, NOT_MARKED_FOR_DELETION, withContents } from './item-list.sql.js';

export type ItemFlag = 'unread' | 'starred';

/** The unread items that a "mark all read" includes. */
export type ReadScope =
  | { readonly of: 'all' | 'starred' }
  | { readonly of: 'folder'; readonly folderId: number }
  | { readonly of: 'feed'; readonly feedId: number }
  /** Items of any of the feeds, and those with the label. */
  | { readonly of: 'tag'; readonly feedIds: readonly number[]; readonly labelId: number | null };

/** Whether the last item is given by its id, or by its arrival. */
export type ReadLimit = 'id' | 'arrival';

/** How level v1-2 names an item. */
export interface GuidHashPair {
  readonly feedId: number;
  /** MD5 of the guid, hexadecimal. */
  readonly guidHash: string;
}

/** @returns the highest item id of the reader; null without items */
export async function findNewestItemId(
  runner: SqlRunner,
  readerId: number,
): Promise<number | null> {
  const [row] = await runner.query<{ id: number | null }>(
    'select max(id) as id from item where reader_id = $1',
    [readerId],
  );
  return row?.id ?? null;
}

/** An item as the API shows it. */
export type ItemJson = Readonly<Record<string, unknown>> & { readonly body: string };

/** What automatic tasks made of `listed`; without what there is not. */
const AUTOMATIC = `json_strip_nulls(json_build_object(
    'translatedTitle', ${translatedTitle('listed', 'listed.title')},
    'summary', ${summary('listed')}))`;

/** @returns null when the user has no such item */
export async function findItem(
  runner: SqlRunner,
  readerId: number,
  itemId: number,
): Promise<ItemJson | null> {
  const found = withContents(
    `select item.*, ${choiceOf('titles_to', 'item')} as titles_to,
            ${choiceOf('summarise', 'item')} as summarise
       from item where item.reader_id = $1 and item.id = $2 and ${NOT_MARKED_FOR_DELETION}`,
    'desc',
    `${LISTED}, item.article_id, item.titles_to, item.summarise`,
  );
  const [row] = await runner.query<{
    item: object;
    body: string | null;
    labels: readonly string[] | null;
    automatic: object;
  }>(
    `with listed as materialized (${found})
     select ${jsonColumns()}, ${AUTOMATIC} as automatic from listed`,
    [readerId, itemId],
  );
  if (row === undefined) {
    return null;
  }
  const { item, body, labels, automatic } = row;
  return { ...item, ...(labels === null ? {} : { labels }), ...automatic, body: body ?? '' };
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

/** New flags of one item; undefined keeps the present one. */
export type ItemFlags = Readonly<Partial<Record<ItemFlag, boolean>>>;

/** A row of the statements that change flags. */
export interface FlagsChanged {
  /** Null when the user never used the feed reader. */
  readonly readerId: number | null;
  /** The items that exist, changed or not; or the given feed or folder, if it exists. */
  readonly found: readonly number[];
  /** Whether external apps listen for events. */
  readonly areEventsWanted: boolean;
}

/**
 * Whether a statement records events. If not, it fails when an app listens, and otherwise changes one
 * shard by one statement.
 */
export type Recording = 'with-events' | 'without-events';

const GUARDS: Readonly<Record<Recording, string>> = {
  'with-events': 'true',
  'without-events': NO_APP_LISTENS,
};

const CHANGED = (recording: Recording) => `
  (select id from locked) as "readerId",
  ${recording === 'with-events' ? APPS_LISTEN : 'false'} as "areEventsWanted"`;

const SET_FLAGS = (recording: Recording, condition = GUARDS[recording]) => `
  with ${locked(condition)}, given as (
    select item.id, item.subscription_id, item.unread as was_unread, item.starred as was_starred,
           coalesce(flags.unread, item.unread) as unread,
           coalesce(flags.starred, item.starred) as starred
      from locked
     -- The limit is no limit, but lets the planner expect few rows, so that it keeps one plan.
     cross join (select * from unnest($2::bigint[], $3::boolean[], $4::boolean[])
                  limit cardinality($2)) as flags (item_id, unread, starred)
      join item on item.reader_id = $1 and item.id = flags.item_id
      join subscription s on s.reader_id = $1 and s.id = item.subscription_id and s.deleted_at is null
  ), changed as (
    update item set unread = given.unread, starred = given.starred,
                    last_modified_micros = locked.stamp
      from locked, given
     where item.reader_id = $1 and item.id = given.id
       and (given.unread <> given.was_unread or given.starred <> given.was_starred)
    returning item.id, item.subscription_id, given.unread::int - given.was_unread::int as unread,
              given.starred::int - given.was_starred::int as starred
  ), ${keepCounts('$1', '(select stamp from locked)', recording === 'with-events')}
  select ${CHANGED(recording)}, coalesce((select json_agg(id) from given), '[]') as found`;

const SET = {
  'with-events': prepared('set-flags-with-events', SET_FLAGS('with-events')),
  'without-events': prepared('set-flags', SET_FLAGS('without-events')),
};

/**
 * Sets flags of items, and stamps those that changed; after `lockOf` in the same transaction. Ids of
 * other users' items and unknown ids are ignored.
 *
 * @returns a statement with one row, `FlagsChanged`
 */
export function flagsSetting(
  readerId: number,
  flags: ReadonlyMap<number, ItemFlags>,
  recording: Recording,
): Statement {
  return { sql: SET[recording], params: [readerId, ...columnsOf(flags)] };
}

/** The same in a transaction that holds the reader's lock; its end announces the change. */
export async function setFlags(
  tx: SqlRunner,
  reader: LockedReader,
  flags: ReadonlyMap<number, ItemFlags>,
): Promise<void> {
  const sql = reader.areEventsWanted ? SET['with-events'] : SET_FLAGS('without-events', 'true');
  await tx.query(sql, [reader.id, ...columnsOf(flags)]);
}

function columnsOf(flags: ReadonlyMap<number, ItemFlags>): unknown[] {
  return [
    [...flags.keys()],
    Array.from(flags.values(), ({ unread }) => unread ?? null),
    Array.from(flags.values(), ({ starred }) => starred ?? null),
  ];
}

/** Unknown pairs are left out. */
export async function findItemIds(
  runner: SqlRunner,
  readerId: number,
  pairs: readonly GuidHashPair[],
): Promise<number[]> {
  const rows = await runner.query<{ id: number }>(
    `with origin as materialized (
       select s.id as feed_id, s.source_id from subscription s
        where s.reader_id = $1 and s.id = any($2::bigint[]) and s.deleted_at is null
        union all
       select s.id, former.source_id
         from subscription s
         join former_source former on former.reader_id = $1 and former.subscription_id = s.id
        where s.reader_id = $1 and s.id = any($2::bigint[]) and s.deleted_at is null
     ), wanted as materialized (
       select origin.feed_id, article.id as article_id
         from unnest($2::bigint[], $3::text[]) as pair (feed_id, guid_hash)
         join origin on origin.feed_id = pair.feed_id
         join article on article.source_id = origin.source_id
                     and article.guid_hash = decode(pair.guid_hash, 'hex')
     )
     select item.id
       from wanted join item on item.reader_id = $1 and item.subscription_id = wanted.feed_id
                            and item.article_id = wanted.article_id`,
    [readerId, pairs.map(({ feedId }) => feedId), pairs.map(({ guidHash }) => guidHash)],
  );
  return rows.map(({ id }) => id);
}

const OF_UNMARKED_FEEDS = `item.subscription_id not in (
      select s.id from subscription s where s.reader_id = $1 and s.deleted_at is not null)`;

/**
 * Conditions on `item`, with the scope's ids in `$3` and, of a tag, `$4`; and the ids of the given feed or
 * folder.
 */
const SCOPES: Readonly<
  Record<ReadScope['of'], { readonly items: string; readonly found: string }>
> = {
  all: {
    items: OF_UNMARKED_FEEDS,
    found: 'select $3::bigint',
  },
  starred: {
    items: `item.starred and ${OF_UNMARKED_FEEDS}`,
    found: 'select $3::bigint',
  },
  tag: {
    items: `(item.subscription_id = any($3::bigint[])
             or item.id in (select item_label.item_id from item_label
                             where item_label.reader_id = $1 and item_label.label_id = $4))
            and ${OF_UNMARKED_FEEDS}`,
    found: 'select null::bigint',
  },
  folder: {
    items: `item.subscription_id in (
      select s.id from subscription s
       where s.reader_id = $1 and s.folder_id = $3 and s.deleted_at is null)`,
    found: `select folder.id from folder
             where folder.reader_id = $1 and folder.id = $3 and folder.deleted_at is null`,
  },
  feed: {
    items: 'item.subscription_id = $3',
    found: `select s.id from subscription s
             where s.reader_id = $1 and s.id = $3 and s.deleted_at is null`,
  },
};

/**
 * Marks unread items read, up to and including the `newest`, and stamps them; after `lockOf` in the same
 * transaction. By item_unread_index. Changes nothing when the feed or folder does not exist.
 *
 * @param by whether `newest` is the id of an item, or an arrival in unix microseconds
 * @returns a statement with one row, `FlagsChanged`
 */
export function readingUpTo(
  readerId: number,
  scope: ReadScope,
  newest: number,
  recording: Recording,
  by: ReadLimit = 'id',
): Statement {
  const { items, found } = SCOPES[scope.of];
  const upTo =
    by === 'id' ? 'item.id <= $2' : `item.id < ${firstArrivedAt('$1', '($2::bigint + 1)')}`;
  const sql = `
    with ${locked(GUARDS[recording])}, found (id) as (${found}), changed as (
      update item set unread = false, last_modified_micros = locked.stamp
        from locked
       where item.reader_id = $1 and item.unread and ${upTo} and ${items}
         and exists (select 1 from found)
      returning item.id, item.subscription_id, -1 as unread, 0 as starred
    ), ${keepCounts('$1', '(select stamp from locked)', recording === 'with-events')}
    select ${CHANGED(recording)}, coalesce((select json_agg(id) from found), '[]') as found`;
  return { sql, params: [readerId, newest, scopeIds(scope), ...labelOf(scope)] };
}

function scopeIds(scope: ReadScope): number | readonly number[] | null {
  switch (scope.of) {
    case 'feed':
      return scope.feedId;
    case 'folder':
      return scope.folderId;
    case 'tag':
      return scope.feedIds;
    default:
      return null;
  }
}

function labelOf(scope: ReadScope): (number | null)[] {
  return scope.of === 'tag' ? [scope.labelId] : [];
}

export async function stampFeeds(
  tx: SqlRunner,
  reader: LockedReader,
  feedIds: readonly number[],
): Promise<void> {
  await tx.query(
    `with changed as (
       update item set last_modified_micros = $2
        where reader_id = $1 and subscription_id = any($3::bigint[]) returning 1)
     update reader set ${moveStamp('$2')} where id = $1 and exists (select 1 from changed)`,
    [reader.id, reader.stampMicros, feedIds],
  );
}

/** Labels keep items as stars do. */
const HAS_NO_LABEL = `not exists (select 1 from item_label
  where item_label.reader_id = item.reader_id and item_label.item_id = item.id)`;

/** @returns how many were removed; at most `limit` */
export async function removeOldRead(
  tx: SqlRunner,
  readerId: number,
  keepReadItems: number,
  beforeMicros: number,
  limit: number,
): Promise<number> {
  const rows = await tx.query(
    `with feed as materialized (
       select s.id, greatest($2, source.largest_document) as keep
         from subscription s join source on source.id = s.source_id where s.reader_id = $1
     )
     delete from item using (
       select id from (
         select item.id, item.last_modified_micros,
                row_number() over (partition by item.subscription_id order by item.id desc) as place,
                feed.keep
           from item join feed on feed.id = item.subscription_id
          where item.reader_id = $1 and not item.unread and not item.starred and ${HAS_NO_LABEL}
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
    `select user_id as "userId" from reader_user
      where reader_id in (select s.reader_id
                            from (select reader_id, subscription_id, count(*) from item
                                   where not unread and not starred and ${HAS_NO_LABEL}
                                   group by reader_id, subscription_id having count(*) > $1) read
                            join follower s on s.subscription_id = read.subscription_id
                            join source on source.id = s.source_id
                           where read.count > source.largest_document)
      order by reader_id`,
    [keepReadItems],
  );
  return rows.map(({ userId }) => userId);
}

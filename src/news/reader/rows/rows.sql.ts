import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import type { Statement } from '../../../database/statement.js';
import { ArticleEntity } from '../../sources/articles/article.entity.js';
import { keepCounts } from '../delivery/kept-counts.sql.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { ItemEntity } from '../items/item.entity.js';
import {
  ARTICLE_OF_ITEM,
  folderCondition,
  itemConditions,
  NOT_MARKED_FOR_DELETION,
  SHOWS_FULL_TEXT,
  type ItemSelection,
} from '../items/item-list.sql.js';
import { choiceOf, translatedTitle } from '../../assistance/automation/automatic-results.sql.js';
import { labelNames } from '../labels/item-labels.sql.js';
import { OPENING_CHARACTERS } from './opening.js';
import type { Place } from './place.js';

export interface RowPage {
  readonly oldestFirst: boolean;
  /** Exclusive; null starts from the beginning. */
  readonly after: Place | null;
  readonly limit: number;
}

const ITEM = selectList(ItemEntity, 'item', ['id', 'unread', 'starred', 'dateSeconds']);
const ARTICLE = selectList(ArticleEntity, 'article', [
  'title',
  'url',
  'author',
  'enclosureMime',
  'enclosureLink',
  'mediaThumbnail',
  'rtl',
]);

/** An item without its body. */
export type ListedRow = RowOf<typeof ITEM> &
  RowOf<typeof ARTICLE> & {
    readonly feedId: number;
    /** The first characters of the body. */
    readonly opening: string;
    readonly bodyBytes: number;
    /** Names; null if the reader has no labels. */
    readonly labels: readonly string[] | null;
    /** By an automatic task; null without one. */
    readonly translatedTitle: string | null;
  };

type Bind = (value: unknown) => string;

/**
 * A page of a list by date. No index has all items of a reader by date, since item_date_index and
 * item_starred_date_index have those of each feed, which serve every list: the page is merged from the
 * feeds of the list. The first of each feed, or the first few where there are few feeds, show how far
 * the page reaches at most; then feeds whose first item is within are read up to there. Costs a look-up
 * per feed and a few times what the page returns, however many items there are. A list of a label reads
 * all of its items.
 */
export function rowList(readerId: number, selection: ItemSelection, page: RowPage): Statement {
  const params: unknown[] = [readerId];
  const bind: Bind = (value) => `$${params.push(value)}`;
  const picked = pickedByDate(selection, page, bind);
  return { sql: withOpenings(picked, page.oldestFirst), params };
}

/** SQL of a page's items, in order; the reader is `$1`. */
export function pickedByDate(selection: ItemSelection, page: RowPage, bind: Bind): string {
  const { oldestFirst, after } = page;
  const direction = oldestFirst ? 'asc' : 'desc';
  const order = `order by date_seconds ${direction}, id ${direction}`;
  if (selection.of === 'label') {
    // Labels have few items, in no order of dates.
    const ofLabel = [
      'item.reader_id = $1',
      NOT_MARKED_FOR_DELETION,
      ...itemConditions(selection, bind),
      ...(after === null ? [] : [`${PLACE} ${oldestFirst ? '>' : '<'} ${placeOf(after, bind)}`]),
    ].join(' and ');
    return `select item.* from item where ${ofLabel} ${order} limit ${bind(page.limit)}::bigint`;
  }
  const limit = `${bind(page.limit)}::bigint`;
  const isStarred = selection.of === 'starred';
  const isUnread = selection.of === 'unread' || selection.unreadOnly;
  // Within a stream, items follow one another in an index.
  const streams = isStarred ? '(null::boolean)' : isUnread ? '(true)' : '(true), (false)';
  const ofStream = [
    'item.reader_id = $1',
    'item.subscription_id = stream.feed_id',
    ...(isStarred ? ['item.starred'] : ['item.unread = stream.unread']),
    ...(isStarred && isUnread ? ['item.unread'] : []),
    ...(after === null ? [] : [`${PLACE} ${oldestFirst ? '>' : '<'} ${placeOf(after, bind)}`]),
  ].join(' and ');
  const [comparison, end] = oldestFirst
    ? ['<=', { date: 2 ** 31 - 1, id: Number.MAX_SAFE_INTEGER }]
    : ['>=', { date: -(2 ** 31), id: 0 }];
  const isWithin = `${comparison} (coalesce((select date_seconds from farthest), ${end.date}),
                                   coalesce((select id from farthest), ${end.id}))`;
  return `
    with stream as materialized (
      select s.id as feed_id, flag.unread
        from subscription s cross join (values ${streams}) flag (unread)
       where ${subscriptionConditions(selection, bind).join(' and ')}
    ), top as materialized (
      select stream.feed_id, stream.unread, first.date_seconds, first.id
        from stream cross join lateral (
          select item.date_seconds, item.id from item where ${ofStream} ${order} limit 1) first
    ), head as materialized (
      select feed_id, unread, date_seconds, id from top
       union
      select stream.feed_id, stream.unread, first.date_seconds, first.id
        from top stream cross join lateral (
          select item.date_seconds, item.id from item where ${ofStream} ${order}
           limit (select case when count(*) < ${limit} then 2 * ${limit} / count(*) + 1 else 0 end
                    from top)) first
    ), farthest as materialized (
      select date_seconds, id from head ${order} offset ${limit} - 1 limit 1
    )
    select item.*
      from (select feed_id, unread from top where (date_seconds, id) ${isWithin}) stream
     cross join lateral (
       select item.* from item
        where ${ofStream} and ${PLACE} ${isWithin}
        ${order} limit ${limit}) item
     ${order} limit ${limit}`;
}

/**
 * Adds to items what their rows show; the reader is `$1`. Of a body only the beginning is decompressed,
 * and its length is known without.
 *
 * @param picked items in order
 * @param characters of the opening
 */
export function withOpenings(
  picked: string,
  oldestFirst: boolean,
  characters = OPENING_CHARACTERS,
): string {
  const direction = oldestFirst ? 'asc' : 'desc';
  return `
    select listed.*, ${translatedTitle('listed', 'listed.title')} as "translatedTitle" from (
    select ${ITEM}, ${ARTICLE}, item.subscription_id as "feedId",
           coalesce(left(article.html, ${characters}), '') as opening,
           coalesce(octet_length(article.html), 0) as "bodyBytes",
           item.labels, item.article_id, item.titles_to
      from (select item.*, ${SHOWS_FULL_TEXT}, ${labelNames('item.id')} as labels,
                   ${choiceOf('titles_to', 'item')} as titles_to
              from (${picked}) item
             order by item.date_seconds ${direction}, item.id ${direction} offset 0) item
     cross join lateral (${ARTICLE_OF_ITEM}) article
     order by item.date_seconds ${direction}, item.id ${direction} offset 0) listed`;
}

const PLACE = '(item.date_seconds, item.id)';

export function placeOf({ dateSeconds, id }: Place, bind: Bind): string {
  return `(${bind(dateSeconds)}::integer, ${bind(id)}::bigint)`;
}

/** Conditions on `subscription s`; the reader is `$1`. */
export function subscriptionConditions(selection: ItemSelection, bind: Bind): string[] {
  const conditions = ['s.reader_id = $1', 's.deleted_at is null'];
  if (selection.of === 'feed') {
    conditions.push(`s.id = ${bind(selection.feedId)}`);
  }
  if (selection.of === 'folder') {
    conditions.push(folderCondition(selection.folderId, bind));
  }
  return conditions;
}

/** What the first page of a list has beside its rows. */
export interface ListBeginning {
  readonly newestItemId: number;
  /** Whether the items have dates, see `dateItems`. */
  readonly itemsDated: boolean;
  /** Whether tasks start by themselves for new items. */
  readonly isAutomated: boolean;
}

export async function findBeginning(runner: SqlRunner, readerId: number): Promise<ListBeginning> {
  const [row] = await runner.query<ListBeginning>(
    `select coalesce((select max(id) from item where reader_id = $1), 0) as "newestItemId",
            items_dated as "itemsDated",
            exists (select 1 from automatic_reader
                     where reader_id = $1 and is_on) as "isAutomated"
       from reader where id = $1`,
    [readerId],
  );
  return row ?? { newestItemId: 0, itemsDated: true, isAutomated: false };
}

const CHANGED = selectList(ItemEntity, 'item', ['id', 'unread', 'starred', 'dateSeconds']);

export type ChangedRow = RowOf<typeof CHANGED> & {
  readonly feedId: number;
  /** Names; null if the reader has no labels. */
  readonly labels: readonly string[] | null;
};

/**
 * Items stamped after `sinceMicros`, the latest changes first, at most `limit`. By
 * item_reader_id_last_modified_micros_index.
 */
export async function listChangedRows(
  runner: SqlRunner,
  readerId: number,
  sinceMicros: number,
  limit: number,
): Promise<ChangedRow[]> {
  return runner.query<ChangedRow>(
    `select ${CHANGED}, item.subscription_id as "feedId", ${labelNames('item.id')} as labels
       from item
      where item.reader_id = $1 and item.last_modified_micros > $2 and ${NOT_MARKED_FOR_DELETION}
      order by item.last_modified_micros desc limit $3`,
    [readerId, sinceMicros, limit],
  );
}

/** Part of a list. */
export interface ListRest {
  readonly selection: ItemSelection;
  readonly oldestFirst: boolean;
  /** Exclusive; null is the whole list. */
  readonly after: Place | null;
  /** Items that came later are left out. */
  readonly upToId: number;
}

/**
 * Marks a set of the unread items of a list read, those with ids above `afterId` first. By
 * item_unread_index.
 *
 * @returns how many were marked, and the last of them; null when there are no more
 */
export async function markSetRead(
  tx: SqlRunner,
  reader: LockedReader,
  { selection, oldestFirst, after, upToId }: ListRest,
  afterId: number,
  limit: number,
): Promise<{ readonly marked: number; readonly lastId: number } | null> {
  const params: unknown[] = [reader.id, reader.stampMicros, afterId, upToId, limit];
  const bind: Bind = (value) => `$${params.push(value)}`;
  const conditions = [
    'item.reader_id = $1 and item.unread and item.id > $3 and item.id <= $4',
    ...itemConditions(selection, bind),
    ...(after === null ? [] : [`${PLACE} ${oldestFirst ? '>' : '<'} ${placeOf(after, bind)}`]),
  ];
  const [set] = await tx.query<{ marked: number; lastId: number | null }>(
    `with given as materialized (
       select item.id from item
        where ${conditions.join(' and ')}
          and item.subscription_id in (select s.id from subscription s
                where ${subscriptionConditions(selection, bind).join(' and ')})
        order by item.id limit $5
     ), changed as (
       update item set unread = false, last_modified_micros = $2 from given
        where item.reader_id = $1 and item.id = given.id
       returning item.id, item.subscription_id, -1 as unread, 0 as starred
     ), ${keepCounts('$1', '$2')}
     select count(*)::int as marked, max(id) as "lastId" from changed`,
    params,
  );
  const lastId = set?.lastId ?? null;
  return lastId === null ? null : { marked: set?.marked ?? 0, lastId };
}

/** Marks a set of the items that got one of the stamps, and are read, unread again. @returns how many */
export async function markSetUnread(
  tx: SqlRunner,
  reader: LockedReader,
  stampsMicros: readonly number[],
  limit: number,
): Promise<number> {
  const [set] = await tx.query<{ marked: number }>(
    `with given as materialized (
       select item.id from item
        where item.reader_id = $1 and item.last_modified_micros = any($3::bigint[])
          and not item.unread and ${NOT_MARKED_FOR_DELETION}
        limit $4
     ), changed as (
       update item set unread = true, last_modified_micros = $2 from given
        where item.reader_id = $1 and item.id = given.id
       returning item.id, item.subscription_id, 1 as unread, 0 as starred
     ), ${keepCounts('$1', '$2')}
     select count(*)::int as marked from changed`,
    [reader.id, reader.stampMicros, stampsMicros, limit],
  );
  return set?.marked ?? 0;
}

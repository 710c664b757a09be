import { selectList, type RowOf } from '../../../database/select-list.js';
import type { Statement } from '../../../database/statement.js';
import { ArticleEntity } from '../../tables/article.entity.js';
import { ItemEntity } from '../../tables/item.entity.js';
import { choiceOf, translatedTitle } from '../items/automatic-results.sql.js';
import {
  ARTICLE_OF_ITEM,
  COPIES,
  DUPLICATE_OF,
  folderCondition,
  itemConditions,
  NOT_MARKED_FOR_DELETION,
  SHOWS_FULL_TEXT,
  type ItemSelection,
} from '../items/item-list.sql.js';
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
    readonly duplicateOf: number | null;
    /** The items that point to it; null without any. */
    readonly copies:
      | readonly { readonly id: number; readonly feedId: number; readonly unread: boolean }[]
      | null;
    /** Translated by an automatic task; null without one. */
    readonly translatedTitle: string | null;
  };

export type Bind = (value: unknown) => string;

/**
 * A page of a list by date. No index has all items of a reader by date, since item_date_index and
 * item_starred_date_index are per feed, which serves every list: the page is merged from the feeds of the
 * list. The first of each feed, or the first few where there are few feeds, show how far the page reaches
 * at most; then feeds whose first item is within are read up to there. Costs a look-up per feed and a few
 * times the page, for any number of items. A list of a label reads all of its items.
 */
export function rowList(readerId: number, selection: ItemSelection, page: RowPage): Statement {
  const { sql, params } = pickedRows(readerId, selection, page, false);
  return { sql: withOpenings(sql, page.oldestFirst), params };
}

/** A page's items, in order. @param hasHidden whether those that rules hide are among them */
export function pickedRows(
  readerId: number,
  selection: ItemSelection,
  page: RowPage,
  hasHidden: boolean,
): Statement {
  const params: unknown[] = [readerId];
  const bind: Bind = (value) => `$${params.push(value)}`;
  return { sql: pickedByDate(selection, page, hasHidden, bind), params };
}

/** SQL of a page's items, in order; the reader is `$1`. */
function pickedByDate(
  selection: ItemSelection,
  page: RowPage,
  hasHidden: boolean,
  bind: Bind,
): string {
  const { oldestFirst } = page;
  const direction = oldestFirst ? 'asc' : 'desc';
  const order = `order by date_seconds ${direction}, id ${direction}`;
  if (selection.of === 'label' || selection.of === 'highlighted') {
    // Few items, in no order of dates.
    const ofThese = [
      'item.reader_id = $1',
      NOT_MARKED_FOR_DELETION,
      ...itemConditions(selection, bind),
      ...beyond(page, bind),
    ].join(' and ');
    return `select item.* from item where ${ofThese} ${order} limit ${bind(page.limit)}::bigint`;
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
    ...(isStarred || hasHidden ? [] : [notHidden('stream.unread')]),
    ...(isStarred && isUnread ? ['item.unread'] : []),
    ...beyond(page, bind),
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
 * Adds the columns of rows to items; the reader is `$1`. Of a body only the beginning is decompressed, and
 * its length is known without.
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
           item.labels, item.duplicate_of as "duplicateOf", item.copies, item.article_id, item.titles_to
      from (select item.*, ${SHOWS_FULL_TEXT}, ${labelNames('item.id')} as labels,
                   ${DUPLICATE_OF} as duplicate_of, ${COPIES} as copies,
                   ${choiceOf('titles_to', 'item')} as titles_to
              from (${picked}) item
             order by item.date_seconds ${direction}, item.id ${direction} offset 0) item
     cross join lateral (${ARTICLE_OF_ITEM}) article
     order by item.date_seconds ${direction}, item.id ${direction} offset 0) listed`;
}

/**
 * A condition that a rule has not hidden `item`: read items alone are, in no list of starred or labelled ones.
 *
 * @param unread SQL whether it is
 */
export const notHidden = (unread: string) =>
  `(${unread} or not (select exists (select 1 from item_mark where reader_id = $1))
      or not exists (select 1 from item_mark mark
                      where mark.reader_id = $1 and mark.item_id = item.id and mark.hidden))`;

const PLACE = '(item.date_seconds, item.id)';

/** Conditions on `item` that it comes after the place; none without one. */
export function beyond({ oldestFirst, after }: Omit<RowPage, 'limit'>, bind: Bind): string[] {
  if (after === null) {
    return [];
  }
  const place = `(${bind(after.dateSeconds)}::integer, ${bind(after.id)}::bigint)`;
  return [`${PLACE} ${oldestFirst ? '>' : '<'} ${place}`];
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

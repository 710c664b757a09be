import { selectList, type RowOf } from '../../../database/select-list.js';
import type { Statement } from '../../../database/statement.js';
import { CONTENT_COLUMNS, type ContentColumn } from '../../feed-parser/items/parsed-item.js';
import { ArticleEntity } from '../../tables/article.entity.js';
import { ItemEntity } from '../../tables/item.entity.js';
import { labelNames } from '../labels/item-labels.sql.js';

export type ItemSelection =
  | { readonly of: 'all' | 'unread' | 'starred' | 'highlighted'; readonly unreadOnly: boolean }
  | { readonly of: 'feed'; readonly feedId: number; readonly unreadOnly: boolean }
  /** Null is the root: feeds without a folder. */
  | { readonly of: 'folder'; readonly folderId: number | null; readonly unreadOnly: boolean }
  | { readonly of: 'label'; readonly labelId: number; readonly unreadOnly: boolean };

export interface ItemPage {
  readonly oldestFirst: boolean;
  /** Exclusive: ids below it, or above it with `oldestFirst`; null starts from the beginning. */
  readonly offset: number | null;
  /** Null lists everything. */
  readonly limit: number | null;
}

const MICROS_PER_SECOND = 1_000_000;

const ITEM = selectList(ItemEntity, 'item', ['id', 'unread', 'starred', 'filtered']);
const ARTICLE = selectList(ArticleEntity, 'article', ['guid', ...CONTENT_COLUMNS]);

export const LISTED = `${ITEM}, ${ARTICLE}, item.subscription_id as "feedId", article.html as body,
           item.last_modified_micros / 1000000 as "lastModifiedSeconds",
           encode(article.guid_hash, 'hex') as "guidHash",
           encode(article.fingerprint, 'hex') as fingerprint,
           encode(article.content_hash, 'hex') as "contentHash", item.labels, item.duplicate_of as "duplicateOf"`;

/** An item with its article's contents. Hashes are lower-case hex, times unix seconds. */
export type ListedItem = RowOf<typeof ITEM> &
  RowOf<typeof ARTICLE> & {
    readonly feedId: number;
    readonly body: string | null;
    readonly lastModifiedSeconds: number;
    readonly guidHash: string;
    readonly fingerprint: string;
    readonly contentHash: string;
  };

/** GET /items: a page with its contents. */
export function itemList(...page: Parameters<typeof pickedItems>): Statement {
  const [, , { oldestFirst }] = page;
  const { sql, params } = pickedItems(...page);
  return { sql: withContents(sql, oldestFirst ? 'asc' : 'desc'), params };
}

/** The ids of a page in order, as text. */
export function itemIds(...page: Parameters<typeof pickedItems>): Statement {
  return idsOf(pickedItems(...page));
}

/** The ids of picked items in their order, as text. */
export function idsOf({ sql, params }: Statement): Statement {
  return { sql: `select picked.id::text from (${sql}) picked`, params };
}

/**
 * Walks an index in the order of the answer and stops at the limit, so the cost is that of the page:
 * - all, folder: the primary key (reader_id, id);
 * - unread: item_unread_index; starred: item_starred_index;
 * - label: item_label_pkey, then the primary key; reads all items of the label;
 * - highlighted: item_mark_highlighted_index, then the primary key; reads all highlighted items;
 * - feed: item_subscription_id_article_id_unique, since within one feed items have the order of their
 *   articles, and item_late_index for the exceptions;
 * - a page of a folder with a small share of the feeds: the newest of each feed by that same index, merged,
 *   instead of a walk through the items of all other feeds.
 *
 * @param folderShare of the reader's feeds in the selected folder, 0 to 1
 */
export function pickedItems(
  readerId: number,
  selection: ItemSelection,
  page: ItemPage,
  folderShare = 1,
): Statement {
  const params: unknown[] = [readerId];
  const bind = (value: unknown) => `$${params.push(value)}`;
  const direction = page.oldestFirst ? 'asc' : 'desc';
  const limit = page.limit === null ? '' : `limit ${bind(page.limit)}`;

  const conditions = ['item.reader_id = $1', ...itemConditions(selection, bind)];
  const isByFeed =
    selection.of === 'feed' ||
    (selection.of === 'folder' && page.limit !== null && folderShare <= SMALL_SHARE);
  if (page.offset !== null) {
    // For one feed, avoids an index that has the id after the date, which would read all of its items.
    const id = isByFeed ? '(item.id + 0)' : 'item.id';
    conditions.push(`${id} ${page.oldestFirst ? '>' : '<'} ${bind(page.offset)}`);
  }

  if (selection.of === 'feed') {
    conditions.push(`item.subscription_id = ${bind(selection.feedId)}`, NOT_MARKED_FOR_DELETION);
    return { sql: ofOneFeed(conditions, direction, limit), params };
  }
  if (selection.of === 'folder') {
    const inFolder = `s.reader_id = $1 and s.deleted_at is null and ${folderCondition(selection.folderId, bind)}`;
    if (!isByFeed) {
      const sql = `select item.* from item
                    where ${conditions.join(' and ')}
                      and item.subscription_id in (select s.id from subscription s where ${inFolder})
                    order by item.id ${direction} ${limit}`;
      return { sql, params };
    }
    conditions.push('item.subscription_id = s.id');
    const sql = `select item.* from subscription s
                  cross join lateral (${ofOneFeed(conditions, direction, limit)}) item
                  where ${inFolder} order by item.id ${direction} ${limit}`;
    return { sql, params };
  }
  const sql = `select item.* from item
                where ${conditions.join(' and ')} and ${NOT_MARKED_FOR_DELETION}
                order by item.id ${direction} ${limit}`;
  return { sql, params };
}

/**
 * Items of a feed have the order of their articles, except for late ones: these are few, and have
 * item_late_index.
 */
function ofOneFeed(
  conditions: readonly string[],
  direction: 'asc' | 'desc',
  limit: string,
): string {
  const condition = conditions.join(' and ');
  return `select item.* from (
            (select item.* from item where ${condition} and not item.late
              order by item.article_id ${direction} ${limit})
             union all
            (select item.* from item where ${condition} and item.late
              order by item.id ${direction} ${limit})) item
           order by item.id ${direction} ${limit}`;
}

/** GET /items/updated: a page with its contents, newest first. */
export function changedItems(...page: Parameters<typeof pickedChanges>): Statement {
  const { sql, params } = pickedChanges(...page);
  return { sql: withContents(sql, 'desc'), params };
}

/** The ids of a page of `changedItems`, as text. */
export function changedIds(...page: Parameters<typeof pickedChanges>): Statement {
  return idsOf(pickedChanges(...page));
}

/**
 * Uses item_reader_id_last_modified_micros_index; if most of the items have changed, by the primary key.
 *
 * @param belowId exclusive; null begins with the newest
 */
function pickedChanges(
  readerId: number,
  selection: ItemSelection,
  sinceMicros: number,
  belowId: number | null,
  limit: number,
): Statement {
  const params: unknown[] = [readerId];
  const bind = (value: unknown) => `$${params.push(value)}`;
  const conditions = [
    'item.reader_id = $1',
    `item.last_modified_micros >= ${bind(sinceMicros)}`,
    NOT_MARKED_FOR_DELETION,
    ...itemConditions(selection, bind),
  ];
  if (belowId !== null) {
    conditions.push(`item.id < ${bind(belowId)}`);
  }
  if (selection.of === 'feed') {
    conditions.push(`item.subscription_id = ${bind(selection.feedId)}`);
  }
  if (selection.of === 'folder') {
    conditions.push(`item.subscription_id in (select s.id from subscription s
      where s.reader_id = $1 and ${folderCondition(selection.folderId, bind)})`);
  }
  const sql = `select item.* from item where ${conditions.join(' and ')}
                order by item.id desc limit ${bind(limit)}`;
  return { sql, params };
}

/** Items by id with their contents; skips ids that the reader does not have. Uses item_pkey. */
export function itemsByIds(
  readerId: number,
  itemIds: readonly number[],
  direction: 'asc' | 'desc',
  columns?: string,
): Statement {
  const picked = `select * from item where reader_id = $1 and id = any($2::bigint[])
                     and ${NOT_MARKED_FOR_DELETION}`;
  // As text, so that it can stand in a statement's text, too.
  return {
    sql: withContents(picked, direction, columns),
    params: [readerId, `{${itemIds.join()}}`],
  };
}

/** Above this, walking all items and skipping some is cheaper than merging many feeds. */
const SMALL_SHARE = 0.1;

/** A condition on `item`; the reader is `$1`. The list of marked feeds is nearly always empty. */
export const NOT_MARKED_FOR_DELETION = `item.subscription_id not in (
  select id from subscription where reader_id = $1 and deleted_at is not null)`;

/** Conditions on `item` itself, not on its feed; the reader is `$1`. */
export function itemConditions(
  selection: ItemSelection,
  bind: (value: unknown) => string,
): string[] {
  const conditions = [];
  if (selection.of === 'label') {
    conditions.push(`item.id in (select item_id from item_label
      where item_label.reader_id = $1 and item_label.label_id = ${bind(selection.labelId)})`);
  }
  if (selection.of === 'highlighted') {
    conditions.push(
      'item.id in (select item_id from item_mark where reader_id = $1 and highlighted)',
    );
  }
  if (selection.of === 'starred') {
    conditions.push('item.starred');
  }
  if (selection.of === 'unread' || selection.unreadOnly) {
    conditions.push('item.unread');
  }
  return conditions;
}

export function folderCondition(folderId: number | null, bind: (value: unknown) => string): string {
  return folderId === null ? 's.folder_id is null' : `s.folder_id = ${bind(folderId)}`;
}

/**
 * SQL of the item by which the user has the story of `item`; null for none. The reader is `$1`, of whom it asks
 * once in a statement whether any item has one.
 */
export const DUPLICATE_OF = `case when (select exists (select 1 from item_mark
                                  where item_mark.reader_id = $1 and item_mark.duplicate_of is not null)) then (
            select keeper.id from item_mark mark
              join item keeper on keeper.reader_id = $1 and keeper.id = mark.duplicate_of
             where mark.reader_id = $1 and mark.item_id = item.id) end`;

/** SQL of the items of other feeds that point to `item`, as JSON; null for none, as `DUPLICATE_OF`. */
export const COPIES = `case when (select exists (select 1 from item_mark
                                  where item_mark.reader_id = $1 and item_mark.duplicate_of is not null)) then (
            select json_agg(json_build_object('id', copy.id, 'feedId', copy.subscription_id,
                                              'unread', copy.unread) order by copy.id)
              from item_mark mark
              join item copy on copy.reader_id = $1 and copy.id = mark.item_id
              join subscription s on s.reader_id = $1 and s.id = copy.subscription_id and s.deleted_at is null
             where mark.reader_id = $1 and mark.duplicate_of = item.id and not mark.merged) end`;

/** A column of items; the reader is `$1`. */
export const SHOWS_FULL_TEXT = `(item.subscription_id in (
  select id from subscription where reader_id = $1 and full_text)
  or item.id in (select item_id from item_mark where reader_id = $1 and full_text)) as shows_full_text`;

/**
 * An article with its body, for `item` with `shows_full_text`. A volatile column keeps the planner from
 * joining first and sorting whole bodies afterwards, which would delay the first row until the last was
 * read. Unlike `offset 0`, it is allowed for distributed tables.
 */
export const ARTICLE_OF_ITEM = `
       select article.*,
              case when body.full_text_html is not null and item.shows_full_text
                   then body.full_text_html else body.html end as html,
              random() as volatile
         from article left join article_body body on body.source_id = article.source_id
                                                 and body.article_id = article.id
        where article.id = item.article_id`;

/**
 * Adds the article's contents to items already picked in order; the reader is `$1`. The body is the full
 * text in feeds that show it. `offset 0` separates the reader's tables from the sources', which may be on
 * other servers.
 *
 * @param columns of `item`, with `labels` and `duplicate_of`, and of `article`, whose body is `article.html`
 */
export function withContents(picked: string, direction: 'asc' | 'desc', columns = LISTED): string {
  return `
    select ${columns}
      from (select item.*, ${SHOWS_FULL_TEXT}, ${labelNames('item.id')} as labels,
                   ${DUPLICATE_OF} as duplicate_of
              from (${picked}) item order by item.id ${direction} offset 0) item
     cross join lateral (${ARTICLE_OF_ITEM}) article
     order by item.id ${direction}`;
}

/** Bytes of bodies after which a chunk is cut. */
export const CHUNK_BYTES = 1_048_576;

/** A list of `withContents` up to the row with which its bodies have `CHUNK_BYTES`. Adds `bytesSoFar`. */
export function cutToChunk(list: string, direction: 'asc' | 'desc'): string {
  return `
    select *
      from (select listed.*, coalesce(sum(octet_length(body)) over (
                     order by id ${direction} rows unbounded preceding), 0) as "bytesSoFar"
              from (${list}) listed) listed
     where "bytesSoFar" - coalesce(octet_length(body), 0) < ${CHUNK_BYTES}`;
}

const JSON_NAMES: Partial<Record<ContentColumn, string>> = {
  pubDateSeconds: '"pubDateSeconds" as "pubDate"',
  updatedDateSeconds: '"updatedDateSeconds"::text as "updatedDate"',
};

/** What an article shows, but for `rtl`, which has another place. */
const SHOWN = CONTENT_COLUMNS.filter((name) => name !== 'rtl')
  .map((name) => JSON_NAMES[name] ?? `"${name}"`)
  .join(', ');

/**
 * Columns of `listed`, of `withContents`, as the API shows them: the JSON of an item without its body, the
 * body, the names of its labels, null if the reader has no labels at all, and `duplicateOf` as text. PostgreSQL writes the short
 * values, which saves a JavaScript value for each; bodies it would escape one character at a time, for
 * longer than it takes to read and send them.
 *
 * @param lastModified SQL; unix seconds
 * @see docs/spec/feed-reader-api.md "Item"
 */
export const jsonColumns = (lastModified = '"lastModifiedSeconds"'): string => `
      (select row_to_json(short) from (
         select listed.id, guid, "guidHash", ${SHOWN}, "feedId", unread, starred, filtered,
                ${lastModified} as "lastModified", rtl, fingerprint, "contentHash") short) as item,
      body, labels, "duplicateOf"::text`;

/**
 * A chunk of a list, for `Database.readBytes`: `jsonColumns`, the id, and `bytesSoFar`.
 *
 * Stamps are at most the reader's when the request began. A list is read by several statements, and a
 * client that resumes from the highest stamp would otherwise skip changes between them to items that it
 * already has.
 *
 * @param list of `withContents` in this direction
 * @param knownMicros stamp of the reader when the request began
 */
export function asJson(
  { sql, params }: Statement,
  direction: 'asc' | 'desc',
  knownMicros: number,
): Statement {
  const values = [...params, Math.floor(knownMicros / MICROS_PER_SECOND)];
  const lastModified = `least("lastModifiedSeconds", $${values.length})`;
  return {
    sql: `select ${jsonColumns(lastModified)}, listed.id::text, "bytesSoFar"::text
            from (${cutToChunk(sql, direction)}) listed order by listed.id ${direction}`,
    params: values,
  };
}

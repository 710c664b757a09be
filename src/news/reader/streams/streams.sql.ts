import type { SqlRunner } from '../../../database/database.js';
import type { Statement } from '../../../database/statement.js';
import { firstArrivedAt } from '../items/arrivals.sql.js';
import { idsOf, NOT_MARKED_FOR_DELETION } from '../items/item-list.sql.js';
import type { ItemSet, StreamPage, StreamSelection } from './stream.js';

/** Inputs to the choice of index. */
interface StreamSurroundings {
  /** Whether feeds are marked for deletion. */
  readonly hasMarkedFeeds: boolean;
  /** Number of the reader's feeds. */
  readonly feeds: number;
  /** 0 without items. */
  readonly newestItemId: number;
  /** Ids of the items that arrived within the bounds: from this one on, and below the other. */
  readonly fromId: number | null;
  readonly belowId: number | null;
}

export async function findSurroundings(
  readerId: number,
  { fromMicros, toMicros }: StreamSelection,
  runner: SqlRunner,
): Promise<StreamSurroundings> {
  const params = [readerId];
  const bind = (value: number) => `$${params.push(value)}::bigint`;
  const [row] = await runner.query<StreamSurroundings>(
    `select count(deleted_at) > 0 as "hasMarkedFeeds", count(*)::int as feeds,
            coalesce((select max(id) from item where reader_id = $1), 0) as "newestItemId",
            ${fromMicros === null ? 'null' : firstArrivedAt('$1', bind(fromMicros))} as "fromId",
            ${toMicros === null ? 'null' : firstArrivedAt('$1', bind(toMicros + 1))} as "belowId"
       from subscription
      where reader_id = $1`,
    params,
  );
  return row ?? { hasMarkedFeeds: false, feeds: 0, newestItemId: 0, fromId: null, belowId: null };
}

type Tag = Extract<ItemSet, { readonly of: 'tag' }>;

/** The parts of one stream; the reader is `$1`. */
interface Stream {
  /** Conditions on `item`, without its reader and the bounds of ids. */
  readonly conditions: readonly string[];
  /** Exclusive; null is no bound. */
  readonly aboveId: number | null;
  readonly belowId: number | null;
  readonly page: StreamPage | null;
  readonly surroundings: StreamSurroundings;
  readonly bind: (value: string | number) => string;
}

/**
 * The ids of a page, in order, as text. Uses the index with the fewest entries outside of the stream:
 * - unread: item_unread_index, which alone tells unread items of some feeds too;
 * - starred: item_starred_index;
 * - a label: item_label_pkey;
 * - all, read: item_pkey;
 * - feeds: one of the three ways of `ofFeeds`.
 */
export function streamIds(
  readerId: number,
  selection: StreamSelection,
  page: StreamPage,
  surroundings: StreamSurroundings,
): Statement {
  const params: (string | number)[] = [readerId];
  return idsOf({ sql: pickedIds(params, selection, page, surroundings), params });
}

/** SQL of the ids of a page in order, or of all without a page; the reader is `$1`. */
export function pickedIds(
  params: (string | number)[],
  { within, without }: StreamSelection,
  page: StreamPage | null,
  surroundings: StreamSurroundings,
): string {
  const bind = (value: string | number) => `$${params.push(value)}`;
  const flags = new Set<string>([
    ...within.map((set) => set.of),
    ...without.map(({ of }) => OPPOSITE[of]),
  ]);
  const tags = within.filter((set) => set.of === 'tag');
  const isEmpty =
    surroundings.newestItemId === 0 ||
    (flags.has('read') && flags.has('unread')) ||
    (flags.has('starred') && flags.has('unstarred')) ||
    flags.has('none') ||
    tags.some(({ feedIds, labelId }) => feedIds.length === 0 && labelId === null);
  if (isEmpty) {
    return 'select $1::bigint as id where false';
  }
  // The fewest feeds lead the way, unless an index knows the flag.
  const byFlag = flags.has('unread') || flags.has('starred');
  const [leading] = byFlag ? [] : tags.toSorted((a, b) => a.feedIds.length - b.feedIds.length);
  const conditions = [
    ...Object.entries(FLAG_CONDITIONS).flatMap(([flag, sql]) => (flags.has(flag) ? [sql] : [])),
    ...tags.filter((tag) => tag !== leading).map((tag) => isTagged(tag, bind)),
    ...without.filter((set) => set.of === 'tag').map((tag) => `not ${isTagged(tag, bind)}`),
    ...within.filter((set) => set.of === 'items').map((set) => isOneOf(set, bind)),
    ...without.filter((set) => set.of === 'items').map((set) => `not ${isOneOf(set, bind)}`),
  ];
  const from = surroundings.fromId === null ? null : surroundings.fromId - 1;
  const after = page?.after ?? null;
  const stream: Stream = {
    conditions,
    aboveId: page?.oldestFirst === true ? highest(after, from) : from,
    belowId:
      page?.oldestFirst === false ? lowest(after, surroundings.belowId) : surroundings.belowId,
    page,
    surroundings,
    bind,
  };
  return leading === undefined ? walked(stream) : ofTag(leading, stream);
}

const OPPOSITE = {
  all: 'none',
  read: 'unread',
  unread: 'read',
  starred: 'unstarred',
  tag: 'all',
  items: 'all',
} as const satisfies Record<ItemSet['of'], string>;

const FLAG_CONDITIONS: Readonly<Record<string, string>> = {
  unread: 'item.unread',
  read: 'not item.unread',
  starred: 'item.starred',
  unstarred: 'not item.starred',
};

/** A walk through an index on the reader's items; none of other columns where that is enough. */
function walked(stream: Stream): string {
  return `select item.id from item
           where ${['item.reader_id = $1', ...stream.conditions, ...bounds(stream), ...unmarked(stream)].join(' and ')}
           ${inOrder(stream)}`;
}

function ofTag({ feedIds, labelId }: Tag, stream: Stream): string {
  const byFeeds = feedIds.length > 0 ? ofFeeds(feedIds, stream) : null;
  const byLabel = labelId === null ? null : ofLabel(labelId, stream);
  if (byFeeds === null || byLabel === null) {
    return byFeeds ?? byLabel ?? '';
  }
  return `select item.id from ((${byFeeds}) union (${byLabel})) item ${inOrder(stream)}`;
}

function ofLabel(labelId: number, stream: Stream): string {
  return `select item.id
            from item_label join item on item.reader_id = $1 and item.id = item_label.item_id
           where ${[
             `item_label.label_id = ${stream.bind(labelId)}`,
             'item_label.reader_id = $1',
             ...stream.conditions,
             ...bounds(stream, 'item_label.item_id'),
             ...unmarked(stream),
           ].join(' and ')}
           ${inOrder(stream, 'item_label.item_id')}`;
}

/** Limit of items merged or skipped for one page; above it, reading all of the feeds is cheaper. */
const MOST_MERGED = 5000;
const MOST_WALKED = 10_000;

/**
 * The items of feeds by id, for which there is no index:
 * - merged: the first few of each feed, since within a feed items have the order of their articles
 *   (item_subscription_id_article_id_unique), except for late ones (item_late_index);
 * - walked: the reader's items within the bounds, if these are near, or many of the items are in the
 *   stream;
 * - sorted: all ids of the feeds, from item_date_index alone.
 */
function ofFeeds(feedIds: readonly number[], stream: Stream): string {
  const { page, surroundings, aboveId, belowId, bind } = stream;
  const isUnbounded = surroundings.fromId === null && surroundings.belowId === null;
  const isMerged =
    page !== null &&
    isUnbounded &&
    (page.after === null || feedIds.length === 1) &&
    feedIds.length * page.limit <= MOST_MERGED;
  const conditions = ['item.reader_id = $1', 'item.subscription_id = s.id', ...stream.conditions];
  const given = `any(${bind(arrayOf(feedIds))}::bigint[])`;
  const feeds = `select s.id from subscription s
                  where s.reader_id = $1 and s.deleted_at is null and s.id = ${given}`;
  if (isMerged) {
    return `select item.id from (${feeds}) s
             cross join lateral (${firstOfFeed(conditions, page, stream)}) item ${inOrder(stream)}`;
  }
  const span = (belowId ?? surroundings.newestItemId + 1) - (aboveId ?? 0) - 1;
  const share = Math.min(1, feedIds.length / Math.max(1, surroundings.feeds));
  if (Math.min(span, page === null ? span : page.limit / share) <= MOST_WALKED) {
    return walked({
      ...stream,
      conditions: [...stream.conditions, `item.subscription_id = ${given}`],
    });
  }
  return `select item.id from (${feeds}) s cross join item
           where ${[...conditions, ...bounds(stream)].join(' and ')} ${inOrder(stream)}`;
}

/** The first items of feed `s` on a page without bounds by arrival. */
function firstOfFeed(conditions: readonly string[], page: StreamPage, stream: Stream): string {
  const direction = page.oldestFirst ? 'asc' : 'desc';
  const limit = `limit ${stream.bind(page.limit)}`;
  const condition = conditions.join(' and ');
  // Avoids an index that has the id after the date, which would read all of the feed's items.
  const afterId = bounds(stream, '(item.id + 0)')
    .map((bound) => ` and ${bound}`)
    .join('');
  const [comparison, start] = page.oldestFirst ? ['>', 0] : ['<', Number.MAX_SAFE_INTEGER];
  // Usually the last item of the previous page still exists, and has the position.
  const afterArticle =
    page.after === null
      ? ''
      : ` and item.article_id ${comparison} coalesce((
            select last.article_id from item last
             where last.reader_id = $1 and last.id = ${stream.bind(page.after)}
               and last.subscription_id = s.id and not last.late), ${start})`;
  return `(select item.id from item where ${condition} and not item.late${afterId}${afterArticle}
            order by item.article_id ${direction} ${limit})
           union all
          (select item.id from item where ${condition} and item.late${afterId}
            order by item.id ${direction} ${limit})`;
}

const isOneOf = ({ itemIds }: Extract<ItemSet, { readonly of: 'items' }>, bind: Stream['bind']) =>
  `(item.id = any(${bind(arrayOf(itemIds))}::bigint[]))`;

/** @returns a condition on `item` */
function isTagged({ feedIds, labelId }: Tag, bind: Stream['bind']): string {
  const alternatives = [
    ...(feedIds.length > 0
      ? [`item.subscription_id = any(${bind(arrayOf(feedIds))}::bigint[])`]
      : []),
    ...(labelId === null
      ? []
      : [
          `item.id in (select item_label.item_id from item_label
                        where item_label.label_id = ${bind(labelId)} and item_label.reader_id = $1)`,
        ]),
  ];
  return alternatives.length === 0 ? 'false' : `(${alternatives.join(' or ')})`;
}

function bounds({ aboveId, belowId, bind }: Stream, id = 'item.id'): string[] {
  return [
    ...(aboveId === null ? [] : [`${id} > ${bind(aboveId)}`]),
    ...(belowId === null ? [] : [`${id} < ${bind(belowId)}`]),
  ];
}

function unmarked({ surroundings }: Stream): string[] {
  return surroundings.hasMarkedFeeds ? [NOT_MARKED_FOR_DELETION] : [];
}

function inOrder({ page, bind }: Stream, id = 'item.id'): string {
  return page === null
    ? ''
    : `order by ${id} ${page.oldestFirst ? 'asc' : 'desc'} limit ${bind(page.limit)}`;
}

/** An SQL array as text, since a copied list takes no arrays. */
function arrayOf(ids: readonly number[]): string {
  return `{${ids.join()}}`;
}

function highest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

function lowest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

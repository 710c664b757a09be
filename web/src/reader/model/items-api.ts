import { RequestFailed, requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from './news-request.js';
import type { Reading } from './search-api.js';
import type { SearchSelection, Selection } from './selection.js';

/** An item whose story another one shows. */
export interface StoryCopy {
  readonly id: number;
  readonly feedId: number;
  readonly unread: boolean;
}

/** The fields of an item that lists and articles show. */
export interface Headline {
  readonly id: number;
  readonly feedId: number;
  readonly title: string;
  readonly url: string | null;
  /** Unix seconds. The service's lists are ordered by it; there it is never in the future. */
  readonly pubDate: number;
  readonly unread: boolean;
  readonly starred: boolean;
  readonly rtl: boolean;
  readonly media: 'audio' | 'video' | null;
  /** Names; absent while the user has no labels. */
  readonly labels?: readonly string[];
  /** The item that shows its story; absent for most. */
  readonly duplicateOf?: number;
  /** The items that it shows the story of; only in lists. */
  readonly copies?: readonly StoryCopy[];
}

/** An item as the service sends it. */
export interface ItemJson extends Omit<Headline, 'title' | 'media'> {
  readonly title: string | null;
  readonly author: string | null;
  readonly body: string;
  readonly enclosureLink: string | null;
  readonly enclosureMime: string | null;
  readonly mediaThumbnail: string | null;
  /** Translated by an automatic task; absent without one. */
  readonly translatedTitle?: string;
  readonly summary?: string;
}

/** Part of a text: first character and the one after the last. */
export type TextRange = readonly [from: number, to: number];

/** An item of a list, without its body. */
export interface RowJson extends Headline {
  readonly snippet: string;
  readonly thumbnail: string | null;
  readonly minutes: number;
  /** Translated by an automatic task; absent without one. */
  readonly translatedTitle?: string;
  /** Value for `ListRequest.after`. */
  readonly place: string;
  /** The words that were searched for. */
  readonly titleRanges?: readonly TextRange[];
  readonly snippetRanges?: readonly TextRange[];
}

/** How many articles a search found. */
export interface Matches {
  readonly count: number;
  /** False: there are more. */
  readonly isExact: boolean;
}

export interface RowPage {
  readonly rows: readonly RowJson[];
  /** Value for `after` of the next page; null at the end. */
  readonly next: string | null;
  /** Value for `changesSince`; only in first pages. */
  readonly since?: number;
  /** The newest item of any list; only in first pages, but not of searches. */
  readonly newestItemId?: number;
  /** Whether the user has automatic tasks; only in first pages. */
  readonly automated?: true;
  /** Articles of the list that rules hide; only in first pages. */
  readonly hidden?: number;
  /** What a search found; only in first pages. */
  readonly matches?: Matches;
  readonly reading?: Reading;
  /** False: older articles are still being indexed; only in first pages of searches. */
  readonly isIndexed?: boolean;
}

export interface ListOrder {
  readonly oldestFirst: boolean;
  readonly unreadOnly: boolean;
}

export interface ListRequest extends ListOrder {
  /** A place of the list, exclusive; null: the beginning. */
  readonly after: string | null;
  readonly batchSize: number;
}

export async function listRows(
  selection: Selection,
  { after, batchSize, oldestFirst, unreadOnly }: ListRequest,
  signal?: AbortSignal,
): Promise<RowPage> {
  const page = { ...typeAndId(selection), getRead: !unreadOnly, batchSize };
  const query = { ...page, ...(after === null ? {} : { after }) };
  const options = { keepCopy: true, ...(signal === undefined ? {} : { signal }) };
  return selection.of === 'search'
    ? requestJson<RowPage>(`${NEWS_ROOT}/search/rows`, {
        ...options,
        query: { ...query, ...searchedBy(selection) },
      })
    : requestJson<RowPage>(`${NEWS_ROOT}/rows`, { ...options, query: { ...query, oldestFirst } });
}

function searchedBy({ query, searchId, byRelevance }: SearchSelection) {
  return {
    ...(searchId === undefined ? { query } : { searchId }),
    order: byRelevance === true ? 'relevance' : 'date',
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/** @returns null if the item does not exist */
export async function findItem(id: number): Promise<ItemJson | null> {
  try {
    return await requestJson<ItemJson>(`${NEWS_ROOT}/items/${id}`, { keepCopy: true });
  } catch (failure) {
    if (failure instanceof RequestFailed && failure.status === 404) {
      return null;
    }
    throw failure;
  }
}

/** Translated titles of the given items, as far as there are any; at most 500. */
export async function findTitles(
  itemIds: readonly number[],
): Promise<readonly { readonly id: number; readonly translatedTitle: string }[]> {
  return (
    await change<{ titles: { id: number; translatedTitle: string }[] }>(
      'POST',
      '/automation/titles',
      { itemIds },
    )
  ).titles;
}

/** An item that arrived or changed. */
export type ChangedRow = Pick<RowJson, 'id' | 'feedId' | 'unread' | 'starred' | 'labels' | 'place'>;

export interface Changes {
  readonly rows: readonly ChangedRow[];
  /** False: there are too many. */
  readonly isComplete: boolean;
  /** Value for the next call. */
  readonly since: number;
}

/** @param since of a first page or an earlier call */
export function changesSince(since: number): Promise<Changes> {
  return requestJson<Changes>(`${NEWS_ROOT}/rows/changed`, { query: { since } });
}

/** Limit per request. The service accepts more, but the user's other requests wait meanwhile. */
const ITEMS_AT_ONCE = 1000;

export async function setUnread(itemIds: readonly number[], unread: boolean): Promise<void> {
  for (let at = 0; at < itemIds.length; at += ITEMS_AT_ONCE) {
    await change('POST', `/items/${unread ? 'unread' : 'read'}/multiple`, {
      itemIds: itemIds.slice(at, at + ITEMS_AT_ONCE),
    });
  }
}

export async function setStarred(itemIds: readonly number[], starred: boolean): Promise<void> {
  for (let at = 0; at < itemIds.length; at += ITEMS_AT_ONCE) {
    await change('POST', `/items/${starred ? 'star' : 'unstar'}/multiple`, {
      itemIds: itemIds.slice(at, at + ITEMS_AT_ONCE),
    });
  }
}

export interface Marked {
  readonly marked: number;
  /** Value for `changesSince`, to skip this change. */
  readonly since: number;
}

export interface MarkedRead extends Marked {
  /** Value for `undoMarking`. */
  readonly undo: readonly number[];
}

/**
 * Marks the items of a list read, or only the ones after a place in it.
 *
 * @param newestItemId items that arrived later stay unread
 */
export function markPartRead(
  selection: Exclude<Selection, { of: 'search' }>,
  list: Omit<ListRequest, 'batchSize'>,
  newestItemId: number,
): Promise<MarkedRead> {
  const { after, oldestFirst, unreadOnly } = list;
  const part = { ...typeAndId(selection), getRead: !unreadOnly, oldestFirst, after };
  return change<MarkedRead>('POST', '/rows/read', { ...part, newestItemId });
}

export function undoMarking(undo: readonly number[]): Promise<Marked> {
  return change<Marked>('POST', '/rows/read/undo', { undo });
}

function typeAndId(selection: Selection): { type: number; id: number } {
  const { of } = selection;
  if (of === 'feed') {
    return { type: 0, id: selection.feedId };
  }
  if (of === 'folder') {
    return { type: 1, id: selection.folderId };
  }
  if (of === 'label') {
    return { type: 20, id: selection.labelId };
  }
  if (of === 'search' && selection.within !== undefined) {
    return typeAndId(selection.within);
  }
  return { type: of === 'starred' ? 2 : 3, id: 0 };
}

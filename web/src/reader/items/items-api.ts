import { request, requestJson } from '../../host/http.js';
import { change, CLIENT_HEADER, NEWS_ROOT, servedAtSeconds } from '../news-request.js';
import type { Selection } from '../selection.js';

/** An item as the service sends it. */
export interface ItemJson {
  readonly id: number;
  readonly feedId: number;
  readonly title: string | null;
  readonly url: string | null;
  readonly author: string | null;
  /** Unix seconds. */
  readonly pubDate: number;
  readonly body: string;
  readonly enclosureLink: string | null;
  readonly enclosureMime: string | null;
  readonly mediaThumbnail: string | null;
  readonly unread: boolean;
  readonly starred: boolean;
  readonly rtl: boolean;
}

export interface ItemPage {
  /** Exclusive id to continue from; 0: the beginning. */
  readonly offset: number;
  readonly batchSize: number;
  readonly oldestFirst: boolean;
  readonly unreadOnly: boolean;
}

export async function listItems(
  selection: Selection,
  page: ItemPage,
  signal?: AbortSignal,
): Promise<readonly ItemJson[]> {
  const { offset, batchSize, oldestFirst, unreadOnly } = page;
  const paging = { offset, batchSize, getRead: !unreadOnly };
  const options = { keepCopy: true, ...(signal === undefined ? {} : { signal }) };
  const { items } =
    selection.of === 'search'
      ? await requestJson<{ items: ItemJson[] }>(`${NEWS_ROOT}/search`, {
          ...options,
          query: { ...paging, query: selection.query },
        })
      : await requestJson<{ items: ItemJson[] }>(`${NEWS_ROOT}/items`, {
          ...options,
          query: { ...paging, ...typeAndId(selection), oldestFirst },
        });
  return items;
}

/** @returns null if the item does not exist */
export async function findItem(id: number): Promise<ItemJson | null> {
  const page = { offset: id + 1, batchSize: 1, oldestFirst: false, unreadOnly: false };
  const [item] = await listItems({ of: 'all' }, page);
  return item?.id === id ? item : null;
}

/** Larger answers are not worth merging; the list is reloaded instead. */
const LARGEST_CHANGES_BYTES = 6_000_000;

export interface Changes {
  /** Null: too many. */
  readonly items: readonly ItemJson[] | null;
  /** For the next call; unix seconds of the service's clock. */
  readonly nextSinceSeconds: number;
}

/** New and changed items. @param sinceSeconds of the service's clock */
export async function changesSince(sinceSeconds: number): Promise<Changes> {
  const aborting = new AbortController();
  const response = await request(`${NEWS_ROOT}/items/updated`, {
    query: { type: 3, id: 0, lastModified: sinceSeconds },
    signal: aborting.signal,
  });
  const nextSinceSeconds = servedAtSeconds(response);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const next = await reader?.read();
    if (next?.value === undefined) {
      break;
    }
    pieces.push(next.value);
    bytes += next.value.byteLength;
    if (bytes > LARGEST_CHANGES_BYTES) {
      aborting.abort();
      return { items: null, nextSinceSeconds };
    }
  }
  const { items } = JSON.parse(await new Blob(pieces).text()) as { items: ItemJson[] };
  return { items, nextSinceSeconds };
}

/** New and changed items without the limit of `changesSince`. */
export async function allChangesSince(sinceSeconds: number): Promise<readonly ItemJson[]> {
  const { items } = await requestJson<{ items: ItemJson[] }>(`${NEWS_ROOT}/items/updated`, {
    query: { type: 3, id: 0, lastModified: sinceSeconds },
  });
  return items;
}

/** Per request. The service accepts more, but the user's other requests wait meanwhile. */
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

/** A list that the service marks read as a whole. */
export type WholeList = Exclude<Selection, { of: 'starred' | 'search' }>;

/**
 * Marks the items of a list read, up to and including an id.
 *
 * @returns time of the change, in unix seconds of the service's clock
 */
export async function markReadUpTo(selection: WholeList, newestItemId: number): Promise<number> {
  const response = await request(`${NEWS_ROOT}${readPath(selection)}`, {
    method: 'POST',
    json: { newestItemId },
    headers: CLIENT_HEADER,
  });
  return servedAtSeconds(response);
}

function typeAndId(selection: Exclude<Selection, { of: 'search' }>): { type: number; id: number } {
  switch (selection.of) {
    case 'feed':
      return { type: 0, id: selection.feedId };
    case 'folder':
      return { type: 1, id: selection.folderId };
    case 'starred':
      return { type: 2, id: 0 };
    default:
      return { type: 3, id: 0 };
  }
}

function readPath(selection: WholeList): string {
  switch (selection.of) {
    case 'feed':
      return `/feeds/${selection.feedId}/read`;
    case 'folder':
      return `/folders/${selection.folderId}/read`;
    default:
      return '/items/read';
  }
}

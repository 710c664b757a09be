import { request, requestJson, RequestFailed } from '../host/http.js';
import { addressOf } from '../host/page-context.js';

/*
 * The feed reader API as the pages use it; see docs/news-api.md. The only place of the reader that
 * knows addresses and field names.
 */

const ROOT = '/apps/news/api/v1-3';

/** Names this page to the service, which then leaves its own changes out of its live updates. */
const CLIENT = `pages-${[...crypto.getRandomValues(new Uint8Array(8))]
  .map((byte) => byte.toString(16).padStart(2, '0'))
  .join('')}`;
const AS_THIS_PAGE = { 'X-Gatefold-Client': CLIENT };

/** Which items a list shows. */
export type Selection =
  | { readonly of: 'unread' | 'all' | 'starred' }
  | { readonly of: 'feed'; readonly feedId: number }
  | { readonly of: 'folder'; readonly folderId: number }
  | { readonly of: 'search'; readonly query: string };

export interface Folder {
  readonly id: number;
  readonly name: string;
}

export const FEED_ORDERS = { asTheList: 0, oldestFirst: 1, newestFirst: 2 } as const;

export interface Feed {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  /** Null when no picture of the feed is known. */
  readonly faviconLink: string | null;
  readonly link: string;
  /** Null is outside of all folders. */
  readonly folderId: number | null;
  readonly unreadCount: number;
  /** One of `FEED_ORDERS`. */
  readonly ordering: number;
  readonly pinned: boolean;
  readonly fullTextEnabled: boolean;
  /** 1: a changed article becomes unread again. */
  readonly updateMode: number;
  readonly updateErrorCount: number;
  readonly lastUpdateError: string | null;
  /** Unix seconds. */
  readonly nextUpdateTime: number | null;
}

export interface FeedList {
  readonly feeds: readonly Feed[];
  readonly starredCount: number;
  /** Absent while there are no items. */
  readonly newestItemId?: number;
}

export interface FeedListNow extends FeedList {
  /** Unix seconds of the service's clock. */
  readonly servedAtSeconds: number;
}

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

export interface Filter {
  readonly titleKeywords: string;
  readonly bodyKeywords: string;
  readonly urlKeywords: string;
}

export interface FeedSettings {
  readonly title?: string;
  readonly folderId?: number | null;
  readonly pinned?: boolean;
  readonly ordering?: number;
  readonly fullTextEnabled?: boolean;
  readonly updateMode?: number;
}

export interface FeedPreview {
  readonly url: string;
  readonly title: string;
  readonly link: string;
  /** The visitor's own feed of this address, if there is one. */
  readonly feedId: number | null;
  /** Addresses of all feeds that the web page names. */
  readonly feeds: readonly string[];
  readonly items: readonly {
    readonly title: string | null;
    readonly pubDate: number | null;
    readonly url: string | null;
  }[];
}

export interface FeedStatus {
  readonly health: 'healthy' | 'failing' | 'gone' | 'never fetched';
  readonly fetchedFrom: string;
  readonly lastUpdateTime: number | null;
  readonly nextUpdateTime: number | null;
  readonly beingFetched: boolean;
  readonly pushed: boolean;
  readonly updateErrorCount: number;
  readonly lastUpdateError: string | null;
  /** What was left out of the last document, which was read only in part. */
  readonly warning: string | null;
}

/** What external apps can do with articles now. */
export interface AssistanceOffer {
  readonly translate: {
    readonly languages: readonly {
      readonly from: string;
      readonly fromLabel: string;
      readonly to: string;
      readonly toLabel: string;
    }[];
    /** Whether the language of a text is found out. */
    readonly detects: boolean;
  };
  readonly textTasks: readonly ('summary' | 'topics' | 'headline')[];
  readonly transcribe: boolean;
}

export type AssistanceKind = 'translate' | 'summary' | 'topics' | 'headline' | 'transcript';

export interface Assistance {
  readonly id: number;
  readonly state: 'running' | 'done' | 'failed';
  readonly error: string | null;
  /** Of all kinds but translations. */
  readonly text?: string;
  /** Of translations; HTML. */
  readonly title?: string;
  readonly body?: string;
}

export interface TranslationLanguages {
  readonly to: string;
  /** Left out where it can be found out. */
  readonly from?: string;
}

export interface OpmlImportResult {
  readonly imported: number;
  readonly alreadyThere: number;
  readonly invalid: readonly {
    readonly title: string;
    readonly url: string;
    readonly reason: string;
  }[];
  /** By which the service knows the feeds of this import. */
  readonly after: number;
}

export interface ImportProgress {
  readonly feeds: number;
  readonly fetched: number;
  readonly failing: number;
  /** Of those that are failing, the first. */
  readonly failures: readonly {
    readonly feedId: number;
    readonly title: string;
    readonly url: string;
    readonly reason: string;
  }[];
}

export interface RefreshProgress {
  readonly done: number;
  readonly total: number;
}

/** Numbers of feeds, but for `newItems`. */
export interface RefreshResult {
  readonly feeds: number;
  readonly asked: number;
  readonly newItems: number;
  readonly failures: readonly {
    readonly feedId: number;
    readonly title: string;
    readonly message: string;
  }[];
  /** Fetched a moment ago. */
  readonly fresh: number;
  /** The publisher asked for a pause. */
  readonly resting: number;
  /** Fetched later, by the schedule. */
  readonly left: number;
}

type RefreshLine =
  | ({ readonly step: 'fetching' } & RefreshProgress)
  | ({ readonly step: 'fetched' } & RefreshResult);

export interface ItemPage {
  /** Exclusive id to go on from; 0 starts at the beginning. */
  readonly offset: number;
  readonly batchSize: number;
  readonly oldestFirst: boolean;
  readonly unreadOnly: boolean;
}

export async function listFolders(): Promise<readonly Folder[]> {
  return (await requestJson<{ folders: Folder[] }>(`${ROOT}/folders`)).folders;
}

export async function addFolder(name: string): Promise<Folder> {
  const { folders } = await change<{ folders: [Folder] }>('POST', '/folders', { name });
  return folders[0];
}

export async function renameFolder(id: number, name: string): Promise<void> {
  await change('PUT', `/folders/${id}`, { name });
}

export async function listFeeds(): Promise<FeedListNow> {
  const response = await request(`${ROOT}/feeds`);
  const list = (await response.json()) as FeedList;
  return { ...list, servedAtSeconds: secondsOf(response) };
}

export function previewFeed(url: string): Promise<FeedPreview> {
  return change<FeedPreview>('POST', '/feeds/preview', { url });
}

export async function subscribe(url: string, folderId: number | null): Promise<Feed> {
  const { feeds } = await change<{ feeds: [Feed] }>('POST', '/feeds', { url, folderId });
  return feeds[0];
}

export async function changeFeed(id: number, settings: FeedSettings): Promise<void> {
  await change('PATCH', `/feeds/${id}`, settings);
}

export function feedStatus(id: number): Promise<FeedStatus> {
  return requestJson<FeedStatus>(`${ROOT}/feeds/${id}/status`);
}

/**
 * Has the publishers of a list's feeds asked now. What came is there with the next synchronisation.
 *
 * @param onProgress how many of the feeds are done
 */
export async function refreshFeeds(
  selection: Selection,
  onProgress: (progress: RefreshProgress) => void,
): Promise<RefreshResult> {
  const response = await request(`${ROOT}${refreshPath(selection)}`, {
    method: 'POST',
    headers: { ...AS_THIS_PAGE, Accept: 'application/x-ndjson' },
  });
  let result: RefreshResult | null = null;
  for await (const line of linesOf(response)) {
    const told = JSON.parse(line) as RefreshLine;
    if (told.step === 'fetched') {
      result = told;
    } else {
      onProgress(told);
    }
  }
  if (result === null) {
    throw new RequestFailed('', 0);
  }
  return result;
}

/** Gone, but can be restored for a while. */
export async function removeFeed(id: number): Promise<void> {
  await change('DELETE', `/feeds/${id}?undoable=true`);
}

export async function restoreFeed(id: number): Promise<void> {
  await change('POST', `/feeds/${id}/restore`);
}

/** Takes its feeds along; can be restored for a while. */
export async function removeFolder(id: number): Promise<void> {
  await change('DELETE', `/folders/${id}?undoable=true`);
}

export async function restoreFolder(id: number): Promise<void> {
  await change('POST', `/folders/${id}/restore`);
}

/** Of empty texts for a feed without a filter. */
export async function feedFilter(id: number): Promise<Filter> {
  return (await requestJson<{ filter: Filter }>(`${ROOT}/feeds/${id}/filter`)).filter;
}

/** A filter without keywords is none. */
export async function saveFilter(id: number, filter: Filter): Promise<void> {
  await change('POST', `/feeds/${id}/filter`, filter);
}

export async function listItems(
  selection: Selection,
  page: ItemPage,
  signal?: AbortSignal,
): Promise<readonly ItemJson[]> {
  const { offset, batchSize, oldestFirst, unreadOnly } = page;
  const paging = { offset, batchSize, getRead: !unreadOnly };
  const options = signal === undefined ? {} : { signal };
  const { items } =
    selection.of === 'search'
      ? await requestJson<{ items: ItemJson[] }>(`${ROOT}/search`, {
          ...options,
          query: { ...paging, query: selection.query },
        })
      : await requestJson<{ items: ItemJson[] }>(`${ROOT}/items`, {
          ...options,
          query: { ...paging, ...typeAndId(selection), oldestFirst },
        });
  return items;
}

/** @returns null when there is no such item */
export async function findItem(id: number): Promise<ItemJson | null> {
  const page = { offset: id + 1, batchSize: 1, oldestFirst: false, unreadOnly: false };
  const [item] = await listItems({ of: 'all' }, page);
  return item?.id === id ? item : null;
}

/** More than this is another list rather than a list of changes. */
const LARGEST_CHANGES_BYTES = 6_000_000;

export interface Changes {
  /** Null when there are too many of them. */
  readonly items: readonly ItemJson[] | null;
  /** When to ask from next time; unix seconds of the service's clock. */
  readonly nextSinceSeconds: number;
}

/** New items and items whose flags or contents changed. @param sinceSeconds of the service's clock */
export async function changesSince(sinceSeconds: number): Promise<Changes> {
  const aborting = new AbortController();
  const response = await request(`${ROOT}/items/updated`, {
    query: { type: 3, id: 0, lastModified: sinceSeconds },
    signal: aborting.signal,
  });
  const nextSinceSeconds = secondsOf(response);
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

/** All items that changed, however many. */
export async function allChangesSince(sinceSeconds: number): Promise<readonly ItemJson[]> {
  const { items } = await requestJson<{ items: ItemJson[] }>(`${ROOT}/items/updated`, {
    query: { type: 3, id: 0, lastModified: sinceSeconds },
  });
  return items;
}

/** Of one request; the service takes more, but other requests of the visitor wait meanwhile. */
const ITEMS_AT_ONCE = 1000;

export async function setUnread(itemIds: readonly number[], unread: boolean): Promise<void> {
  for (let at = 0; at < itemIds.length; at += ITEMS_AT_ONCE) {
    await change('POST', `/items/${unread ? 'unread' : 'read'}/multiple`, {
      itemIds: itemIds.slice(at, at + ITEMS_AT_ONCE),
    });
  }
}

export async function setStarred(itemId: number, starred: boolean): Promise<void> {
  await change('POST', `/items/${itemId}/${starred ? 'star' : 'unstar'}`);
}

/**
 * Marks a list read, up to and including an item.
 *
 * @returns when, in unix seconds of the service's clock
 */
export async function markReadUpTo(
  selection: Exclude<Selection, { of: 'starred' | 'search' }>,
  newestItemId: number,
): Promise<number> {
  const response = await request(`${ROOT}${readPath(selection)}`, {
    method: 'POST',
    json: { newestItemId },
    headers: AS_THIS_PAGE,
  });
  return secondsOf(response);
}

export function assistanceOffer(): Promise<AssistanceOffer> {
  return requestJson<AssistanceOffer>(`${ROOT}/assistance`);
}

/** Begins something that may take long, or finds what was done before. */
export function askForAssistance(
  itemId: number,
  kind: AssistanceKind,
  languages?: TranslationLanguages,
): Promise<Assistance> {
  return change<Assistance>('POST', `/items/${itemId}/${kind}`, languages);
}

export function findAssistance(itemId: number, id: number): Promise<Assistance> {
  return requestJson<Assistance>(`${ROOT}/items/${itemId}/assistance/${id}`);
}

/** How far an import is: what part of the file was sent, or how many of its feeds are followed. */
export type ImportStep =
  | { readonly step: 'sending'; readonly sent: number }
  | { readonly step: 'subscribing'; readonly done: number; readonly total: number };

/** @throws ImportRefused */
export function importOpml(
  file: File,
  requestToken: string,
  onProgress: (step: ImportStep) => void,
): Promise<OpmlImportResult> {
  // Fetch does not tell how far an upload has come.
  const upload = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    upload.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress({ step: 'sending', sent: loaded / total }),
    );
    upload.addEventListener('progress', () => {
      const latest = importLines(upload.responseText).at(-1);
      if (latest?.step === 'subscribing') {
        onProgress(latest);
      }
    });
    upload.addEventListener('load', () => {
      if (upload.status !== 200) {
        const answer = readAnswer(upload.responseText) as { message?: string };
        reject(new ImportRefused(answer.message ?? ''));
        return;
      }
      const last = importLines(upload.responseText).at(-1);
      if (last?.step === 'subscribed') {
        resolve(last);
      } else {
        reject(new ImportRefused(''));
      }
    });
    upload.addEventListener('error', () => reject(new ImportRefused('')));
    upload.open('POST', addressOf(`${ROOT}/opml/import`));
    upload.setRequestHeader('Content-Type', 'text/x-opml');
    upload.setRequestHeader('Accept', 'application/x-ndjson');
    upload.setRequestHeader('requesttoken', requestToken);
    upload.send(file);
  });
}

type ImportLine =
  | Extract<ImportStep, { step: 'subscribing' }>
  | ({ readonly step: 'subscribed' } & OpmlImportResult);

/** The lines that are whole. */
function importLines(text: string): ImportLine[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ImportLine);
}

/** How far the fetching of an import's feeds has come. @param after as its result says */
export function importProgress(after: number): Promise<ImportProgress> {
  return requestJson<ImportProgress>(`${ROOT}/opml/progress`, { query: { after } });
}

/** The file could not be imported; the message is the service's, or empty. */
export class ImportRefused extends Error {}

export const opmlExportAddress = () => addressOf(`${ROOT}/opml/export`);
export const liveUpdatesAddress = () => addressOf(`${ROOT}/events?client=${CLIENT}`);

/** @param addressHash MD5 of the feed's address, in hex */
export const faviconAddress = (addressHash: string) => addressOf(`${ROOT}/favicon/${addressHash}`);

function change<T>(method: string, path: string, json?: unknown): Promise<T> {
  return requestJson<T>(ROOT + path, {
    method,
    headers: AS_THIS_PAGE,
    ...(json === undefined ? {} : { json }),
  });
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

function readPath(selection: Exclude<Selection, { of: 'starred' | 'search' }>): string {
  switch (selection.of) {
    case 'feed':
      return `/feeds/${selection.feedId}/read`;
    case 'folder':
      return `/folders/${selection.folderId}/read`;
    default:
      return '/items/read';
  }
}

function refreshPath(selection: Selection): string {
  switch (selection.of) {
    case 'feed':
      return `/feeds/${selection.feedId}/refresh`;
    case 'folder':
      return `/folders/${selection.folderId}/refresh`;
    default:
      return '/feeds/refresh';
  }
}

/** The lines of an answer, each as soon as it is whole. */
async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const next = await reader?.read();
    if (next?.value === undefined) {
      return;
    }
    const lines = (rest + next.value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function secondsOf(response: Response): number {
  const date = Date.parse(response.headers.get('Date') ?? '');
  return Math.floor((Number.isNaN(date) ? Date.now() : date) / 1000);
}

function readAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

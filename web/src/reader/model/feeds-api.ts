import { requestJson } from '../../host/http.js';
import { addressOf } from '../../host/page-context.js';
import { change, NEWS_ROOT } from './news-request.js';

export interface Folder {
  readonly id: number;
  readonly name: string;
}

export const FEED_ORDERS = { asTheList: 0, oldestFirst: 1, newestFirst: 2 } as const;

export interface Feed {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  /** Null if the feed has no known icon. */
  readonly faviconLink: string | null;
  readonly link: string;
  /** Null: root. */
  readonly folderId: number | null;
  readonly unreadCount: number;
  /** One of `FEED_ORDERS`. */
  readonly ordering: number;
  readonly pinned: boolean;
  readonly fullTextEnabled: boolean;
  /** 1: changed articles become unread again. */
  readonly updateMode: number;
  readonly updateErrorCount: number;
  readonly lastUpdateError: string | null;
  /** Unix seconds. */
  readonly nextUpdateTime: number | null;
  /** The followed feed that its publisher moved it to. */
  readonly sameAs?: number;
}

/** Whether its items are added by apps or the user, and nothing is fetched. */
export function isAddedTo({ url }: Pick<Feed, 'url'>): boolean {
  return url.startsWith('https://added.invalid/');
}

export interface FeedList {
  readonly feeds: readonly Feed[];
  readonly starredCount: number;
  /** Absent while there are no items. */
  readonly newestItemId?: number;
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
  /** Null: as often as the feed publishes. */
  readonly fetchEveryHours?: number | null;
  readonly url?: string;
  readonly access?: Access;
  readonly itemRule?: ItemRule;
}

/** The part of an article that identifies it; `automatic`: decided for each article. */
export type ItemRule = 'automatic' | 'guid' | 'link' | 'title' | 'text';

/** Credentials and headers for one feed; absent values are unchanged, empty ones are removed. */
export interface Access {
  readonly userName?: string;
  readonly password?: string;
  readonly userAgent?: string;
  readonly cookie?: string;
  /** Bearer token. */
  readonly token?: string;
  /** By name; null removes one. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly certificate?: AccessCertificate | null | undefined;
}

/** In PEM form. */
export interface AccessCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly passphrase: string;
}

/** How a feed is fetched. */
export interface Fetching {
  /** URL without user name and password. */
  readonly url: string;
  readonly fetchEveryHours: number | null;
  readonly itemRule: ItemRule;
  readonly hasPassword: boolean;
  readonly hasCookie: boolean;
  readonly hasToken: boolean;
  /** Names. */
  readonly headers: readonly string[];
  /** Unix seconds; null without a client certificate. */
  readonly certificateEnds: number | null;
  readonly userAgent: string;
}

/** A feed as a web page names it. */
export interface NamedFeed {
  readonly url: string;
  /** May be empty. */
  readonly title: string;
  /** The visitor's subscription to it. */
  readonly feedId: number | null;
}

/** A feed that is found by its name or topic. */
export interface Suggestion {
  readonly title: string;
  readonly url: string;
  /** Of its website; may be empty. */
  readonly link: string;
  readonly topics: readonly string[];
  /** A sentence; null for a feed that is followed. */
  readonly reason: string | null;
  /** The visitor's subscription to it. */
  readonly feedId: number | null;
}

export interface FeedPreview {
  readonly url: string;
  readonly title: string;
  readonly link: string;
  /** The visitor's existing subscription to this address, or to where it redirects. */
  readonly feedId: number | null;
  /** All feeds that the web page links to. */
  readonly namedFeeds: readonly NamedFeed[];
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
  readonly updateErrorCount: number;
  readonly lastUpdateError: string | null;
  /** The skipped part of the last document, if it was read only in part. */
  readonly warning: string | null;
  /** The latest ones, the newest first; `at` in unix seconds. */
  readonly attempts: readonly { readonly at: number; readonly outcome: string }[];
}

/** Stored for reading offline. */
const KEPT = { keepCopy: true };

export async function listFolders(): Promise<readonly Folder[]> {
  return (await requestJson<{ folders: Folder[] }>(`${NEWS_ROOT}/folders`, KEPT)).folders;
}

export async function addFolder(name: string): Promise<Folder> {
  const { folders } = await change<{ folders: [Folder] }>('POST', '/folders', { name });
  return folders[0];
}

export const renameFolder = (id: number, name: string): Promise<void> =>
  change('PUT', `/folders/${id}`, { name });

/** Includes its feeds; can be undone with `restoreFolder` for an hour. */
export const removeFolder = (id: number): Promise<void> =>
  change('DELETE', `/folders/${id}?undoable=true`);

export const restoreFolder = (id: number): Promise<void> =>
  change('POST', `/folders/${id}/restore`);

export const listFeeds = (): Promise<FeedList> => requestJson<FeedList>(`${NEWS_ROOT}/feeds`, KEPT);

/** What is known of these words; topics are those of the starter list. */
export const suggestFeeds = (words: string, signal?: AbortSignal) =>
  requestJson<{ readonly suggestions: readonly Suggestion[]; readonly topics: readonly string[] }>(
    `${NEWS_ROOT}/feeds/suggestions?q=${encodeURIComponent(words.slice(0, 200))}`,
    signal === undefined ? {} : { signal },
  );

export const previewFeed = (url: string, access: Access = {}): Promise<FeedPreview> =>
  change<FeedPreview>('POST', '/feeds/preview', { url, access });

/** @param startUnread the newest articles that are unread; null: all */
export async function subscribe(
  url: string,
  folderId: number | null,
  startUnread: number | null = null,
  access: Access = {},
): Promise<Feed> {
  const wanted = { url, folderId, startUnread, access };
  const { feeds } = await change<{ feeds: [Feed] }>('POST', '/feeds', wanted);
  return feeds[0];
}

export const feedFetching = (id: number): Promise<Fetching> =>
  requestJson<Fetching>(`${NEWS_ROOT}/feeds/${id}/fetching`);

export const changeFeed = (id: number, settings: FeedSettings): Promise<void> =>
  change('PATCH', `/feeds/${id}`, settings);

export const feedStatus = (id: number): Promise<FeedStatus> =>
  requestJson<FeedStatus>(`${NEWS_ROOT}/feeds/${id}/status`);

/** Can be undone with `restoreFeed` for an hour. */
export const removeFeed = (id: number): Promise<void> =>
  change('DELETE', `/feeds/${id}?undoable=true`);

/** Cannot be undone. */
export const mergeFeed = (id: number, into: number): Promise<void> =>
  change('POST', `/feeds/${id}/merge`, { into });

export const restoreFeed = (id: number): Promise<void> => change('POST', `/feeds/${id}/restore`);

/** All texts are empty for a feed without a filter. */
export async function feedFilter(id: number): Promise<Filter> {
  return (await requestJson<{ filter: Filter }>(`${NEWS_ROOT}/feeds/${id}/filter`)).filter;
}

/** A filter without keywords removes the filter. */
export const saveFilter = (id: number, filter: Filter): Promise<void> =>
  change('POST', `/feeds/${id}/filter`, filter);

/** @param addressHash MD5 of the feed's address, in hex */
export const faviconAddress = (addressHash: string) =>
  addressOf(`${NEWS_ROOT}/favicon/${addressHash}`);

export const opmlExportAddress = () => addressOf(`${NEWS_ROOT}/opml/export`);

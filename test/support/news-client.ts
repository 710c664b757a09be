import { ApiClient, type Answer, type CallOptions, type Credentials } from './api-client.js';

export type Level = 'v1-2' | 'v1-3';
export const LEVELS: readonly Level[] = ['v1-2', 'v1-3'];

export interface FolderJson {
  readonly id: number;
  readonly name: string;
}

export interface FeedJson {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly faviconLink: string | null;
  readonly added: number;
  readonly nextUpdateTime: number | null;
  readonly folderId: number | null;
  readonly unreadCount: number;
  readonly ordering: number;
  readonly link: string;
  readonly pinned: boolean;
  readonly updateErrorCount: number;
  readonly lastUpdateError: string | null;
}

export interface FeedListJson {
  readonly feeds: readonly FeedJson[];
  readonly starredCount: number;
  readonly newestItemId?: number;
}

export interface ItemJson {
  readonly id: number;
  readonly guid: string;
  readonly guidHash: string;
  readonly url: string | null;
  readonly title: string | null;
  readonly author: string | null;
  readonly pubDate: number;
  readonly body: string;
  readonly enclosureMime: string | null;
  readonly enclosureLink: string | null;
  readonly mediaThumbnail: string | null;
  readonly mediaDescription: string | null;
  readonly feedId: number;
  readonly unread: boolean;
  readonly starred: boolean;
  readonly lastModified: number;
  readonly rtl: boolean;
  readonly fingerprint: string;
  readonly contentHash: string;
  /** Absent while the user has no labels. */
  readonly labels?: readonly string[];
}

export interface LabelJson {
  readonly id: number;
  readonly name: string;
  readonly itemCount: number;
  readonly unreadCount: number;
}

export interface RowJson {
  readonly id: number;
  readonly feedId: number;
  readonly title: string;
  readonly url: string | null;
  readonly author: string | null;
  readonly pubDate: number;
  readonly snippet: string;
  readonly thumbnail: string | null;
  readonly media: 'audio' | 'video' | null;
  readonly minutes: number;
  readonly unread: boolean;
  readonly starred: boolean;
  readonly rtl: boolean;
  readonly labels?: readonly string[];
  readonly place: string;
}

export interface RowsJson {
  readonly rows: readonly RowJson[];
  readonly next: string | null;
  /** Of first pages. */
  readonly newestItemId?: number;
  readonly since?: number;
}

/** A client of the feed reader API, at one level. */
export class NewsClient {
  readonly #api: ApiClient;

  constructor(
    client: { readonly baseUrl: string; readonly credentials?: Credentials | undefined },
    readonly level: Level,
  ) {
    this.#api = new ApiClient(
      `${client.baseUrl}/index.php/apps/news/api/${level}`,
      client.credentials,
    );
  }

  call(method: string, path: string, options?: CallOptions): Promise<Answer> {
    return this.#api.call(method, path, options);
  }

  get(path: string, query: CallOptions['query'] = {}): Promise<Answer> {
    return this.#api.get(path, { query });
  }

  post(path: string, json?: unknown): Promise<Answer> {
    return this.#api.post(path, json);
  }

  put(path: string, json?: unknown): Promise<Answer> {
    return this.#api.put(path, json);
  }

  delete(path: string): Promise<Answer> {
    return this.#api.delete(path);
  }

  /** POST at v1-3 and PUT at v1-2, as specified. */
  change(path: string, json?: unknown): Promise<Answer> {
    return this.#api.call(this.level === 'v1-3' ? 'POST' : 'PUT', path, { json });
  }

  async folders(): Promise<readonly FolderJson[]> {
    return (await ok<{ folders: FolderJson[] }>(this.get('/folders'))).folders;
  }

  async createFolder(name: string): Promise<FolderJson> {
    const { folders } = await ok<{ folders: FolderJson[] }>(this.post('/folders', { name }));
    return only(folders);
  }

  async labels(): Promise<readonly LabelJson[]> {
    return (await ok<{ labels: LabelJson[] }>(this.get('/labels'))).labels;
  }

  /** Adds labels to items, and removes others. */
  async label(
    itemIds: readonly number[],
    change: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
  ): Promise<void> {
    await ok(this.post('/items/labels/multiple', { itemIds, ...change }));
  }

  async feedList(): Promise<FeedListJson> {
    return ok<FeedListJson>(this.get('/feeds'));
  }

  async feed(feedId: number): Promise<FeedJson> {
    return only((await this.feedList()).feeds.filter(({ id }) => id === feedId));
  }

  async subscribe(url: string, folderId: number | null = null): Promise<FeedJson> {
    const { feeds } = await ok<FeedListJson>(this.post('/feeds', { url, folderId }));
    return only(feeds);
  }

  async items(query: CallOptions['query'] = {}): Promise<readonly ItemJson[]> {
    return (await ok<{ items: ItemJson[] }>(this.get('/items', query))).items;
  }

  /** A page of a list by date. */
  async rows(query: CallOptions['query'] = {}): Promise<RowsJson> {
    return ok<RowsJson>(this.get('/rows', query));
  }

  async changedItems(
    lastModified: number,
    query: CallOptions['query'] = {},
  ): Promise<readonly ItemJson[]> {
    const answer = this.get('/items/updated', { type: 3, ...query, lastModified });
    return (await ok<{ items: ItemJson[] }>(answer)).items;
  }

  /** The one item with this title. */
  async item(title: string): Promise<ItemJson> {
    return only((await this.items()).filter((item) => item.title === title));
  }

  /** Stars as each level does: by guid hash at v1-2, by id at v1-3. */
  star(item: ItemJson): Promise<Answer> {
    return this.level === 'v1-2'
      ? this.put(`/items/${item.feedId}/${item.guidHash}/star`)
      : this.post(`/items/${item.id}/star`);
  }

  /** Fetches from the publisher again, like an administrator's script. */
  async update(userId: string, feedId: number): Promise<void> {
    await ok(this.get('/feeds/update', { userId, feedId }));
  }
}

/** The body of a response that must be a success. */
export async function ok<Body>(answer: Promise<Answer>): Promise<Body> {
  const { status, text, json } = await answer;
  if (status !== 200) {
    throw new Error(`Expected 200, but the answer is ${status}: ${text.slice(0, 500)}`);
  }
  return json as Body;
}

function only<Thing>(things: readonly Thing[]): Thing {
  const [thing] = things;
  if (thing === undefined || things.length > 1) {
    throw new Error(`Expected exactly one, but there are ${things.length}`);
  }
  return thing;
}

export const titles = (items: readonly ItemJson[]) => items.map(({ title }) => title);

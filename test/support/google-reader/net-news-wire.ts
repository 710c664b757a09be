import { z } from 'zod';
import type { Credentials } from '../api-client.js';
import { chunks, Program, type Article, type ShelvedFeed } from './program.js';
import {
  decode,
  decimal,
  hex,
  itemOf,
  itemOfLong,
  LONG_ID,
  READ,
  READING_LIST,
  ReaderWire,
  STARRED,
  Undecodable,
} from './wire.js';

const Tags = z.object({ tags: z.array(z.object({ id: z.string(), type: z.string().optional() })) });

const Subscriptions = z.object({
  subscriptions: z.array(
    z.object({
      id: z.string(),
      title: z.string().optional(),
      categories: z.array(z.object({ id: z.string(), label: z.string() })),
      url: z.string().optional(),
      htmlUrl: z.string().optional(),
      iconUrl: z.string().optional(),
    }),
  ),
});

const Ids = z.object({
  itemRefs: z.array(z.object({ id: z.string() })).optional(),
  continuation: z.string().optional(),
});

const Entries = z.object({
  id: z.string(),
  updated: z.int(),
  items: z.array(
    z.object({
      id: z.string(),
      title: z.string().optional(),
      author: z.string().optional(),
      published: z.number().optional(),
      crawlTimeMsec: z.string().optional(),
      timestampUsec: z.string().optional(),
      summary: z.object({ content: z.string().optional() }),
      alternate: z.array(z.object({ href: z.string().optional() })).optional(),
      categories: z.array(z.string()),
      origin: z.object({ streamId: z.string().optional(), title: z.string().optional() }),
    }),
  ),
});

const QuickAdd = z.object({
  numResults: z.int(),
  error: z.string().optional(),
  streamId: z.string().optional(),
});

const THREE_MONTHS_SECONDS = 90 * 86_400;

/**
 * NetNewsWire: marks everything since its last round read, then gets the unread and starred ids
 * and the contents that it lacks. Item ids are sent without leading zeros for contents, and with
 * them for flags. `ot` of the next round is the `Date` header of the first answer of this one.
 */
export class NetNewsWire extends Program {
  readonly #wire: ReaderWire;
  #token: string | null = null;
  #lastFetchSeconds: number | null = null;
  folders: readonly string[] = [];

  constructor(url: string) {
    super();
    const agent = 'NetNewsWire (RSS Reader; https://netnewswire.com/)';
    this.#wire = new ReaderWire(`${url}/api/greader.php`, agent);
  }

  async logIn({ userId, password }: Credentials): Promise<void> {
    const { text } = await this.#wire.post('/accounts/ClientLogin', [
      ['Email', userId],
      ['Passwd', password],
    ]);
    const lines = text.split('\n').map((line) => line.split('=').filter((part) => part !== ''));
    const auth = lines.find(([name, , more]) => name === 'Auth' && more === undefined)?.[1];
    if (auth === undefined) {
      throw new Undecodable(`incomplete credentials: ${text}`);
    }
    this.#wire.auth = auth;
  }

  async sync(): Promise<void> {
    const { tags } = await this.#wire.json(Tags, '/reader/api/0/tag/list?output=json');
    this.folders = tags.flatMap(({ id }) => /\/label\/(.*)/s.exec(id)?.[1] ?? []);
    await this.#readSubscriptions();
    for (const id of await this.#ids('all')) {
      const known = this.articles.get(itemOf(id));
      if (known) {
        known.read = true;
      }
      this.#missing.add(itemOf(id));
    }
    const unread = new Set((await this.#ids('unread')).map(itemOf));
    const starred = new Set((await this.#ids('starred')).map(itemOf));
    for (const item of [...unread, ...starred]) {
      this.#missing.add(item);
    }
    for (const item of this.articles.keys()) {
      this.#missing.delete(item);
    }
    for (const part of chunks([...this.#missing], 150)) {
      await this.#fetchContents(part);
    }
    this.#missing.clear();
    for (const article of this.articles.values()) {
      article.read = !unread.has(article.item);
      article.starred = starred.has(article.item);
    }
  }

  readonly #missing = new Set<number>();

  async #readSubscriptions() {
    const path = '/reader/api/0/subscription/list?output=json';
    const { subscriptions } = await this.#wire.json(Subscriptions, path);
    this.feeds = subscriptions.map(({ id, title, url, categories }) => ({
      id,
      title: title ?? '',
      url: url ?? id.replace('feed/', ''),
      folder: categories[0]?.label ?? null,
    }));
  }

  async #ids(of: 'all' | 'unread' | 'starred'): Promise<string[]> {
    const since = this.#lastFetchSeconds ?? Math.floor(Date.now() / 1000) - THREE_MONTHS_SECONDS;
    const select = {
      all: `ot=${since}&s=${READING_LIST}`,
      unread: `s=${READING_LIST}&xt=${READ}`,
      starred: `s=${STARRED}`,
    }[of];
    const first = `/reader/api/0/stream/items/ids?n=1000&output=json&${select}`;
    const ids: string[] = [];
    let date: string | undefined;
    for (let path: string | null = first; path !== null;) {
      const { json, headers } = await this.#wire.call('GET', path);
      const { itemRefs = [], continuation } = decode(Ids, json);
      date ??= headers.date;
      ids.push(...itemRefs.map(({ id }) => id));
      if (path === first && itemRefs.length === 0) {
        return [];
      }
      path = continuation === undefined ? null : `${first}&c=${continuation}`;
    }
    if (of === 'all' && date !== undefined) {
      this.#lastFetchSeconds = Date.parse(date) / 1000;
    }
    return ids;
  }

  async #fetchContents(items: readonly number[]): Promise<void> {
    const ids = items.map((item) => `i=${LONG_ID}${BigInt(decimal(item)).toString(16)}`).join('&');
    const body = `T=${await this.#tokenOf()}&output=json&${ids}`;
    const answer = await this.#wire.postRaw('/reader/api/0/stream/items/contents', body);
    for (const entry of decode(Entries, answer.json).items) {
      const item = itemOfLong(entry.id);
      this.articles.set(item, {
        item,
        title: entry.title ?? '',
        link: entry.alternate?.[0]?.href ?? null,
        feedId: entry.origin.streamId ?? '',
        read: false,
        starred: false,
      });
    }
  }

  async #tokenOf(): Promise<string> {
    this.#token ??= await this.#wire.text('/reader/api/0/token');
    return this.#token;
  }

  async #edit(article: Article, how: string): Promise<void> {
    const body = `T=${await this.#tokenOf()}&i=${LONG_ID}${hex(article.item)}&${how}`;
    await this.#wire.postRaw('/reader/api/0/edit-tag', body);
  }

  setRead(article: Article, read: boolean): Promise<void> {
    return this.#edit(article, `${read ? 'a' : 'r'}=${READ}`);
  }

  setStarred(article: Article, starred: boolean): Promise<void> {
    return this.#edit(article, `${starred ? 'a' : 'r'}=${STARRED}`);
  }

  override async subscribe(url: string, folder: string): Promise<void> {
    const body = `T=${await this.#tokenOf()}&quickadd=${encodeURIComponent(url)}`;
    const answer = await this.#wire.postRaw('/reader/api/0/subscription/quickadd', body);
    const { numResults, streamId } = decode(QuickAdd, answer.json);
    if (numResults === 0) {
      throw new Error('not found');
    }
    await this.#readSubscriptions();
    const feed = this.feeds.find(({ id }) => id === streamId);
    if (feed === undefined) {
      throw new Error('The new feed is not in the list');
    }
    await this.#change(feed, `&a=user/-/label/${encodeURIComponent(folder)}`);
  }

  async #change(feed: ShelvedFeed, change: string): Promise<void> {
    const body = `T=${await this.#tokenOf()}&s=${feed.id}&ac=edit${change}`;
    await this.#wire.postRaw('/reader/api/0/subscription/edit', body);
  }

  override renameFeed(feed: ShelvedFeed, title: string): Promise<void> {
    return this.#change(feed, `&t=${encodeURIComponent(title)}`);
  }

  override moveFeed(feed: ShelvedFeed, folder: string): Promise<void> {
    const from = feed.folder === null ? '' : `&r=user/-/label/${encodeURIComponent(feed.folder)}`;
    return this.#change(feed, `${from}&a=user/-/label/${encodeURIComponent(folder)}`);
  }

  override async unsubscribe(feed: ShelvedFeed): Promise<void> {
    const body = `T=${await this.#tokenOf()}&s=${feed.id}&ac=unsubscribe`;
    await this.#wire.postRaw('/reader/api/0/subscription/edit', body);
  }

  override async renameFolder(name: string, newName: string): Promise<void> {
    const [from, to] = [name, newName].map((each) => encodeURIComponent(each));
    const body = `T=${await this.#tokenOf()}&s=user/-/label/${from}&dest=user/-/label/${to}`;
    await this.#wire.postRaw('/reader/api/0/rename-tag', body);
  }

  override async removeFolder(name: string): Promise<void> {
    // The id of the folder as it was listed, not encoded.
    const body = `T=${await this.#tokenOf()}&s=user/-/label/${name}`;
    await this.#wire.postRaw('/reader/api/0/disable-tag', body);
  }
}

import { z } from 'zod';
import type { Credentials } from '../api-client.js';
import { Program, type Article, type ShelvedFeed } from './program.js';
import {
  authLine,
  itemOfLong,
  long,
  LONG_ID,
  READ,
  READING_LIST,
  ReaderWire,
  STARRED,
  type Pair,
} from './wire.js';

const nonEmpty = z.string().min(1);

const User = z.object({ userName: nonEmpty });

const Folders = z.object({
  tags: z.array(z.object({ id: nonEmpty, type: z.string().optional() })),
});

const Feeds = z.object({
  subscriptions: z.array(
    z.object({
      title: nonEmpty,
      url: nonEmpty,
      htmlUrl: z.string().nullish(),
      iconUrl: z.string().nullish(),
      id: nonEmpty,
      // It stops after the first and expects the end of the list.
      categories: z.array(z.object({ id: nonEmpty })).max(1),
    }),
  ),
});

/** One key in an object, or the parser loses its place. */
const Ids = z.object({ itemRefs: z.array(z.strictObject({ id: nonEmpty.regex(/^\d+$/) })) });

const Items = z.object({
  items: z.array(
    z.object({
      id: nonEmpty,
      published: z.int(),
      title: nonEmpty,
      summary: z.object({ content: z.string().nullish() }),
      alternate: z.array(z.object({ href: z.string() })),
      categories: z.array(z.string()),
      origin: z.object({ streamId: z.string() }),
      author: z.string().nullish(),
    }),
  ),
});

const MAX_INT = 2_147_483_647;

/**
 * Readrops: logs in with a multipart form, gets everything in one answer without following a
 * continuation, makes long ids of decimals by padding to the length of the decimals, and names
 * feeds by their address.
 */
export class Readrops extends Program {
  readonly #wire: ReaderWire;
  #token = '';
  #lastSyncSeconds: number | null = null;
  folders: readonly string[] = [];

  constructor(url: string) {
    super();
    this.#wire = new ReaderWire(`${url}/api/greader.php/`, 'Readrops/2.1.0 okhttp/4.12.0');
  }

  async logIn({ userId, password }: Credentials): Promise<void> {
    const boundary = '5a3c1f0e-7d2b-4c8e-9f1a-0b6d8e2c4a17';
    const part = (name: string, value: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Length: ${Buffer.byteLength(value)}\r\n\r\n${value}\r\n`;
    const body = `${part('Email', userId)}${part('Passwd', password)}--${boundary}--\r\n`;
    const { text } = await this.#wire.call('POST', 'accounts/ClientLogin', body, {
      'content-type': `multipart/form-data; boundary=${boundary}`,
    });
    this.#wire.auth = authLine(text);
    this.#token = await this.#wire.text('reader/api/0/token');
    await this.#wire.json(User, 'reader/api/0/user-info');
  }

  async sync(): Promise<void> {
    const first = this.#lastSyncSeconds === null;
    const max = first ? MAX_INT : 2500;
    const started = Math.floor(Date.now() / 1000);
    const stream = (name: string) => `reader/api/0/stream/contents/${name}`;
    const items = first
      ? `${stream(READING_LIST)}?xt=${READ}&xt=${STARRED}&n=${max}`
      : `${stream(READING_LIST)}?n=${max}&ot=${this.#lastSyncSeconds}`;
    const none = Promise.resolve(null);
    const [folders, feeds, list, starredList, unread, read, starred] = await Promise.all([
      this.#wire.json(Folders, 'reader/api/0/tag/list?output=json'),
      this.#wire.json(Feeds, 'reader/api/0/subscription/list?output=json'),
      this.#wire.json(Items, items),
      first ? this.#wire.json(Items, `${stream(STARRED)}?n=${max}`) : none,
      this.#ids(`xt=${READ}&s=${READING_LIST}&n=${max}`),
      first ? none : this.#ids(`xt=user/-/state/com.google/unread&s=${READING_LIST}&n=${max}`),
      this.#ids(`s=${STARRED}&n=${first ? max : 1000}`),
    ]);
    this.#lastSyncSeconds = started;
    this.folders = folders.tags
      .filter(({ type }) => type === 'folder')
      .map(({ id }) => id.split('/').at(-1) ?? '');
    this.feeds = feeds.subscriptions.map(({ id, title, url, categories }) => ({
      id,
      title,
      url,
      folder: categories[0]?.id.split('/').at(-1) ?? null,
    }));
    for (const entry of [...list.items, ...(starredList?.items ?? [])]) {
      const item = itemOfLong(entry.id);
      this.articles.set(item, {
        item,
        title: entry.title,
        link: entry.alternate.at(-1)?.href ?? null,
        feedId: entry.origin.streamId,
        read: entry.categories.includes(READ),
        starred: entry.categories.includes(STARRED),
      });
    }
    for (const article of this.articles.values()) {
      const id = long(article.item);
      article.read = read === null ? !unread.has(id) : read.has(id);
      article.starred = starred.has(id);
    }
  }

  async #ids(query: string): Promise<Set<string>> {
    const { itemRefs } = await this.#wire.json(Ids, `reader/api/0/stream/items/ids?${query}`);
    return new Set(
      itemRefs.map(({ id }) => LONG_ID + BigInt(id).toString(16).padStart(id.length, '0')),
    );
  }

  async #post(path: string, ...pairs: Pair[]): Promise<void> {
    await this.#wire.post(`reader/api/0/${path}`, [['T', this.#token], ...pairs]);
  }

  setRead({ item }: Article, read: boolean): Promise<void> {
    return this.#post('edit-tag', [read ? 'a' : 'r', READ], ['i', long(item)]);
  }

  setStarred({ item }: Article, starred: boolean): Promise<void> {
    return this.#post('edit-tag', [starred ? 'a' : 'r', STARRED], ['i', long(item)]);
  }

  override subscribe(url: string, folder: string): Promise<void> {
    const label = `user/-/label/${folder}`;
    return this.#post('subscription/edit', ['s', `feed/${url}`], ['ac', 'subscribe'], ['a', label]);
  }

  /** Names the folder with every change. */
  #change(feed: ShelvedFeed, title: string, folder: string): Promise<void> {
    return this.#post(
      'subscription/edit',
      ['s', `feed/${feed.url}`],
      ['t', title],
      ['a', `user/-/label/${folder}`],
      ['ac', 'edit'],
    );
  }

  override renameFeed(feed: ShelvedFeed, title: string): Promise<void> {
    return this.#change(feed, title, feed.folder ?? 'Folder');
  }

  override moveFeed(feed: ShelvedFeed, folder: string): Promise<void> {
    return this.#change(feed, feed.title, folder);
  }

  override unsubscribe(feed: ShelvedFeed): Promise<void> {
    return this.#post('subscription/edit', ['s', `feed/${feed.url}`], ['ac', 'unsubscribe']);
  }

  /** An edit of no item. */
  override createFolder(name: string): Promise<void> {
    return this.#post('edit-tag', ['a', `user/-/label/${name}`]);
  }

  override renameFolder(name: string, newName: string): Promise<void> {
    const label = (each: string) => `user/-/label/${each}`;
    return this.#post('rename-tag', ['s', label(name)], ['dest', label(newName)]);
  }

  override removeFolder(name: string): Promise<void> {
    return this.#post('disable-tag', ['s', `user/-/label/${name}`]);
  }
}

import { z } from 'zod';
import type { Credentials } from '../api-client.js';
import { Program, type Article, type ShelvedFeed } from './program.js';
import {
  itemOfLong,
  long,
  LONG_ID,
  READ,
  READING_LIST,
  ReaderWire,
  STARRED,
  Undecodable,
  type Pair,
} from './wire.js';

/** Its parser refuses null for what has a default, and anything missing without one. */
const User = z.object({
  userId: z.string(),
  userName: z.string(),
  userProfileId: z.string(),
  userEmail: z.string(),
});

const Tag = z.object({ id: z.string(), type: z.string().optional() });
const Tags = z.object({ tags: z.array(Tag) });

const Subscriptions = z.object({
  subscriptions: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      categories: z.array(Tag),
      url: z.string(),
      htmlUrl: z.string(),
      iconUrl: z.string(),
    }),
  ),
});

const Href = z.object({ href: z.string() });

const Articles = z.object({
  id: z.string(),
  updated: z.int(),
  continuation: z.string().nullish(),
  items: z.array(
    z.object({
      id: z.string(),
      crawlTimeMsec: z.string(),
      timestampUsec: z.string(),
      published: z.int(),
      title: z.string(),
      canonical: z.array(Href),
      alternate: z.array(Href),
      origin: z.object({ streamId: z.string(), htmlUrl: z.string(), title: z.string() }),
      summary: z.object({ content: z.string() }),
      enclosure: z.array(Href).optional(),
      author: z.string().nullish(),
    }),
  ),
});

const Ids = z.object({ itemRefs: z.array(z.object({ id: z.string() })) });

/** Of Kotlin's Instant.DISTANT_PAST. */
const DISTANT_PAST_MILLISECONDS = '-3217862419201';

/**
 * Twine: times are milliseconds, and the oldest is before our era; an empty `c` on first pages. The
 * address of a new feed is in the query of a POST without body. Makes a folder by a change of the
 * feed "".
 */
export class Twine extends Program {
  readonly #wire: ReaderWire;
  #lastSyncMilliseconds: number | null = null;

  constructor(url: string) {
    super();
    this.#wire = new ReaderWire(`${url}/api/greader.php`, 'ktor-client');
  }

  async logIn({ userId, password }: Credentials): Promise<void> {
    const { text } = await this.#wire.post('/accounts/ClientLogin', [
      ['Email', userId],
      ['Passwd', password],
    ]);
    const auth = /Auth=([^&]+)/.exec(text)?.[1]?.trim();
    if (auth === undefined || /\s/.test(auth)) {
      throw new Undecodable(text);
    }
    this.#wire.auth = auth;
    await this.#wire.json(User, '/reader/api/0/user-info?output=json');
  }

  async sync(): Promise<void> {
    const started = Date.now();
    await this.#wire.json(Tags, '/reader/api/0/tag/list?output=json');
    const list = '/reader/api/0/subscription/list?output=json';
    const { subscriptions } = await this.#wire.json(Subscriptions, list);
    this.feeds = subscriptions.map(({ id, title, url, categories }) => ({
      id,
      title,
      url,
      folder: categories[0]?.id.split('/').at(-1) ?? null,
    }));
    const since =
      this.#lastSyncMilliseconds === null
        ? DISTANT_PAST_MILLISECONDS
        : String(this.#lastSyncMilliseconds - 86_400_000);
    await this.#fetch(READING_LIST, since);
    await this.#fetch(STARRED, since);
    this.#lastSyncMilliseconds = started;
    const read = await this.#ids(READ);
    const starred = await this.#ids(STARRED);
    for (const article of this.articles.values()) {
      article.read = read.has(long(article.item));
      article.starred = starred.has(long(article.item));
    }
  }

  async #fetch(stream: string, since: string): Promise<void> {
    let continuation: string | null | undefined = '';
    do {
      const page: z.infer<typeof Articles> = await this.#wire.json(
        Articles,
        `/reader/api/0/stream/contents?s=${encodeURIComponent(stream)}&n=1000&ot=${since}&c=${continuation}`,
      );
      for (const entry of page.items) {
        const item = itemOfLong(entry.id);
        this.articles.set(item, {
          item,
          title: entry.title,
          link: entry.canonical[0]?.href ?? null,
          feedId: entry.origin.streamId,
          read: false,
          starred: false,
        });
      }
      continuation = page.items.length === 0 ? null : page.continuation;
    } while (typeof continuation === 'string');
  }

  async #ids(stream: string): Promise<Set<string>> {
    const path = `/reader/api/0/stream/items/ids?s=${encodeURIComponent(stream)}&n=50000`;
    const { itemRefs } = await this.#wire.json(Ids, path);
    return new Set(itemRefs.map(({ id }) => LONG_ID + BigInt(id).toString(16).padStart(16, '0')));
  }

  async #post(path: string, ...pairs: Pair[]): Promise<void> {
    await this.#wire.post(`/reader/api/0/${path}`, pairs);
  }

  setRead({ item }: Article, read: boolean): Promise<void> {
    return this.#post('edit-tag', ['i', long(item)], [read ? 'a' : 'r', READ]);
  }

  setStarred({ item }: Article, starred: boolean): Promise<void> {
    return this.#post('edit-tag', ['i', long(item)], [starred ? 'a' : 'r', STARRED]);
  }

  override async subscribe(url: string, folder: string): Promise<void> {
    const path = `/reader/api/0/subscription/quickadd?quickadd=${encodeURIComponent(url)}`;
    await this.#wire.call('POST', path);
    const list = '/reader/api/0/subscription/list?output=json';
    const { subscriptions } = await this.#wire.json(Subscriptions, list);
    const feed = subscriptions.find((each) => each.url === url);
    if (feed === undefined) {
      throw new Error('The new feed is not in the list');
    }
    await this.#change(feed.id, ['a', `user/-/label/${folder}`]);
  }

  #change(feedId: string, change: Pair): Promise<void> {
    return this.#post('subscription/edit', ['ac', 'edit'], ['s', feedId], change);
  }

  override renameFeed(feed: ShelvedFeed, title: string): Promise<void> {
    return this.#change(feed.id, ['t', title]);
  }

  override moveFeed(feed: ShelvedFeed, folder: string): Promise<void> {
    return this.#change(feed.id, ['a', `user/-/label/${folder}`]);
  }

  override unsubscribe(feed: ShelvedFeed): Promise<void> {
    return this.#post('subscription/edit', ['ac', 'unsubscribe'], ['s', feed.id]);
  }

  override createFolder(name: string): Promise<void> {
    return this.#change('', ['a', `user/-/label/${name}`]);
  }

  override renameFolder(name: string, newName: string): Promise<void> {
    const label = (each: string) => `user/-/label/${each}`;
    return this.#post('rename-tag', ['s', label(name)], ['dest', label(newName)]);
  }

  override removeFolder(name: string): Promise<void> {
    return this.#post('disable-tag', ['s', `user/-/label/${name}`]);
  }
}

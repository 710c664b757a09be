import { z } from 'zod';
import type { Answer, Credentials } from '../api-client.js';
import { chunks, inParallel, Program, type Article, type ShelvedFeed } from './program.js';
import {
  decode,
  hex,
  itemOf,
  itemOfLong,
  READ,
  READING_LIST,
  ReaderWire,
  STARRED,
  Undecodable,
  type Pair,
} from './wire.js';

/** Moshi: what has no default must be there, and null is refused where the type has none. */
const Tags = z.object({
  tags: z.array(z.object({ id: z.string(), type: z.enum(['folder', 'tag']).nullish() })),
});

const Subscriptions = z.object({
  subscriptions: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      categories: z.array(z.object({ id: z.string(), label: z.string().nullish() })),
      url: z.string(),
      htmlUrl: z.string(),
      iconUrl: z.string(),
    }),
  ),
});

const Ids = z.object({
  itemRefs: z.array(z.object({ id: z.string() })),
  continuation: z.string().nullish(),
});

const Contents = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      published: z.int(),
      title: z.string(),
      canonical: z.array(z.object({ href: z.string() })),
      summary: z.object({ content: z.string() }),
      origin: z.object({ streamId: z.string(), htmlUrl: z.string(), title: z.string() }),
      content: z.object({ content: z.string() }).nullish(),
      author: z.string().nullish(),
      enclosure: z.array(z.object({ href: z.string(), type: z.string() })).nullish(),
      categories: z.array(z.string()).nullish(),
    }),
  ),
});

const QuickAdd = z.object({
  numResults: z.int().nullish(),
  query: z.string().nullish(),
  streamId: z.string().nullish(),
  streamName: z.string().nullish(),
  error: z.string().nullish(),
});

/**
 * Capy Reader as account type "FreshRSS": credentials in the query of a POST without body, ids by
 * 10 000, contents by 250 bare hexadecimal ids, eight requests at once, flags from the lists. Its
 * first edit has no `T`; it gets a token only when an answer has `X-Reader-Google-Bad-Token`.
 */
export class CapyReader extends Program {
  readonly #wire: ReaderWire;
  #token: string | null = null;
  /** Names of the labels, which it calls saved searches. */
  savedSearches: readonly string[] = [];

  constructor(url: string) {
    super();
    this.#wire = new ReaderWire(`${url}/api/greader.php/`, 'CapyReader/2026.01.1200');
  }

  async logIn({ userId, password }: Credentials): Promise<void> {
    const query = `Email=${encodeURIComponent(userId)}&Passwd=${encodeURIComponent(password)}`;
    const answer = await this.#wire.call('POST', `accounts/ClientLogin?${query}`, '');
    const line = answer.text.split('\n').find((each) => each.startsWith('Auth'));
    const auth = line?.split('=').at(-1);
    if (auth === undefined || answer.text.includes('Unauthorized')) {
      throw new Undecodable(answer.text);
    }
    this.#wire.auth = auth;
  }

  async #post(path: string, pairs: readonly Pair[]): Promise<Answer> {
    const withToken: Pair[] = this.#token === null ? [] : [['T', this.#token]];
    const answer = await this.#wire.post(`reader/api/0/${path}`, [...pairs, ...withToken]);
    if (answer.headers['x-reader-google-bad-token'] === 'true') {
      this.#token = await this.#wire.text('reader/api/0/token');
      return this.#wire.post(`reader/api/0/${path}`, [...pairs, ['T', this.#token]]);
    }
    return answer;
  }

  async #ids(stream: string, except?: string): Promise<Set<number>> {
    const ids = new Set<number>();
    let continuation: string | null = null;
    do {
      const c: string = continuation === null ? '' : `&c=${encodeURIComponent(continuation)}`;
      const xt = except === undefined ? '' : `&xt=${encodeURIComponent(except)}`;
      const query = `s=${encodeURIComponent(stream)}${c}&n=10000${xt}&output=json`;
      const answer: z.infer<typeof Ids> = await this.#wire.json(
        Ids,
        `reader/api/0/stream/items/ids?${query}`,
      );
      answer.itemRefs.forEach(({ id }) => ids.add(itemOf(id)));
      continuation = answer.continuation ?? null;
    } while (continuation !== null);
    return ids;
  }

  async #readFeeds(): Promise<void> {
    const path = 'reader/api/0/subscription/list?output=json';
    const { subscriptions } = await this.#wire.json(Subscriptions, path);
    this.feeds = subscriptions.map(({ id, title, url, categories }) => ({
      id,
      title,
      url,
      folder: categories[0]?.label ?? null,
    }));
  }

  async sync(): Promise<void> {
    await this.#readFeeds();
    const { tags } = await this.#wire.json(Tags, 'reader/api/0/tag/list?output=json');
    this.savedSearches = tags
      .filter(({ type }) => type === 'tag')
      .map(({ id }) => id.slice('user/-/label/'.length));
    const starred = await this.#ids(STARRED);
    const unread = await this.#ids(READING_LIST, READ);
    const missing = [...starred, ...unread].filter((item) => !this.articles.has(item));
    await inParallel(chunks([...new Set(missing)], 250), 8, (items) => this.#fetchContents(items));
    for (const article of this.articles.values()) {
      article.read = !unread.has(article.item);
      article.starred = starred.has(article.item);
    }
  }

  async #fetchContents(items: readonly number[]): Promise<void> {
    const answer = await this.#post(
      'stream/items/contents?output=json',
      items.map((item) => ['i', hex(item)]),
    );
    for (const entry of decode(Contents, answer.json).items) {
      const item = itemOfLong(entry.id);
      this.articles.set(item, {
        item,
        title: entry.title,
        link: entry.canonical[0]?.href ?? null,
        feedId: entry.origin.streamId,
        read: entry.categories?.some((each) => each.endsWith('state/com.google/read')) === true,
        starred:
          entry.categories?.some((each) => each.endsWith('state/com.google/starred')) === true,
      });
    }
  }

  async #edit({ item }: Article, action: 'a' | 'r', tag: string): Promise<void> {
    await this.#post('edit-tag?output=json', [
      ['i', hex(item)],
      [action, tag],
    ]);
  }

  setRead(article: Article, read: boolean): Promise<void> {
    return this.#edit(article, read ? 'a' : 'r', READ);
  }

  setStarred(article: Article, starred: boolean): Promise<void> {
    return this.#edit(article, starred ? 'a' : 'r', STARRED);
  }

  /** Adds an article to a saved search, which is a label, or removes it. */
  saveTo(article: Article, name: string, saved: boolean): Promise<void> {
    return this.#edit(article, saved ? 'a' : 'r', `user/-/label/${name}`);
  }

  savedIn(name: string): Promise<Set<number>> {
    return this.#ids(`user/-/label/${name}`);
  }

  override async subscribe(url: string, folder: string): Promise<void> {
    const answer = await this.#post('subscription/quickadd?output=json', [['quickadd', url]]);
    const { numResults, streamId, error } = decode(QuickAdd, answer.json);
    const known = /^Already subscribed! (.+)$/.exec(error ?? '')?.[1];
    await this.#readFeeds();
    const feed = this.feeds.find((each) =>
      numResults === 1 ? each.id === streamId : each.url === known,
    );
    if (feed === undefined) {
      throw new Error(`feed not found: ${answer.text}`);
    }
    await this.#change(feed, feed.title, folder);
  }

  async #change(feed: ShelvedFeed, title: string, folder: string): Promise<void> {
    await this.#post('subscription/edit', [
      ['s', feed.id],
      ['ac', 'edit'],
      ['a', `user/-/label/${folder}`],
      ['t', title],
    ]);
  }

  /** Changes a title only together with the one folder that a feed must have. */
  override renameFeed(feed: ShelvedFeed, title: string): Promise<void> {
    return this.#change(feed, title, feed.folder ?? 'Folder');
  }

  override moveFeed(feed: ShelvedFeed, folder: string): Promise<void> {
    return this.#change(feed, feed.title, folder);
  }

  override async unsubscribe(feed: ShelvedFeed): Promise<void> {
    await this.#post('subscription/edit', [
      ['s', feed.id],
      ['ac', 'unsubscribe'],
    ]);
  }

  override async renameFolder(name: string, newName: string): Promise<void> {
    await this.#post('rename-tag', [
      ['s', `user/-/label/${name}`],
      ['dest', `user/-/label/${newName}`],
    ]);
  }

  override async removeFolder(name: string): Promise<void> {
    await this.#post('disable-tag', [['s', `user/-/label/${name}`]]);
  }
}

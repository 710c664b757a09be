import { z } from 'zod';
import type { Credentials } from '../api-client.js';
import { Program, type Article, type ShelvedFeed } from './program.js';
import {
  decimal,
  itemOf,
  itemOfLong,
  READ,
  READING_LIST,
  ReaderWire,
  STARRED,
  Undecodable,
} from './wire.js';

const Subscriptions = z.object({
  subscriptions: z.array(
    z.object({
      id: z.string().min(1),
      title: z.string().min(1),
      url: z.string().min(1),
      categories: z.array(z.object({ label: z.string() })),
    }),
  ),
});

const Ids = z.object({
  itemRefs: z.array(z.object({ id: z.string() })),
  continuation: z.string().optional(),
});

const Contents = z.object({
  continuation: z.string().optional(),
  items: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      published: z.int(),
      crawlTimeMsec: z.string().regex(/^\d{13}$/),
      author: z.string().optional(),
      canonical: z.tuple([z.object({ href: z.string() })]).rest(z.unknown()),
      summary: z.object({ content: z.string() }),
      origin: z.object({ streamId: z.string() }),
      categories: z.array(z.string()),
    }),
  ),
});

/** Most articles that it gets in one round. */
const FETCH_LIMIT = 250;

/**
 * Fluent Reader: ids by 1000 while pages are full, contents without a stream by 125 from the time
 * of arrival of the newest item it has, until it meets that item. No token; from a page of another
 * origin.
 */
export class FluentReader extends Program {
  readonly #wire: ReaderWire;
  #lastId: number | null = null;
  #lastFetchedSeconds: number | null = null;

  constructor(url: string) {
    super();
    this.#wire = new ReaderWire(url, 'Mozilla/5.0 FluentReader/1.1.4 Electron/28.2.0');
  }

  async logIn({ userId, password }: Credentials): Promise<void> {
    const { text } = await this.#wire.post('/accounts/ClientLogin', [
      ['Email', userId],
      ['Passwd', password],
    ]);
    const auth = /Auth=(\S+)/.exec(text)?.[1];
    if (auth === undefined) {
      throw new Undecodable(text);
    }
    this.#wire.auth = auth;
    await this.#wire.call('GET', '/reader/api/0/user-info');
  }

  async sync(): Promise<void> {
    const path = '/reader/api/0/subscription/list?output=json';
    const { subscriptions } = await this.#wire.json(Subscriptions, path);
    this.feeds = subscriptions.map(({ id, title, url, categories }) => ({
      id,
      title,
      url,
      folder: categories[0]?.label ?? null,
    }));
    const [unread, starred] = await Promise.all([
      this.#ids(`s=${READING_LIST}&xt=${READ}`),
      this.#ids(`s=${STARRED}`),
    ]);
    for (const article of this.articles.values()) {
      article.read = !unread.has(article.item);
      article.starred = starred.has(article.item);
    }
    await this.#fetchItems();
  }

  async #ids(select: string): Promise<Set<number>> {
    const ids = new Set<number>();
    let full: boolean;
    let continuation: string | undefined;
    do {
      const c = continuation === undefined ? '' : `&c=${continuation}`;
      const path = `/reader/api/0/stream/items/ids?output=json&${select}&n=1000${c}`;
      const answer = await this.#wire.json(Ids, path);
      answer.itemRefs.forEach(({ id }) => ids.add(itemOf(id)));
      continuation = answer.continuation;
      full = answer.itemRefs.length >= 1000;
    } while (continuation !== undefined && full);
    return ids;
  }

  async #fetchItems(): Promise<void> {
    const fetched: z.infer<typeof Contents>['items'] = [];
    let continuation: string | undefined;
    let full: boolean;
    do {
      const ot = this.#lastFetchedSeconds === null ? '' : `&ot=${this.#lastFetchedSeconds}`;
      const c = continuation === undefined ? '' : `&c=${continuation}`;
      const path = `/reader/api/0/stream/contents?output=json&n=125${ot}${c}`;
      const page = await this.#wire.json(Contents, path);
      const known = page.items.findIndex(({ id }) => itemOfLong(id) === this.#lastId);
      fetched.push(...page.items.slice(0, known === -1 ? undefined : known));
      continuation = page.continuation;
      full = page.items.length >= 125;
    } while (continuation !== undefined && full && fetched.length < FETCH_LIMIT);
    const [newest] = fetched;
    if (newest !== undefined) {
      this.#lastId = itemOfLong(newest.id);
      this.#lastFetchedSeconds = Math.round(Number(newest.crawlTimeMsec) / 1000);
    }
    for (const entry of fetched) {
      const item = itemOfLong(entry.id);
      this.articles.set(item, {
        item,
        title: entry.title,
        link: entry.canonical[0].href,
        feedId: entry.origin.streamId,
        read: entry.categories.some((each) => each.endsWith('/state/com.google/read')),
        starred: entry.categories.some((each) => each.endsWith('/state/com.google/starred')),
      });
    }
  }

  async #edit({ item }: Article, action: 'a' | 'r', tag: string): Promise<void> {
    await this.#wire.post('/reader/api/0/edit-tag', [
      ['i', decimal(item)],
      [action, tag],
    ]);
  }

  setRead(article: Article, read: boolean): Promise<void> {
    return this.#edit(article, read ? 'a' : 'r', READ);
  }

  setStarred(article: Article, starred: boolean): Promise<void> {
    return this.#edit(article, starred ? 'a' : 'r', STARRED);
  }

  override async markFeedRead(feed: ShelvedFeed): Promise<void> {
    await this.#wire.post('/reader/api/0/mark-all-as-read', [['s', feed.id]]);
  }
}

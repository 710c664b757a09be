import { z } from 'zod';
import type { Credentials } from '../api-client.js';
import { Program, type Article, type ShelvedFeed } from './program.js';
import { authLine, decode, itemOf, itemOfLong, long, READ, ReaderWire, STARRED } from './wire.js';

const Subscriptions = z.object({
  subscriptions: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      url: z.string(),
      categories: z.array(z.object({ id: z.string(), label: z.string() })),
    }),
  ),
});

const Ids = z.object({ itemRefs: z.array(z.object({ id: z.string() })) });

const Contents = z.object({
  items: z.array(
    z.object({
      id: z.string().startsWith('tag:google.com'),
      title: z.string(),
      updated: z.int(),
      author: z.string().optional(),
      summary: z.object({ content: z.string() }),
      canonical: z.array(z.object({ href: z.string() })),
      categories: z.array(z.string()),
    }),
  ),
});

/**
 * Liferea: of each feed the newest 50 ids, then their contents with the login's token as `T`, in 1.14
 * without a header, as its requests were recorded. A token for each edit, the rest of the form as Google's pages sent it. Reads no stars.
 */
export class Liferea extends Program {
  readonly #wire: ReaderWire;
  /** For contents. */
  readonly #formWire: ReaderWire;
  override readonly seesStars = false;

  constructor(url: string, version: '1.14.4' | '1.15.8') {
    super();
    const platform = version === '1.14.4' ? 'Android 12; Mobile' : 'Linux';
    const userAgent = `Liferea/${version} (${platform}; https://lzone.de/liferea/)`;
    this.#wire = new ReaderWire(url, userAgent);
    this.#formWire = version === '1.14.4' ? new ReaderWire(url, userAgent) : this.#wire;
  }

  async logIn({ userId, password }: Credentials): Promise<void> {
    const [user, pass] = [userId, password].map((each) => encodeURIComponent(each));
    const { text } = await this.#wire.postRaw(
      '/accounts/ClientLogin',
      `service=reader&Email=${user}&Passwd=${pass}&source=liferea&continue=${this.#wire.base}`,
    );
    this.#wire.auth = authLine(text);
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
    for (const { id } of this.feeds) {
      await this.#refresh(id);
    }
  }

  async #refresh(feedId: string): Promise<void> {
    const { itemRefs } = await this.#wire.json(
      Ids,
      `/reader/api/0/stream/items/ids?s=${encodeURIComponent(feedId)}&client=liferea&n=50&output=json&merge=true`,
    );
    const ids = itemRefs.map(({ id }) => `&i=${id}`).join('');
    if (ids === '') {
      return;
    }
    const body = `output=json&mediaRss=true&T=${this.#wire.auth ?? ''}${ids}`;
    const answer = await this.#formWire.postRaw('/reader/api/0/stream/items/contents', body);
    const { items } = decode(Contents, answer.json);
    if (items.length !== itemRefs.length) {
      throw new Error('Items are missing');
    }
    itemRefs.forEach(({ id }) => itemOf(id));
    for (const entry of items) {
      const item = itemOfLong(entry.id);
      this.articles.set(item, {
        item,
        title: entry.title,
        link: entry.canonical[0]?.href ?? null,
        feedId,
        read: entry.categories.includes(READ),
        starred: false,
      });
    }
  }

  async #edit(path: string, body: string): Promise<void> {
    const token = await this.#wire.text('/reader/api/0/token');
    const url = `/reader/api/0/${path}?client=liferea`;
    await this.#wire.mustBeOk(this.#wire.postRaw(url, body.replace('TOKEN', token)));
  }

  #tag({ item, feedId }: Article, ...change: string[]): Promise<void> {
    const url = this.feeds.find(({ id }) => id === feedId)?.url ?? '';
    const [i, s] = [long(item), url].map((each) => encodeURIComponent(each));
    const what = change
      .map((each) => each.split('='))
      .map(([action, tag]) => `${action}=${encodeURIComponent(tag ?? '')}`)
      .join('&');
    return this.#edit('edit-tag', `i=${i}&s=feed%2F${s}&${what}&ac=edit-tags&T=TOKEN&async=true`);
  }

  /** To make one unread takes two requests. */
  async setRead(article: Article, read: boolean): Promise<void> {
    if (read) {
      return this.#tag(article, `a=${READ}`);
    }
    await this.#tag(article, 'a=user/-/state/com.google/kept-unread', `r=${READ}`);
    await this.#tag(article, 'a=user/-/state/com.google/tracking-kept-unread');
  }

  setStarred(article: Article, starred: boolean): Promise<void> {
    return this.#tag(article, `${starred ? 'a' : 'r'}=${STARRED}`);
  }

  override async subscribe(url: string, folder: string): Promise<void> {
    const s = encodeURIComponent(url);
    await this.#edit('subscription/edit', `s=feed%2F${s}&i=null&ac=subscribe&T=TOKEN`);
    await this.sync();
    const feed = this.feeds.find((each) => each.url === url);
    if (feed === undefined) {
      throw new Error('The new feed is not in the list');
    }
    const [id, label] = [feed.id, `user/-/label/${folder}`].map((each) => encodeURIComponent(each));
    await this.#edit('subscription/edit', `s=${id}&a=${label}&ac=edit&T=TOKEN&async=true`);
  }

  override unsubscribe(feed: ShelvedFeed): Promise<void> {
    const s = encodeURIComponent(feed.id);
    return this.#edit('subscription/edit', `s=${s}&i=null&ac=unsubscribe&T=TOKEN`);
  }
}

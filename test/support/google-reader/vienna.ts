import { z } from 'zod';
import type { Credentials } from '../api-client.js';
import { Program, type Article, type ShelvedFeed } from './program.js';
import {
  decode,
  itemOf,
  itemOfLong,
  long,
  READ,
  ReaderWire,
  STARRED,
  Undecodable,
  type Pair,
} from './wire.js';

const Subscriptions = z.object({
  subscriptions: z.array(
    z.object({
      id: z.string().startsWith('feed/'),
      title: z.string(),
      url: z.string().optional(),
      htmlUrl: z.string().optional(),
      categories: z.array(z.object({ label: z.string() })),
    }),
  ),
});

const Counts = z.object({
  unreadcounts: z.array(
    z.object({
      id: z.string(),
      count: z.int(),
      newestItemTimestampUsec: z.string().regex(/^\d+$/),
    }),
  ),
});

const Contents = z.object({
  // Asked for its `stringValue`, which only a number has.
  updated: z.int().positive(),
  items: z.array(
    z.object({
      id: z.string(),
      published: z.number(),
      author: z.string().optional(),
      summary: z.object({ content: z.string() }),
      categories: z.array(z.string()),
      title: z.string(),
      alternate: z.array(z.object({ href: z.string() })),
      enclosure: z.array(z.object({ href: z.string() })).optional(),
    }),
  ),
});

const Ids = z.object({ itemRefs: z.array(z.object({ id: z.string() })) });

const CLIENT = 'client=ViennaRSS';

/**
 * Vienna: finds by `unread-count` which feeds to fetch; for each of them the contents since 15
 * minutes before its last round, the unread ids, and the starred ids by `it`. Marks a feed read up
 * to the second after the `updated` of its last answer. Only the body `OK` counts.
 */
export class Vienna extends Program {
  readonly #wire: ReaderWire;
  #token = '';
  /** `updated` of the last answer, for each feed. */
  readonly #updated = new Map<string, number>();

  constructor(url: string) {
    super();
    this.#wire = new ReaderWire(url, 'Vienna/3.9.5');
  }

  async logIn({ userId, password }: Credentials): Promise<void> {
    const path = '/accounts/ClientLogin?accountType=GOOGLE&service=reader';
    const { text } = await this.#wire.post(path, [
      ['Email', userId],
      ['Passwd', password],
    ]);
    // The third line, no matter what it is.
    const auth = text.split('\n')[2]?.slice('Auth='.length);
    if (auth === undefined || !/^\S+$/.test(auth)) {
      throw new Undecodable(text);
    }
    this.#wire.auth = auth;
    this.#token = await this.#wire.text('/reader/api/0/token');
  }

  async sync(): Promise<void> {
    const list = `/reader/api/0/subscription/list?${CLIENT}&output=json`;
    const { subscriptions } = await this.#wire.json(Subscriptions, list);
    this.feeds = subscriptions.map(({ id, title, url, categories }) => ({
      id,
      title,
      url: url ?? '',
      folder: categories[0]?.label ?? null,
    }));
    const counts = `/reader/api/0/unread-count?${CLIENT}&output=json`;
    const { unreadcounts } = await this.#wire.json(Counts, counts);
    for (const { id } of this.feeds) {
      const remote = unreadcounts.find((each) => each.id === id);
      const unread = [...this.articles.values()].filter(
        ({ feedId, read }) => feedId === id && !read,
      );
      const updated = this.#updated.get(id);
      const newestSeconds = Math.trunc(Number(remote?.newestItemTimestampUsec ?? 0) / 1_000_000);
      if (
        updated === undefined ||
        newestSeconds > updated ||
        (remote?.count ?? 0) !== unread.length ||
        // A feed that was not in step with the server; it cannot see a changed star otherwise.
        this.everyFeed
      ) {
        await this.#refresh(id);
      }
      // Otherwise it fetches the feed in every round.
      if ((this.#updated.get(id) ?? 0) < newestSeconds) {
        throw new Undecodable(`"updated" of ${id} is before its newest item`);
      }
    }
  }

  /** As when a person refreshes the feeds. */
  everyFeed = true;

  async #refresh(feedId: string): Promise<void> {
    const since = Math.max(0, (this.#updated.get(feedId) ?? 0) - 15 * 60);
    const id = encodeURIComponent(feedId);
    const page = await this.#wire.json(
      Contents,
      `/reader/api/0/stream/contents/${id}?${CLIENT}&comments=false&likes=false&ot=${since}&n=1000&output=json`,
    );
    this.#updated.set(feedId, page.updated);
    for (const entry of page.items) {
      const item = itemOfLong(entry.id);
      this.articles.set(item, {
        item,
        title: entry.title,
        link: entry.alternate[0]?.href ?? null,
        feedId,
        read: entry.categories.some((each) => each.endsWith('/read')),
        starred: entry.categories.some((each) => each.endsWith('/starred')),
      });
    }
    const ids = async (select: string) => {
      const path = `/reader/api/0/stream/items/ids?${CLIENT}&s=${id}&${select}&n=1000&output=json`;
      return new Set((await this.#wire.json(Ids, path)).itemRefs.map((each) => itemOf(each.id)));
    };
    const unread = await ids(`xt=${READ}`);
    const starred = await ids(`it=${STARRED}`);
    for (const article of this.articles.values()) {
      if (article.feedId === feedId) {
        article.read = !unread.has(article.item);
        article.starred = starred.has(article.item);
      }
    }
  }

  #edit(path: string, ...pairs: Pair[]): Promise<void> {
    const answer = this.#wire.post(`/reader/api/0/${path}`, [['T', this.#token], ...pairs]);
    return this.#wire.mustBeOk(answer);
  }

  setRead({ item }: Article, read: boolean): Promise<void> {
    return this.#edit('edit-tag', [read ? 'a' : 'r', READ], ['async', 'true'], ['i', long(item)]);
  }

  setStarred({ item }: Article, starred: boolean): Promise<void> {
    const action = starred ? 'a' : 'r';
    return this.#edit('edit-tag', [action, STARRED], ['async', 'true'], ['i', long(item)]);
  }

  override markFeedRead(feed: ShelvedFeed): Promise<void> {
    const upTo = ((this.#updated.get(feed.id) ?? 0) + 1) * 1_000_000;
    return this.#edit('mark-all-as-read', ['s', feed.id], ['ts', String(upTo)]);
  }

  override async subscribe(url: string, folder: string): Promise<void> {
    const answer = await this.#wire.post(`/reader/api/0/subscription/quickadd?${CLIENT}`, [
      ['T', this.#token],
      ['quickadd', url],
    ]);
    const { streamId } = decode(z.object({ streamId: z.string() }), answer.json);
    await this.#change(streamId, ['a', `user/-/label/${folder}`]);
  }

  #change(feedId: string, change: Pair): Promise<void> {
    return this.#edit(`subscription/edit?${CLIENT}`, ['ac', 'edit'], ['s', feedId], change);
  }

  override renameFeed(feed: ShelvedFeed, title: string): Promise<void> {
    return this.#change(feed.id, ['t', title]);
  }

  /** First out of the old folder, then into the new one. */
  override async moveFeed(feed: ShelvedFeed, folder: string): Promise<void> {
    if (feed.folder !== null) {
      await this.#change(feed.id, ['r', `user/-/label/${feed.folder}`]);
    }
    await this.#change(feed.id, ['a', `user/-/label/${folder}`]);
  }

  override unsubscribe(feed: ShelvedFeed): Promise<void> {
    return this.#edit('subscription/edit', ['ac', 'unsubscribe'], ['s', feed.id]);
  }
}

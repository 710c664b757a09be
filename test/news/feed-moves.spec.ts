import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { ItemsRepository } from '../../src/news/reader/items/items.repository.js';
import { ArticleRetentionRepository } from '../../src/news/sources/articles/article-retention.repository.js';
import { rss } from '../support/feed-server.js';
import { Random } from '../support/histories/random.js';
import { histories } from '../support/long.js';
import { NewsClient, ok, type FeedJson, type ItemJson } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';

/*
 * Random histories of a feed whose address changes again and again, while publishers list and drop
 * entries, the user reads and stars, and the clean-up removes what was read: every entry arrives once,
 * no matter which addresses list it, and keeps its item and flags. Another user stays at the first address.
 */

const HISTORIES = histories(1, 6);
const STEPS = 20;
const ADDRESSES = ['a', 'b', 'c'] as const;
type Address = (typeof ADDRESSES)[number];

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_REFRESH_REST_SECONDS: '0',
  GATEFOLD_REFRESH_FEEDS_PER_HOUR: '100000',
});

describe('a feed that moves between addresses', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'gets each entry once and keeps its flags: history %i',
    async (seed) => {
      const world = await MovingFeed.begin(seed);
      const done: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        done.push(await world.step());
        expect({ done, mistakes: await world.mistakes() }).toEqual({ done, mistakes: [] });
      }
    },
  );

  it('does not get back from another address what the clean-up removed', async () => {
    const user = await app.signIn();
    const news = new NewsClient(user, 'v1-3');
    show('kept', 'a', [2, 1]);
    show('kept', 'b', []);
    const feed = await news.subscribe(urlOf('kept', 'a'));
    const itemIds = (await news.items()).map(({ id }) => id);
    await ok(news.post('/items/read/multiple', { itemIds }));
    await ok(news.call('PATCH', `/feeds/${feed.id}`, { json: { url: urlOf('kept', 'b') } }));
    await cleanUp('kept', user.credentials.userId);
    expect(await news.items()).toEqual([]);

    show('kept', 'b', [3, 2, 1]);
    await ok(news.post(`/feeds/${feed.id}/refresh`));

    expect((await news.items()).map(({ title }) => title)).toEqual(['3']);
  });
});

/** A seed, or a name: it has its own addresses. */
type World = number | string;

interface Told {
  readonly id: number;
  unread: boolean;
  starred: boolean;
  isThere: boolean;
}

class MovingFeed {
  readonly #random: Random;
  /** Entries by address, the newest first; they share numbers. A dropped one never returns there. */
  readonly #listed = new Map<Address, number[]>(ADDRESSES.map((address) => [address, []]));
  readonly #dropped = new Map<Address, Set<number>>(
    ADDRESSES.map((address) => [address, new Set()]),
  );
  readonly #told = new Map<number, Told>();
  #entries = 0;
  #at: Address = 'a';

  private constructor(
    private readonly seed: number,
    private readonly news: NewsClient,
    private readonly userId: string,
    private readonly other: NewsClient,
    private readonly feed: FeedJson,
    private readonly othersFeed: FeedJson,
  ) {
    this.#random = new Random(seed);
  }

  static async begin(seed: number): Promise<MovingFeed> {
    const user = await app.signIn();
    const news = new NewsClient(user, 'v1-3');
    const other = new NewsClient(await app.signIn(), 'v1-3');
    ADDRESSES.forEach((address) => show(seed, address, []));
    const feed = await news.subscribe(urlOf(seed, 'a'));
    const othersFeed = await other.subscribe(feed.url);
    return new MovingFeed(seed, news, user.credentials.userId, other, feed, othersFeed);
  }

  /** @returns what was done */
  async step(): Promise<string> {
    const steps = [
      () => this.#publish(),
      () => this.#publish(),
      () => this.#flag(),
      () => this.#flag(),
      () => this.#move(),
      () => this.#cleanUp(),
    ];
    return (this.#random.pick(steps) ?? (() => this.#publish()))();
  }

  async mistakes(): Promise<string[]> {
    await ok(this.news.post(`/feeds/${this.feed.id}/refresh`));
    const items = await this.news.items();
    const mistakes: string[] = [];
    const there = new Set<number>();
    for (const item of items) {
      const entry = Number(item.title);
      const told = this.#told.get(entry);
      if (there.has(entry)) {
        mistakes.push(`entry ${entry} is there twice`);
      }
      there.add(entry);
      if (told === undefined) {
        if (!item.unread || item.starred) {
          mistakes.push(`entry ${entry} is new and marked`);
        }
        this.#told.set(entry, { id: item.id, unread: true, starred: false, isThere: true });
      } else if (
        told.id !== item.id ||
        told.unread !== item.unread ||
        told.starred !== item.starred ||
        !told.isThere
      ) {
        mistakes.push(`entry ${entry} was ${JSON.stringify(told)} and is ${brief(item)}`);
      }
    }
    const lost = [...this.#told].filter(([entry, { isThere }]) => isThere && !there.has(entry));
    const missing = this.#listedAt(this.#at).filter((entry) => !this.#told.has(entry));
    const ofFeed = await this.news.items({ type: 0, id: this.feed.id });
    const [counted] = (await this.news.feedList()).feeds;
    const unread = items.filter((item) => item.unread).length;
    return [
      ...mistakes,
      ...lost.map(([entry]) => `entry ${entry} is lost`),
      ...missing.map((entry) => `entry ${entry} never came`),
      ...(ofFeed.map(brief).join() === items.map(brief).join() ? [] : ['the lists differ']),
      ...(counted?.unreadCount === unread ? [] : [`${counted?.unreadCount} are counted unread`]),
      ...(await this.#mistakesOfOther()),
    ];
  }

  async #mistakesOfOther(): Promise<string[]> {
    await ok(this.other.post(`/feeds/${this.othersFeed.id}/refresh`));
    const theirs = (await this.other.items()).map(({ title }) => Number(title));
    const expected = [...this.#listedAt('a'), ...(this.#dropped.get('a') ?? [])];
    return theirs.toSorted(byNumber).join() === expected.toSorted(byNumber).join()
      ? []
      : [`the other user has ${theirs.join()} instead of ${expected.join()}`];
  }

  async #publish(): Promise<string> {
    const address = this.#random.pick(ADDRESSES) ?? 'a';
    const listed = this.#listedAt(address);
    const dropped = this.#dropped.get(address) ?? new Set();
    // What other addresses list, and what nobody has listed yet.
    const known = Array.from({ length: this.#entries }, (_, n) => n + 1).filter(
      (entry) => !listed.includes(entry) && !dropped.has(entry) && this.#random.chance(0.3),
    );
    const fresh = Array.from({ length: this.#random.below(3) }, () => (this.#entries += 1));
    const gone = listed.filter(() => this.#random.chance(0.15));
    // The other user reads every document of the first address.
    gone.forEach((entry) => dropped.add(entry));
    const now = [...fresh, ...known, ...listed.filter((entry) => !gone.includes(entry))];
    this.#listed.set(address, now);
    show(this.seed, address, now);
    return `${address} lists ${now.join()}`;
  }

  async #flag(): Promise<string> {
    const chosen = [...this.#told].filter(([, one]) => one.isThere && this.#random.chance(0.4));
    const isStar = this.#random.chance(0.2);
    const itemIds = chosen.map(([, { id }]) => id);
    await ok(this.news.post(`/items/${isStar ? 'star' : 'read'}/multiple`, { itemIds }));
    chosen.forEach(([, one]) => Object.assign(one, isStar ? { starred: true } : { unread: false }));
    return `${isStar ? 'stars' : 'reads'} ${chosen.map(([entry]) => entry).join()}`;
  }

  async #move(): Promise<string> {
    this.#at = this.#random.pick(ADDRESSES.filter((one) => one !== this.#at)) ?? 'a';
    await ok(
      this.news.call('PATCH', `/feeds/${this.feed.id}`, {
        json: { url: urlOf(this.seed, this.#at) },
      }),
    );
    return `moves to ${this.#at}`;
  }

  async #cleanUp(): Promise<string> {
    await cleanUp(this.seed, this.userId);
    for (const one of this.#told.values()) {
      one.isThere &&= one.unread || one.starred;
    }
    return 'cleans up';
  }

  #listedAt(address: Address): number[] {
    return this.#listed.get(address) ?? [];
  }
}

/** Removes read items without a star, and unlisted articles that nobody has, as the clean-up does. */
async function cleanUp(world: World, userId: string): Promise<void> {
  const sources = await app.database.query<{ id: number }>(
    'select id::int from source where url like $1 order by id',
    [urlOf(world, '%')],
  );
  const ids = sources.map(({ id }) => id);
  await app.database.query(
    `update source_document set listed_at = now() - interval '1 hour' where source_id = any($1)`,
    [ids],
  );
  await app
    .inside(Database)
    .query('update source set largest_document = 0 where id = any($1)', [ids]);
  await app
    .inside(ReadersRepository)
    .change(await readerOf(app, userId), (tx, reader) =>
      app.inside(ItemsRepository).removeOldRead(reader, 0, Number.MAX_SAFE_INTEGER, 1000, tx),
    );
  const limits = { sources: ids.length, articles: 1000 };
  await app.inside(ArticleRetentionRepository).removeUnreferenced(Math.min(...ids) - 1, 0, limits);
}

function urlOf(world: World, address: string): string {
  return publisher.url('/') + `moving-${world}/${address}`;
}

function show(world: World, address: Address, entries: readonly number[]): void {
  const items = entries.map((entry) => ({
    title: String(entry),
    guid: `entry ${entry}`,
    pubDate: new Date(Date.UTC(2026, 0, 1) + entry * 3_600_000),
  }));
  publisher.publish(`/moving-${world}/${address}`, rss({ title: address, items }));
}

function brief({ id, title, unread, starred }: ItemJson): string {
  return `${id} ${title} ${unread} ${starred}`;
}

function byNumber(one: number, other: number): number {
  return one - other;
}

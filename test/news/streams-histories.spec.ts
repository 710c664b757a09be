import { describe, expect, it } from '@jest/globals';
import { DeliveryService } from '../../src/news/reader/delivery/delivery.service.js';
import type { Reader } from '../../src/news/reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import type { ItemSet, StreamPage, StreamSelection } from '../../src/news/reader/streams/stream.js';
import { StreamsService } from '../../src/news/reader/streams/streams.service.js';
import { RetentionService } from '../../src/news/updater/retention.service.js';
import {
  followSources,
  publishArticles,
  type FollowedSource,
} from '../support/followed-sources.js';
import { Random } from '../support/histories/random.js';
import { histories, isLong } from '../support/long.js';
import { NewsClient, ok } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { sharedService } from '../support/shared-service.js';

/*
 * Random histories of everything that moves items, while streams are paged through: each page must be
 * what a model of the stream says, and all pages together each item once. The model knows an item's flags
 * from the table, but not the indexes and bounds by which a page is found. More with
 * GENERATED_HISTORIES=n.
 */

const HISTORIES = Math.ceil(histories(100, 400) / 100);
const STREAMS = isLong ? 20 : 8;
const FEEDS = 5;

const { app } = await sharedService();

describe('a stream that is paged through while items arrive and change', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'continues exactly, shows nothing twice and misses nothing: history %i',
    async (seed) => {
      const reading = await Reading.begin(seed);
      for (let stream = 0; stream < STREAMS; stream += 1) {
        expect(await reading.pageThroughAStream()).toEqual([]);
      }
    },
  );
});

/** An item as the model has it. */
interface Known {
  readonly id: number;
  readonly feedId: number;
  readonly unread: boolean;
  readonly starred: boolean;
  readonly arrived: number;
  readonly stamp: number;
  readonly labels: readonly number[];
}

class Reading {
  readonly #random: Random;
  #articles = 0;
  #done: string[] = [];
  #mistakes: string[] = [];

  private constructor(
    seed: number,
    private readonly news: NewsClient,
    private readonly reader: Reader,
    private readonly folderId: number,
    private readonly feeds: readonly FollowedSource[],
    private readonly labelIds: readonly number[],
    private readonly strangers: { readonly feedId: number; readonly labelId: number },
  ) {
    this.#random = new Random(seed);
  }

  static async begin(seed: number): Promise<Reading> {
    const user = await app.signIn();
    const other = await app.signIn();
    const { userId } = user.credentials;
    const news = new NewsClient({ baseUrl: app.url, credentials: user.credentials }, 'v1-3');
    const folder = await news.createFolder('folder');
    const otherId = other.credentials.userId;
    const [strangersFeed] = await followSources(app, otherId, 1);
    const [strangersLabel] = await makeLabels(otherId, [userId]);
    const feeds = await followSources(app, userId, FEEDS, folder.id);
    const labelIds = await makeLabels(userId, ['one', 'two']);
    const reader = await readerOf(app, userId);
    const strangers = { feedId: strangersFeed?.feedId ?? 0, labelId: strangersLabel ?? 0 };
    return new Reading(seed, news, reader, folder.id, feeds, labelIds, strangers);
  }

  /** @returns what is wrong with the pages */
  async pageThroughAStream(): Promise<string[]> {
    const random = this.#random;
    this.#done = [];
    await this.#publish();
    await this.#something();
    const selection = await this.#someStream();
    const limit = random.pick([1, 2, 3, 5, 8, 40, 20_000]) ?? 1;
    const oldestFirst = random.chance(0.5);
    const isContents = random.chance(0.4);
    this.#done.push(`stream ${JSON.stringify(selection)} by ${limit}, ${oldestFirst}`);
    const streams = app.inside(StreamsService);
    // Published, but not delivered before the first page.
    await this.#publish(false);
    const seen: number[] = [];
    const wasOutside = new Set<number>();
    let always: readonly Known[] | null = null;
    for (let after: number | null = null; ;) {
      const page: StreamPage = { oldestFirst, after, limit };
      const ids: number[] = isContents
        ? (await this.#contents(await streams.contents(this.reader, selection, page))).map(
            ({ id }) => id,
          )
        : (await all(await streams.ids(this.reader, selection, page))).flat();
      const now = await this.#model(selection);
      const expected = now
        .map(({ id }) => id)
        .filter((id) => after === null || (oldestFirst ? id > after : id < after))
        .toSorted((a, b) => (oldestFirst ? a - b : b - a))
        .slice(0, limit);
      if (ids.join() !== expected.join()) {
        return [`after ${after}: ${ids.join()}, expected ${expected.join()}`, ...this.#done];
      }
      always ??= now;
      seen.push(...ids);
      after = ids.at(-1) ?? null;
      if (after === null || ids.length < limit) {
        break;
      }
      await this.#something();
      if (random.chance(0.2)) {
        await this.#remove(after);
      }
      const later = new Set((await this.#model(selection)).map(({ id }) => id));
      always.filter(({ id }) => !later.has(id)).forEach(({ id }) => wasOutside.add(id));
    }
    const told = new Set(seen);
    const count = await streams.count(this.reader, selection);
    const counted = (await this.#model(selection)).length;
    return [
      ...this.#mistakes.splice(0),
      ...(told.size === seen.length ? [] : ['an item is there twice']),
      ...(always ?? [])
        .filter(({ id }) => !told.has(id) && !wasOutside.has(id))
        .map(({ id }) => `${id} is missing`),
      ...(count === counted ? [] : [`counts ${count} of ${counted}`]),
      ...(await this.#wrongArrivals()),
    ].flatMap((mistake) => [mistake, ...this.#done]);
  }

  async #contents(
    batches: Awaited<ReturnType<StreamsService['contents']>>,
  ): Promise<{ readonly id: number }[]> {
    const items = (await all(batches)).flat();
    const model = new Map((await this.#items()).map((item) => [item.id, item]));
    const names = new Map(this.labelIds.map((id, n) => [id, ['one', 'two'][n]]));
    for (const { id, feedId, unread, starred, arrivedMicros, labels } of items) {
      const known = model.get(id);
      const told = [feedId, unread, starred, arrivedMicros, labels.join('/')].join();
      const expected = [
        known?.feedId,
        known?.unread,
        known?.starred,
        known?.arrived,
        known?.labels.map((label) => names.get(label)).join('/'),
      ].join();
      if (told !== expected) {
        this.#mistakes.push(`item ${id} is ${told}, expected ${expected}`);
      }
    }
    return items;
  }

  /** Arrival must never fall with ids, and the newest of each feed be known. */
  async #wrongArrivals(): Promise<string[]> {
    const items = (await this.#items()).toSorted((a, b) => a.id - b.id);
    const newest = await app.inside(StreamsService).newestArrivals(this.reader);
    const expected = new Map(items.map(({ feedId, arrived }) => [feedId, arrived]));
    return [
      ...items
        .filter(({ arrived }, n) => arrived < (items[n - 1]?.arrived ?? 0))
        .map(({ id }) => `${id} arrived before the one before it`),
      ...[...expected].filter(([id, at]) => newest.get(id) !== at).map(([id]) => `newest of ${id}`),
      ...(newest.size === expected.size ? [] : ['feeds without items have a newest']),
    ];
  }

  async #items(): Promise<Known[]> {
    return app.database.query<Known>(
      `select item.id, s.id as "feedId", item.unread, item.starred, item.arrived_micros as arrived,
              item.last_modified_micros as stamp,
              array(select label_id::int from item_label
                     where reader_id = $1 and item_id = item.id order by label_id) as labels
         from item join subscription s on s.reader_id = $1 and s.id = item.subscription_id
        where item.reader_id = $1 and s.deleted_at is null`,
      [this.reader.id],
    );
  }

  async #model({ within, without, fromMicros, toMicros }: StreamSelection): Promise<Known[]> {
    return (await this.#items()).filter(
      (item) =>
        within.every((set) => isIn(set, item)) &&
        !without.some((set) => isIn(set, item)) &&
        item.arrived >= (fromMicros ?? 0) &&
        item.arrived <= (toMicros ?? Number.MAX_SAFE_INTEGER),
    );
  }

  async #someStream(): Promise<StreamSelection> {
    const random = this.#random;
    const sets = async (most: number) => {
      const some: ItemSet[] = [];
      for (let n = random.below(most + 1); n > 0; n -= 1) {
        some.push(await this.#someSet());
      }
      return some;
    };
    if (random.chance(0.2)) {
      // Which has a way of its own.
      const feed = random.pick((await this.news.feedList()).feeds);
      const one = { of: 'tag', feedIds: [feed?.id ?? 0], labelId: null } as const;
      return { within: [one], without: [], fromMicros: null, toMicros: null };
    }
    const some = await sets(2);
    return {
      within: some.length === 0 ? [{ of: 'all' }] : some,
      without: random.chance(0.5) ? [] : await sets(2),
      fromMicros: random.chance(0.25) ? await this.#someMoment() : null,
      toMicros: random.chance(0.25) ? await this.#someMoment() : null,
    };
  }

  async #someSet(): Promise<ItemSet> {
    const random = this.#random;
    const of = random.pick(['all', 'read', 'unread', 'starred', 'tag', 'tag', 'tag'] as const);
    if (of !== 'tag') {
      return { of: of ?? 'all' };
    }
    const { feeds } = await this.news.feedList();
    const feedIds = [...feeds.map(({ id }) => id), this.strangers.feedId];
    const some = random.pick([
      [],
      [random.pick(feedIds) ?? 0],
      [random.pick(feedIds) ?? 0],
      feeds.filter(({ folderId }) => folderId === this.folderId).map(({ id }) => id),
      feedIds.filter(() => random.chance(0.5)),
    ]);
    return {
      of,
      feedIds: some ?? [],
      labelId: random.chance(0.4)
        ? (random.pick([...this.labelIds, this.strangers.labelId]) ?? null)
        : null,
    };
  }

  async #someMoment(): Promise<number> {
    const arrived = (await this.#items()).map((item) => item.arrived);
    return (this.#random.pick(arrived) ?? 0) + this.#random.below(3) - 1;
  }

  async #something(): Promise<void> {
    const steps: (() => Promise<unknown>)[] = [
      () => this.#publish(),
      () => this.#setFlags(),
      () => this.#setFlags(),
      () => this.#label(),
      () => this.#markRead(),
      () => this.#cleanUp(),
      () => this.#moveFeed(),
      () => this.#hideOrRestore(),
      () => this.#changeSource(),
      () => this.#skipIds(),
    ];
    await this.#random.pick(steps)?.();
  }

  /** New articles of some feed, back-dated ones among them; delivered by one of two doors, or not. */
  async #publish(isDelivered = true): Promise<void> {
    const random = this.#random;
    const count = 1 + random.below(6);
    const feed = this.feeds[random.below(FEEDS)] as FollowedSource;
    await this.#makeLate(feed);
    await publishArticles(
      app,
      feed.sourceId,
      Array.from({ length: count }, () => ({
        guid: `${this.#articles++}`,
        pubDateSeconds: 1000 * random.below(17),
      })),
      { every: 4, nth: random.below(4) },
    );
    this.#done.push(`published ${count}, delivered: ${isDelivered}`);
    if (isDelivered) {
      await (random.chance(0.5)
        ? this.news.feedList()
        : app.inside(DeliveryService).deliverTo(this.reader));
    }
  }

  /** Articles that are listed again after the feed had started without them: late items. */
  async #makeLate({ sourceId, feedId }: FollowedSource): Promise<void> {
    const items = await app.database.query<{ articleId: number }>(
      'select article_id as "articleId" from item where reader_id = $1 and subscription_id = $2',
      [this.reader.id, feedId],
    );
    const late = await app.database.query<{ id: number }>(
      `select id from article
        where source_id = $1 and id % 3 = 0 and id <> all($2::bigint[])`,
      [sourceId, items.map(({ articleId }) => articleId)],
    );
    await app.database.query(
      `insert into late_delivery (subscription_id, article_id) select $1, unnest($2::bigint[])
       on conflict do nothing`,
      [feedId, late.map(({ id }) => id)],
    );
  }

  async #setFlags(): Promise<void> {
    const what = this.#random.pick(['read', 'read', 'unread', 'star', 'unstar']) ?? 'read';
    const itemIds = (await this.#items())
      .map(({ id }) => id)
      .filter(() => this.#random.chance(0.3));
    if (itemIds.length > 0) {
      await ok(this.news.change(`/items/${what}/multiple`, { itemIds }));
      this.#done.push(`${what} ${itemIds.join()}`);
    }
  }

  async #label(): Promise<void> {
    const labelId = this.#random.pick(this.labelIds) ?? 0;
    const itemIds = (await this.#items())
      .map(({ id }) => id)
      .filter(() => this.#random.chance(0.2));
    await app.database.query(
      this.#random.chance(0.6)
        ? `insert into item_label (reader_id, label_id, item_id) select $1, $2, unnest($3::bigint[])
           on conflict do nothing`
        : 'delete from item_label where reader_id = $1 and label_id = $2 and item_id = any($3)',
      [this.reader.id, labelId, itemIds],
    );
    this.#done.push(`label ${labelId} on or off ${itemIds.join()}`);
  }

  /** Marks a set read up to a moment, and compares with the model: flags, stamps and counts. */
  async #markRead(): Promise<void> {
    const set = await this.#someSet();
    const upTo = this.#random.chance(0.6) ? await this.#someMoment() : null;
    const before = await this.#items();
    await app.inside(StreamsService).markRead(this.reader, set, upTo);
    const after = await this.#items();
    const expected = before
      .filter((item) => item.unread && isIn(set, item) && (upTo === null || item.arrived <= upTo))
      .map(({ id }) => id);
    const unread = new Set(after.filter((item) => item.unread).map(({ id }) => id));
    const marked = before.filter((item) => item.unread && !unread.has(item.id)).map(({ id }) => id);
    this.#done.push(`marked ${JSON.stringify(set)} up to ${upTo}: ${marked.join()}`);
    if (!areSame(marked, expected)) {
      this.#mistakes.push(`marked ${marked.join()}, expected ${expected.join()}`);
    }
    const last = Math.max(0, ...before.map(({ stamp }) => stamp));
    const unstamped = after.filter(({ id, stamp }) => marked.includes(id) && stamp <= last);
    this.#mistakes.push(...unstamped.map(({ id }) => `other clients do not learn of ${id}`));
    const { feeds } = await this.news.feedList();
    const now = (await this.#items()).filter((item) => item.unread);
    const wrong = feeds.filter(
      ({ id, unreadCount }) => unreadCount !== now.filter(({ feedId }) => feedId === id).length,
    );
    this.#mistakes.push(...wrong.map(({ id }) => `the count of ${id} is wrong`));
  }

  async #cleanUp(): Promise<void> {
    const before = await this.#items();
    await app.inside(RetentionService).cleanUp({ grace: 'none', keepReadItems: 3 });
    const left = new Set((await this.#items()).map(({ id }) => id));
    const lost = before.filter(
      ({ id, unread, starred, labels }) =>
        !left.has(id) && (unread || starred || labels.length > 0),
    );
    this.#mistakes.push(...lost.map(({ id }) => `${id} was removed`));
    this.#done.push('cleaned up');
  }

  /** As the clean-up does. */
  async #remove(itemId: number): Promise<void> {
    await app.database.query(
      'delete from item where reader_id = $1 and id = $2 and not unread and not starred',
      [this.reader.id, itemId],
    );
    this.#done.push(`removed ${itemId}`);
  }

  async #moveFeed(): Promise<void> {
    const feed = this.#random.pick((await this.news.feedList()).feeds);
    const folderId = this.#random.pick([null, this.folderId]) ?? null;
    await this.news.post(`/feeds/${feed?.id ?? 0}/move`, { folderId });
    this.#done.push(`moved ${feed?.id} to ${folderId}`);
  }

  /** Items of a feed become late ones, as after a change of its address. */
  async #changeSource(): Promise<void> {
    const feed = this.#random.pick((await this.news.feedList()).feeds);
    await app.database.query(
      'update item set late = true where reader_id = $1 and subscription_id = $2 and id % 3 = $3',
      [this.reader.id, feed?.id, this.#random.below(3)],
    );
    this.#done.push(`items of ${feed?.id} are late`);
  }

  /** As after the restore of a backup. Ways through the indexes depend on the range of ids. */
  async #skipIds(): Promise<void> {
    await app.inside(ReadersRepository).moveAhead();
    this.#done.push('skipped ids');
  }

  async #hideOrRestore(): Promise<void> {
    const { feeds } = await this.news.feedList();
    const [hidden] = await app.database.query<{ id: number }>(
      'select id from subscription where reader_id = $1 and deleted_at is not null',
      [this.reader.id],
    );
    if (hidden !== undefined) {
      await this.news.post(`/feeds/${hidden.id}/restore`);
      await this.news.feedList();
      this.#done.push(`restored ${hidden.id}`);
      return;
    }
    const feed = this.#random.pick(feeds);
    await this.news.call('DELETE', `/feeds/${feed?.id}`, { query: { undoable: true } });
    this.#done.push(`hid ${feed?.id}`);
  }
}

function isIn(set: ItemSet, item: Known): boolean {
  switch (set.of) {
    case 'all':
      return true;
    case 'read':
      return !item.unread;
    case 'unread':
      return item.unread;
    case 'starred':
      return item.starred;
    case 'tag':
      return (
        set.feedIds.includes(item.feedId) ||
        (set.labelId !== null && item.labels.includes(set.labelId))
      );
    case 'items':
      return set.itemIds.includes(item.id);
  }
}

async function makeLabels(userId: string, names: readonly string[]): Promise<number[]> {
  const labels = await app
    .inside(ReadersRepository)
    .change(await readerOf(app, userId), (tx, reader) =>
      tx.query<{ id: number }>(
        'insert into label (reader_id, name) select $1, unnest($2::text[]) returning id',
        [reader.id, names],
      ),
    );
  return labels.map(({ id }) => id).toSorted((a, b) => a - b);
}

async function all<Batch>(batches: AsyncIterable<Batch>): Promise<Batch[]> {
  const all: Batch[] = [];
  for await (const batch of batches) {
    all.push(batch);
  }
  return all;
}

function areSame(some: readonly number[], others: readonly number[]): boolean {
  return some.toSorted((a, b) => a - b).join() === others.toSorted((a, b) => a - b).join();
}

import { describe, expect, it } from '@jest/globals';
import { RetentionService } from '../../src/news/updater/retention.service.js';
import {
  followSources,
  publishArticles,
  type FollowedSource,
} from '../support/followed-sources.js';
import { Random } from '../support/histories/random.js';
import { histories } from '../support/long.js';
import { NewsClient, ok, type RowJson } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { sharedService } from '../support/shared-service.js';

/*
 * Random histories of everything that moves items, while lists by date are paged through: each page must
 * be what a model of the list says, and all pages together each item once. More with
 * GENERATED_HISTORIES=n.
 */

const HISTORIES = Math.ceil(histories(100, 800) / 100);
const LISTS = 12;
const FEEDS = 4;
/** Few different dates, so that many are equal. */
const DATES = 12;
const FUTURE = 4_000_000_000;

const { app } = await sharedService();

describe('a list by date that is paged through while items arrive and change', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'continues exactly, shows nothing twice and misses nothing: history %i',
    async (seed) => {
      const reading = await Reading.begin(seed);
      for (let list = 0; list < LISTS; list += 1) {
        expect(await reading.pageThroughAList()).toEqual([]);
      }
    },
  );
});

/** An item as the model has it. */
interface Known {
  readonly id: number;
  readonly feedId: number;
  readonly folderId: number;
  readonly date: number;
  readonly unread: boolean;
  readonly starred: boolean;
  readonly labelled: boolean;
}

interface List {
  readonly type: number;
  readonly id: number;
  readonly getRead: boolean;
  readonly oldestFirst: boolean;
}

class Reading {
  readonly #random: Random;
  readonly #news: NewsClient;
  #articles = 0;
  #done: string[] = [];
  /** Of steps between pages. */
  #mistakes: string[] = [];

  private constructor(
    seed: number,
    news: NewsClient,
    private readonly readerId: number,
    private readonly folderId: number,
    private readonly feeds: readonly FollowedSource[],
  ) {
    this.#random = new Random(seed);
    this.#news = news;
  }

  static async begin(seed: number): Promise<Reading> {
    const user = await app.signIn();
    const { userId } = user.credentials;
    const news = new NewsClient({ baseUrl: app.url, credentials: user.credentials }, 'v1-3');
    const folder = await news.createFolder('folder');
    const feeds = await followSources(app, userId, FEEDS, folder.id);
    const { id: readerId } = await readerOf(app, userId);
    return new Reading(seed, news, readerId, folder.id, feeds);
  }

  /** @returns what is wrong with the pages */
  async pageThroughAList(): Promise<string[]> {
    const random = this.#random;
    await this.#publish();
    await this.#setFlags();
    const list = await this.#someList();
    const limit = 1 + random.below(7);
    this.#done = [`list ${JSON.stringify(list)} by ${limit}`];
    const moved = new Set<number>();
    const seen: RowJson[] = [];
    let always: Map<number, Known> | null = null;
    for (let after: string | null = ''; after !== null;) {
      const page = await this.#news.rows({
        ...list,
        batchSize: limit,
        ...(after === '' ? {} : { after }),
      });
      // The first page delivered; nothing has happened since.
      const now = await this.#model(list);
      const mistake = this.#mistakeOf(page.rows, page.next, now, seen.at(-1), limit, list);
      if (mistake !== null) {
        return [mistake, ...this.#done];
      }
      seen.push(...page.rows);
      always = always === null ? now : always;
      after = page.next;
      if (after !== null) {
        await this.#something();
      }
      const later = await this.#model(list);
      for (const [id, { date }] of [...always, ...now]) {
        if (later.get(id)?.date !== date) {
          moved.add(id);
        }
      }
    }
    const stayed = [...(always ?? [])].filter(([id]) => !moved.has(id)).map(([id]) => id);
    const counts = new Map<number, number>();
    seen.forEach(({ id }) => counts.set(id, (counts.get(id) ?? 0) + 1));
    return [
      ...this.#mistakes.splice(0),
      ...stayed.filter((id) => !counts.has(id)).map((id) => `${id} is missing`),
      ...[...counts]
        .filter(([id, count]) => count > 1 && !moved.has(id))
        .map(([id]) => `${id} is there twice`),
    ].flatMap((mistake) => [mistake, ...this.#done]);
  }

  #mistakeOf(
    rows: readonly RowJson[],
    next: string | null,
    now: ReadonlyMap<number, Known>,
    last: RowJson | undefined,
    limit: number,
    { oldestFirst }: List,
  ): string | null {
    const sign = oldestFirst ? 1 : -1;
    const order = (a: { date: number; id: number }, b: { date: number; id: number }) =>
      sign * (a.date - b.date || a.id - b.id);
    const start = last && { date: last.pubDate, id: last.id };
    const expected = [...now.values()]
      .filter((item) => start === undefined || order(start, item) < 0)
      .toSorted(order)
      .slice(0, limit);
    const told = rows.map(({ id, feedId, pubDate, unread, starred }) =>
      [id, feedId, pubDate, unread, starred].join(),
    );
    const model = expected.map(({ id, feedId, date, unread, starred }) =>
      [id, feedId, date, unread, starred].join(),
    );
    if (told.join(' ') !== model.join(' ')) {
      return `the page is ${told.join(' ')}, expected ${model.join(' ')}`;
    }
    return (next === null) === expected.length < limit ? null : `next is ${next}`;
  }

  /** The items of a list, from what the API says of folders and items, and the rule about dates. */
  async #model({ type, id, getRead }: List): Promise<Map<number, Known>> {
    const delivered = await app.database.query<Known & { readonly articleId: number }>(
      `select item.id, article_id as "articleId", s.id as "feedId",
              coalesce(s.folder_id, 0) as "folderId", date_seconds as date, unread, starred,
              exists (select from item_label where reader_id = $1 and item_id = item.id) as labelled
         from item join subscription s on s.reader_id = $1 and s.id = subscription_id
        where item.reader_id = $1 and s.deleted_at is null`,
      [this.readerId],
    );
    const articles = await app.database.query<{ id: number; date: number }>(
      `select id, pub_date_seconds as date from article
        where source_id = any($1::bigint[]) and pub_date_seconds < ${FUTURE - 1000}`,
      [this.feeds.map(({ sourceId }) => sourceId)],
    );
    const dates = new Map(articles.map(({ id, date }) => [id, date]));
    const items = delivered.map((item) => ({
      ...item,
      date: dates.get(item.articleId) ?? item.date,
    }));
    const belongs: Readonly<Record<number, (item: Known) => boolean>> = {
      0: ({ feedId }) => feedId === id,
      1: ({ folderId }) => folderId === id,
      2: ({ starred }) => starred,
      3: () => true,
      6: ({ unread }) => unread,
      20: ({ labelled }) => labelled,
    };
    return new Map(
      items
        .filter((item) => (belongs[type]?.(item) ?? false) && (getRead || item.unread))
        .map((item) => [item.id, item]),
    );
  }

  async #someList(): Promise<List> {
    const random = this.#random;
    const type = random.pick([0, 0, 1, 1, 2, 3, 3, 6, 20, 20]) ?? 3;
    const { feeds } = await this.#news.feedList();
    const feedId = random.pick(feeds)?.id ?? 0;
    const folderId = random.pick([0, this.folderId]) ?? 0;
    const [label] = await this.#news.labels();
    const ids: Readonly<Record<number, number>> = { 0: feedId, 1: folderId, 20: label?.id ?? 0 };
    return {
      type,
      id: ids[type] ?? 0,
      getRead: random.chance(0.6),
      oldestFirst: random.chance(0.5),
    };
  }

  async #something(): Promise<void> {
    const steps: (() => Promise<unknown>)[] = [
      () => this.#publish(),
      () => this.#setFlags(),
      () => this.#markRest(),
      () => this.#cleanUp(),
      () => this.#moveFeed(),
      () => this.#hideOrRestore(),
      async () => {},
      async () => {},
    ];
    await this.#random.pick(steps)?.();
  }

  /** New articles of some feed, and new dates of old ones; delivered at once. */
  async #publish(): Promise<void> {
    const random = this.#random;
    const count = 1 + random.below(6);
    const edited = random.below(4);
    const aDate = () => 1000 * random.below(DATES);
    await publishArticles(
      app,
      random.pick(this.feeds)?.sourceId ?? 0,
      Array.from({ length: count }, () => {
        const n = (this.#articles += 1);
        return { guid: `${n}`, pubDateSeconds: random.chance(0.1) ? FUTURE + n : aDate() };
      }),
      { every: 4, nth: edited, pubDateSeconds: aDate() },
    );
    await this.#news.feedList();
    this.#done.push(`published ${count}, edited ${edited}`);
  }

  async #setFlags(): Promise<void> {
    const what =
      this.#random.pick(['read', 'unread', 'star', 'unstar', 'add', 'add', 'remove']) ?? 'read';
    const itemIds = [
      ...(await this.#model({ type: 3, id: 0, getRead: true, oldestFirst: false })).keys(),
    ].filter(() => this.#random.chance(0.3));
    if (what === 'add' || what === 'remove') {
      await this.#news.label(itemIds, { [what]: ['label'] });
      this.#done.push(`${what} the label ${itemIds.join()}`);
    } else if (itemIds.length > 0) {
      await ok(this.#news.change(`/items/${what}/multiple`, { itemIds }));
      this.#done.push(`${what} ${itemIds.join()}`);
    }
  }

  /** Marks what follows a row, checks it against the model, and often undoes it. */
  async #markRest(): Promise<void> {
    const list = await this.#someList();
    const before = await this.#model({ ...list, getRead: false });
    const from = this.#random.pick([...before.values()]);
    if (from === undefined) {
      return;
    }
    const upToId = this.#random.chance(0.7)
      ? this.#articles + 10
      : this.#random.below(this.#articles);
    const sign = list.oldestFirst ? 1 : -1;
    const expected = [...before.values()].filter(
      (item) => sign * (item.date - from.date || item.id - from.id) > 0 && item.id <= upToId,
    );
    const { marked, undo } = await ok<{ marked: number; undo: number[] }>(
      this.#news.post('/rows/read', {
        ...list,
        after: `${from.date}.${from.id}`,
        newestItemId: upToId,
      }),
    );
    const unread = await this.#model({ ...list, getRead: false });
    const left = [...before.keys()].filter((id) => !unread.has(id));
    const mistakes: string[] = [];
    if (
      marked !== expected.length ||
      !areSame(
        left,
        expected.map(({ id }) => id),
      )
    ) {
      mistakes.push(
        `marked ${marked}: ${left.join()}; expected ${expected.map(({ id }) => id).join()}`,
      );
    }
    this.#done.push(`marked after ${from.id}: ${left.join()}`);
    if (this.#random.chance(0.6)) {
      const undone = await ok<{ marked: number }>(this.#news.post('/rows/read/undo', { undo }));
      const again = await this.#model({ ...list, getRead: false });
      if (undone.marked !== marked || !areSame([...again.keys()], [...before.keys()])) {
        mistakes.push(`undone ${undone.marked} of ${marked}: ${[...again.keys()].join()}`);
      }
      this.#done.push('undone');
    }
    this.#mistakes.push(...mistakes);
  }

  async #cleanUp(): Promise<void> {
    await app.inside(RetentionService).cleanUp({ grace: 'none', keepReadItems: 3 });
    this.#done.push('cleaned up');
  }

  async #moveFeed(): Promise<void> {
    const feed = this.#random.pick((await this.#news.feedList()).feeds);
    const folderId = this.#random.pick([null, this.folderId]) ?? null;
    await this.#news.post(`/feeds/${feed?.id ?? 0}/move`, { folderId });
    this.#done.push(`moved ${feed?.id} to ${folderId}`);
  }

  async #hideOrRestore(): Promise<void> {
    const { feeds } = await this.#news.feedList();
    const [hidden] = await app.database.query<{ id: number }>(
      'select id from subscription where reader_id = $1 and deleted_at is not null',
      [this.readerId],
    );
    if (hidden !== undefined) {
      await this.#news.post(`/feeds/${hidden.id}/restore`);
      // Delivers what came meanwhile.
      await this.#news.feedList();
      this.#done.push(`restored ${hidden.id}`);
      return;
    }
    const feed = this.#random.pick(feeds);
    await this.#news.call('DELETE', `/feeds/${feed?.id}`, { query: { undoable: true } });
    this.#done.push(`hid ${feed?.id}`);
  }
}

function areSame(some: readonly number[], others: readonly number[]): boolean {
  return some.toSorted().join() === others.toSorted().join();
}

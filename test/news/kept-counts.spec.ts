import { describe, expect, it } from '@jest/globals';
import { RestoreHooks } from '../../src/common/ports/hooks.js';
import { ReaderRetention } from '../../src/news/updater/reader-retention.service.js';
import { RetentionService } from '../../src/news/updater/retention.service.js';
import {
  followSources,
  publishArticles,
  type FollowedSource,
} from '../support/followed-sources.js';
import { Random } from '../support/histories/random.js';
import { histories } from '../support/long.js';
import { NewsClient, ok } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { sharedService } from '../support/shared-service.js';

/*
 * Unread and starred items are counted when they change. Random histories of everything that changes
 * items must leave the counts of `GET /feeds` at what count(*) finds, after each step.
 */

const HISTORIES = histories(2, 8);
const STEPS = 40;
const FEEDS = 4;

const { app } = await sharedService();

describe('the counts of feeds', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'are those of the items, no matter what happened: history %i',
    async (seed) => {
      const reading = await Reading.begin(seed);
      const done: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        done.push(await reading.step());
        expect({ done, counts: await reading.shownCounts() }).toEqual({
          done,
          counts: await reading.realCounts(),
        });
      }
      expect(await reading.areKept()).toBe(true);
    },
  );
});

/** A user with feeds, about whom random things happen. */
class Reading {
  readonly #random: Random;
  #articles = 0;

  private constructor(
    private readonly seed: number,
    private readonly news: NewsClient,
    private readonly readerId: number,
    private readonly feeds: readonly FollowedSource[],
  ) {
    this.#random = new Random(seed);
  }

  static async begin(seed: number): Promise<Reading> {
    const user = await app.signIn();
    const { userId } = user.credentials;
    const news = new NewsClient({ baseUrl: app.url, credentials: user.credentials }, 'v1-3');
    const folder = await news.createFolder('folder');
    const feeds = await followSources(app, userId, FEEDS, folder.id);
    const { id: readerId } = await readerOf(app, userId);
    return new Reading(seed, news, readerId, feeds);
  }

  /** @returns what was done */
  async step(): Promise<string> {
    const random = this.#random;
    const steps: (() => Promise<string>)[] = [
      () => this.#publish(),
      () => this.#publish(),
      () => this.#publish(),
      () => this.#setFlags(),
      () => this.#setFlags(),
      () => this.#manyAtOnce(),
      () => this.#readUpTo(),
      () => this.#filter(),
      () => this.#filter(),
      () => this.#hideOrRestore(),
      () => this.#byAnEarlierVersion(),
      () => this.#cleanUp(),
    ];
    return (random.pick(steps) ?? (() => this.#publish()))();
  }

  /** As the API shows them: `[feed, unread]`, and the starred items of all feeds. */
  async shownCounts(): Promise<object> {
    const { feeds, starredCount, newestItemId } = await this.news.feedList();
    return {
      unread: feeds.map(({ id, unreadCount }) => [id, unreadCount]).toSorted(byFirst),
      starredCount,
      newestItemId: newestItemId ?? null,
    };
  }

  async realCounts(): Promise<object> {
    const [row] = await app.database.query<object>(
      `select coalesce(json_agg(json_build_array(s.id, (
                select count(*) from item
                 where reader_id = $1 and subscription_id = s.id and unread)) order by s.id),
                '[]') as unread,
              coalesce(sum((select count(*) from item
                             where reader_id = $1 and subscription_id = s.id and starred)), 0)::int
                as "starredCount",
              (select max(id) from item where reader_id = $1) as "newestItemId"
         from subscription s
        where reader_id = $1 and deleted_at is null`,
      [this.readerId],
    );
    return row ?? {};
  }

  /** Whether no further counting is necessary. */
  async areKept(): Promise<boolean> {
    const rows = await app.database.query(
      'select from reader where id = $1 and counted_micros = last_modified_micros',
      [this.readerId],
    );
    return rows.length === 1;
  }

  /** New articles of some feeds, and changes of old ones. */
  async #publish(): Promise<string> {
    const count = 1 + this.#random.below(4);
    const aTitle = () => `word${this.#random.below(4)}`;
    await publishArticles(
      app,
      this.#random.pick(this.feeds)?.sourceId ?? 0,
      Array.from({ length: count }, () => ({ guid: `${this.#articles++}`, title: aTitle() })),
      { every: 2, nth: this.#random.below(2), title: aTitle() },
    );
    return `published ${count}`;
  }

  async #setFlags(): Promise<string> {
    const itemIds = await this.#someItems();
    const what = this.#random.pick(['read', 'unread', 'star', 'unstar']) ?? 'read';
    await ok(this.news.change(`/items/${what}/multiple`, { itemIds }));
    return `${what} ${itemIds.join()}`;
  }

  /** Concurrent changes, of the same items too, of which some fail. */
  async #manyAtOnce(): Promise<string> {
    const ids = await this.#someItems();
    const newest = Math.max(0, ...ids);
    await Promise.all([
      ...ids.flatMap((id) => [
        this.news.change(`/items/${id}/read`),
        this.news.change(`/items/${id}/${id % 2 === 0 ? 'unread' : 'star'}`),
        this.news.change(`/items/${id + 100_000}/read`),
      ]),
      this.news.change('/items/read', { newestItemId: newest - 2 }),
      this.news.change('/folders/0/read', { newestItemId: newest }),
      this.news.changedItems(0),
    ]);
    return `at once ${ids.join()}`;
  }

  async #readUpTo(): Promise<string> {
    const { feeds } = await this.news.feedList();
    const feed = this.#random.pick(feeds);
    const [folder] = await this.news.folders();
    const scopes = ['/items', `/feeds/${feed?.id ?? 0}`, `/folders/${folder?.id ?? 0}`];
    const scope = this.#random.pick(scopes) ?? '/items';
    const newestItemId = this.#random.below(this.#articles + 5);
    await this.news.change(`${scope}/read`, { newestItemId });
    return `${scope}/read up to ${newestItemId}`;
  }

  async #filter(): Promise<string> {
    const feed = this.#random.pick((await this.news.feedList()).feeds);
    const titleKeywords = this.#random.pick(['', 'word1', 'word0, word2', 'word3, word2']) ?? '';
    if (feed !== undefined) {
      await ok(this.news.post(`/feeds/${feed.id}/filter`, { titleKeywords }));
    }
    return `filter of ${feed?.id}: ${titleKeywords}`;
  }

  async #hideOrRestore(): Promise<string> {
    const hidden = await app.database.query<{ path: string }>(
      `select '/feeds/' || id as path from subscription
        where reader_id = $1 and deleted_at is not null
       union all
       select '/folders/' || id from folder where reader_id = $1 and deleted_at is not null`,
      [this.readerId],
    );
    const one = this.#random.pick(hidden);
    if (one !== undefined && this.#random.chance(0.8)) {
      await this.news.post(`${one.path}/restore`);
      return `restored ${one.path}`;
    }
    const { feeds } = await this.news.feedList();
    const folders = await this.news.folders();
    const kind = this.#random.chance(0.5) ? 'feeds' : 'folders';
    const ids = (kind === 'feeds' ? feeds : folders).map(({ id }) => id);
    const undoable = this.#random.chance(0.9) || feeds.length < FEEDS - 1 || kind === 'folders';
    const id = this.#random.pick(ids) ?? 0;
    await this.news.call('DELETE', `/${kind}/${id}`, { query: { undoable } });
    return `removed ${kind} ${id}${undoable ? ' for now' : ''}`;
  }

  /** During an upgrade, processes of an earlier version change items and not the counts. */
  async #byAnEarlierVersion(): Promise<string> {
    const ids = await this.#someItems();
    await app.database.query(
      `with changed as (
         update item set unread = not unread, starred = not starred,
                         last_modified_micros = reader.last_modified_micros + 1
           from reader
          where reader.id = $1 and item.reader_id = $1 and item.id = any($2::bigint[])
         returning 1)
       update reader set last_modified_micros = last_modified_micros + 1
        where id = $1 and exists (select from changed)`,
      [this.readerId, ids],
    );
    return `by an earlier version ${ids.join()}; then ${await this.#setFlags()}`;
  }

  async #cleanUp(): Promise<string> {
    await app.inside(RetentionService).cleanUp({ grace: 'none', keepReadItems: 1 });
    if (this.#random.chance(0.3)) {
      await app.inside(RestoreHooks).run();
    }
    if (this.#random.chance(0.1)) {
      await app.inside(ReaderRetention).purgeDeleted(0);
    }
    return 'cleaned up';
  }

  async #someItems(): Promise<number[]> {
    const items = await app.database.query<{ id: number }>(
      'select id from item where reader_id = $1 order by id',
      [this.readerId],
    );
    return items.filter(() => this.#random.chance(0.3)).map(({ id }) => id);
  }
}

function byFirst([a = 0]: readonly number[], [b = 0]: readonly number[]): number {
  return a - b;
}

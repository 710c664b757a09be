import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RestoreHooks } from '../../src/common/ports/restore-hooks.js';
import { RetentionService } from '../../src/news/updater/retention.service.js';
import { DeletionsService } from '../../src/news/updater/deletions.service.js';
import { Random } from '../support/histories/random.js';
import { NewsClient, ok } from '../support/news-client.js';
import { startApp, type TestApp } from '../support/start-app.js';

/*
 * Unread and starred items are counted when they change. Random histories of everything that changes
 * items must leave the counts of `GET /feeds` at what count(*) finds, after each step.
 */

const HISTORIES = 8;
const STEPS = 40;
const FEEDS = 4;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('the counts of feeds', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'are those of the items, whatever happened: history %i',
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
    60_000,
  );
});

/** A user with feeds, about whom random things happen. */
class Reading {
  readonly #random: Random;
  #articles = 0;

  private constructor(
    private readonly seed: number,
    private readonly news: NewsClient,
    private readonly userId: string,
  ) {
    this.#random = new Random(seed);
  }

  static async begin(seed: number): Promise<Reading> {
    const user = await app.signInOnce(`reader-${seed}`);
    const { userId } = user.credentials;
    await app.database.query('insert into reader (user_id) values ($1)', [userId]);
    const news = new NewsClient({ baseUrl: app.url, credentials: user.credentials }, 'v1-3');
    const folder = await news.createFolder('folder');
    await app.database.query(
      `with made as (
         insert into source (url, url_key)
         select address, decode(md5(address), 'hex')
           from generate_series(1, $2) n, lateral (select $1 || '/' || n as address) named
         returning id, url)
       insert into subscription (reader_id, source_id, url, delivered_rev, folder_id, update_mode)
       select reader.id, made.id, made.url, 0, case when made.id % 2 = 0 then $3::bigint end,
              case when made.id % 4 = 0 then 0 else 1 end
         from made, reader where reader.user_id = $1`,
      [userId, FEEDS, folder.id],
    );
    return new Reading(seed, news, userId);
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
                select count(*) from item where subscription_id = s.id and unread)) order by s.id),
                '[]') as unread,
              coalesce(sum((select count(*) from item where subscription_id = s.id and starred)), 0)::int
                as "starredCount",
              (select max(item.id) from item join reader on reader.id = item.reader_id
                where user_id = $1) as "newestItemId"
         from subscription s join reader on reader.id = s.reader_id
        where user_id = $1 and s.deleted_at is null`,
      [this.userId],
    );
    return row ?? {};
  }

  /** Whether no further counting is necessary. */
  async areKept(): Promise<boolean> {
    const rows = await app.database.query(
      'select from reader where user_id = $1 and counted_micros = last_modified_micros',
      [this.userId],
    );
    return rows.length === 1;
  }

  /** New articles of some feeds, and changes of old ones. */
  async #publish(): Promise<string> {
    const count = 1 + this.#random.below(4);
    await app.database.query(
      `with moved as (
         update source set rev = rev + 1 where url = $1 || '/' || $2::int returning id, rev
       ), edited as (
         update article set rev = moved.rev, title = 'word' || ((article.id + moved.rev) % 4)
           from moved where source_id = moved.id and article.id % 2 = $5::int
       )
       insert into article (source_id, guid, guid_hash, fingerprint, content_hash, title,
                            first_rev, rev, pub_date_seconds, rtl)
       select id, guid, decode(md5(guid), 'hex'), '', '', 'word' || (n % 4), rev, rev, 0, false
         from moved, generate_series($3::int, $3::int + $4::int - 1) n, lateral (select n::text as guid)`,
      [this.userId, 1 + this.#random.below(FEEDS), this.#articles, count, this.#random.below(2)],
    );
    this.#articles += count;
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
      `select '/feeds/' || s.id as path from subscription s join reader on reader.id = reader_id
        where user_id = $1 and s.deleted_at is not null
       union all
       select '/folders/' || f.id from folder f join reader on reader.id = reader_id
        where user_id = $1 and f.deleted_at is not null`,
      [this.userId],
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
          where user_id = $1 and item.reader_id = reader.id and item.id = any($2::bigint[])
         returning 1)
       update reader set last_modified_micros = last_modified_micros + 1
        where user_id = $1 and exists (select from changed)`,
      [this.userId, ids],
    );
    return `by an earlier version ${ids.join()}; then ${await this.#setFlags()}`;
  }

  async #cleanUp(): Promise<string> {
    await app.inside(RetentionService).cleanUp({ grace: 'none', keepReadItems: 1 });
    if (this.#random.chance(0.3)) {
      await app.inside(RestoreHooks).run();
    }
    if (this.#random.chance(0.1)) {
      await app.inside(DeletionsService).purge(0);
    }
    return 'cleaned up';
  }

  async #someItems(): Promise<number[]> {
    const items = await app.database.query<{ id: number }>(
      `select item.id from item join reader on reader.id = reader_id
        where user_id = $1 order by item.id`,
      [this.userId],
    );
    return items.filter(() => this.#random.chance(0.3)).map(({ id }) => id);
  }
}

function byFirst([a = 0]: readonly number[], [b = 0]: readonly number[]): number {
  return a - b;
}

import { describe, expect, it } from '@jest/globals';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import type { Reader } from '../../src/news/reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { arrivalOf, ARRIVALS } from '../../src/news/sources/articles/arrivals.js';
import {
  ByChanges,
  ByIds,
  BySince,
  FeverDevice,
  GoogleDevice,
  wireOf,
  type Device,
  type Told,
} from '../support/devices.js';
import { feverClientOf } from '../support/fever-client.js';
import { publishArticles } from '../support/followed-sources.js';
import { Random } from '../support/histories/random.js';
import { histories } from '../support/long.js';
import { NewsClient, ok, type ItemJson } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { sharedService } from '../support/shared-service.js';
import { StoryModel, type NewModelItem } from '../support/story-model.js';
import { until } from '../support/until.js';

/*
 * Five followers of one account by three protocols, which mark items while stories are recognised, before or after
 * their delivery, feeds are left and followed again, and stories are switched on and off. After each step the items
 * are those of a model; in the end every follower has the same. A second account, without stories, does the same: when
 * they are off at last, nothing differs but what was touched. More with GENERATED_HISTORIES=n.
 */

const HISTORIES = histories(2, 60);
const STEPS = 40;
const SOURCES = 4;
/** Its articles of one word are hidden by a rule. */
const RULED = 0;

const { app } = await sharedService();

type Item = ItemJson & { readonly filtered: boolean; readonly duplicateOf?: number };

describe('five followers of three protocols', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'have each story once, and its undoing: history %i',
    async (seed) => {
      const account = await Account.begin(seed);
      const done: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        done.push(await account.step());
        expect({ seed, done, items: await account.shown() }).toEqual({
          seed,
          done,
          items: account.expected(),
        });
      }
      const { mistakes, followers, unread } = await account.followed();
      expect(mistakes).toEqual([]);
      const flags = account
        .expected()
        .map(({ id, unread: isUnread, starred }) => [id, { read: !isUnread, starred }]);
      followers.forEach((follower) =>
        expect({ seed, done, follower }).toEqual({ seed, done, follower: flags }),
      );
      expect(unread).toBe(account.expected().filter((item) => item.unread).length);

      await account.switch(false);
      const [items, twins] = await account.untouched();
      expect({ seed, done, items }).toEqual({ seed, done, items: twins });
    },
  );
});

interface Feed {
  id: number;
  readonly sourceId: number;
  isFollowed: boolean;
}

interface User {
  readonly news: NewsClient;
  readonly reader: Reader;
  readonly feeds: Feed[];
}

class Account {
  readonly #random: Random;
  readonly #model: StoryModel;
  #stories = 0;
  #articles = 0;
  /** Titles that a source may publish as well. */
  readonly #titles: string[] = [];
  readonly #publishedBy = new Map<string, Set<number>>();
  readonly #touched = new Set<string>();
  /** Feeds that have items. */
  readonly #begun = new Set<number>();
  readonly #arrivals = new Map<number, number>();
  /** Revisions that are not looked at yet. */
  readonly #waiting: { sourceId: number; rev: number }[] = [];

  private constructor(
    private readonly seed: number,
    private readonly own: User,
    private readonly twin: User,
    private readonly devices: readonly [ByChanges, ...Device[]],
    private readonly told: Told[],
  ) {
    this.#random = new Random(seed);
    this.#model = new StoryModel(
      ({ feedId, title }) => feedId === own.feeds[RULED]?.id && title.includes('harbour'),
    );
  }

  static async begin(seed: number): Promise<Account> {
    const users = [await app.signIn(), await app.signIn()] as const;
    const urls = Array.from({ length: SOURCES }, (_, n) => `${users[0].credentials.userId}/${n}`);
    const sources = await app.database.query<{ id: number }>(
      `insert into source (url, url_key)
       select url, decode(md5(url), 'hex') from unnest($1::text[]) as url returning id`,
      [urls],
    );
    const both = await Promise.all(
      users.map(async (user): Promise<User> => {
        const reader = await readerOf(app, user.credentials.userId);
        const news = new NewsClient(user, 'v1-3');
        const feeds = await Promise.all(
          sources.map(async ({ id: sourceId }) => ({ id: 0, sourceId, isFollowed: true })),
        );
        for (const feed of feeds) {
          feed.id = await follow(reader, feed.sourceId);
        }
        await ok(
          news.post('/rules', {
            query: 'intitle:harbour',
            scope: { everything: false, feedIds: [feeds[RULED]?.id] },
            actions: [{ type: 'hide' }],
          }),
        );
        return { news, reader, feeds };
      }),
    );
    const [user] = users;
    const [own, twin] = both as [User, User];
    const told: Told[] = [];
    const random = (n: number) => new Random(seed * 10 + n);
    const wire = await wireOf(user);
    return new Account(
      seed,
      own,
      twin,
      [
        new ByChanges(own.news, random(1), told),
        new ByChanges(new NewsClient(user, 'v1-2'), random(2), told),
        new ByIds(wire, random(3), told),
        new BySince('timestampUsec', wire, random(4), told),
        new FeverDevice(await feverClientOf(app, user), random(5), told),
      ],
      told,
    );
  }

  async step(): Promise<string> {
    const steps: (() => Promise<string>)[] = [
      ...Array.from({ length: 4 }, () => () => this.#publish()),
      () => this.#arrive(),
      () => this.#arrive(),
      () => this.#mark(),
      () => this.#mark(),
      () => this.#markAll(),
      () => this.#leaveOrFollow(),
      () => this.switch(this.#random.chance(0.75)),
      () => this.#showAlways(),
    ];
    return (this.#random.pick(steps) ?? (() => this.#publish()))();
  }

  expected() {
    return this.#model.states();
  }

  async shown() {
    const items = (await this.own.news.items({ type: 3 })) as readonly Item[];
    return items
      .map(({ id, unread, starred, filtered, duplicateOf = null }) => ({
        id,
        unread,
        starred,
        filtered,
        duplicateOf,
      }))
      .toSorted((a, b) => a.id - b.id);
  }

  /** After one more synchronisation of each: what is there still. */
  async followed() {
    for (const device of [...this.devices, ...this.devices]) {
      await device.sync();
    }
    const ids = new Set(this.#model.items.map(({ id }) => id));
    return {
      mistakes: this.devices.flatMap(({ mistakes }) => mistakes),
      followers: this.devices.map(({ items }) =>
        [...items].filter(([id]) => ids.has(id)).toSorted(([a], [b]) => a - b),
      ),
      unread: (await this.own.news.feedList()).feeds.reduce((sum, one) => sum + one.unreadCount, 0),
    };
  }

  async untouched(): Promise<readonly [object, object]> {
    const [own, twin] = await Promise.all(
      [this.own, this.twin].map(async ({ news }) =>
        Object.fromEntries(
          ((await news.items({ type: 3 })) as readonly Item[])
            .filter(({ guid }) => !this.#touched.has(guid))
            .map(({ guid, unread, starred, filtered }) => [guid, { unread, starred, filtered }]),
        ),
      ),
    );
    return [own ?? {}, twin ?? {}];
  }

  async switch(isOn: boolean): Promise<string> {
    await ok(this.own.news.put('/stories', { once: isOn }));
    await settled();
    if (this.#model.isOn !== isOn) {
      // What was not looked at yet is now.
      this.#model.isOn = isOn;
      if (isOn) {
        await this.#learnAll();
      }
      this.#model.switch(isOn);
    }
    return isOn ? 'on' : 'off';
  }

  #device(): Device {
    return this.#random.pick(this.devices) ?? this.devices[0];
  }

  /** Stores articles, some of stories that others had, and perhaps changes some; their arrival may come later. */
  async #publish(): Promise<string> {
    const { sourceId } = this.#random.pick(this.own.feeds) as Feed;
    const titles = new Set(
      Array.from({ length: 1 + this.#random.below(3) }, () => this.#title(sourceId)),
    );
    const pubDateSeconds = Math.floor(Date.now() / 1000);
    const articles = [...titles].map((title) => ({
      guid: `${(this.#articles += 1)}`,
      title,
      pubDateSeconds,
    }));
    const edited = this.#random.chance(0.25) ? { every: 3, nth: this.#random.below(3) } : undefined;
    const changed = await app.database.query<{ id: number }>(
      'select id from article where source_id = $1 and id % 3 = $2',
      [sourceId, edited?.nth ?? -1],
    );
    await publishArticles(app, sourceId, articles, edited);
    const [{ rev } = { rev: 0 }] = await app.database.query<{ rev: number }>(
      'select rev from source where id = $1',
      [sourceId],
    );
    this.#waiting.push({ sourceId, rev });
    const isFirst = this.#random.chance(0.5);
    if (isFirst) {
      await this.#arrive();
    }
    await this.#deliver(new Set(changed.map(({ id }) => id)));
    const source = this.own.feeds.findIndex((feed) => feed.sourceId === sourceId);
    return `${source} published ${[...titles].join(', ')}, edited ${edited?.nth}, ${isFirst ? 'recognised' : 'waiting'}`;
  }

  /** Of its own history: what too many articles have in common is no evidence. */
  #title(sourceId: number): string {
    const others = this.#titles.filter((title) => !this.#publishedBy.get(title)?.has(sourceId));
    const known = this.#random.chance(0.65) ? this.#random.pick(others) : undefined;
    const n = (this.#stories += 1);
    const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map(
      (word) => `${word}${letters(this.seed)}x${letters(n)}`,
    );
    const title = known ?? `${this.#random.chance(0.3) ? 'harbour ' : ''}${words.join(' ')}`;
    if (known === undefined) {
      this.#titles.push(title);
    }
    this.#publishedBy.set(title, (this.#publishedBy.get(title) ?? new Set()).add(sourceId));
    return title;
  }

  async #deliver(changed: ReadonlySet<number>): Promise<void> {
    await this.#device().sync();
    await this.twin.news.feedList();
    await settled();
    const fresh = await this.#newItems();
    this.#model.deliver(fresh, changed, (feedId) => this.#makesUnread(feedId));
    await this.#begin(fresh);
  }

  /** The first items of a feed are compared, though nobody waits for their arrival. */
  async #begin(fresh: readonly NewModelItem[]): Promise<void> {
    const feedIds = new Set(fresh.map(({ feedId }) => feedId).filter((id) => !this.#begun.has(id)));
    feedIds.forEach((id) => this.#begun.add(id));
    if (this.#model.isOn && feedIds.size > 0) {
      await this.#learnAll(this.own.feeds.filter(({ id }) => feedIds.has(id)));
      this.#model.foldAll(
        this.#model.items.filter((item) => feedIds.has(item.feedId)).map(({ title }) => title),
      );
    }
  }

  #makesUnread(feedId: number): boolean {
    return (this.own.feeds.find(({ id }) => id === feedId)?.sourceId ?? 0) % 2 === 1;
  }

  async #newItems(): Promise<NewModelItem[]> {
    const rows = await app.database.query<NewModelItem & { arrivedMicros: number }>(
      `select item.id, item.article_id as "articleId", item.subscription_id as "feedId", article.title,
              item.arrived_micros as "arrivedMicros"
         from item join article on article.id = item.article_id
        where item.reader_id = $1 and item.id > $2 order by item.id`,
      [this.own.reader.id, Math.max(0, ...this.#arrivals.keys())],
    );
    rows.forEach(({ id, arrivedMicros }) => this.#arrivals.set(id, arrivedMicros));
    return rows;
  }

  /** The jobs of the arrivals that wait. */
  async #arrive(): Promise<string> {
    const arrivals = this.#waiting.splice(0);
    for (const { sourceId, rev } of arrivals) {
      await app.inside(JobQueue).send(ARRIVALS, [arrivalOf(sourceId, rev - 1, rev)]);
    }
    await settled();
    const isFollowed = (id: number) =>
      this.own.feeds.some((feed) => feed.sourceId === id && feed.isFollowed);
    // Stories are sought for those who want them.
    const sought = this.#model.isOn ? arrivals.filter((one) => isFollowed(one.sourceId)) : [];
    for (const { sourceId, rev } of sought) {
      await this.#learn(
        await app.database.query<{ id: number; title: string }>(
          'select id, title from article where source_id = $1 and first_rev = $2',
          [sourceId, rev],
        ),
      );
    }
    return `recognised ${arrivals.length}`;
  }

  /** The model knows articles that were compared; who has two of a story has it once. */
  async #learn(
    articles: readonly { readonly id: number; readonly title: string }[],
  ): Promise<void> {
    const fresh = articles.filter(({ id }) => !this.#model.known.has(id));
    fresh.forEach(({ id }) => this.#model.known.add(id));
    this.#model.foldAll(fresh.map(({ title }) => title));
  }

  async #learnAll(of = this.own.feeds.filter(({ isFollowed }) => isFollowed)): Promise<void> {
    await this.#learn(
      await app.database.query<{ id: number; title: string }>(
        'select id, title from article where source_id = any($1::bigint[])',
        [of.map(({ sourceId }) => sourceId)],
      ),
    );
  }

  async #mark(): Promise<string> {
    const before = this.told.length;
    await this.#device().mark();
    const told = this.told.slice(before);
    const ids = this.#model.items.map(({ id }) => id);
    for (const { touches, flag, value } of told) {
      const marked = ids.filter(touches);
      await this.#byTwin(marked, `${flag} ${value}`);
      this.#model.mark(marked, flag, value);
    }
    return `marked ${told.map(({ flag, value, touches }) => `${flag} ${value} ${ids.filter(touches).join()}`).join()}`;
  }

  async #markAll(): Promise<string> {
    const device = this.#device();
    const items = [...this.#model.items];
    let inList: (id: number) => boolean;
    if (device instanceof GoogleDevice) {
      const before = this.told.length;
      await device.markAll((item) => this.#arrivals.get(item) ?? Number.POSITIVE_INFINITY);
      const [told] = this.told.slice(before);
      inList = (id) => told?.touches(id) === true;
    } else {
      const newestItemId = this.#random.pick(items)?.id ?? 0;
      await ok(this.own.news.post('/items/read', { newestItemId }));
      inList = (id) => id <= newestItemId;
    }
    const ids = items.map(({ id }) => id).filter(inList);
    await this.#byTwin(ids, 'read true');
    this.#model.markList(({ id }) => ids.includes(id));
    return `marked a list ${ids.join()}`;
  }

  /** The same marks by the other account, which counts as touching. */
  async #byTwin(itemIds: readonly number[], change: string): Promise<void> {
    const items = await this.own.news.items({ type: 3 });
    const guids = new Set(items.filter(({ id }) => itemIds.includes(id)).map(({ guid }) => guid));
    guids.forEach((guid) => this.#touched.add(guid));
    const twins = (await this.twin.news.items({ type: 3 })).filter(({ guid }) => guids.has(guid));
    const route = {
      'read true': 'read',
      'read false': 'unread',
      'starred true': 'star',
      'starred false': 'unstar',
    }[change];
    await ok(
      this.twin.news.post(`/items/${route}/multiple`, { itemIds: twins.map(({ id }) => id) }),
    );
  }

  async #leaveOrFollow(): Promise<string> {
    // The first one has the rule.
    const n = 1 + this.#random.below(SOURCES - 1);
    const [feed, other] = [this.own.feeds[n], this.twin.feeds[n]] as [Feed, Feed];
    if (feed.isFollowed) {
      this.#model.leave(feed.id);
      await ok(this.own.news.delete(`/feeds/${feed.id}`));
      await ok(this.twin.news.delete(`/feeds/${other.id}`));
    } else {
      feed.id = await follow(this.own.reader, feed.sourceId);
      other.id = await follow(this.twin.reader, other.sourceId);
    }
    feed.isFollowed = !feed.isFollowed;
    other.isFollowed = feed.isFollowed;
    if (feed.isFollowed) {
      await this.own.news.feedList();
      await settled();
      const fresh = await this.#newItems();
      this.#model.deliver(fresh, new Set(), () => false);
      await this.#begin(fresh);
      await this.twin.news.feedList();
    }
    return `${feed.isFollowed ? 'followed' : 'left'} ${n}`;
  }

  async #showAlways(): Promise<string> {
    const followed = this.own.feeds.filter(({ isFollowed }) => isFollowed);
    const feed = this.#random.pick(followed) as Feed;
    const isShown = !this.#model.alwaysShown.has(feed.id);
    await ok(this.own.news.put(`/feeds/${feed.id}/stories`, { alwaysShown: isShown }));
    await settled();
    if (this.#model.isOn) {
      await this.#learnAll([feed]);
    }
    this.#model.showAlways(feed.id, isShown);
    return `${this.own.feeds.indexOf(feed)} ${isShown ? 'is always shown' : 'is not always shown'}`;
  }
}

/** A number without digits, which tell titles apart. */
const letters = (n: number) =>
  String(n).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '');

async function follow(reader: Reader, sourceId: number): Promise<number> {
  const [row] = await app.inside(ReadersRepository).change(reader, (tx, locked) =>
    tx.query<{ id: number }>(
      `insert into subscription (reader_id, source_id, url, delivered_rev, update_mode)
       values ($1, $2::bigint, $2::bigint::text, 0, ($2::bigint % 2)::smallint) returning id`,
      [locked.id, sourceId],
    ),
  );
  return row?.id ?? 0;
}

/** Waits until stories are sought and marked. */
async function settled(): Promise<void> {
  await until('the end of work on stories', async () => {
    const rows = await app.database.query(
      `select from job.job
        where name in ('news-arrival', 'news-stories', 'news-stories-of-reader') and state < 'completed'`,
    );
    return rows.length === 0;
  });
}

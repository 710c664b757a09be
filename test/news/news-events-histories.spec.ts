import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeliveryService } from '../../src/news/reader/delivery/delivery.service.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { StreamsService } from '../../src/news/reader/streams/streams.service.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { followSources, publishArticles } from '../support/followed-sources.js';
import { Random } from '../support/histories/random.js';
import { histories } from '../support/long.js';
import { NewsClient, ok } from '../support/news-client.js';
import type { ReceivedNewsEvent } from '../support/news-events.js';
import { aNewsEvent } from '../support/news-events.js';
import { readerOf } from '../support/reader-of.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { until } from '../support/until.js';

/*
 * Random histories of everything that changes flags, and an app that only listens: what it knows from the
 * events must be what the API says. More with GENERATED_HISTORIES=n.
 */

const HISTORIES = Math.ceil(histories(100, 400) / 100);
const STEPS = 40;
const FEEDS = 4;

let gateway: TestApp;
let app: ExternalApp;
beforeAll(async () => {
  gateway = await startApp();
  app = await startExternalApp(gateway, { appId: 'listener' });
  await knowApp(gateway, app);
  app.on('/on-news', json({}));
  await app.as().ocs('POST', '/api/v1/events_listener', {
    json: { eventType: 'news_event', actionHandler: '/on-news' },
  });
});
afterAll(async () => {
  await app?.close();
  await gateway?.stop();
});

describe('an app that replays the events of a user', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'knows what is unread and starred: history %i',
    async (seed) => {
      const reading = await Reading.begin(seed);
      for (let step = 0; step < STEPS; step += 1) {
        await reading.doSomething();
      }
      const actual = await reading.actual();
      await delivered();

      expect({ known: await reading.known(), history: reading.done }).toEqual({
        known: actual,
        history: reading.done,
      });
    },
  );
});

/** Resolves when every event has arrived. */
async function delivered(): Promise<void> {
  await until('the delivery of every event', async () => {
    const [{ left } = { left: 0 }] = await gateway.database.query<{ left: number }>(
      `select ((select count(*) from news_event)
               + (select count(*) from job.job
                   where name = 'news-event-delivery' and state < 'completed'))::int as left`,
    );
    return left === 0;
  });
}

interface Flags {
  readonly feedId: number;
  readonly unread: boolean;
  readonly starred: boolean;
}

class Reading {
  readonly done: string[] = [];
  readonly #random: Random;
  #articles = 0;

  private constructor(
    seed: number,
    private readonly news: NewsClient,
    private readonly older: NewsClient,
    private readonly userId: string,
  ) {
    this.#random = new Random(seed);
  }

  static async begin(seed: number): Promise<Reading> {
    const user = await gateway.signInOnce(`listened-to-${seed}`);
    const { userId } = user.credentials;
    const client = { baseUrl: gateway.url, credentials: user.credentials };
    const news = new NewsClient(client, 'v1-3');
    const folder = await news.createFolder('folder');
    await followSources(gateway, userId, FEEDS, folder.id);
    return new Reading(seed, news, new NewsClient(client, 'v1-2'), userId);
  }

  async doSomething(): Promise<void> {
    const steps: (() => Promise<string>)[] = [
      () => this.#publish(),
      () => this.#publish(),
      () => this.#setFlags(this.news),
      () => this.#setFlags(this.older),
      () => this.#setTogether(),
      () => this.#readUpTo(),
      () => this.#readStream(),
      () => this.#readList(),
      () => this.#filter(),
      () => this.#hideOrRestore(),
      () => this.#remove(),
    ];
    this.done.push((await this.#random.pick(steps)?.()) ?? '');
  }

  /** What the app knows: items by id. */
  async known(): Promise<[number, Flags][]> {
    const items = new Map<number, Flags>();
    const mine = app
      .requests('/on-news')
      .map((request) => aNewsEvent(request))
      .filter(({ userId }) => userId === this.userId);
    for (const event of mine) {
      replay(items, event);
    }
    // Events do not tell what the clean-up removes: it is read and not starred.
    return sorted([...items].filter(([, { unread, starred }]) => unread || starred));
  }

  async actual(): Promise<[number, Flags][]> {
    const items = (await this.news.items()).filter(({ unread, starred }) => unread || starred);
    return sorted(
      items.map(({ id, feedId, unread, starred }) => [id, { feedId, unread, starred }]),
    );
  }

  async #readerId(): Promise<number> {
    return (await readerOf(gateway, this.userId)).id;
  }

  async #feeds(): Promise<{ readonly id: number; readonly sourceId: number }[]> {
    return gateway.database.query(
      'select id, source_id as "sourceId" from subscription where reader_id = $1 order by id',
      [await this.#readerId()],
    );
  }

  async #someIds(): Promise<number[]> {
    const rows = await gateway.database.query<{ id: number }>(
      'select id from item where reader_id = $1 order by id',
      [await this.#readerId()],
    );
    return rows.map(({ id }) => id).filter(() => this.#random.chance(0.3));
  }

  /** New and edited articles; delivered at once, or with something later. */
  async #publish(): Promise<string> {
    const random = this.#random;
    const count = 1 + random.below(5);
    const feeds = await this.#feeds();
    const { sourceId } = feeds[random.below(feeds.length)] ?? { sourceId: 0 };
    await publishArticles(
      gateway,
      sourceId,
      Array.from({ length: count }, () => {
        const n = this.#articles++;
        return { guid: `${n}`, title: n % 3 === 0 ? 'advertisement' : 'news', pubDateSeconds: n };
      }),
      { every: 4, nth: random.below(4) },
    );
    if (random.chance(0.7)) {
      await gateway.inside(DeliveryService).deliverTo(await readerOf(gateway, this.userId));
    }
    return `published ${count}`;
  }

  async #setFlags(news: NewsClient): Promise<string> {
    const ids = await this.#someIds();
    const what = this.#random.pick(['read', 'unread', 'star', 'unstar']) ?? 'read';
    if (ids.length > 0 && news.level === 'v1-3') {
      await ok(news.change(`/items/${what}/multiple`, { itemIds: ids }));
    } else if (what.endsWith('read')) {
      await ok(news.change(`/items/${what}/multiple`, { items: ids }));
    }
    return `${what} ${ids.join()} at ${news.level}`;
  }

  /** Changes that share transactions. */
  async #setTogether(): Promise<string> {
    const ids = await this.#someIds();
    const changes = ids.flatMap((id) =>
      (['read', 'unread', 'star', 'unstar'] as const)
        .filter(() => this.#random.chance(0.5))
        .map((what) => this.news.change(`/items/${what}/multiple`, { itemIds: [id] })),
    );
    await Promise.all(changes);
    return `set flags of ${ids.join()} together`;
  }

  async #readUpTo(): Promise<string> {
    const ids = await this.#someIds();
    const newestItemId = ids.at(-1) ?? 1;
    const { feeds } = await this.news.feedList();
    const feed = this.#random.pick(feeds);
    const path = this.#random.chance(0.5) || !feed ? '/items/read' : `/feeds/${feed.id}/read`;
    await ok(this.news.change(path, { newestItemId }));
    return `${path} up to ${newestItemId}`;
  }

  async #readStream(): Promise<string> {
    const set = this.#random.chance(0.5) ? ({ of: 'starred' } as const) : ({ of: 'all' } as const);
    const reader = await readerOf(gateway, this.userId);
    await gateway.inside(StreamsService).markRead(reader, set, null);
    return `read stream ${set.of}`;
  }

  /** As the pages do, and undo it. */
  async #readList(): Promise<string> {
    const list = { type: this.#random.pick([2, 3, 6]), id: 0, newestItemId: 1_000_000 };
    const { undo } = await ok<{ undo: number[] }>(this.news.post('/rows/read', list));
    const isUndone = this.#random.chance(0.5);
    if (isUndone) {
      await ok(this.news.post('/rows/read/undo', { undo }));
    }
    return `read rows of type ${list.type}, undone: ${isUndone}`;
  }

  async #filter(): Promise<string> {
    const { feeds } = await this.news.feedList();
    const feed = this.#random.pick(feeds);
    if (feed === undefined) {
      return 'no feed to filter';
    }
    const titleKeywords = this.#random.pick(['advertisement', 'news', '']) ?? '';
    await ok(this.news.post(`/feeds/${feed.id}/filter`, { titleKeywords }));
    return `filter of ${feed.id}: ${titleKeywords}`;
  }

  async #hideOrRestore(): Promise<string> {
    const isHidden = this.#random.chance(0.3);
    const feeds = await this.#feeds();
    const feed = feeds[this.#random.below(feeds.length)];
    await gateway
      .inside(ReadersRepository)
      .change(await readerOf(gateway, this.userId), (tx, reader) =>
        tx.query('update subscription set deleted_at = $3 where reader_id = $1 and id = $2', [
          reader.id,
          feed?.id,
          isHidden ? new Date() : null,
        ]),
      );
    return isHidden ? 'hid a feed' : 'restored a feed';
  }

  async #remove(): Promise<string> {
    await gateway.database.query(
      'delete from item where reader_id = $1 and not unread and not starred and id % 3 = 0',
      [await this.#readerId()],
    );
    return 'cleaned up';
  }
}

function replay(items: Map<number, Flags>, { body }: ReceivedNewsEvent): void {
  const { event_subtype: subtype, event_data: about } = body;
  for (const { id, feedId, unread, starred } of about.items ?? []) {
    items.set(id, { feedId, unread, starred, ...items.get(id), ...FLAGS[subtype] });
  }
  // The clean-up removed them, which is no event.
  about.goneItemIds?.forEach((id) => items.delete(id));
  if (subtype === 'FeedRemovedEvent') {
    [...items]
      .filter(([, { feedId }]) => feedId === about.feed?.id)
      .forEach(([id]) => items.delete(id));
  }
}

/** What a subtype says about its items; one that is delivered has the flags it came with. */
const FLAGS: Readonly<Record<string, Partial<Flags>>> = {
  ItemsReadEvent: { unread: false },
  ItemsUnreadEvent: { unread: true },
  ItemsStarredEvent: { starred: true },
  ItemsUnstarredEvent: { starred: false },
};

function sorted(items: readonly [number, Flags][]): [number, Flags][] {
  return items.toSorted(([one], [other]) => one - other);
}

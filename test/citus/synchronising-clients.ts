import assert from 'node:assert/strict';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import type { Answer } from '../support/api-client.js';
import { rss, type FeedServer } from '../support/feed-server.js';
import { NewsClient, type ItemJson } from '../support/news-client.js';
import type { TestApp } from '../support/start-app.js';
import type { OwnCluster } from './a-cluster-of-its-own.js';

/** Whom the users are, and where their rows are. */
export interface Installation {
  readonly app: TestApp;
  readonly publisher: FeedServer;
  readonly cluster: OwnCluster;
}

/** Bounds the documents. */
const MOST_ENTRIES = 150;

let paths = 0;

/** A feed with entries `1`, `2`, …, all of which it lists. */
export class NumberedFeed {
  #last = 0;

  constructor(
    private readonly at: Installation,
    readonly path: string,
    readonly sourceId: number,
  ) {}

  get url(): string {
    return this.at.publisher.url(this.path);
  }

  /** Titles of all entries, oldest first. */
  get titles(): string[] {
    return Array.from({ length: this.#last }, (_, n) => `${n + 1}`);
  }

  publishMore(): void {
    this.#last = Math.min(this.#last + 1, MOST_ENTRIES);
    publish(this.at.publisher, this.path, this.titles);
  }

  /** Whether all its entries are stored; false also when its worker is away. */
  async isStored(): Promise<boolean> {
    try {
      const rows = await this.at.app.database.query('select from article where source_id = $1', [
        this.sourceId,
      ]);
      return rows.length >= this.#last;
    } catch {
      return false;
    }
  }
}

/** A feed that nobody follows any more, whose articles are on the worker with this port. */
export async function aFeedOn(at: Installation, port: number): Promise<NumberedFeed> {
  const news = new NewsClient(await at.app.signIn(), 'v1-3');
  for (;;) {
    const path = `/${(paths += 1)}.xml`;
    const url = at.publisher.url(path);
    publish(at.publisher, path, []);
    const { id } = await news.subscribe(url);
    const [source] = await at.app.database.query<{ id: number }>(
      'select id from source where url = $1',
      [url],
    );
    await news.delete(`/feeds/${id}`);
    if (source !== undefined && (await at.cluster.workerOf('article', source.id)) === port) {
      return new NumberedFeed(at, path, source.id);
    }
  }
}

/** Fetches all feeds, also those that another process was about to fetch. */
export async function fetchAll({ app }: Installation): Promise<void> {
  await app.database.query(
    "update source_schedule set due_at = now() - interval '1 second', lease_token = null",
  );
  await app.inside(UpdateCycle).fetchDue();
}

/** Publishes entries and fetches them, one after the other. */
export async function keepFetching(
  at: Installation,
  feeds: readonly NumberedFeed[],
  isStopped: () => boolean,
): Promise<void> {
  while (!isStopped()) {
    for (const feed of feeds) {
      if (await feed.isStored()) {
        feed.publishMore();
      }
    }
    await fetchAll(at);
  }
}

const CUT_OFF: Answer = { status: 503, headers: {}, text: '', json: null };

interface Goal {
  readonly status: number;
  readonly count: number;
  readonly reached: () => void;
}

/**
 * A client program that follows a feed: synchronises what changed since its last synchronisation, by the
 * time of that; stars; and follows another feed at times.
 */
export class SynchronisingClient {
  readonly #answers = new Map<number, number>();
  readonly #items = new Map<number, ItemJson>();
  /** What an item may be: as it was acknowledged last, and as was asked for since. */
  readonly #starred = new Map<number, Set<boolean>>();
  #goals: Goal[] = [];
  #sinceMicros = 0;
  /** Which requests may get 503; `runUntil` fails otherwise. Lists of items ask all workers for articles. */
  mayBeRefused: 'all' | 'lists' | 'none' = 'none';
  /** Undefined after a change without an answer. */
  #followsOther: boolean | undefined = false;

  constructor(
    private readonly news: NewsClient,
    readonly readerId: number,
    private readonly feedId: number,
    private readonly feed: NumberedFeed,
    private readonly other: NumberedFeed,
  ) {}

  /** Resolves when it got so many more answers with this status. */
  gets(status: number, more: number): Promise<void> {
    const count = (this.#answers.get(status) ?? 0) + more;
    return new Promise((reached) => this.#goals.push({ status, count, reached }));
  }

  async runUntil(isStopped: () => boolean): Promise<void> {
    for (let n = 0; !isStopped(); n++) {
      await this.#synchronise();
      await this.#star();
      if (n % 2 === 0) {
        await this.#ask(() => this.news.get('/feeds'));
      }
      if (n % 5 === 0) {
        await this.#followOther();
      }
    }
  }

  /**
   * Has every entry exactly once and in order, and the same by its synchronisations as by a list; and
   * what was acknowledged.
   */
  async expectConsistent(): Promise<void> {
    await this.news.feedList();
    const listed = (await this.news.items()).filter(({ feedId }) => feedId === this.feedId);
    const oldestFirst = listed.toSorted((a, b) => a.id - b.id);
    assert.deepEqual(
      oldestFirst.map(({ title }) => title),
      this.feed.titles,
    );

    await this.#synchronise();
    const known = [...this.#items.values()].filter(({ feedId }) => feedId === this.feedId);
    assert.deepEqual(known.toSorted((a, b) => a.id - b.id).map(stateOf), oldestFirst.map(stateOf));

    for (const { id, starred } of listed) {
      assert((this.#starred.get(id) ?? new Set([false])).has(starred), `the star of item ${id}`);
    }
    const { feeds } = await this.news.feedList();
    if (this.#followsOther !== undefined) {
      assert.equal(
        feeds.some(({ url }) => url === this.other.url),
        this.#followsOther,
      );
    }
  }

  async #synchronise(): Promise<void> {
    // Floors the clock of the server, which is this machine's.
    const nowMicros = Date.now() * 1000;
    const answer = await this.#ask(
      () => this.news.get('/items/updated', { type: 3, id: 0, lastModified: this.#sinceMicros }),
      [],
      this.mayBeRefused !== 'none',
    );
    if (answer.status === 200) {
      for (const item of (answer.json as { items: ItemJson[] }).items) {
        this.#items.set(item.id, item);
      }
      this.#sinceMicros = nowMicros;
    }
  }

  async #star(): Promise<void> {
    const ids = [...this.#items.values()].flatMap(({ id, feedId }) =>
      feedId === this.feedId ? id : [],
    );
    const id = ids[Math.floor(Math.random() * ids.length)];
    if (id === undefined) {
      return;
    }
    const value = Math.random() < 0.5;
    const { status } = await this.#ask(() =>
      this.news.post(`/items/${id}/${value ? 'star' : 'unstar'}`),
    );
    const before = this.#starred.get(id) ?? new Set([false]);
    this.#starred.set(id, status === 200 ? new Set([value]) : before.add(value));
  }

  async #followOther(): Promise<void> {
    const wasUnsure = this.#followsOther === undefined;
    const list = await this.#ask(() => this.news.get('/feeds'));
    if (list.status !== 200) {
      return;
    }
    const { feeds } = list.json as { feeds: { id: number; url: string }[] };
    const other = feeds.find(({ url }) => url === this.other.url);
    if (!wasUnsure) {
      assert.equal(other !== undefined, this.#followsOther);
    }
    const { status } = await this.#ask(
      () =>
        other === undefined
          ? this.news.post('/feeds', { url: this.other.url, folderId: null })
          : this.news.delete(`/feeds/${other.id}`),
      // What was not acknowledged took effect after the list.
      wasUnsure ? [404, 409] : [],
    );
    this.#followsOther = status === 503 ? undefined : other === undefined;
  }

  async #ask(
    request: () => Promise<Answer>,
    asGood: readonly number[] = [],
    mayBeRefused = this.mayBeRefused === 'all',
  ): Promise<Answer> {
    // A list is cut off when the worker is lost after its beginning was sent.
    const answer = await request().catch((error: Error) => {
      if (!mayBeRefused) {
        throw error;
      }
      return CUT_OFF;
    });
    const status = asGood.includes(answer.status) ? 200 : answer.status;
    const count = (this.#answers.get(status) ?? 0) + 1;
    this.#answers.set(status, count);
    if (status !== 200 && !(status === 503 && mayBeRefused)) {
      throw new Error(
        `The answer to ${String(request)} is ${status}: ${answer.text.slice(0, 500)}`,
      );
    }
    if (status === 503 && answer !== CUT_OFF) {
      assert(Number(answer.headers['retry-after']) > 0, 'there is no Retry-After');
    }
    const [reached, left] = [true, false].map((isReached) =>
      this.#goals.filter((goal) => (goal.status === status && count >= goal.count) === isReached),
    );
    this.#goals = left ?? [];
    reached?.forEach((goal) => goal.reached());
    return answer;
  }
}

/** A new user whose rows are on the worker with this port, and who follows the feed. */
export async function aClientOn(
  { app, cluster }: Installation,
  port: number,
  feed: NumberedFeed,
  other: NumberedFeed,
): Promise<SynchronisingClient> {
  for (;;) {
    const user = await app.signIn();
    const news = new NewsClient(user, 'v1-3');
    await news.createFolder('of a reader');
    const [reader] = await app.database.query<{ id: number }>(
      'select reader_id as id from reader_user where user_id = $1',
      [user.credentials.userId],
    );
    if (reader !== undefined && (await cluster.workerOf('reader', reader.id)) === port) {
      const { id } = await news.subscribe(feed.url);
      return new SynchronisingClient(news, reader.id, id, feed, other);
    }
  }
}

function publish(publisher: FeedServer, path: string, titles: readonly string[]): void {
  const items = titles.toReversed().map((title) => ({ title, guid: title }));
  publisher.publish(path, rss({ title: path, items }));
}

function stateOf({ id, title, starred, unread, lastModified }: ItemJson) {
  return { id, title, starred, unread, lastModified };
}

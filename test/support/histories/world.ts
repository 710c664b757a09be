import { Database } from '../../../src/database/database.js';
import { readFeed } from '../../../src/news/feed-parser/read-feed.js';
import { DeliveriesRepository } from '../../../src/news/reader/delivery/deliveries.repository.js';
import type { Reader } from '../../../src/news/reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../../../src/news/reader/delivery/readers.repository.js';
import { itemList, type ListedItem } from '../../../src/news/reader/items/item-list.sql.js';
import { ItemsRepository } from '../../../src/news/reader/items/items.repository.js';
import { ArticleRetentionRepository } from '../../../src/news/sources/articles/article-retention.repository.js';
import { ArticlesRepository } from '../../../src/news/sources/articles/articles.repository.js';
import { GoogleReaderClient, itemNumbers, READING_LIST } from '../google-reader-client.js';
import { readerOf } from '../reader-of.js';
import { setFlags } from '../set-flags.js';
import type { TestApp, TestUser } from '../start-app.js';
import { entryNamed } from './document.js';
import type { Play } from './play.js';
import type { Version } from './publisher.js';
import { Random } from './random.js';

const LEASE = '00000000-0000-4000-8000-000000000000';
const SUBSCRIBERS = 2;

/** A publisher's history, and its state in the database. */
interface Source {
  readonly id: number;
  readonly play: Play;
  /** Each entry as of the last document that listed it. */
  readonly fetched: Map<number, Version>;
  /** Random choices of the subscribers' actions: independent of the other sources. */
  readonly random: Random;
  /** Actions on its items, and errors. */
  readonly events: string[];
  readonly mistakes: string[];
  /** By subscriber: the round after which it subscribes. */
  readonly joins: readonly number[];
}

/** An entry as received by a subscriber. */
interface Told {
  readonly source: Source;
  readonly entry: number;
  readonly guid: string;
  unread: boolean;
  starred: boolean;
  isThere: boolean;
}

interface Subscriber {
  /** Identical in every world, for messages. */
  readonly name: string;
  readonly user: TestUser;
  readonly reader: Reader;
  readonly follows: Map<number, Source>;
  /** By source: entries that were listed at some time since the first delivery. */
  readonly due: Map<Source, Set<number>>;
  /** By item id. */
  readonly told: Map<number, Told>;
}

/**
 * Many publishers and a few subscribers to all of them: documents pass as bytes through the parser
 * into PostgreSQL, and from there to the subscribers, who read the lists streamed by the API.
 */
export class World {
  /** Random choices of events that affect all sources at once. */
  readonly #random: Random;
  readonly #database: Database;
  readonly #articles: ArticlesRepository;
  readonly #retention: ArticleRetentionRepository;
  readonly #deliveries: DeliveriesRepository;
  readonly #items: ItemsRepository;
  readonly #readers: ReadersRepository;
  readonly #sources: Source[] = [];
  readonly #subscribers: Subscriber[] = [];

  constructor(
    private readonly app: Pick<TestApp, 'inside' | 'signInOnce'>,
    private readonly name: string,
    seed: number,
  ) {
    const { inside } = app;
    this.#random = new Random(seed);
    this.#database = inside(Database);
    this.#articles = inside(ArticlesRepository);
    this.#retention = inside(ArticleRetentionRepository);
    this.#deliveries = inside(DeliveriesRepository);
    this.#items = inside(ItemsRepository);
    this.#readers = inside(ReadersRepository);
  }

  /**
   * Runs the histories.
   *
   * @returns those with errors, and the errors
   */
  async run(plays: readonly Play[]): Promise<string[]> {
    await this.#prepare(plays);
    const rounds = Math.max(...plays.map((play) => play.rounds.length));
    for (let round = 0; round < rounds; round += 1) {
      const fetched = this.#sources.map((source) => this.#fetch(source, round));
      await Promise.all(fetched);
      await this.#releaseSources();
      for (const [n, subscriber] of this.#subscribers.entries()) {
        await this.#join(subscriber, n, round);
        if (round === rounds - 1 || this.#random.chance(0.7)) {
          await this.#synchronise(subscriber, round);
          await this.#markSome(subscriber, round);
        }
      }
      if (this.#random.chance(0.5)) {
        await this.#cleanUp();
        this.#sources.forEach(({ events }) => events.push(`round ${round}: clean-up`));
      }
    }
    for (const subscriber of this.#subscribers) {
      await this.#lookByGoogleReader(subscriber, rounds - 1);
    }
    return this.#sources
      .filter(({ mistakes }) => mistakes.length > 0)
      .map(({ play, events, mistakes }) =>
        [play.story, ...events.map((event) => `  ${event}`), ...mistakes].join('\n'),
      );
  }

  async #prepare(plays: readonly Play[]): Promise<void> {
    const rows = await this.#database.query<{ id: number }>(
      `with created as (
         insert into source (url, url_key)
         select url, decode(md5(url), 'hex') from unnest($1::text[]) as url returning id
       ), scheduled as (
         insert into source_schedule (source_id, host_key, due_at, lease_token)
         select id, '', now(), $2::uuid from created
       ) select id from created order by id`,
      [plays.map(({ seed }) => `${this.name}/${seed}`), LEASE],
    );
    for (const [n, play] of plays.entries()) {
      const random = new Random(play.seed);
      this.#sources.push({
        id: rows[n]?.id ?? 0,
        play,
        fetched: new Map(),
        random,
        events: [],
        mistakes: [],
        joins: Array.from({ length: SUBSCRIBERS }, (_, who) => (who === 0 ? 0 : random.below(5))),
      });
    }
    for (let n = 0; n < SUBSCRIBERS; n += 1) {
      const user = await this.app.signInOnce(`${this.name}-${n}`);
      const reader = await readerOf(this.app, user.credentials.userId);
      await this.#readers.change(reader, async () => {});
      this.#subscribers.push({
        name: `subscriber ${n}`,
        user,
        reader,
        follows: new Map(),
        due: new Map(),
        told: new Map(),
      });
    }
  }

  async #fetch(source: Source, round: number): Promise<void> {
    const document = source.play.rounds[round];
    if (document === undefined) {
      return;
    }
    const { text, url, listed, isSame } = document;
    const feed = await readFeed({ bytes: Buffer.from(text), contentType: null, url });
    const ingested = await this.#articles.recordFetch(
      { sourceId: source.id, token: LEASE, hostKey: '', spaced: false, waitMs: 0 },
      {
        result: {
          outcome: 'document',
          feed,
          bodyHash: Buffer.from(text),
          validators: { etag: null, lastModified: null },
        },
        dueInSeconds: 60,
        address: { is: 'none' },
        notes: { status: 200, durationMs: 1, bytes: text.length, decision: '' },
      },
    );
    if (ingested === null || (isSame && ingested.newItems + ingested.changedItems > 0)) {
      this.#report(source, round, `an unchanged document brought ${JSON.stringify(ingested)}`);
    }
    for (const version of listed) {
      source.fetched.set(version.entry, version);
      this.#subscribers.forEach(({ due }) => due.get(source)?.add(version.entry));
    }
  }

  /** A fetch releases the lease; here every round takes it again. */
  async #releaseSources(): Promise<void> {
    await this.#database.query(
      'update source_schedule set lease_token = $2 where source_id = any($1::bigint[])',
      [this.#sources.map(({ id }) => id), LEASE],
    );
  }

  async #join(subscriber: Subscriber, n: number, round: number): Promise<void> {
    const wanted = this.#sources.filter(({ joins }) => joins[n] === round);
    const rows = await this.#database.query<{ id: number; sourceId: number }>(
      `insert into subscription (reader_id, source_id, url)
       select $1, id, '' from unnest($2::bigint[]) as id returning id, source_id as "sourceId"`,
      [subscriber.reader.id, wanted.map(({ id }) => id)],
    );
    for (const { id, sourceId } of rows) {
      const source = wanted.find((one) => one.id === sourceId);
      if (source) {
        subscriber.follows.set(id, source);
        source.events.push(`round ${round}: ${subscriber.name} subscribes`);
      }
    }
  }

  async #synchronise(subscriber: Subscriber, round: number): Promise<void> {
    await this.#readers.change(
      subscriber.reader,
      (tx, reader) => this.#deliveries.deliver(reader, tx),
      'deliveries',
    );
    for (const source of subscriber.follows.values()) {
      if (!subscriber.due.has(source)) {
        const listed = source.play.rounds[round]?.listed ?? [];
        subscriber.due.set(source, new Set(listed.map(({ entry }) => entry)));
      }
    }
    const { sql, params } = itemList(
      subscriber.reader.id,
      { of: 'all', unreadOnly: false },
      { oldestFirst: true, offset: null, limit: null },
    );
    for (const { events } of subscriber.follows.values()) {
      events.push(`round ${round}: ${subscriber.name} synchronises`);
    }
    this.#look(subscriber, round, await this.#database.query<ListedItem>(sql, params));
  }

  #look(subscriber: Subscriber, round: number, items: readonly ListedItem[]): void {
    const { told } = subscriber;
    const highest = Math.max(0, ...told.keys());
    const nameOf = (source: Source, entry: number) => `${source.id}/${entry}`;
    const came = new Set([...told.values()].map((one) => nameOf(one.source, one.entry)));
    const there = new Set(items.map(({ id }) => id));
    for (const item of items) {
      const source = subscriber.follows.get(item.feedId);
      if (source === undefined) {
        continue;
      }
      const before = told.get(item.id);
      const entry = entryNamed(item.author);
      const complain = (what: string) =>
        this.#report(source, round, `${subscriber.name}, item ${item.id}: ${what}`);
      if (!shows(source.fetched.get(entry), item)) {
        complain(`does not show entry ${entry} as it is: ${item.title}, ${item.body}, ${item.url}`);
      }
      if (before === undefined) {
        if (item.id <= highest) {
          complain(`appeared below ${highest}`);
        }
        if (came.has(nameOf(source, entry))) {
          complain(`entry ${entry} came twice`);
        }
        if (!item.unread || item.starred) {
          complain(`entry ${entry} is new and marked`);
        }
        came.add(nameOf(source, entry));
        const { guid, unread, starred } = item;
        told.set(item.id, { source, entry, guid, unread, starred, isThere: true });
      } else {
        if (entry !== before.entry) {
          complain(`was entry ${before.entry} and shows entry ${entry}`);
        }
        if (item.guid !== before.guid || item.unread !== before.unread) {
          complain(`entry ${before.entry} lost its guid or the flag unread`);
        }
        if (item.starred !== before.starred || !before.isThere) {
          complain(`entry ${before.entry} lost its star, or came back`);
        }
      }
    }
    this.#lookForLost(subscriber, round, there);
  }

  #lookForLost(subscriber: Subscriber, round: number, there: ReadonlySet<number>): void {
    for (const [id, one] of subscriber.told) {
      if (one.isThere && !there.has(id)) {
        this.#report(one.source, round, `${subscriber.name} lost entry ${one.entry}`);
      }
    }
    const told = Map.groupBy(subscriber.told.values(), ({ source }) => source);
    for (const [source, due] of subscriber.due) {
      const known = new Set(told.get(source)?.map(({ entry }) => entry));
      const missing = [...due].filter((entry) => !known.has(entry));
      if (missing.length > 0) {
        this.#report(source, round, `${subscriber.name} never got ${missing.join()}`);
      }
    }
  }

  /** The same items as told, by their ids, each once. */
  async #lookByGoogleReader(subscriber: Subscriber, round: number): Promise<void> {
    const client = await GoogleReaderClient.of(subscriber.user);
    const ids = itemNumbers(await client.ids(READING_LIST, [['n', '100000']]));
    const there = [...subscriber.told].filter(([, { isThere }]) => isThere);
    const missing = there.filter(([id]) => !ids.includes(id));
    missing.forEach(([id, { source }]) => this.#report(source, round, `Google Reader lacks ${id}`));
    const [first] = this.#sources;
    if (first && missing.length === 0 && ids.length !== there.length) {
      this.#report(first, round, `Google Reader has ${ids.length} items, told ${there.length}`);
    }
  }

  async #markSome(subscriber: Subscriber, round: number): Promise<void> {
    const read: (readonly [number, Told])[] = [];
    const starred: (readonly [number, Told])[] = [];
    for (const [source, items] of Map.groupBy(subscriber.told, ([, one]) => one.source)) {
      const share = source.random.chance(0.5) ? 1 : 0.4;
      for (const item of items) {
        const [isRead, isStarred] = [source.random.chance(share), source.random.chance(0.05)];
        const [, one] = item;
        if (one.isThere && isRead) {
          read.push(item);
          source.events.push(`round ${round}: ${subscriber.name} reads entry ${one.entry}`);
        }
        if (one.isThere && isStarred) {
          starred.push(item);
          source.events.push(`round ${round}: ${subscriber.name} stars entry ${one.entry}`);
        }
      }
    }
    await this.#readers.change(subscriber.reader, async (tx, reader) => {
      const ids = (marked: typeof read) => marked.map(([id]) => id);
      await setFlags(tx, reader, ids(read), 'unread', false);
      await setFlags(tx, reader, ids(starred), 'starred', true);
    });
    read.forEach(([, one]) => (one.unread = false));
    starred.forEach(([, one]) => (one.starred = true));
  }

  /** Deletes read items without a star, and unreferenced articles of these sources. */
  async #cleanUp(): Promise<void> {
    const ids = this.#sources.map(({ id }) => id);
    await this.#database.query(
      `with changed as (
         update source set largest_document = 0 where id = any($1::bigint[])
       )
       update source_document set listed_at = listed_at - interval '1 hour'
        where source_id = any($1::bigint[])`,
      [ids],
    );
    for (const { reader, told } of this.#subscribers) {
      await this.#readers.change(reader, (tx, reader) =>
        this.#items.removeOldRead(reader, 0, Number.MAX_SAFE_INTEGER, 100_000, tx),
      );
      for (const one of told.values()) {
        one.isThere &&= one.unread || one.starred;
      }
    }
    // Those of earlier worlds have lower ids and are done.
    const limits = { sources: ids.length, articles: 100_000 };
    await this.#retention.removeUnreferenced(Math.min(...ids) - 1, 0, limits);
  }

  #report({ mistakes }: Source, round: number, what: string): void {
    mistakes.push(`  round ${round}: MISTAKE: ${what}`);
  }
}

/** Whether an item shows its entry as last listed by the publisher. */
function shows(version: Version | undefined, item: ListedItem): boolean {
  return (
    version !== undefined &&
    version.title === item.title &&
    (version.body ?? '') === item.body?.replaceAll(/<[^>]*>/g, '') &&
    version.link === item.url
  );
}

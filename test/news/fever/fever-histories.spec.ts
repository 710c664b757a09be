import { describe, expect, it } from '@jest/globals';
import { FeverDevice } from '../../support/devices.js';
import { feverClientOf, type FeverClient } from '../../support/fever-client.js';
import {
  followSources,
  publishArticles,
  type FollowedSource,
} from '../../support/followed-sources.js';
import { Random } from '../../support/histories/random.js';
import { histories } from '../../support/long.js';
import { NewsClient } from '../../support/news-client.js';
import { sharedService } from '../../support/shared-service.js';

/*
 * A client of this API and one of the News API on one account. Random histories of what both do, of new
 * articles, and of feeds that are deleted and brought back: after each step the flags are those of a model; in
 * the end both clients show the same, nothing lost and nothing twice.
 */

const HISTORIES = histories(1, 6);
const STEPS = 30;
const FEEDS = 3;
const MICROS = 1_000_000;

const { app } = await sharedService();

describe('a client that synchronises now and then', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'shows what the other client shows: history %i',
    async (seed) => {
      const account = await Account.begin(seed);
      const done: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        done.push(await account.step());
        expect({ done, flags: await account.realFlags() }).toEqual({
          done,
          flags: account.expectedFlags(),
        });
      }
      await account.synchronise();

      expect(account.shown()).toEqual(await account.shownByNews());
      expect(account.lacking.filter(({ unread, starred }) => unread || starred)).toEqual([]);
      expect(account.device.fetchedTwice).toEqual([]);
    },
  );
});

interface Known {
  readonly feedId: number;
  unread: boolean;
  starred: boolean;
}

interface ItemRow extends Known {
  readonly id: number;
  readonly arrivedMicros: number;
}

class Account {
  /** What the News API shows and the client does not. */
  lacking: readonly Known[] = [];
  readonly #random: Random;
  /** What the flags must be. */
  readonly #model = new Map<number, Known>();
  readonly #hidden = new Set<number>();
  #articles = 0;

  private constructor(
    seed: number,
    private readonly userId: string,
    private readonly news: NewsClient,
    private readonly fever: FeverClient,
    readonly device: FeverDevice,
    private readonly feeds: readonly FollowedSource[],
  ) {
    this.#random = new Random(seed);
  }

  static async begin(seed: number): Promise<Account> {
    const user = await app.signIn();
    const { userId } = user.credentials;
    const news = new NewsClient(user, 'v1-3');
    const folder = await news.createFolder('folder');
    const feeds = await followSources(app, userId, FEEDS, folder.id);
    const fever = await feverClientOf(app, user);
    const device = new FeverDevice(fever, new Random(seed), []);
    return new Account(seed, userId, news, fever, device, feeds);
  }

  /** @returns what was done */
  async step(): Promise<string> {
    const steps: (() => Promise<string>)[] = [
      () => this.#publish(),
      () => this.#publish(),
      () => this.#markItems(),
      () => this.#markItems(),
      () => this.#markFeed(),
      () => this.#markGroup(),
      () => this.#markByNews(),
      () => this.synchronise(),
      () => this.synchronise(),
      () => this.#deleteOrBringBack(),
    ];
    const done = await (this.#random.pick(steps) ?? this.#publish)();
    // What was delivered meanwhile is unread.
    for (const { id, feedId } of await this.#rows()) {
      if (!this.#model.has(id)) {
        this.#model.set(id, { feedId, unread: true, starred: false });
      }
    }
    return done;
  }

  async synchronise(): Promise<string> {
    await this.device.sync();
    return 'synchronised';
  }

  shown(): readonly (readonly [number, Known])[] {
    return [...this.device.items]
      .map(([id, { read, starred }]) => {
        return [id, { feedId: this.device.feedIds.get(id) ?? 0, unread: !read, starred }] as const;
      })
      .toSorted(([one], [other]) => one - other);
  }

  /** Without what the client cannot learn of. */
  async shownByNews(): Promise<readonly (readonly [number, Known])[]> {
    const items = (await this.news.items())
      .map(({ id, feedId, unread, starred }) => [id, { feedId, unread, starred }] as const)
      .toSorted(([one], [other]) => one - other);
    this.lacking = items.filter(([id]) => this.device.dropped.has(id)).map(([, item]) => item);
    return items.filter(([id]) => !this.device.dropped.has(id));
  }

  expectedFlags(): object {
    return Object.fromEntries(this.#model);
  }

  async realFlags(): Promise<object> {
    const rows = await this.#rows();
    return Object.fromEntries(
      rows.map(({ id, feedId, unread, starred }) => [id, { feedId, unread, starred }]),
    );
  }

  async #publish(): Promise<string> {
    // More than a page of items now and then.
    const count = this.#random.chance(0.2) ? 60 : 1 + this.#random.below(4);
    await publishArticles(
      app,
      this.#random.pick(this.feeds)?.sourceId ?? 0,
      Array.from({ length: count }, () => ({ guid: `${this.#articles++}` })),
    );
    return `published ${count}`;
  }

  async #markItems(): Promise<string> {
    const ids = (await this.#rows()).filter(() => this.#random.chance(0.2)).map(({ id }) => id);
    const as = this.#random.pick(['read', 'unread', 'saved', 'unsaved']) ?? 'read';
    await this.fever.ask(`mark=item&as=${as}&id=${[...ids, 999_999].join(',')}`);
    const change =
      as === 'read' || as === 'unread' ? { unread: as === 'unread' } : { starred: as === 'saved' };
    ids.forEach((id) => this.#change(id, change));
    return `marked ${ids.join(',')} ${as}`;
  }

  async #markFeed(): Promise<string> {
    const feedId = this.#random.pick(this.feeds)?.feedId ?? 0;
    return this.#markRead(`feed&id=${feedId}`, (item) => item.feedId === feedId);
  }

  async #markGroup(): Promise<string> {
    const folderId = this.feeds.find((feed) => feed.folderId !== null)?.folderId;
    const inFolder = new Set(
      this.feeds.filter((feed) => feed.folderId !== null).map(({ feedId }) => feedId),
    );
    const [group, isInIt] = this.#random.pick([
      [0, () => true],
      [-1, () => false],
      [folderId, (item: Known) => inFolder.has(item.feedId)],
      [2_147_483_647, (item: Known) => !inFolder.has(item.feedId)],
    ] as const) ?? [0, () => true];
    return this.#markRead(`group&id=${group}`, isInIt);
  }

  async #markRead(what: string, isMeant: (item: Known) => boolean): Promise<string> {
    const rows = await this.#rows();
    const some = this.#random.pick(rows)?.arrivedMicros ?? MICROS;
    const before = this.#random.pick([0, Math.floor(some / MICROS), Math.floor(some / MICROS) - 1]);
    const upTo = before ? (before + 1) * MICROS - 1 : Number.MAX_SAFE_INTEGER;
    await this.fever.ask(`mark=${what}&as=read&before=${before}`);
    rows
      .filter((row) => row.arrivedMicros <= upTo && isMeant(row))
      .forEach(({ id }) => this.#change(id, { unread: false }));
    return `marked ${what} read before ${before}`;
  }

  async #deleteOrBringBack(): Promise<string> {
    const feedId = this.#random.pick(this.feeds)?.feedId ?? 0;
    if (this.#hidden.delete(feedId)) {
      await this.news.post(`/feeds/${feedId}/restore`);
      return `brought ${feedId} back`;
    }
    this.#hidden.add(feedId);
    await this.news.call('DELETE', `/feeds/${feedId}`, { query: { undoable: true } });
    return `deleted ${feedId}`;
  }

  async #markByNews(): Promise<string> {
    const rows = (await this.#rows()).filter(({ feedId }) => !this.#hidden.has(feedId));
    const id = this.#random.pick(rows)?.id;
    if (id === undefined) {
      return 'nothing';
    }
    await this.news.post(`/items/${id}/star`);
    await this.news.post(`/items/${id}/read`);
    this.#change(id, { starred: true, unread: false });
    return `starred and read ${id} with News`;
  }

  #change(id: number, change: Partial<Known>): void {
    const known = this.#model.get(id);
    if (known !== undefined && !this.#hidden.has(known.feedId)) {
      Object.assign(known, change);
    }
  }

  async #rows(): Promise<ItemRow[]> {
    return app.database.query<ItemRow>(
      `select item.id, subscription_id as "feedId", unread, starred,
              arrived_micros as "arrivedMicros"
         from item join reader on reader.id = item.reader_id
        where user_id = $1 order by item.id`,
      [this.userId],
    );
  }
}

import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  followSources,
  publishArticles,
  type FollowedSource,
} from '../../support/followed-sources.js';
import {
  decimal,
  decode,
  itemOf,
  itemOfLong,
  long,
  READ,
  READING_LIST,
  ReaderWire,
  STARRED,
  type Pair,
} from '../../support/google-reader/wire.js';
import { Random } from '../../support/histories/random.js';
import { histories } from '../../support/long.js';
import { NewsClient, ok } from '../../support/news-client.js';
import { sharedService } from '../../support/shared-service.js';
import { type TestUser } from '../../support/start-app.js';

/*
 * Clients of both APIs synchronise one account at the same time, while articles are published, some
 * with old dates, and while all of them mark items. In the end each synchronises once more: all have
 * the same, and of each flag the value of a request that was answered with success and that no
 * later one took back. More with GENERATED_HISTORIES=n.
 */

const HISTORIES = Math.ceil(histories(100, 600) / 100);
const ROUNDS = 10;
const FEEDS = 3;

const { app } = await sharedService();

type Flag = 'read' | 'starred';
interface Flags {
  read: boolean;
  starred: boolean;
}

/** A change that a client was told is done. */
interface Told {
  readonly touches: (item: number) => boolean;
  readonly flag: Flag;
  readonly value: boolean;
  readonly startedAt: number;
  readonly answeredAt: number;
}

const Ids = z.object({
  itemRefs: z.array(z.object({ id: z.string() })),
  continuation: z.string().optional(),
});
const Contents = z.object({
  continuation: z.string().optional(),
  items: z.array(
    z.object({
      id: z.string(),
      crawlTimeMsec: z.string(),
      timestampUsec: z.string(),
      categories: z.array(z.string()),
    }),
  ),
});

/** What a client stores, and the changes it sends. */
abstract class Device {
  readonly items = new Map<number, Flags>();
  readonly mistakes: string[] = [];

  constructor(
    protected readonly random: Random,
    protected readonly told: Told[],
  ) {}

  abstract sync(): Promise<void>;
  protected abstract send(items: readonly number[], flag: Flag, value: boolean): Promise<void>;

  /** Marks some of the items that it knows. */
  async mark(): Promise<void> {
    const known = [...this.items.keys()];
    const items = Array.from({ length: 3 }, () => this.random.pick(known) ?? 0).filter(Boolean);
    const flag = this.random.chance(0.6) ? 'read' : 'starred';
    const value = this.random.chance(0.6);
    if (items.length > 0) {
      const touched = new Set(items);
      await this.note({ touches: (item) => touched.has(item), flag, value }, () =>
        this.send(items, flag, value),
      );
    }
  }

  protected async note(
    change: Pick<Told, 'touches' | 'flag' | 'value'>,
    request: () => Promise<void>,
  ): Promise<void> {
    const startedAt = performance.now();
    await request();
    this.told.push({ ...change, startedAt, answeredAt: performance.now() });
  }

  protected mistakeIfTwice(what: string, items: readonly number[]): void {
    if (new Set(items).size < items.length) {
      this.mistakes.push(`${what}: something twice in ${items.join(' ')}`);
    }
  }
}

abstract class GoogleDevice extends Device {
  protected arrivals = new Map<number, number>();

  constructor(
    protected readonly wire: ReaderWire,
    random: Random,
    told: Told[],
  ) {
    super(random, told);
  }

  protected async ids(query: string, pageLength: number): Promise<number[]> {
    const ids: number[] = [];
    let continuation: string | undefined;
    do {
      const c = continuation === undefined ? '' : `&c=${continuation}`;
      const path = `/reader/api/0/stream/items/ids?${query}&n=${pageLength}${c}`;
      const page: z.infer<typeof Ids> = await this.wire.json(Ids, path);
      if (page.continuation !== undefined && page.itemRefs.length !== pageLength) {
        this.mistakes.push(`A page of ${page.itemRefs.length} instead of ${pageLength} continues`);
      }
      ids.push(...page.itemRefs.map(({ id }) => itemOf(id)));
      continuation = page.continuation;
    } while (continuation !== undefined);
    this.mistakeIfTwice(query, ids);
    if (ids.some((id, n) => n > 0 && id >= (ids[n - 1] ?? 0))) {
      this.mistakes.push(`Not in the order of arrival: ${ids.join(' ')}`);
    }
    return ids;
  }

  protected store(items: z.infer<typeof Contents>['items']): void {
    this.mistakeIfTwice(
      'contents',
      items.map(({ id }) => itemOfLong(id)),
    );
    for (const { id, categories, timestampUsec } of items) {
      this.arrivals.set(itemOfLong(id), Number(timestampUsec));
      this.items.set(itemOfLong(id), {
        read: categories.includes(READ),
        starred: categories.includes(STARRED),
      });
    }
  }

  protected async send(items: readonly number[], flag: Flag, value: boolean): Promise<void> {
    const pairs: Pair[] = items.map((item, n) => ['i', n % 2 === 0 ? long(item) : decimal(item)]);
    pairs.push([value ? 'a' : 'r', flag === 'read' ? READ : STARRED]);
    await this.wire.mustBeOk(this.wire.post('/reader/api/0/edit-tag', pairs));
  }

  /** Everything that had arrived when an item that it knows did. */
  async markAll(arrivalOf: (item: number) => number): Promise<void> {
    const upTo = this.arrivals.get(this.random.pick([...this.arrivals.keys()]) ?? 0);
    if (upTo !== undefined) {
      const touches = (item: number) => arrivalOf(item) <= upTo;
      await this.note({ touches, flag: 'read', value: true }, () =>
        this.wire.mustBeOk(
          this.wire.post('/reader/api/0/mark-all-as-read', [
            ['s', READING_LIST],
            ['ts', String(upTo)],
          ]),
        ),
      );
    }
  }

  protected async refreshFlags(): Promise<void> {
    const unread = new Set(await this.ids(`s=${READING_LIST}&xt=${READ}`, 7));
    const starred = new Set(await this.ids(`s=${STARRED}`, 1000));
    for (const [item, flags] of this.items) {
      flags.read = !unread.has(item);
      flags.starred = starred.has(item);
    }
  }
}

/** Unread and starred ids, then the contents of what it lacks, as Capy Reader and BazQux' advice. */
class ByIds extends GoogleDevice {
  async sync(): Promise<void> {
    const wanted = await this.ids(`s=${READING_LIST}`, 11);
    const missing = wanted.filter((item) => !this.items.has(item));
    const pairs = missing.map((item): Pair => ['i', long(item)]);
    const answer = await this.wire.post('/reader/api/0/stream/items/contents', pairs);
    const { items } = decode(Contents, answer.json);
    if (items.length !== missing.length) {
      this.mistakes.push(`${missing.length - items.length} contents are missing`);
    }
    this.store(items);
    await this.refreshFlags();
  }
}

type Since = 'date' | 'crawlTimeMsec' | 'timestampUsec';

/** Contents since a time that an answer said, and nothing else, as NetNewsWire, Fluent Reader. */
class BySince extends GoogleDevice {
  #ot: string | null = null;

  constructor(
    private readonly since: Since,
    wire: ReaderWire,
    random: Random,
    told: Told[],
  ) {
    super(wire, random, told);
  }

  async sync(): Promise<void> {
    let continuation: string | undefined;
    let next: string | null = null;
    const ot = this.#ot === null ? '' : `&ot=${this.#ot}`;
    const all: z.infer<typeof Contents>['items'] = [];
    do {
      const c = continuation === undefined ? '' : `&c=${continuation}`;
      const path = `/reader/api/0/stream/contents?n=5${ot}${c}`;
      const answer = await this.wire.call('GET', path);
      const page: z.infer<typeof Contents> = decode(Contents, answer.json);
      const [newest] = page.items;
      if (continuation === undefined) {
        next =
          this.since === 'date'
            ? String(Date.parse(answer.headers.date ?? '') / 1000)
            : ((this.since === 'timestampUsec' ? newest?.timestampUsec : rounded(newest)) ?? null);
      }
      all.push(...page.items);
      continuation = page.continuation;
    } while (continuation !== undefined);
    this.store(all);
    this.#ot = next ?? this.#ot;
    await this.refreshFlags();
  }
}

/** To the nearest second, as Fluent Reader. */
function rounded(item: { readonly crawlTimeMsec: string } | undefined): string | undefined {
  return item && String(Math.round(Number(item.crawlTimeMsec) / 1000));
}

/** Changes since the greatest `lastModified`. */
class ByChanges extends Device {
  #newest = 0;

  constructor(
    private readonly news: NewsClient,
    random: Random,
    told: Told[],
  ) {
    super(random, told);
  }

  async sync(): Promise<void> {
    const changed = await this.news.changedItems(this.#newest);
    this.mistakeIfTwice(
      'changes',
      changed.map(({ id }) => id),
    );
    for (const { id, unread, starred, lastModified } of changed) {
      this.items.set(id, { read: !unread, starred });
      this.#newest = Math.max(this.#newest, lastModified);
    }
  }

  protected async send(itemIds: readonly number[], flag: Flag, value: boolean): Promise<void> {
    const action = flag === 'read' ? (value ? 'read' : 'unread') : value ? 'star' : 'unstar';
    await ok(this.news.post(`/items/${action}/multiple`, { itemIds }));
  }
}

describe('clients of both APIs on one account', () => {
  it.each(Array.from({ length: HISTORIES }, (_none, seed) => seed))(
    'have the same in the end, nothing lost, nothing twice, every acknowledged flag: history %i',
    async (seed) => {
      const user = await app.signIn();
      const userId = user.credentials.userId;
      const feeds = await followSources(app, userId, FEEDS);
      const told: Told[] = [];
      const since = (['date', 'crawlTimeMsec', 'timestampUsec'] as const)[seed % 3] ?? 'date';
      const wire = await wireOf(user);
      const random = (n: number) => new Random(seed * 10 + n);
      const googles = [
        new ByIds(wire, random(1), told),
        new BySince(since, wire, random(2), told),
        new BySince('timestampUsec', wire, random(3), told),
      ];
      const newsClient = new ByChanges(new NewsClient(user, 'v1-3'), random(4), told);
      const devices: Device[] = [...googles, newsClient];
      const arrivals = new Map<number, number>();
      const arrivalOf = (item: number) => arrivals.get(item) ?? Number.POSITIVE_INFINITY;

      let published = 0;
      await Promise.all(
        devices.map(async (device, n) => {
          const chances = random(200 + n);
          for (let round = 0; round < ROUNDS; round += 1) {
            const publishing = publish(feeds, chances, `${n}-${round}`);
            await device.sync();
            const count = await publishing;
            published += count;
            await device.mark();
            if (device instanceof GoogleDevice && chances.chance(0.15)) {
              await device.markAll(arrivalOf);
            }
          }
        }),
      );
      // What the last of them delivers, the others must not miss.
      for (const device of [...devices, ...devices]) {
        await device.sync();
      }

      expect(devices.flatMap(({ mistakes }) => mistakes)).toEqual([]);
      const final = [...newsClient.items].toSorted(([a], [b]) => a - b);
      expect(final).toHaveLength(published);
      for (const device of googles) {
        expect([...device.items].toSorted(([a], [b]) => a - b)).toEqual(final);
      }
      for (const [item, arrived] of await arrivalsOf(userId)) {
        arrivals.set(item, arrived);
      }
      for (const [item, flags] of final) {
        expect(possible(told, item, 'read')).toContain(flags.read);
        expect(possible(told, item, 'starred')).toContain(flags.starred);
      }
    },
  );
});

/** Values of the changes that no later one followed, of those that ran at the same time any. */
function possible(told: readonly Told[], item: number, flag: Flag): boolean[] {
  const changes = told.filter((each) => each.flag === flag && each.touches(item));
  const last = Math.max(...changes.map(({ startedAt }) => startedAt));
  return changes.length === 0
    ? [false]
    : changes.filter(({ answeredAt }) => answeredAt >= last).map(({ value }) => value);
}

async function wireOf(user: TestUser): Promise<ReaderWire> {
  const { userId, password } = user.credentials;
  const wire = new ReaderWire(app.url, 'Hazard/1.0');
  const { text } = await wire.post('/accounts/ClientLogin', [
    ['Email', userId],
    ['Passwd', password],
  ]);
  wire.auth = /Auth=(\S+)/.exec(text)?.[1] ?? null;
  return wire;
}

/** New articles of one feed, with any date. @returns how many */
async function publish(
  feeds: readonly FollowedSource[],
  random: Random,
  name: string,
): Promise<number> {
  const count = 1 + random.below(3);
  await publishArticles(
    app,
    random.pick(feeds)?.sourceId ?? 0,
    Array.from({ length: count }, (_, n) => ({
      guid: `${name}-${n}`,
      pubDateSeconds: random.below(2_000_000_000),
    })),
  );
  return count;
}

async function arrivalsOf(userId: string): Promise<Map<number, number>> {
  const rows = await app.database.query<{ id: number; arrived: number }>(
    `select item.id, item.arrived_micros as arrived from item
       join reader on reader.id = item.reader_id where reader.user_id = $1`,
    [userId],
  );
  return new Map(rows.map(({ id, arrived }) => [id, Number(arrived)]));
}

import { z } from 'zod';
import { idsIn, type FeverClient } from './fever-client.js';
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
} from './google-reader/wire.js';
import type { Random } from './histories/random.js';
import { ok, type ItemJson, type NewsClient } from './news-client.js';
import type { TestUser } from './start-app.js';

/*
 * Clients of the three protocols: what each stores, how it synchronises, and what it sends.
 */

export type Flag = 'read' | 'starred';
interface Flags {
  read: boolean;
  starred: boolean;
}

/** A change that a client was told is done. */
export interface Told {
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
export abstract class Device {
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
      await this.markThese(items, flag, value);
    }
  }

  async markThese(items: readonly number[], flag: Flag, value: boolean): Promise<void> {
    const touched = new Set(items);
    await this.note({ touches: (item) => touched.has(item), flag, value }, () =>
      this.send(items, flag, value),
    );
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

export abstract class GoogleDevice extends Device {
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
export class ByIds extends GoogleDevice {
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
export class BySince extends GoogleDevice {
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
export class ByChanges extends Device {
  /** As it got them last. */
  readonly whole = new Map<number, ItemJson>();
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
    for (const item of changed) {
      const { id, unread, starred, lastModified } = item;
      this.items.set(id, { read: !unread, starred });
      this.whole.set(id, item);
      this.#newest = Math.max(this.#newest, lastModified);
    }
  }

  protected async send(itemIds: readonly number[], flag: Flag, value: boolean): Promise<void> {
    const action = flag === 'read' ? (value ? 'read' : 'unread') : value ? 'star' : 'unstar';
    const named = this.news.level === 'v1-2' ? { items: itemIds } : { itemIds };
    await ok(this.news.change(`/items/${action}/multiple`, named));
  }
}

/**
 * Feeds; what is new, page by page; then all flags, and what is missing with one: a client of the Fever API. Only
 * what it dropped with its feed, and what is read and not saved, it never learns of again: see
 * docs/fever-api.md, "What comes back".
 */
export class FeverDevice extends Device {
  readonly feedIds = new Map<number, number>();
  /** Dropped with their feed, and perhaps back since. */
  readonly dropped = new Set<number>();
  readonly fetchedTwice: number[] = [];
  #lastId = 0;

  constructor(
    private readonly fever: FeverClient,
    random: Random,
    told: Told[],
  ) {
    super(random, told);
  }

  async sync(): Promise<void> {
    const there = new Set((await this.fever.ask('feeds')).feeds.map(({ id }) => id));
    for (const id of this.items.keys()) {
      if (!there.has(this.feedIds.get(id) ?? 0)) {
        this.items.delete(id);
        this.dropped.add(id);
      }
    }
    for (let rest = true; rest;) {
      const items = await this.fever.items(`since_id=${this.#lastId}`);
      for (const { id, feed_id: feedId, is_read: isRead, is_saved: isSaved } of items) {
        if (this.items.has(id)) {
          this.fetchedTwice.push(id);
        }
        this.items.set(id, { read: isRead === 1, starred: isSaved === 1 });
        this.feedIds.set(id, feedId);
        this.#lastId = Math.max(this.#lastId, id);
      }
      rest = items.length > 0;
    }
    const answer = await this.fever.ask('unread_item_ids&saved_item_ids');
    const [unread, saved] = [
      new Set(idsIn(answer.unread_item_ids)),
      new Set(idsIn(answer.saved_item_ids)),
    ];
    const missing = [...new Set([...unread, ...saved])].filter((id) => !this.items.has(id));
    for (let at = 0; at < missing.length; at += 50) {
      const ids = missing.slice(at, at + 50).join();
      for (const { id, feed_id: feedId } of await this.fever.items(`with_ids=${ids}`)) {
        this.items.set(id, { read: true, starred: false });
        this.feedIds.set(id, feedId);
        this.fetchedTwice.push(...(this.dropped.delete(id) ? [] : [id]));
      }
    }
    for (const [id, item] of this.items) {
      item.read = !unread.has(id);
      item.starred = saved.has(id);
    }
  }

  protected async send(items: readonly number[], flag: Flag, value: boolean): Promise<void> {
    const as = flag === 'read' ? (value ? 'read' : 'unread') : value ? 'saved' : 'unsaved';
    await this.fever.ask(`mark=item&as=${as}&id=${items.join(',')}`);
  }
}

/** A program that is logged in with the user's password. */
export async function wireOf(user: TestUser): Promise<ReaderWire> {
  const { userId, password } = user.credentials;
  const wire = new ReaderWire(user.baseUrl, 'Hazard/1.0');
  const { text } = await wire.post('/accounts/ClientLogin', [
    ['Email', userId],
    ['Passwd', password],
  ]);
  wire.auth = /Auth=(\S+)/.exec(text)?.[1] ?? null;
  return wire;
}

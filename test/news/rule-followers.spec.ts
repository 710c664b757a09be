import { describe, expect, it } from '@jest/globals';
import { ReaderClientsRepository } from '../../src/news/reader/delivery/reader-clients.repository.js';
import type { Reader } from '../../src/news/reader/delivery/reader-ids.repository.js';
import { ClockRules } from '../../src/news/reader/rules/clock-rules.service.js';
import { RuleCandidatesRepository } from '../../src/news/reader/rules/rule-candidates.repository.js';
import { RuleMoments } from '../../src/news/reader/rules/rule-moments.service.js';
import { RuleTrials } from '../../src/news/reader/rules/rule-trials.service.js';
import { RulesRepository } from '../../src/news/reader/rules/rules.repository.js';
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
import {
  followSources,
  publishArticles,
  type FollowedSource,
} from '../support/followed-sources.js';
import { GoogleReaderClient, itemNumbers, LABEL } from '../support/google-reader-client.js';
import { Random } from '../support/histories/random.js';
import { histories } from '../support/long.js';
import { NewsClient, ok } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import {
  RuleModel,
  toRuleJson,
  type ItemState,
  type ModelAction,
  type ModelRule,
  type NewItem,
} from '../support/rule-model.js';
import { sharedService } from '../support/shared-service.js';

/*
 * Five followers of one account by three protocols, which mark items while rules work: at delivery, by the clock, on
 * what is there, and when they are undone. After each step the items are those of a model; in the end every follower
 * has the same. What happens at the same time may have happened in either order: the models of both are kept for
 * as long as they fit. More with GENERATED_HISTORIES=n.
 */

const HISTORIES = histories(2, 40);
const STEPS = 60;
const FEEDS = 3;
const FIRST_RULES = 3;
const MOST_RULES = 6;
const MOST_MODELS = 16;
const HOUR_MICROS = 3_600_000_000;
const WORDS = ['alpha', 'beta', 'gamma'];
const LABELS = ['One', 'Two'];

const { app } = await sharedService();

describe('five followers of three protocols', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'have what the rules did, the clock and its undoing: history %i',
    async (seed) => {
      const account = await Account.begin(seed);
      const done: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        done.push(await account.step());
        const { real, expected } = await account.compare();
        expect({ seed, done, items: real }).toEqual({ seed, done, items: expected });
      }

      expect({ seed, done, ...(await account.followed()) }).toEqual({
        seed,
        done,
        ...(await account.toBeFollowed()),
      });
    },
  );
});

/** A change that the models make as well. */
type Change = (model: RuleModel) => void;

class Account {
  readonly #random: Random;
  /** All that may be right. */
  #models = [new RuleModel()];
  #articles = 0;
  readonly #arrivals = new Map<number, number>();

  private constructor(
    seed: number,
    private readonly reader: Reader,
    private readonly news: NewsClient,
    private readonly google: GoogleReaderClient,
    private readonly devices: readonly [ByChanges, ...Device[]],
    private readonly told: readonly Told[],
    private readonly feeds: readonly FollowedSource[],
    private readonly unreadByChanges: ReadonlySet<number>,
  ) {
    this.#random = new Random(seed);
  }

  static async begin(seed: number): Promise<Account> {
    const user = await app.signIn();
    const { userId } = user.credentials;
    const news = new NewsClient(user, 'v1-3');
    const feeds = await followSources(app, userId, FEEDS);
    const modes = await app.database.query<{ id: number }>(
      'select id from subscription where id = any($1::bigint[]) and update_mode = 1',
      [feeds.map(({ feedId }) => feedId)],
    );
    const told: Told[] = [];
    const random = (n: number) => new Random(seed * 10 + n);
    const wire = await wireOf(user);
    const account = new Account(
      seed,
      await readerOf(app, userId),
      news,
      await GoogleReaderClient.of(user),
      [
        new ByChanges(news, random(1), told),
        new ByChanges(new NewsClient(user, 'v1-2'), random(2), told),
        new ByIds(wire, random(3), told),
        new BySince('timestampUsec', wire, random(4), told),
        new FeverDevice(await feverClientOf(app, user), random(5), told),
      ],
      told,
      feeds,
      new Set(modes.map(({ id }) => id)),
    );
    // Until a user has rules, a changed article counts as touched.
    await ok(news.post('/rules', { query: 'never', actions: [{ type: 'star' }] }));
    await account.#publish();
    const [{ id } = { id: 0 }] = await news.items();
    for (const name of LABELS) {
      await account.#labelItem(id, name, true);
      await account.#labelItem(id, name, false);
    }
    for (let rule = 0; rule < FIRST_RULES; rule += 1) {
      await account.#addRule();
    }
    return account;
  }

  /** @returns what was done */
  async step(): Promise<string> {
    const steps: (() => Promise<string>)[] = [
      ...Array.from({ length: 4 }, () => () => this.#publish()),
      () => this.#beside('marked', [() => this.#mark()]),
      () => this.#beside('marked as a rule did', [() => this.#markAsRule()]),
      () => this.#beside('marked as a rule did', [() => this.#markAsRule()]),
      () => this.#markAll(),
      () => this.#label(),
      () => this.#addRule(),
      () => this.#addRule(),
      () => this.#changeRule(),
      () => this.#switchRule(),
      () => this.#order(),
      () => this.#removeRule(),
      () => this.#work('applied', (id) => this.#apply(id)),
      () => this.#work('applied', (id) => this.#apply(id)),
      () => this.#undoSomething(),
      () => this.#undoSomething(),
      () => this.#undoSomething(),
      () => this.#runClock(),
      () => this.#unlist(),
      () => this.#synchronise(),
    ];
    return (this.#random.pick(steps) ?? steps[0])?.() ?? '';
  }

  /** Keeps the models that are right, or one of them to show the difference. */
  async compare(): Promise<{ real: readonly ItemState[]; expected: readonly ItemState[] }> {
    const real = await this.#states();
    const text = JSON.stringify(real);
    const right = this.#models.filter((model) => JSON.stringify(model.states()) === text);
    const different = new Map(right.map((model) => [model.key(), model]));
    this.#models =
      right.length === 0 ? this.#models : [...different.values()].slice(0, MOST_MODELS);
    return { real, expected: this.#models[0]?.states() ?? [] };
  }

  /** After one more synchronisation of each. */
  async followed(): Promise<object> {
    for (const device of [...this.devices, ...this.devices]) {
      await device.sync();
    }
    const [first] = this.devices;
    const google = await Promise.all(
      LABELS.map(async (name) => itemNumbers(await this.google.ids(`${LABEL}${name}`))),
    );
    return {
      mistakes: this.devices.flatMap(({ mistakes }) => mistakes),
      flags: this.devices.map(({ items }) => [...items].toSorted(([a], [b]) => a - b)),
      filtered: [...first.whole.values()]
        .filter((item) => (item as unknown as ItemState).filtered)
        .map(({ id }) => id)
        .toSorted((a, b) => a - b),
      labels: LABELS.map((name) =>
        [...first.whole.values()]
          .filter(({ labels = [] }) => labels.includes(name))
          .map(({ id }) => id)
          .toSorted((a, b) => a - b),
      ),
      google: google.map((ids) => ids.toSorted((a, b) => a - b)),
      unread: (await this.news.feedList()).feeds.reduce((sum, one) => sum + one.unreadCount, 0),
    };
  }

  async toBeFollowed(): Promise<object> {
    const states = await this.#states();
    const flags = states.map(({ id, unread, starred }) => [id, { read: !unread, starred }]);
    const labelled = LABELS.map((name) =>
      states.filter(({ labels }) => labels.includes(name)).map(({ id }) => id),
    );
    return {
      mistakes: [],
      flags: this.devices.map(() => flags),
      filtered: states.filter(({ filtered }) => filtered).map(({ id }) => id),
      labels: labelled,
      google: labelled,
      unread: states.filter(({ unread }) => unread).length,
    };
  }

  async #states(): Promise<ItemState[]> {
    return app.database.query<ItemState>(
      `select id, unread, starred, filtered,
              (select coalesce(json_agg(label.name order by label.name), '[]') from item_label
                 join label on label.reader_id = $1 and label.id = item_label.label_id
                where item_label.reader_id = $1 and item_label.item_id = item.id) as labels
         from item where reader_id = $1 order by id`,
      [this.reader.id],
    );
  }

  /** Does things at the same time, of which each is one change; in any order. */
  async #beside(what: string, works: readonly (() => Promise<Change>)[]): Promise<string> {
    const changes = await Promise.all(works.map((work) => work()));
    const [one, other = () => {}] = changes;
    const orders = changes.length < 2 ? [[one]] : [changes, [other, one]];
    this.#models = this.#models.flatMap((model) =>
      orders.map((order) => {
        const copy = model.copy();
        order.forEach((change) => change?.(copy));
        return copy;
      }),
    );
    return works.length < 2 ? what : `${what}, and marked at the same time`;
  }

  /** Perhaps while a follower marks something. */
  #perhapsBesideMark(what: string, work: () => Promise<Change>): Promise<string> {
    const mark = this.#random.pick([() => this.#mark(), () => this.#markAsRule(), null, null]);
    return this.#beside(what, mark ? [work, mark] : [work]);
  }

  get #model(): RuleModel {
    return this.#models[0] ?? new RuleModel();
  }

  #device(): Device {
    return this.#random.pick(this.devices) ?? this.devices[0];
  }

  #title(): string {
    return `${this.#random.pick(WORDS)} ${this.#random.pick(WORDS)}`;
  }

  /** Publishes, and a follower synchronises. */
  async #publish(): Promise<string> {
    const sourceId = this.#random.pick(this.feeds)?.sourceId ?? 0;
    const articles = Array.from({ length: 1 + this.#random.below(3) }, () => ({
      guid: `${(this.#articles += 1)}`,
      title: this.#title(),
      pubDateSeconds: this.#random.below(1_000_000_000),
    }));
    const edited = this.#random.chance(0.3)
      ? { every: 3, nth: this.#random.below(3), title: this.#title() }
      : undefined;
    const changed = await app.database.query<{ id: number }>(
      'select id from article where source_id = $1 and id % 3 = $2',
      [sourceId, edited?.nth ?? -1],
    );
    await publishArticles(app, sourceId, articles, edited);
    const known = this.#model.states().length;
    const deliver = async (): Promise<Change> => {
      await this.#device().sync();
      const fresh = await this.#newItems(known);
      const titles = new Map(changed.map(({ id }) => [id, edited?.title ?? '']));
      return (model) => model.deliver(fresh, titles, (feedId) => this.unreadByChanges.has(feedId));
    };
    const names = articles.map(({ guid, title }) => `${guid} ${title}`).join(', ');
    return this.#perhapsBesideMark(`published ${names}, edited ${JSON.stringify(edited)}`, deliver);
  }

  async #newItems(known: number): Promise<NewItem[]> {
    const rows = await app.database.query<NewItem>(
      `select item.id, item.article_id as "articleId", item.subscription_id as "feedId", article.title,
              item.date_seconds as "dateSeconds", item.arrived_micros as "arrivedMicros"
         from item join article on article.id = item.article_id
        where item.reader_id = $1 order by item.id offset $2`,
      [this.reader.id, known],
    );
    rows.forEach(({ id, arrivedMicros }) => this.#arrivals.set(id, arrivedMicros));
    return rows;
  }

  /** Flags of some items that a follower knows, which may have them already. */
  async #mark(): Promise<Change> {
    const before = this.told.length;
    await this.#device().mark();
    const told = this.told.slice(before);
    const ids = [...this.#arrivals.keys()];
    return (model) =>
      told.forEach(({ touches, flag, value }) => model.mark(ids.filter(touches), flag, value));
  }

  /** A follower that may not know yet what a rule did marks the item so. */
  async #markAsRule(): Promise<Change> {
    const { itemId, kind } = this.#random.pick(this.#model.undoable()) ?? {
      itemId: 0,
      kind: 'read',
    };
    const flag = kind === 'star' ? 'starred' : 'read';
    await this.#device().markThese([itemId], flag, true);
    return (model) => model.mark([itemId], flag, true);
  }

  /** A list up to an arrival, or to an id. */
  async #markAll(): Promise<string> {
    const device = this.#device();
    if (device instanceof GoogleDevice) {
      const before = this.told.length;
      await device.markAll((item) => this.#arrivals.get(item) ?? Number.POSITIVE_INFINITY);
      const [told] = this.told.slice(before);
      this.#models.forEach((model) => model.markList(({ id }) => told?.touches(id) === true));
      return 'marked all by arrival';
    }
    const newestItemId = this.#random.pick([...device.items.keys()]) ?? 0;
    await ok(this.news.post('/items/read', { newestItemId }));
    this.#models.forEach((model) => model.markList(({ id }) => id <= newestItemId));
    return `marked all up to ${newestItemId}`;
  }

  async #label(): Promise<string> {
    const id = this.#random.pick(this.#model.states())?.id ?? 0;
    const [name, isOn] = [this.#random.pick(LABELS) ?? '', this.#random.chance(0.6)];
    await this.#labelItem(id, name, isOn);
    return `${isOn ? 'labelled' : 'no label'} ${id} ${name}`;
  }

  async #labelItem(id: number, name: string, isOn: boolean): Promise<void> {
    await this.news.label([id], isOn ? { add: [name] } : { remove: [name] });
    this.#models.forEach((model) => model.label(id, name, isOn));
  }

  #rule(): ModelRule {
    const random = this.#random;
    const names = [random.pick(LABELS) ?? ''];
    const actions = random.pick<readonly ModelAction[]>([
      [{ type: 'read' }],
      [{ type: 'hide' }],
      [{ type: 'star' }],
      [{ type: 'label', names }],
      [{ type: 'label', names }, { type: 'hide' }],
      [{ type: 'star' }, { type: 'read' }],
      [],
      [{ type: 'newest', count: 1 + random.below(3) }],
      [{ type: 'readAfter', hours: 1 }],
      [{ type: 'readWhenUnlisted' }, { type: 'star' }],
    ]);
    const some = <Thing>(chance: number, of: readonly Thing[]): Thing[] => {
      const one = random.pick(of);
      return one !== undefined && random.chance(chance) ? [one] : [];
    };
    return {
      enabled: random.chance(0.9),
      words: some(actions?.length === 0 ? 1 : 0.5, WORDS),
      notWords: some(0.2, WORDS),
      label: some(0.1, LABELS)[0] ?? null,
      feedId: some(0.2, this.feeds)[0]?.feedId ?? null,
      actions: actions ?? [],
      stopAfter: actions?.length === 0 || random.chance(0.05),
    };
  }

  async #addRule(): Promise<string> {
    if (this.#model.ruleIds.length >= MOST_RULES) {
      return this.#removeRule();
    }
    const rule = this.#rule();
    const { rules } = await ok<{ rules: { id: number }[] }>(
      this.news.post('/rules', toRuleJson(rule)),
    );
    const id = rules[0]?.id ?? 0;
    this.#models.forEach((model) => model.putRule(id, rule));
    return `rule ${id}: ${JSON.stringify(rule)}`;
  }

  async #ofARule(work: (ruleId: number) => Promise<string>): Promise<string> {
    const ruleId = this.#random.pick(this.#model.ruleIds);
    return ruleId === undefined ? 'nothing' : work(ruleId);
  }

  #changeRule(rule = this.#rule()): Promise<string> {
    return this.#ofARule(async (id) => {
      await ok(this.news.put(`/rules/${id}`, toRuleJson(rule)));
      this.#models.forEach((model) => model.putRule(id, rule));
      return `rule ${id} is ${JSON.stringify(rule)}`;
    });
  }

  #switchRule(): Promise<string> {
    return this.#ofARule(async (id) => {
      const rule = this.#model.ruleOf(id) ?? this.#rule();
      const enabled = !rule.enabled;
      await ok(this.news.put(`/rules/${id}`, { enabled }));
      this.#models.forEach((model) => model.putRule(id, { ...rule, enabled }));
      return `rule ${id} is ${enabled ? 'on' : 'off'}`;
    });
  }

  async #order(): Promise<string> {
    const ruleIds = [...this.#model.ruleIds].sort(() => this.#random.next() - 0.5);
    await ok(this.news.post('/rules/order', { ruleIds }));
    this.#models.forEach((model) => model.order(ruleIds));
    return `order ${ruleIds.join()}`;
  }

  #removeRule(): Promise<string> {
    return this.#ofARule(async (id) => {
      await ok(this.news.delete(`/rules/${id}`));
      this.#models.forEach((model) => model.removeRule(id));
      return `removed rule ${id}`;
    });
  }

  #work(what: string, work: (ruleId: number) => Promise<Change>): Promise<string> {
    return this.#ofARule((id) => this.#perhapsBesideMark(`${what} ${id}`, () => work(id)));
  }

  async #apply(ruleId: number): Promise<Change> {
    await ok(this.news.post(`/rules/${ruleId}/apply`));
    return (model) => model.apply(ruleId, Date.now() * 1000);
  }

  /** Of a rule that did something. */
  async #undoSomething(): Promise<string> {
    const ruleId = this.#random.pick(this.#model.undoable())?.ruleId;
    return ruleId === undefined
      ? 'nothing to undo'
      : this.#perhapsBesideMark(`undid ${ruleId}`, () => this.#undo(ruleId));
  }

  async #undo(ruleId: number): Promise<Change> {
    await ok(this.news.post(`/rules/${ruleId}/undo`));
    return (model) => model.undo(ruleId);
  }

  /** An hour after the arrival of an item. */
  #runClock(): Promise<string> {
    const itemId = this.#random.pick([...this.#arrivals.keys()]) ?? 0;
    const nowMicros = (this.#arrivals.get(itemId) ?? 0) + HOUR_MICROS;
    const moments: RuleMoments = Object.create(app.inside(RuleMoments), {
      nowMicros: { value: () => nowMicros },
    }) as RuleMoments;
    const clock = new ClockRules(
      app.inside(RulesRepository),
      app.inside(RuleCandidatesRepository),
      moments,
      app.inside(RuleTrials),
      app.inside(ReaderClientsRepository),
    );
    return this.#perhapsBesideMark(`the clock ran, an hour after ${itemId}`, async () => {
      await clock.runFor(this.reader);
      return (model) => model.runClock(nowMicros);
    });
  }

  async #unlist(): Promise<string> {
    const rows = await app.database.query<{ id: number }>(
      `update article set unlisted_rev = 1
        where source_id = any($1::bigint[]) and id % 4 = $2 returning id`,
      [this.feeds.map(({ sourceId }) => sourceId), this.#random.below(4)],
    );
    const ids = new Set(rows.map(({ id }) => id));
    this.#models.forEach((model) => model.unlist(ids));
    return `unlisted ${[...ids].join()}`;
  }

  async #synchronise(): Promise<string> {
    await this.#device().sync();
    return 'synchronised';
  }
}

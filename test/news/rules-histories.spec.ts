import { describe, expect, it } from '@jest/globals';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { publishArticles } from '../support/followed-sources.js';
import { Random } from '../support/histories/random.js';
import { histories } from '../support/long.js';
import { NewsClient, ok, type ItemJson } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { sharedService } from '../support/shared-service.js';

/*
 * Random histories of two users with the same feeds, rules, articles and marks; one of them has another rule,
 * which is edited, applied, and undone at the end. Then nothing may differ but what the user touched.
 */

const HISTORIES = histories(3, 40);
const STEPS = 30;
const SOURCES = 2;
const WORDS = ['alpha', 'beta', 'gamma', 'delta'];
const LABELS = ['One', 'Two'];

const { app } = await sharedService();

type Item = ItemJson & { readonly filtered: boolean };

describe('the undoing of a rule', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'leaves no difference to a history without it, but what was touched: history %i',
    async (seed) => {
      const both = await TwoUsers.begin(seed);
      const done: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        done.push(await both.step());
      }
      await both.undo();

      const [withRule, without] = await both.shown();
      expect({ seed, done, items: withRule }).toEqual({ seed, done, items: without });
      await both.undo();
      expect((await both.shown())[0]).toEqual(without);
    },
  );
});

interface User {
  readonly news: NewsClient;
  /** Ids of rules that both have, in the same order. */
  readonly rules: number[];
}

class TwoUsers {
  readonly #random: Random;
  #articles = 0;
  /** Guids of items that a user marked, starred or labelled. */
  readonly #touched = new Set<string>();
  #ruleId: number | null = null;

  private constructor(
    seed: number,
    private readonly users: readonly [User, User],
    private readonly sourceIds: readonly number[],
  ) {
    this.#random = new Random(seed);
  }

  static async begin(seed: number): Promise<TwoUsers> {
    const users = [await app.signIn(), await app.signIn()];
    const urls = Array.from({ length: SOURCES }, (_, n) => `${users[0]?.credentials.userId}/${n}`);
    const sources = await app.database.query<{ id: number }>(
      `insert into source (url, url_key)
       select url, decode(md5(url), 'hex') from unnest($1::text[]) as url returning id`,
      [urls],
    );
    const sourceIds = sources.map(({ id }) => id);
    for (const { credentials } of users) {
      const reader = await readerOf(app, credentials.userId);
      await app.inside(ReadersRepository).change(reader, (tx, locked) =>
        tx.query(
          `insert into subscription (reader_id, source_id, url, delivered_rev, update_mode)
           select $1, id, id::text, 0, place % 2
             from unnest($2::bigint[]) with ordinality as one (id, place)`,
          [locked.id, sourceIds],
        ),
      );
    }
    const [one, other] = users.map(({ credentials }) => ({
      news: new NewsClient({ baseUrl: app.url, credentials }, 'v1-3'),
      rules: [],
    }));
    // Until a user has rules, a changed article counts as touched.
    for (const user of [one, other]) {
      await ok(user?.news.post('/rules', { query: 'never', actions: [{ type: 'star' }] }) as never);
    }
    return new TwoUsers(seed, [one, other] as unknown as [User, User], sourceIds);
  }

  async step(): Promise<string> {
    const steps = [
      () => this.#publish(),
      () => this.#publish(),
      () => this.#publish(),
      () => this.#edit(),
      () => this.#touch(),
      () => this.#touch(),
      () => this.#readAll(),
      () => this.#addRule(),
      () => this.#applyRule(),
      () => this.#switchRule(),
      () => this.#order(),
      () => this.#removeRule(),
      () => this.#ownRule(),
      () => this.#ownRule(),
    ];
    const did = await (this.#random.pick(steps) ?? (() => this.#publish()))();
    await this.#items();
    return did;
  }

  async undo(): Promise<void> {
    if (this.#ruleId !== null) {
      await ok(this.users[0].news.post(`/rules/${this.#ruleId}/undo`));
    }
  }

  /** The untouched items of both. */
  async shown(): Promise<readonly [object, object]> {
    const [one, other] = await this.#items();
    const shown = (items: readonly Item[]) =>
      Object.fromEntries(
        items
          .filter(({ guid }) => !this.#touched.has(guid))
          .map(({ guid, title, unread, starred, filtered, labels = [] }) => [
            guid,
            { title, unread, starred, filtered, labels },
          ]),
      );
    return [shown(one), shown(other)];
  }

  async #items(): Promise<readonly [readonly Item[], readonly Item[]]> {
    const lists = await Promise.all(this.users.map(({ news }) => news.items({ type: 3 })));
    return lists as unknown as [readonly Item[], readonly Item[]];
  }

  #word(): string {
    return this.#random.pick(WORDS) ?? '';
  }

  #title(): string {
    return `${this.#word()} ${this.#word()}`;
  }

  async #publish(): Promise<string> {
    const count = 1 + this.#random.below(3);
    const articles = Array.from({ length: count }, () => ({
      guid: `${this.#articles++}`,
      title: this.#title(),
    }));
    await publishArticles(app, this.#random.pick(this.sourceIds) ?? 0, articles);
    return `published ${articles.map(({ guid, title }) => `${guid} ${title}`).join(', ')}`;
  }

  async #edit(): Promise<string> {
    const edited = { every: 3, nth: this.#random.below(3), title: this.#title() };
    const guid = `${this.#articles++}`;
    await publishArticles(app, this.#random.pick(this.sourceIds) ?? 0, [{ guid }], edited);
    return `edited every third to ${edited.title}`;
  }

  async #touch(): Promise<string> {
    const [one, other] = await this.#items();
    const item = this.#random.pick(one);
    const same = other.find(({ guid, feedId: _ }) => guid === item?.guid);
    if (item === undefined || same === undefined) {
      return 'nothing to touch';
    }
    this.#touched.add(item.guid);
    const change = this.#random.pick([
      (news: NewsClient, id: number) => news.post(`/items/${id}/read`),
      (news: NewsClient, id: number) => news.post(`/items/${id}/unread`),
      (news: NewsClient, id: number) => news.post(`/items/${id}/star`),
      (news: NewsClient, id: number) => news.post(`/items/${id}/labels`, { add: ['Own'] }),
    ]);
    await ok(change?.(this.users[0].news, item.id) as never);
    await ok(change?.(this.users[1].news, same.id) as never);
    return `touched ${item.guid}`;
  }

  async #readAll(): Promise<string> {
    const lists = await this.#items();
    // What is read already, by a rule, is not touched by this.
    for (const { guid, unread } of lists[0]) {
      if (unread) {
        this.#touched.add(guid);
      }
    }
    const byRows = this.#random.below(2) === 0;
    for (const [n, { news }] of this.users.entries()) {
      const newestItemId = Math.max(0, ...(lists[n] ?? []).map(({ id }) => id));
      await ok(
        byRows
          ? news.post('/rows/read', { type: 3, newestItemId })
          : news.post('/items/read', { newestItemId }),
      );
    }
    return byRows ? 'marked a list read' : 'marked all read';
  }

  #rule(): object {
    const label = { type: 'label', names: [this.#random.pick(LABELS)] };
    const actions = this.#random.pick([
      [{ type: 'read' }],
      [{ type: 'hide' }],
      [{ type: 'star' }],
      [label],
      [label, { type: 'hide' }],
      [{ type: 'star' }, { type: 'read' }],
    ]);
    return { query: this.#word(), actions };
  }

  async #addRule(): Promise<string> {
    const rule = { ...this.#rule(), stopAfter: this.#random.chance(0.2) };
    for (const { news, rules } of this.users) {
      const answer = await ok<{ rules: { id: number }[] }>(news.post('/rules', rule));
      rules.push(answer.rules[0]?.id ?? 0);
    }
    return `both: ${JSON.stringify(rule)}`;
  }

  async #applyRule(): Promise<string> {
    const n = this.#random.below(this.users[0].rules.length || 1);
    for (const { news, rules } of this.users) {
      if (rules[n] !== undefined) {
        await ok(news.post(`/rules/${rules[n]}/apply`));
      }
    }
    return `applied rule ${n} of both`;
  }

  async #switchRule(): Promise<string> {
    const n = this.#random.below(this.users[0].rules.length || 1);
    const enabled = this.#random.chance(0.5);
    for (const { news, rules } of this.users) {
      if (rules[n] !== undefined) {
        await ok(news.put(`/rules/${rules[n]}`, { enabled }));
      }
    }
    return `rule ${n} of both is ${enabled ? 'on' : 'off'}`;
  }

  /** The rule that only one has comes last. */
  async #order(): Promise<string> {
    const order = this.users[0].rules.map(() => this.#random.next());
    for (const { news, rules } of this.users) {
      const ruleIds = rules.toSorted(
        (a, b) => (order[rules.indexOf(a)] ?? 0) - (order[rules.indexOf(b)] ?? 0),
      );
      await ok(news.post('/rules/order', { ruleIds }));
    }
    return `another order of both, by ${order.join()}`;
  }

  async #removeRule(): Promise<string> {
    const n = this.#random.below(this.users[0].rules.length || 1);
    for (const { news, rules } of this.users) {
      const [removed] = rules.splice(n, 1);
      if (removed !== undefined) {
        await ok(news.delete(`/rules/${removed}`));
      }
    }
    return `removed rule ${n} of both`;
  }

  /** The rule that only one has. */
  async #ownRule(): Promise<string> {
    const { news } = this.users[0];
    const rule = this.#rule();
    if (this.#ruleId === null) {
      const { rules } = await ok<{ rules: { id: number }[] }>(news.post('/rules', rule));
      this.#ruleId = rules[0]?.id ?? null;
      return `own: ${JSON.stringify(rule)}`;
    }
    if (this.#random.below(2) === 0) {
      await ok(news.post(`/rules/${this.#ruleId}/apply`));
      return 'own applied';
    }
    await ok(news.put(`/rules/${this.#ruleId}`, rule));
    return `own is ${JSON.stringify(rule)}`;
  }
}

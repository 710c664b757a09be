import { describe, expect, it } from '@jest/globals';
import { RetentionService } from '../../src/news/updater/retention.service.js';
import {
  followSources,
  publishArticles,
  type FollowedSource,
} from '../support/followed-sources.js';
import { Random } from '../support/histories/random.js';
import { histories } from '../support/long.js';
import { NewsClient, ok, type ItemJson } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';

/*
 * Random histories of two clients that label items, beside deliveries, marks and the clean-up: the labels
 * must be what a model says, and a client that only asks for changes must know them.
 */

const HISTORIES = histories(1, 6);
const STEPS = 40;
const FEEDS = 3;
const NAMES = ['a', 'b', 'c', 'd'];

const { app } = await sharedService();

describe('labels of items', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'are what was asked for, in lists and in changes: history %i',
    async (seed) => {
      const labelling = await Labelling.begin(seed);
      const done: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        done.push(await labelling.step());
        expect({ done, ...(await labelling.shown()) }).toEqual({ done, ...labelling.model() });
      }
    },
  );
});

class Labelling {
  readonly #random: Random;
  #articles = 0;
  /** Names of labels, and the items that have them. */
  readonly #labels = new Map<string, Set<number>>();
  /** Every item, by what is stored of it. */
  #items = new Set<number>();
  /** What a client knows that only asks for changes. */
  readonly #known = new Map<number, readonly string[]>();
  #cursor = 0;

  private constructor(
    seed: number,
    private readonly news: NewsClient,
    private readonly feeds: readonly FollowedSource[],
  ) {
    this.#random = new Random(seed);
  }

  static async begin(seed: number): Promise<Labelling> {
    const { credentials } = await app.signIn();
    const { userId } = credentials;
    const feeds = await followSources(app, userId, FEEDS);
    return new Labelling(seed, new NewsClient({ baseUrl: app.url, credentials }, 'v1-3'), feeds);
  }

  async step(): Promise<string> {
    const steps = [
      () => this.#publish(),
      () => this.#publish(),
      () => this.#label(),
      () => this.#label(),
      () => this.#label(),
      () => this.#byTwoClients(),
      () => this.#rename(),
      () => this.#remove(),
      () => this.#mark(),
      () => this.#cleanUp(),
    ];
    return (this.#random.pick(steps) ?? (() => this.#publish()))();
  }

  /** By what the API says: all labels, the labels of all items, and those of the patient client. */
  async shown(): Promise<object> {
    const labels = await this.news.labels();
    const items = await this.news.items();
    const changes = await this.news.changedItems(this.#cursor);
    this.#cursor = Math.max(this.#cursor, ...changes.map(({ lastModified }) => lastModified));
    for (const { id, labels: names = [] } of changes) {
      this.#known.set(id, names);
    }
    const labelled = (known: readonly (readonly [number, readonly string[]])[]) =>
      Object.fromEntries(known.filter(([, names]) => names.length > 0));
    return {
      labels: labels.map(({ name, itemCount }) => [name, itemCount]),
      items: labelled(items.map(({ id, labels: names = [] }) => [id, names])),
      known: labelled([...this.#known].filter(([id]) => this.#items.has(id))),
    };
  }

  model(): object {
    const names = [...this.#labels.keys()].toSorted();
    const items = Object.fromEntries(
      [...this.#items]
        .map((id) => [id, names.filter((name) => this.#labels.get(name)?.has(id))] as const)
        .filter(([, its]) => its.length > 0),
    );
    const labels = names.map((name) => [name, this.#labels.get(name)?.size ?? 0]);
    return { labels, items, known: items };
  }

  async #publish(): Promise<string> {
    const count = 1 + this.#random.below(4);
    await publishArticles(
      app,
      this.#random.pick(this.feeds)?.sourceId ?? 0,
      Array.from({ length: count }, () => ({ guid: `${this.#articles++}` })),
    );
    this.#items = idsOf(await this.news.items());
    return `published ${count}`;
  }

  async #label(): Promise<string> {
    const itemIds = this.#someItems();
    const add = NAMES.filter(() => this.#random.chance(0.3));
    const remove = NAMES.filter((name) => !add.includes(name) && this.#random.chance(0.3));
    await this.news.label([...itemIds, 999_999], { add, remove });
    this.#apply(itemIds, add, remove);
    return `labels +${add.join()} -${remove.join()} of ${itemIds.join()}`;
  }

  /** At the same time: names that do not exist yet, on the same items. */
  async #byTwoClients(): Promise<string> {
    const itemIds = this.#someItems();
    const [one = 'a', other = 'b'] = NAMES.filter(() => this.#random.chance(0.6));
    await Promise.all([
      this.news.label(itemIds, { add: [one] }),
      this.news.label(itemIds, { add: [one, other] }),
      this.news.label(itemIds, { add: [other] }),
      this.news.changedItems(0),
      ...itemIds.map((id) => this.news.change(`/items/${id}/star`)),
    ]);
    this.#apply(itemIds, [one, other], []);
    return `by two: ${one}, ${other} of ${itemIds.join()}`;
  }

  async #rename(): Promise<string> {
    const from = this.#random.pick([...this.#labels.keys()]);
    const to = this.#random.pick(NAMES) ?? 'a';
    if (from === undefined) {
      return 'nothing to rename';
    }
    await ok(this.news.put(`/labels/${await this.#idOf(from)}`, { name: to }));
    const items = this.#labels.get(from) ?? [];
    this.#labels.delete(from);
    this.#apply([...items], [to], []);
    return `renamed ${from} to ${to}`;
  }

  async #remove(): Promise<string> {
    const name = this.#random.pick([...this.#labels.keys()]);
    if (name === undefined) {
      return 'nothing to remove';
    }
    const removed = await ok<{ name: string; itemIds: number[] }>(
      this.news.delete(`/labels/${await this.#idOf(name)}`),
    );
    if (this.#random.chance(0.5)) {
      await this.news.label(removed.itemIds, { add: [removed.name] });
      return `removed ${name}, undone`;
    }
    this.#labels.delete(name);
    return `removed ${name}`;
  }

  async #mark(): Promise<string> {
    const itemIds = this.#someItems();
    const what = this.#random.pick(['read', 'unread', 'star', 'unstar']) ?? 'read';
    await ok(this.news.change(`/items/${what}/multiple`, { itemIds }));
    return `${what} ${itemIds.join()}`;
  }

  /** Removes no item with a label. */
  async #cleanUp(): Promise<string> {
    await app.inside(RetentionService).cleanUp({ grace: 'none', keepReadItems: 1 });
    this.#items = idsOf(await this.news.items());
    return 'cleaned up';
  }

  #apply(itemIds: readonly number[], add: readonly string[], remove: readonly string[]): void {
    for (const name of add) {
      this.#labels.set(name, new Set([...(this.#labels.get(name) ?? []), ...itemIds]));
    }
    for (const name of remove) {
      itemIds.forEach((id) => this.#labels.get(name)?.delete(id));
    }
  }

  async #idOf(name: string): Promise<number | undefined> {
    return (await this.news.labels()).find((label) => label.name === name)?.id;
  }

  #someItems(): number[] {
    return [...this.#items].filter(() => this.#random.chance(0.3));
  }
}

const idsOf = (items: readonly ItemJson[]) => new Set(items.map(({ id }) => id));

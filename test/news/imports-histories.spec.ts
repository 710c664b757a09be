import { describe, expect, it } from '@jest/globals';
import { rss } from '../support/feed-server.js';
import { Random } from '../support/histories/random.js';
import { freshRss, Imports } from '../support/imports.js';
import { histories } from '../support/long.js';
import { NewsClient, ok, type ItemJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';

/*
 * Random histories of imports, repeated ones, what clients change between them, undoing, and feeds that are deleted:
 * items, marks, labels and counts must be what a model says.
 */

const HISTORIES = histories(2, 8);
const STEPS = 25;
const LABELS = ['a', 'b', 'c'];

const { app, publisher } = await serviceAndPublisher({ GATEFOLD_IMPORT_ITEMS_PER_MINUTE: '0' });

/** What an import says of an article. */
interface Entry {
  readonly name: string;
  readonly starred: boolean;
  readonly read: boolean;
  readonly labels: readonly string[];
}

/** What an import did to an item, and what it said. */
interface Done {
  readonly importId: number;
  readonly created: boolean;
  /** Whether it changed the item, which another one made. */
  readonly hasEffects: boolean;
  readonly said: Entry;
  read: boolean;
  readonly starred: boolean;
  readonly labels: readonly string[];
  isTouched: boolean;
}

interface Item {
  readonly name: string;
  unread: boolean;
  starred: boolean;
  readonly labels: Set<string>;
  done: Done[];
}

/** Articles of the followed feed, of a feed that is gone, and pages. */
const NAMES = ['f0', 'f1', 'f2', 'f3', 'g0', 'g1', 'g2', 'p0', 'p1', 'p2'];

describe('imports', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'do, remember and undo what a model says: history %i',
    async (seed) => {
      const importing = await Importing.begin(seed);
      const done: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        done.push(await importing.step());
        expect({ done, ...(await importing.shown()) }).toEqual({ done, ...importing.model() });
      }
    },
  );
});

class Importing {
  readonly #random: Random;
  readonly #items = new Map<string, Item>();
  readonly #files: (readonly Entry[])[] = [];
  #undoable: number[] = [];

  private constructor(
    private readonly seed: number,
    private readonly news: NewsClient,
    private readonly imports: Imports,
  ) {
    this.#random = new Random(seed);
  }

  static async begin(seed: number): Promise<Importing> {
    const { credentials } = await app.signIn();
    const news = new NewsClient({ baseUrl: app.url, credentials }, 'v1-3');
    const items = NAMES.filter((name) => name.startsWith('f')).map((name) => ({
      title: name,
      guid: name,
      link: `https://f.example/${name}`,
    }));
    publisher.publish(`/${seed}`, rss({ title: 'Followed', items }));
    await news.subscribe(publisher.url(`/${seed}`));
    const importing = new Importing(seed, news, new Imports(news));
    for (const { title } of items) {
      importing.#add(title, { name: title, starred: false, read: false, labels: [] });
    }
    return importing;
  }

  async step(): Promise<string> {
    const steps = [
      () => this.#import(this.#newFile()),
      () => this.#import(this.#newFile()),
      () => this.#import(this.#random.pick(this.#files) ?? this.#newFile()),
      () => this.#touch(),
      () => this.#touch(),
      () => this.#touch(),
      () => this.#markRead(),
      () => this.#undo(),
      () => this.#undo(),
      () => this.#deleteFeed(),
    ];
    return (this.#random.pick(steps) ?? (() => this.#touch()))();
  }

  model(): object {
    const items = [...this.#items.values()];
    return {
      items: items
        .map(
          ({ name, unread, starred, labels }) =>
            `${name} ${unread} ${starred} ${[...labels].sort().join()}`,
        )
        .sort(),
      unread: items.filter(({ unread }) => unread).length,
      starred: items.filter(({ starred }) => starred).length,
    };
  }

  async shown(): Promise<object> {
    const { feeds, starredCount } = await this.news.feedList();
    const items = await this.news.items();
    return {
      items: items
        .map(
          ({ title, unread, starred, labels = [] }) =>
            `${title} ${unread} ${starred} ${labels.toSorted().join()}`,
        )
        .sort(),
      unread: feeds.reduce((sum, { unreadCount }) => sum + unreadCount, 0),
      starred: starredCount,
    };
  }

  #add(name: string, { starred, read, labels }: Entry): Item {
    const item = { name, unread: !read, starred, labels: new Set(labels), done: [] };
    this.#items.set(name, item);
    return item;
  }

  #newFile(): readonly Entry[] {
    const entries = NAMES.filter(() => this.#random.below(3) === 0).map((name) => ({
      name,
      starred: this.#random.below(2) === 0,
      read: this.#random.below(2) === 0,
      labels: LABELS.filter(() => this.#random.below(4) === 0),
    }));
    this.#files.push(entries);
    return entries;
  }

  async #import(entries: readonly Entry[]): Promise<string> {
    const { id } = await this.imports.do(
      freshRss(
        entries.map(({ name, ...entry }) => ({
          title: name,
          ...entry,
          ...(name.startsWith('p')
            ? { url: `https://p.example/${name}?utm_source=x` }
            : {
                guid: name,
                feed: {
                  url: name.startsWith('f') ? publisher.url(`/${this.seed}`) : 'https://g.example/',
                },
              }),
        })),
      ),
    );
    this.#undoable.push(id);
    for (const entry of entries) {
      this.#importOne(id, entry);
    }
    return `import ${id}: ${JSON.stringify(entries)}`;
  }

  #importOne(importId: number, said: Entry): void {
    const present = this.#items.get(said.name);
    if (present === undefined) {
      const { labels } = said;
      const done = {
        importId,
        created: true,
        hasEffects: false,
        said,
        read: false,
        starred: false,
        labels,
        isTouched: false,
      };
      this.#add(said.name, said).done.push(done);
      return;
    }
    const before = present.done.map((one) => one.said);
    const labels = said.labels.filter(
      (name) => !present.labels.has(name) && !before.some((one) => one.labels.includes(name)),
    );
    const read = said.read && present.unread && !before.some((one) => one.read);
    const starred = said.starred && !present.starred && !before.some((one) => one.starred);
    const done = {
      importId,
      created: false,
      hasEffects: read || starred || labels.length > 0,
      said,
      read,
      starred,
      labels,
      isTouched: false,
    };
    present.unread &&= !done.read;
    present.starred ||= done.starred;
    labels.forEach((name) => present.labels.add(name));
    present.done.push(done);
  }

  async #touch(): Promise<string> {
    const item = this.#random.pick([...this.#items.values()]);
    const found = (await this.news.items()).find(({ title }) => title === item?.name);
    if (item === undefined || found === undefined) {
      return 'nothing to touch';
    }
    item.done.forEach((one) => (one.isTouched = true));
    const act = this.#random.pick(['star', 'read', 'label'] as const);
    if (act === 'star') {
      item.starred = !item.starred;
      await ok(this.news.post(`/items/${found.id}/${item.starred ? 'star' : 'unstar'}`));
    } else if (act === 'read') {
      item.unread = !item.unread;
      await ok(this.news.post(`/items/${found.id}/${item.unread ? 'unread' : 'read'}`));
    } else {
      await this.#label(item, found);
    }
    return `${act} ${item.name}`;
  }

  async #label(item: Item, { id }: ItemJson): Promise<void> {
    const name = this.#random.pick(LABELS) ?? 'a';
    const isAdded = !item.labels.delete(name);
    if (isAdded) {
      item.labels.add(name);
    }
    const change = { itemIds: [id], [isAdded ? 'add' : 'remove']: [name] };
    await ok(this.news.post('/items/labels/multiple', change));
  }

  async #markRead(): Promise<string> {
    const items = await this.news.items();
    const newestItemId = Math.max(0, ...items.map(({ id }) => id));
    await ok(this.news.post('/items/read', { newestItemId }));
    for (const item of this.#items.values()) {
      for (const one of item.done) {
        // What was read already stays read, whatever is undone.
        one.read = false;
        one.isTouched ||= item.unread;
      }
      item.unread = false;
    }
    return 'mark read';
  }

  async #undo(): Promise<string> {
    const id = this.#random.pick(this.#undoable);
    if (id === undefined) {
      return 'nothing to undo';
    }
    this.#undoable = this.#undoable.filter((one) => one !== id);
    await this.imports.undo(id);
    for (const item of this.#items.values()) {
      const own = item.done.filter(({ importId }) => importId === id);
      const others = item.done.filter(({ importId }) => importId !== id);
      item.done = others;
      const isInUse = others.some(({ hasEffects }) => hasEffects);
      for (const one of own.filter(({ isTouched }) => !isTouched)) {
        if (one.created && !isInUse) {
          this.#items.delete(item.name);
        }
        item.unread ||= one.read;
        item.starred &&= !one.starred;
        one.labels.forEach((name) => item.labels.delete(name));
      }
    }
    return `undo ${id}`;
  }

  async #deleteFeed(): Promise<string> {
    const { feeds } = await this.news.feedList();
    const feed = this.#random.pick(feeds.filter(({ title }) => title !== 'Followed'));
    if (feed === undefined) {
      return 'nothing to delete';
    }
    const items = (await this.news.items()).filter(({ feedId }) => feedId === feed.id);
    await ok(this.news.delete(`/feeds/${feed.id}`));
    items.forEach(({ title }) => this.#items.delete(title ?? ''));
    return `delete ${feed.title}`;
  }
}

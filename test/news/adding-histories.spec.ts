import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsentsService } from '../../src/app-api/consent/consents.service.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { Random } from '../support/histories/random.js';
import { histories } from '../support/long.js';
import { NewsClient, ok, type ItemJson } from '../support/news-client.js';
import { startApp, type TestApp } from '../support/start-app.js';

/*
 * Random histories of two apps that add items for two users, who mark them and delete feeds: each user
 * must have what a model says, nothing lost, nothing twice, and nothing of the other's.
 */

const HISTORIES = histories(1, 5);
const STEPS = 30;
const KEYS = 12;
const FEEDS = [undefined, 'Clips'];

let app: TestApp;
let apps: readonly ExternalApp[];
beforeAll(async () => {
  app = await startApp();
  apps = [
    await startExternalApp(app, { appId: 'one' }),
    await startExternalApp(app, { appId: 'two' }),
  ];
  for (const external of apps) {
    await knowApp(app, external);
  }
});
afterAll(async () => {
  await Promise.all(apps.map((external) => external.close()));
  await app.stop();
});

describe('added items', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'are what was added: history %i',
    async (seed) => {
      const random = new Random(seed);
      const people = [await Person.begin(`ada-${seed}`), await Person.begin(`bob-${seed}`)];
      const done: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        const person = random.pick(people);
        done.push(`${person?.userId}: ${await person?.step(random)}`);
        for (const each of people) {
          expect({ done, has: await each.shown() }).toEqual({ done, has: each.model() });
        }
      }
    },
  );
});

interface Entry {
  readonly id: number;
  readonly title: string;
  readonly unread: boolean;
  readonly starred: boolean;
}

class Person {
  /** By feed id: entries by guid. */
  readonly #feeds = new Map<number, Map<string, Entry>>();
  /** Feed ids by app and name. */
  readonly #ids = new Map<string, number>();
  /** What a client knows that only asks for changes. */
  readonly #known = new Map<number, ItemJson>();
  #cursor = 0;
  #edits = 0;
  #newestId = 0;
  readonly #faults: string[] = [];

  private constructor(
    readonly userId: string,
    private readonly news: NewsClient,
  ) {}

  static async begin(userId: string): Promise<Person> {
    const user = await app.signInOnce(userId);
    for (const { appId } of apps) {
      await app.inside(ConsentsService).decide(appId, userId, 'granted');
    }
    return new Person(userId, new NewsClient(user, 'v1-3'));
  }

  /** @returns what it did */
  async step(random: Random): Promise<string> {
    const what = random.next();
    if (what < 0.55 || this.#feeds.size === 0) {
      return this.#add(random);
    }
    if (what < 0.85) {
      return this.#mark(random);
    }
    if (what < 0.95) {
      await app.inside(UpdateCycle).afterUpdate();
      return 'cleans up';
    }
    return this.#delete(random);
  }

  async shown(): Promise<object> {
    const cursor = await app.nowMicros();
    for (const item of await this.news.changedItems(this.#cursor)) {
      this.#known.set(item.id, item);
    }
    this.#cursor = cursor;
    const items = await this.news.items();
    const feeds = new Set(this.#feeds.keys());
    const known = [...this.#known.values()].filter(({ feedId }) => feeds.has(feedId));
    const unread = (await this.news.feedList()).feeds.map(({ id, unreadCount }) => [
      id,
      unreadCount,
    ]);
    return {
      items: sorted(items),
      known: sorted(known),
      unread: unread.sort(),
      faults: this.#faults,
    };
  }

  model(): object {
    const items = [...this.#feeds].flatMap(([feedId, entries]) =>
      [...entries].map(([guid, entry]) => ({ feedId, guid, ...entry })),
    );
    const unread = [...this.#feeds].map(([feedId, entries]) => [
      feedId,
      [...entries.values()].filter((entry) => entry.unread).length,
    ]);
    return { items: sorted(items), known: sorted(items), unread: unread.sort(), faults: [] };
  }

  async #add(random: Random): Promise<string> {
    const external = random.pick(apps);
    const feedTitle = random.pick(FEEDS);
    const items = Array.from({ length: 1 + random.below(4) }, () => {
      const key = random.below(KEYS);
      const title = random.chance(0.5) ? `title ${key}` : `edit ${(this.#edits += 1)}`;
      // Of even keys the guid identifies the item, regardless of its address; of odd ones the address.
      return key % 2 === 0
        ? { guid: `guid ${key}`, title, url: `https://a.example/${random.below(3)}` }
        : { title, url: `https://a.example/${key}` };
    });
    const answer = await ok<{
      feedId: number;
      items: readonly { id: number; guid: string }[];
    }>(
      external?.as(this.userId).call('POST', '/index.php/apps/news/api/v1-3/items', {
        json: { feedTitle, items },
      }) ?? Promise.reject(new Error('no app')),
    );
    const name = `${external?.appId} ${feedTitle}`;
    if ((this.#ids.get(name) ?? answer.feedId) !== answer.feedId) {
      this.#faults.push(`${name} is another feed now`);
    }
    this.#ids.set(name, answer.feedId);
    const entries = this.#feeds.get(answer.feedId) ?? new Map<string, Entry>();
    this.#feeds.set(answer.feedId, entries);
    const ids = new Map(answer.items.map(({ id, guid }) => [guid, id]));
    for (const { guid: written, title, url } of items as {
      guid?: string;
      title: string;
      url: string;
    }[]) {
      const guid = written ?? url;
      const former = entries.get(guid);
      const id = ids.get(guid) ?? -1;
      // Ids rise, and are never given again.
      if (former === undefined ? id <= this.#newestId : former.id !== id) {
        this.#faults.push(`${guid} has the id ${id}`);
      }
      entries.set(guid, { unread: true, starred: false, ...former, id, title });
    }
    this.#newestId = Math.max(this.#newestId, ...ids.values());
    return `${name} adds ${JSON.stringify(items)}`;
  }

  async #mark(random: Random): Promise<string> {
    const entries = random.pick([...this.#feeds.values()]) ?? new Map<string, Entry>();
    const [guid, entry] = random.pick([...entries]) ?? ['', null];
    if (entry === null) {
      return 'has nothing to mark';
    }
    const isStar = random.chance(0.5);
    const change = isStar ? { starred: !entry.starred } : { unread: !entry.unread };
    const verb = isStar ? (entry.starred ? 'unstar' : 'star') : entry.unread ? 'read' : 'unread';
    await ok(this.news.change(`/items/${entry.id}/${verb}`));
    entries.set(guid, { ...entry, ...change });
    return `${verb} of ${entry.id}`;
  }

  async #delete(random: Random): Promise<string> {
    const [name, feedId] = random.pick([...this.#ids]) ?? ['', 0];
    const isUndoable = random.chance(0.5);
    await ok(this.news.delete(`/feeds/${feedId}${isUndoable ? '?undoable=1' : ''}`));
    this.#ids.delete(name);
    this.#feeds.delete(feedId);
    return `deletes ${name}`;
  }
}

function sorted(
  items: readonly (Entry | ItemJson)[],
): readonly Pick<ItemJson, 'id' | 'guid' | 'feedId' | 'title' | 'unread' | 'starred'>[] {
  return (items as readonly ItemJson[])
    .map(({ id, guid, feedId, title, unread, starred }) => ({
      id,
      guid,
      feedId,
      title,
      unread,
      starred,
    }))
    .toSorted((a, b) => a.id - b.id);
}

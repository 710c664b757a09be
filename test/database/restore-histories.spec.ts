import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ApiClient } from '../support/api-client.js';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { histories, isLong } from '../support/long.js';
import type { FeedListJson, FolderJson, ItemJson } from '../support/news-client.js';
import { runCommand } from '../support/run-command.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { createTestDatabase, urlOfDatabase } from '../support/test-database.js';

const API = '/index.php/apps/news/api/v1-3';
const STEPS = isLong ? 14 : 7;

let folder: string;
let publisher: FeedServer;
beforeAll(async () => {
  folder = await temporaryFolder('restore-histories');
  publisher = await startFeedServer();
});
afterAll(async () => {
  await publisher.close();
  await rm(folder, { recursive: true });
});

/** What clients have seen: the name of every id, by kind, and the latest change. */
class Seen {
  readonly #names = new Map<string, string>();
  #lastModified = 0;

  /** @throws Error when the id had another name, or a new change an older time than one before */
  note(kind: string, id: number, name: string): void {
    const key = `${kind} ${id}`;
    const before = this.#names.get(key);
    if (before !== undefined && before !== name) {
      throw new Error(`${key} was "${before}" and is "${name}"`);
    }
    this.#names.set(key, name);
  }

  /** @param isNew whether the change was made after all that were noted */
  noteChange(lastModified: number, isNew: boolean): void {
    if (isNew && lastModified < this.#lastModified) {
      throw new Error(`A change is of ${lastModified}, after one of ${this.#lastModified}`);
    }
    this.#lastModified = Math.max(this.#lastModified, lastModified);
  }
}

/** A small generator, so that a failing history can be repeated. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** One user's history; guids and names are unique, also after the restore. */
class History {
  #n = 0;
  #guids: string[] = [];

  constructor(
    private readonly seed: number,
    private readonly pick: (below: number) => number,
    readonly seen: Seen,
  ) {}

  async run(app: TestApp, user: ApiClient, userId: string): Promise<void> {
    if (this.#n === 0) {
      publisher.publish(this.#address, this.#document('Feed'));
      await user.post(`${API}/feeds`, { url: publisher.url(this.#address), folderId: null });
    }
    for (let step = 0; step < STEPS; step++) {
      await this.#step(app, user, userId);
      await this.#look(user);
    }
  }

  async #step(app: TestApp, user: ApiClient, userId: string): Promise<void> {
    this.#n += 1;
    switch (this.pick(4)) {
      case 0:
        await user.post(`${API}/folders`, { name: `folder ${this.#n}` });
        return;
      case 1:
        await this.#publish(app, user, userId);
        return;
      case 2:
        await this.#flag(user);
        return;
      default:
        await this.#follow(user);
    }
  }

  get #address(): string {
    return `/history-${this.seed}.xml`;
  }

  #document(title: string): string {
    this.#guids.push(`guid ${this.#n}`);
    const items = this.#guids.map((guid) => ({
      guid,
      title: guid,
      link: `https://x.example/${guid}`,
    }));
    return rss({ title, items });
  }

  async #publish(app: TestApp, user: ApiClient, userId: string): Promise<void> {
    publisher.publish(this.#address, this.#document('Feed'));
    const { feeds } = (await user.get(`${API}/feeds`)).json as FeedListJson;
    for (const { id } of feeds) {
      await app.asAdmin().get(`${API}/feeds/update`, { query: { userId, feedId: id } });
    }
  }

  /** Of the newest item, whose change must then be the latest that clients have seen. */
  async #flag(user: ApiClient): Promise<void> {
    const [item] = await this.#items(user);
    if (item === undefined) {
      return;
    }
    const mark = item.unread ? 'read' : 'unread';
    await user.post(`${API}/items/${item.id}/${mark}`);
    const changed = (await this.#items(user)).find(({ id }) => id === item.id);
    this.seen.noteChange(changed?.lastModified ?? 0, true);
  }

  async #follow(user: ApiClient): Promise<void> {
    const at = `/history-${this.seed}-${this.#n}.xml`;
    const guid = `first of ${at}`;
    publisher.publish(
      at,
      rss({ title: at, items: [{ guid, title: guid, link: 'https://x.example/' }] }),
    );
    await user.post(`${API}/feeds`, { url: publisher.url(at), folderId: null });
  }

  async #items(user: ApiClient): Promise<readonly ItemJson[]> {
    const query = { type: 3, getRead: true, batchSize: -1 };
    return ((await user.get(`${API}/items`, { query })).json as { items: ItemJson[] }).items;
  }

  async #look(user: ApiClient): Promise<void> {
    const { folders } = (await user.get(`${API}/folders`)).json as { folders: FolderJson[] };
    folders.forEach(({ id, name }) => this.seen.note('folder', id, name));
    const { feeds } = (await user.get(`${API}/feeds`)).json as FeedListJson;
    feeds.forEach(({ id, url }) => this.seen.note('feed', id, url));
    for (const { id, guid, lastModified } of await this.#items(user)) {
      this.seen.note('item', id, guid);
      this.seen.noteChange(lastModified, false);
    }
  }
}

it.each(Array.from({ length: histories(1, 2) }, (_, n) => n + 1))(
  'after a restore no id means something else, and no change is older than one seen (history %i)',
  async (seed) => {
    const app = await startApp({ GATEFOLD_REFRESH_REST_SECONDS: '0' });
    const [row] = await app.database.query<{ name: string }>('select current_database() as name');
    const settings = { DATABASE_URL: urlOfDatabase(row?.name ?? ''), GATEFOLD_DATA_DIR: folder };
    const backup = path.join(folder, `${seed}.backup`);
    // Migrated already, so that the restore need not do that.
    const there = await createTestDatabase();
    const user: TestUser = await app.signIn();
    const history = new History(seed, numbersFrom(seed), new Seen());
    try {
      await history.run(app, user, user.credentials.userId);
      expect((await runCommand(['backup', backup, '--no-files'], settings)).code).toBe(0);
      // Clients see what is lost by the restore.
      await history.run(app, user, user.credentials.userId);
    } finally {
      await app.stop();
    }
    const restored = await runCommand(['restore', backup], {
      ...settings,
      DATABASE_URL: there.url,
    });
    expect(restored.code).toBe(0);

    const again = await startApp({ DATABASE_URL: there.url, GATEFOLD_REFRESH_REST_SECONDS: '0' });
    try {
      const client = new ApiClient(again.url, user.credentials);
      await history.run(again, client, user.credentials.userId);
    } finally {
      await again.stop();
      await there.drop();
    }
  },
);

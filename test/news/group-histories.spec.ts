import { afterAll, describe, expect, it } from '@jest/globals';
import { GroupFoldersRepository } from '../../src/news/group-folders/group-folders.repository.js';
import { MembershipsService } from '../../src/news/group-folders/memberships.service.js';
import type { Reader } from '../../src/news/reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../../src/news/reader/feeds/subscriptions.repository.js';
import {
  ByChanges,
  ByIds,
  BySince,
  FeverDevice,
  wireOf,
  type Device,
  type Told,
} from '../support/devices.js';
import { feverClientOf } from '../support/fever-client.js';
import { publishArticles } from '../support/followed-sources.js';
import { Groups } from '../support/group-folders.js';
import { GroupModel, SOURCES } from '../support/group-model.js';
import { Random } from '../support/histories/random.js';
import { histories } from '../support/long.js';
import { NewsClient, ok, type FeedJson } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { startApp } from '../support/start-app.js';

/*
 * A person joins and leaves two groups, whose folders change, stars and reads, hides, shows, moves and follows feeds, by
 * five followers of three protocols, while connections of the database are cut. After each synchronisation, folders,
 * feeds and items are those of a model, with the ids that they had; a second person, who is in no group, has nothing.
 * More with GENERATED_HISTORIES=n.
 */

const HISTORIES = histories(2, 60);
const STEPS = 60;

const app = await startApp();
afterAll(() => app.stop());
const groups = new Groups(app);

describe('five followers of three protocols', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'have what two groups give, and keep what is theirs: history %i',
    async (seed) => {
      const person = await Person.begin(seed);
      const done: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        done.push(await person.step());
        const { expected, shown } = await person.compareIfSettled();
        expect({ seed, done, shown }).toEqual({ seed, done, shown: expected });
      }
      for (const { expected, shown } of await person.followers()) {
        expect({ seed, done, shown }).toEqual({ seed, done, shown: expected });
      }
      expect(await person.stranger()).toEqual([[], []]);
    },
  );
});

class Person {
  #isSettled = true;
  readonly #random: Random;
  readonly #model = new GroupModel();
  readonly #folderIds: (number | null)[] = [null, null];
  #articles = 0;

  private constructor(
    private readonly seed: number,
    private readonly reader: Reader,
    private readonly news: NewsClient,
    private readonly other: NewsClient,
    private readonly sourceIds: readonly number[],
    private readonly devices: readonly Device[],
  ) {
    this.#random = new Random(seed);
  }

  static async begin(seed: number): Promise<Person> {
    const [user, other] = [await app.signIn(), await app.signIn()];
    const { userId } = user.credentials;
    const names = Array.from({ length: SOURCES }, (_, n) => `source-${n}`);
    const sources = await app.database.query<{ id: number }>(
      `insert into source (url, url_key, title)
       select $1 || '/' || name, decode(md5($1 || name), 'hex'), name from unnest($2::text[]) as name
       returning id`,
      [`https://${userId}.example`, names],
    );
    await groups.create(`0-${seed}`);
    await groups.create(`1-${seed}`);
    const news = new NewsClient(user, 'v1-3');
    const told: Told[] = [];
    const random = (n: number) => new Random(seed * 10 + n);
    const wire = await wireOf(user);
    const person = new Person(
      seed,
      await readerOf(app, userId),
      news,
      new NewsClient(other, 'v1-3'),
      sources.map(({ id }) => id),
      [
        new ByChanges(news, random(1), told),
        new ByChanges(new NewsClient(user, 'v1-2'), random(2), told),
        new ByIds(wire, random(3), told),
        new BySince('timestampUsec', wire, random(4), told),
        new FeverDevice(await feverClientOf(app, user), random(5), told),
      ],
    );
    await person.#changeFolder(0);
    await person.#changeFolder(1);
    return person;
  }

  async step(): Promise<string> {
    const steps: (() => Promise<string>)[] = [
      () => this.#publish(),
      () => this.#publish(),
      () => this.#joinOrLeave(),
      () => this.#joinOrLeave(),
      () => this.#changeFolder(this.#random.below(2)),
      () => this.#changeFolder(this.#random.below(2)),
      () => this.#mark(),
      () => this.#mark(),
      () => this.#removeFeed(),
      () => this.#removeFolder(),
      () => this.#show(),
      () => this.#moveOut(),
      () => this.#follow(),
      () => this.#cut(),
      () => this.#settle(),
      () => this.#settle(),
      () => this.#settle(),
    ];
    return (this.#random.pick(steps) ?? (() => this.#settle()))();
  }

  async compareIfSettled(): Promise<{ readonly expected: object; readonly shown: object }> {
    return this.#isSettled ? this.compare() : { expected: {}, shown: {} };
  }

  /** What the model expects, with ids as they were first seen, and what there is. */
  async compare(): Promise<{ readonly expected: object; readonly shown: object }> {
    const [folders, { feeds }, items] = [
      await this.news.folders(),
      await this.news.feedList(),
      await this.news.items({ type: 3 }),
    ];
    const titles = new Map(feeds.map(({ id, title }) => [id, title]));
    const isFrom = (feedId: number) => (titles.get(feedId) ?? '').startsWith('From ');
    const shown = {
      folders: folders.map(({ name }) => name),
      feeds: feeds
        .filter(({ id }) => !isFrom(id))
        .map(({ id, title, unreadCount }) => [title, id, unreadCount]),
      items: items
        .map(({ id, title, feedId, unread, starred }) => [
          title,
          isFrom(feedId),
          id,
          unread,
          starred,
        ])
        .toSorted(),
    };
    return { shown, expected: this.#model.expected(feeds, items, isFrom) };
  }

  /** After one more synchronisation of each: the flags of what is there still. */
  async followers() {
    await this.#settle();
    for (const device of [...this.devices, ...this.devices]) {
      await device.sync();
    }
    const items = await this.news.items({ type: 3 });
    return this.devices.map((device) => {
      // A client of Fever never learns again of what it dropped with its feed, if that is read and not saved, and one
      // that asks for what has arrived since never of what arrived before, with a feed that was hidden then.
      const known = items.filter(
        ({ id, unread, starred }) =>
          device.items.has(id) ||
          !(device instanceof BySince || (device instanceof FeverDevice && !unread && !starred)),
      );
      return {
        expected: known.map(({ id, unread, starred }) => [id, { read: !unread, starred }]),
        shown: known.map(({ id }) => [id, device.items.get(id)]),
      };
    });
  }

  async stranger(): Promise<readonly [object, object]> {
    return [await this.other.folders(), (await this.other.feedList()).feeds];
  }

  async #publish(): Promise<string> {
    const n = this.#random.below(SOURCES);
    const guid = `${n}-${(this.#articles += 1)}`;
    await publishArticles(app, this.sourceIds[n] ?? 0, [{ guid, title: guid }]);
    this.#model.publish(n, guid);
    this.#isSettled = false;
    return `source-${n} published ${guid}`;
  }

  async #joinOrLeave(): Promise<string> {
    const n = this.#random.below(2);
    const isMember = !this.#model.memberships[n];
    const { userId } = this.reader;
    await (isMember
      ? groups.enter(`${n}-${this.seed}`, userId)
      : groups.leave(`${n}-${this.seed}`, userId));
    this.#model.memberships[n] = isMember;
    this.#isSettled = false;
    return `${isMember ? 'joins' : 'leaves'} ${n}`;
  }

  /** Other feeds, other rights, now and then another folder. */
  async #changeFolder(n: number): Promise<string> {
    let folderId = this.#folderIds[n] ?? null;
    if (folderId !== null && this.#random.chance(0.1)) {
      await groups.removeFolder(folderId);
      this.#folderIds[n] = null;
      this.#model.setFolder(n, null, null);
      this.#isSettled = false;
      return `folder ${n} is removed`;
    }
    folderId ??= await groups.createFolder(`${n}-${this.seed}`, `Folder ${n}`);
    this.#folderIds[n] = folderId;
    const feeds = new Map<number, boolean>();
    for (let source = 0; source < SOURCES; source += 1) {
      if (this.#random.chance(0.5)) {
        feeds.set(source, this.#random.chance(0.4));
      }
    }
    const rows = app.inside(GroupFoldersRepository);
    await rows.change(folderId, async (tx) => {
      const entries = await rows.feeds([folderId]);
      const isKept = (sourceId: number) => feeds.has(this.sourceIds.indexOf(sourceId));
      for (const { id, sourceId } of entries) {
        await (isKept(sourceId)
          ? rows.setMandatory(
              folderId,
              id,
              feeds.get(this.sourceIds.indexOf(sourceId)) === true,
              tx,
            )
          : rows.removeFeed(folderId, id, tx));
      }
      const wanted = [...feeds].map(([source, isMandatory]) => ({
        sourceId: this.sourceIds[source] ?? 0,
        url: `https://source-${source}.example`,
        isMandatory,
      }));
      await rows.addFeeds(folderId, wanted, tx);
    });
    this.#model.setFolder(n, folderId, feeds);
    this.#isSettled = false;
    return `folder ${n} has ${[...feeds].map(([s, m]) => (m ? `${s}!` : s)).join()}`;
  }

  async #mark(): Promise<string> {
    await this.#settle();
    // Now the model knows the ids.
    await this.compare();
    const items = await this.news.items({ type: 3 });
    const item = this.#random.pick(items);
    if (item === undefined) {
      return 'nothing to mark';
    }
    const flag = this.#random.chance(0.4) ? 'read' : 'starred';
    const device = this.#random.pick(this.devices);
    const value = this.#random.chance(0.7);
    await device?.markThese([item.id], flag, value);
    this.#model.mark(item.id, flag, value);
    return `marked ${item.title} ${flag} ${value}`;
  }

  async #removeFeed(): Promise<string> {
    const [feed, source] = await this.#feed();
    if (feed === undefined) {
      return 'no feed to remove';
    }
    const { status } = await this.news.delete(`/feeds/${feed.id}`);
    this.#isSettled = false;
    return `removes source-${source}: ${status} ${this.#model.remove(source) === status}`;
  }

  async #removeFolder(): Promise<string> {
    await this.#settle();
    const folder = this.#random.pick(await this.news.folders());
    if (folder === undefined) {
      return 'no folder to remove';
    }
    const n = Number(folder.name.at(-1));
    const { status } = await this.news.delete(`/folders/${folder.id}`);
    this.#isSettled = false;
    return `removes ${folder.name}: ${status} ${this.#model.removeFolder(n) === status}`;
  }

  async #show(): Promise<string> {
    const source = this.#random.below(SOURCES);
    const feedId = this.#model.feedIdOf(source);
    const { status } = await this.news.post(`/feeds/${feedId}/restore`);
    this.#isSettled = false;
    return `shows source-${source}: ${status} ${this.#model.show(source) === status}`;
  }

  async #moveOut(): Promise<string> {
    const [feed, source] = await this.#feed();
    if (feed?.folderId === null || feed === undefined) {
      return 'no feed to move';
    }
    const { status } = await this.news.post(`/feeds/${feed.id}/move`, { folderId: null });
    this.#isSettled = false;
    return `moves source-${source}: ${status} ${this.#model.moveOut(source) === status}`;
  }

  /** Without the publisher. */
  async #follow(): Promise<string> {
    await this.#settle();
    const source = this.#random.below(SOURCES);
    if (!this.#model.follow(source)) {
      return `has source-${source}`;
    }
    const feed = {
      sourceId: this.sourceIds[source] ?? 0,
      folderId: null,
      url: `https://source-${source}.example`,
      title: null,
    };
    await app.inside(ReadersRepository).change(this.reader, async (tx, { id }) => {
      await app.inside(SubscriptionsRepository).createMany(id, [feed], tx);
    });
    this.#isSettled = false;
    return `follows source-${source}`;
  }

  /** Connections end in the middle of the work, which the next synchronisation does. */
  async #cut(): Promise<string> {
    const work = app.inside(MembershipsService).bringUpToDate({ ...this.reader });
    await app.database
      .query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
      )
      .catch(() => {});
    const isDone = await work.then(
      () => true,
      () => false,
    );
    return `is cut: ${isDone ? 'after' : 'before'} the end; ${await this.#settle()}`;
  }

  /** By any of the programs. */
  async #settle(): Promise<string> {
    const n = this.#random.below(this.devices.length);
    await this.devices[n]?.sync();
    this.#model.settle();
    this.#isSettled = true;
    return `synchronises ${n}`;
  }

  async #feed(): Promise<readonly [FeedJson | undefined, number]> {
    await this.#settle();
    const { feeds } = await ok<{ feeds: FeedJson[] }>(this.news.get('/feeds'));
    const feed = this.#random.pick(feeds.filter(({ title }) => title.startsWith('source-')));
    return [feed, Number(feed?.title.at(-1))];
  }
}

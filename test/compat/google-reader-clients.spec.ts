import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Credentials } from '../support/api-client.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { CapyReader } from '../support/google-reader/capy-reader.js';
import { FluentReader } from '../support/google-reader/fluent-reader.js';
import { Liferea } from '../support/google-reader/liferea.js';
import { NetNewsWire } from '../support/google-reader/net-news-wire.js';
import { Newsboat } from '../support/google-reader/newsboat.js';
import type { Article, Program } from '../support/google-reader/program.js';
import { ReadYou } from '../support/google-reader/read-you.js';
import { Readrops } from '../support/google-reader/readrops.js';
import { RssGuard } from '../support/google-reader/rss-guard.js';
import { Twine } from '../support/google-reader/twine.js';
import { Vienna } from '../support/google-reader/vienna.js';
import {
  authLine,
  hex,
  long,
  READ,
  READING_LIST,
  ReaderWire,
  Refused,
} from '../support/google-reader/wire.js';
import { describeLong } from '../support/long.js';
import { NewsClient, type FeedJson } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import type { TestUser } from '../support/start-app.js';

/**
 * Programs that speak the API of Google Reader, as they send their requests and as strictly as they
 * read the answers (test/support/google-reader). The News API shows what the server has.
 */
const PROGRAMS: readonly [name: string, make: (url: string) => Program][] = [
  ['NetNewsWire', (url) => new NetNewsWire(url)],
  ['Read You', (url) => new ReadYou(url)],
  ['Capy Reader', (url) => new CapyReader(url)],
  ['RSS Guard', (url) => new RssGuard(url)],
  ['newsboat', (url) => new Newsboat(url)],
  ['Fluent Reader', (url) => new FluentReader(url)],
];

/** Run before a release, since each takes a second. */
const MORE_PROGRAMS: typeof PROGRAMS = [
  ['Readrops', (url) => new Readrops(url)],
  ['Vienna', (url) => new Vienna(url)],
  ['Liferea 1.14.4', (url) => new Liferea(url, '1.14.4')],
  ['Liferea 1.15.8', (url) => new Liferea(url, '1.15.8')],
  ['Twine', (url) => new Twine(url)],
];

const { app, publisher } = await sharedService();
const admin = new NewsClient(app.asAdmin(), 'v1-2');

const FOLDER = 'Café & Tee + Küche';
const OTHER_FOLDER = 'Ärger';

/** Items with little in them, and with much. */
const FIRST: readonly RssItem[] = [
  { title: 'plain', link: 'https://publisher.example/plain', guid: 'urn:x:plain' },
  { title: '', guid: 'urn:x:no-title', body: '<p>Without a title</p>' },
  { title: '', guid: 'urn:x:nothing' },
  {
    title: 'a < b & "c" 🦜',
    guid: 'urn:x:characters',
    link: 'https://publisher.example/?a=1&b=2',
    body: '<p>Text &amp; more</p>',
    author: 'Ada & Eve',
    pubDate: new Date('1999-01-01T00:00:00Z'),
    xml: '<category>Science</category>',
  },
  {
    title: 'podcast',
    guid: 'urn:x:podcast',
    enclosure: { url: 'https://publisher.example/a.mp3', type: 'audio/mpeg', length: 12 },
    pubDate: new Date('2037-01-01T00:00:00Z'),
  },
];

const LATER: readonly RssItem[] = [
  { title: 'later', guid: 'urn:x:later', pubDate: new Date() },
  { title: 'back-dated', guid: 'urn:x:dated', pubDate: new Date('2001-01-01T00:00:00Z') },
];

let nextAddress = 0;

describe.each(PROGRAMS)('%s', (_name, make) => {
  staysInStep(make);
});
describeLong.each(MORE_PROGRAMS)('%s', (_name, make) => {
  staysInStep(make);
});

function staysInStep(make: (url: string) => Program): void {
  /** Tells what the program can do. */
  const can = make(app.url);
  let user: TestUser;
  let news: NewsClient;
  let program: Program;
  let feed: FeedJson;
  let path: string;
  let rootFeed: FeedJson;

  beforeAll(async () => {
    user = await app.signIn();
    news = new NewsClient(user, 'v1-3');
    program = make(app.url);
    path = `/feed-${nextAddress++}.xml`;
    publish(path, FIRST);
    const folder = await news.createFolder(FOLDER);
    feed = await news.subscribe(publisher.url(path), folder.id);
    publish(`/root${path}`, [{ title: 'at the root', guid: 'urn:x:root' }]);
    rootFeed = await news.subscribe(publisher.url(`/root${path}`));
    // Somebody else's, which must never be seen.
    const stranger = new NewsClient(await app.signIn(), 'v1-3');
    await stranger.subscribe(publisher.url(path));
  });

  const publish = (at: string, items: readonly RssItem[]) =>
    publisher.publish(at, rss({ title: `Feed ${at}`, link: publisher.url('/'), items }));

  async function appPassword(): Promise<Credentials & { id: number }> {
    const answer = await user.call('POST', '/ocs/v2.php/core/apppasswords', {
      query: { format: 'json' },
      json: { name: 'reader' },
      headers: { 'ocs-apirequest': 'true' },
    });
    const { data } = (answer.json as { ocs: { data: { id: number; token: string } } }).ocs;
    return { userId: user.credentials.userId, password: data.token, id: data.id };
  }

  /** The flags of all items, as the News API has them. */
  async function onServer() {
    const items = await news.items({ batchSize: -1, getRead: true });
    return new Map(items.map(({ id, unread, starred }) => [id, { read: !unread, starred }]));
  }

  /** The same as the program has them. */
  function inProgram() {
    return new Map(
      [...program.articles.values()]
        .toSorted((a, b) => b.item - a.item)
        .map(({ item, read, starred }) => [item, { read, starred }]),
    );
  }

  async function expectInStep(): Promise<void> {
    const server = await onServer();
    for (const flags of server.values()) {
      flags.starred &&= program.seesStars;
    }
    expect(inProgram()).toEqual(server);
  }

  async function article(title: string): Promise<Article> {
    const { id } = await news.item(title);
    const found = program.articles.get(id);
    if (found === undefined) {
      throw new Error(`The program does not have "${title}"`);
    }
    return found;
  }

  const flagsOf = async (title: string) => {
    const { unread, starred } = await news.item(title);
    return { read: !unread, starred };
  };

  /** The feed as the program has it. */
  function shelved({ id }: { readonly id: number }) {
    const found = program.feeds.find((each) => each.id === `feed/${id}`);
    if (found === undefined) {
      throw new Error('The program does not have the feed');
    }
    return found;
  }

  const folderOf = async ({ id }: { readonly id: number }) => {
    const { folderId } = await news.feed(id);
    return (await news.folders()).find((folder) => folder.id === folderId)?.name ?? null;
  };

  const folders = async () => (await news.folders()).map(({ name }) => name);

  it('logs in and gets all articles', async () => {
    await program.logIn(await appPassword());
    await program.sync();

    await expectInStep();
    for (const { title, feedId } of program.articles.values()) {
      expect(title).toMatch(/\S/);
      expect([`feed/${feed.id}`, `feed/${rootFeed.id}`]).toContain(feedId);
    }
    expect((await article('a < b & "c" 🦜')).link).toBe('https://publisher.example/?a=1&b=2');
  });

  it('shows the folders', () => {
    expect(Object.fromEntries(program.feeds.map(({ id, folder }) => [id, folder]))).toEqual({
      [`feed/${feed.id}`]: FOLDER,
      [`feed/${rootFeed.id}`]: null,
    });
  });

  it('reads and stars, which the News API shows', async () => {
    await program.setRead(await article('plain'), true);
    await program.setRead(await article('podcast'), true);
    await program.setStarred(await article('podcast'), true);
    await program.setStarred(await article('a < b & "c" 🦜'), true);

    expect(await flagsOf('plain')).toEqual({ read: true, starred: false });
    expect(await flagsOf('podcast')).toEqual({ read: true, starred: true });
    expect(await flagsOf('a < b & "c" 🦜')).toEqual({ read: false, starred: true });
    await program.sync();
    await expectInStep();
  });

  it('takes both back', async () => {
    await program.setRead(await article('plain'), false);
    await program.setStarred(await article('podcast'), false);

    expect(await flagsOf('plain')).toEqual({ read: false, starred: false });
    expect(await flagsOf('podcast')).toEqual({ read: true, starred: false });
    await program.sync();
    await expectInStep();
  });

  it('gets what arrived and what others changed since, also articles with an old date', async () => {
    publish(path, [...LATER, ...FIRST]);
    await admin.update(user.credentials.userId, feed.id);
    await news.post(`/items/${(await news.item('plain')).id}/read`);
    await news.post(`/items/${(await news.item('podcast')).id}/unread`);
    await news.star(await news.item('podcast'));
    await program.sync();

    await expectInStep();
    expect(await article('back-dated')).toMatchObject({ read: false });
    expect(await article('later')).toMatchObject({ read: false });
  });

  if (can.markFeedRead) {
    it('marks a feed read', async () => {
      await program.markFeedRead?.(shelved(feed));

      expect(await news.feed(feed.id)).toMatchObject({ unreadCount: 0 });
      expect(await news.feed(rootFeed.id)).toMatchObject({ unreadCount: 1 });
      await program.sync();
      await expectInStep();
    });
  }

  if (can.subscribe) {
    let added: FeedJson;

    it('adds a feed, in a folder that it makes', async () => {
      const address = `/added${path}?a=1&b=2`;
      publish(address, [{ title: 'of the new feed', guid: 'urn:x:new' }]);
      await program.subscribe?.(publisher.url(address), OTHER_FOLDER);

      const { feeds } = await news.feedList();
      const found = feeds.find(({ url }) => url === publisher.url(address));
      expect(found).toBeDefined();
      added = found ?? feed;
      expect(await folderOf(added)).toBe(OTHER_FOLDER);
      await program.sync();
      await expectInStep();
      expect(shelved(added)).toMatchObject({ folder: OTHER_FOLDER });
    });

    if (can.renameFeed) {
      it('renames it', async () => {
        await program.renameFeed?.(shelved(added), 'Neu & schön + gut');

        expect(await news.feed(added.id)).toMatchObject({ title: 'Neu & schön + gut' });
        await program.sync();
        expect(shelved(added)).toMatchObject({ title: 'Neu & schön + gut' });
        expect(await folderOf(added)).toBe(OTHER_FOLDER);
      });
    }

    if (can.moveFeed) {
      it('moves it', async () => {
        await program.moveFeed?.(shelved(added), FOLDER);

        expect(await folderOf(added)).toBe(FOLDER);
        await program.sync();
        expect(shelved(added)).toMatchObject({ folder: FOLDER });
      });
    }

    it('removes it', async () => {
      await program.unsubscribe?.(shelved(added));

      expect((await news.feedList()).feeds.map(({ id }) => id)).not.toContain(added.id);
    });
  }

  if (can.createFolder) {
    it('makes a folder without feeds', async () => {
      await program.createFolder?.('Made & empty');

      expect(await folders()).toContain('Made & empty');
    });
  }

  if (can.renameFolder) {
    it('renames a folder', async () => {
      await program.renameFolder?.(FOLDER, 'Renamed');

      expect(await folders()).toContain('Renamed');
      expect(await folderOf(feed)).toBe('Renamed');
    });

    it('removes a folder; its feeds stay', async () => {
      await program.removeFolder?.('Renamed');

      expect(await folders()).not.toContain('Renamed');
      expect(await folderOf(feed)).toBeNull();
    });
  }

  it('is refused as soon as its app password is revoked', async () => {
    const password = await appPassword();
    const other = make(app.url);
    await other.logIn(password);
    await other.sync();
    const revoked = await user.call('DELETE', `/ocs/v2.php/core/apppasswords/${password.id}`, {
      query: { format: 'json' },
      headers: { 'ocs-apirequest': 'true' },
    });

    expect(revoked.status).toBe(200);
    const refused = await other.sync().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refused);
    expect(refused).toMatchObject({ status: 401 });
  });

  it('logs in with the password of the account, twice as one program', async () => {
    await make(app.url).logIn(user.credentials);
    const second = make(app.url);
    await second.logIn(user.credentials);
    await second.sync();

    const answer = await user.call('GET', '/ocs/v2.php/core/apppasswords', {
      query: { format: 'json' },
      headers: { 'ocs-apirequest': 'true' },
    });
    const { data } = (answer.json as { ocs: { data: { name: string }[] } }).ocs;
    expect(data.filter(({ name }) => name !== 'reader')).toHaveLength(1);
  });

  it('is told when the password is wrong', async () => {
    const wrong = make(app.url).logIn({ userId: user.credentials.userId, password: 'wrong' });

    await expect(wrong).rejects.toMatchObject({ status: 401 });
  });
}

describe('habits of closed programs', () => {
  let user: TestUser;
  let news: NewsClient;
  let wire: ReaderWire;

  beforeAll(async () => {
    user = await app.signIn();
    news = new NewsClient(user, 'v1-3');
    publisher.publish('/habits.xml', rss({ title: 'Habits', items: FIRST }));
    await news.subscribe(publisher.url('/habits.xml'));
    wire = new ReaderWire(`${app.url}/api/greader.php`, 'Reeder/5050001 CFNetwork/1410.0.3');
    const { userId, password } = user.credentials;
    const { text } = await wire.post('/accounts/ClientLogin', [
      ['Email', userId],
      ['Passwd', password],
    ]);
    wire.auth = authLine(text);
  });

  it('Reeder sends x as T, and item ids as 16 hexadecimal digits', async () => {
    const { id } = await news.item('plain');
    await wire.post('/reader/api/0/edit-tag', [
      ['i', hex(id)],
      ['a', READ],
      ['T', 'x'],
    ]);
    const { json } = await wire.post('/reader/api/0/stream/items/contents', [['i', hex(id)]]);

    expect(await news.item('plain')).toMatchObject({ unread: false });
    expect(json).toMatchObject({ items: [{ id: long(id), categories: [READING_LIST, READ] }] });
  });

  it('Reeder reads a continuation as text', async () => {
    const path = `/reader/api/0/stream/items/ids?s=${READING_LIST}&n=2`;
    const { continuation } = await wire.json(z.object({ continuation: z.string() }), path);

    expect(continuation).toMatch(/^\d+$/);
  });

  it('FeedMe sends no T, marks a list read by the microseconds of its newest article', async () => {
    const Items = z.object({ items: z.array(z.object({ timestampUsec: z.string() })).min(1) });
    const path = `/reader/api/0/stream/contents/${READING_LIST}?c=null&n=1`;
    const { items } = await wire.json(Items, path);
    await wire.post('/reader/api/0/mark-all-as-read', [
      ['s', READING_LIST],
      ['ts', items[0]?.timestampUsec ?? ''],
    ]);

    expect((await news.items()).filter(({ unread }) => unread)).toEqual([]);
  });
});

describe('labels on articles', () => {
  it('of Capy Reader are saved searches, which RSS Guard shows as labels', async () => {
    const user = await app.signIn();
    const news = new NewsClient(user, 'v1-3');
    publisher.publish('/labels.xml', rss({ title: 'Labels', items: FIRST }));
    await news.subscribe(publisher.url('/labels.xml'));
    const [capy, guard] = [new CapyReader(app.url), new RssGuard(app.url)];
    await capy.logIn(user.credentials);
    await guard.logIn(user.credentials);
    await capy.sync();
    const { id } = await news.item('plain');
    const article = capy.articles.get(id);
    await capy.saveTo(article ?? never(), 'Später lesen', true);
    await capy.sync();
    await guard.sync();

    expect(capy.savedSearches).toEqual(['Später lesen']);
    expect(guard.labels).toEqual(['Später lesen']);
    expect(guard.folders).toEqual([]);
    expect(await capy.savedIn('Später lesen')).toEqual(new Set([id]));
    await guard.setLabel(guard.articles.get(id) ?? never(), 'Später lesen', false);
    expect(await capy.savedIn('Später lesen')).toEqual(new Set());
  });

  it('RSS Guard exports feeds, and imports them again', async () => {
    const user = await app.signIn();
    const news = new NewsClient(user, 'v1-3');
    publisher.publish('/opml.xml', rss({ title: 'Opml', items: [] }));
    const folder = await news.createFolder('Sea & more');
    const { id } = await news.subscribe(publisher.url('/opml.xml'), folder.id);
    const guard = new RssGuard(app.url);
    await guard.logIn(user.credentials);
    const opml = await guard.exportOpml();
    await news.delete(`/feeds/${id}`);
    await guard.importOpml(opml);

    const { feeds } = await news.feedList();
    expect(feeds.map(({ url, folderId }) => ({ url, folderId }))).toEqual([
      { url: publisher.url('/opml.xml'), folderId: folder.id },
    ]);
  });
});

function never(): Article {
  throw new Error('The program does not have the article');
}

import { beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DiskSpace } from '../../src/common/disk/disk-space.js';
import { JOB_SCHEMA } from '../../src/database/job-schema.js';
import { ImportSteps } from '../../src/news/imports/import-steps.service.js';
import { ImportWork } from '../../src/news/imports/import-work.task.js';
import type { ImportedRow } from '../../src/news/imports/imported-row.js';
import { registerImportCommand } from '../../src/news/imports/imports.commands.js';
import { IMPORTS } from '../../src/news/imports/imports.service.js';
import { RetentionService } from '../../src/news/updater/retention.service.js';
import { AppPasswordsService } from '../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { rss } from '../support/feed-server.js';
import { freshRss, Imports } from '../support/imports.js';
import { NewsClient, ok } from '../support/news-client.js';
import { printedBy } from '../support/printed-by.js';
import { readerOf } from '../support/reader-of.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

/** Files of other readers. */

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_IMPORT_ITEMS_PER_MINUTE: '0',
  GATEFOLD_KEEP_READ_ITEMS: '1',
  GATEFOLD_LIMITS:
    'rows-per-import=20 imports-per-user=4 import-mebibytes=1 imported-rows-per-user=30 labels-per-user=25',
});

let user: TestUser;
let news: NewsClient;
let imports: Imports;
let tests = 0;
let feedUrl: string;
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  imports = new Imports(news);
  tests += 1;
  feedUrl = publisher.url(`/${tests}/feed`);
});

const follow = async () => {
  publisher.publish(
    `/${tests}/feed`,
    rss({
      title: 'Tides',
      link: `https://tides.example/${tests}/`,
      items: ['one', 'two'].map((name) => ({
        title: name,
        guid: `guid-${name}`,
        link: `https://tides.example/${tests}/${name}`,
        pubDate: new Date('2024-05-01'),
      })),
    }),
  );
  return news.subscribe(feedUrl);
};
const link = (name: string) => `https://tides.example/${tests}/${name}`;
const jobs = () =>
  app.database.query<{ state: string }>(
    `select state from ${JOB_SCHEMA}.job
      where name = '${IMPORTS.name}' and singleton_key = $1 and state < 'completed'`,
    [user.credentials.userId],
  );
const byTitle = async () => new Map((await news.items()).map((item) => [item.title, item]));

const FILES = new URL('./imports/', import.meta.url);
const expected = JSON.parse(await readFile(new URL('expected-rows.json', FILES), 'utf8')) as Record<
  string,
  { readonly rows?: readonly Partial<ImportedRow>[]; readonly opml?: number }
>;

describe('a file of another reader', () => {
  it('is shown before anything is imported', async () => {
    await follow();

    const read = await imports.read(
      freshRss([
        { title: 'one', guid: 'guid-one', starred: true, feed: { url: feedUrl } },
        {
          title: 'Gone',
          url: 'https://gone.example/1',
          starred: true,
          labels: ['Sea'],
          feed: { url: 'https://gone.example/feed' },
        },
      ]),
    );

    expect(read).toMatchObject({
      format: 'freshrss',
      program: 'FreshRSS',
      state: 'preview',
      rows: 2,
      preview: {
        articles: 2,
        ofFollowedFeeds: 1,
        pages: 0,
        found: 1,
        toStore: 1,
        starred: 2,
        labelled: 1,
      },
      leftOut: [],
    });
    expect([...(await byTitle()).keys()].sort()).toEqual(['one', 'two']);
    expect((await news.feedList()).starredCount).toBe(0);
  });

  it('stars and labels articles that are there, and stores the others', async () => {
    await follow();

    const done = await imports.do(
      freshRss([
        {
          title: 'one',
          guid: 'guid-one',
          starred: true,
          read: true,
          labels: ['Sea'],
          feed: { url: feedUrl },
        },
        {
          title: 'Gone',
          url: 'https://gone.example/1',
          body: '<p>Text<script>x()</script></p>',
          starred: true,
          read: true,
          labels: ['Sea', 'Land'],
          feed: { url: 'https://gone.example/feed', title: 'Gone feed' },
        },
      ]),
    );

    expect(done).toMatchObject({
      state: 'done',
      doneRows: 2,
      outcome: { stored: 1, found: 1, starred: 2, labelled: 2, read: 1, notFound: 0 },
    });
    const items = await byTitle();
    expect(items.get('one')).toMatchObject({ starred: true, unread: false, labels: ['Sea'] });
    expect(items.get('two')).toMatchObject({ starred: false, unread: true });
    expect(items.get('Gone')).toMatchObject({
      starred: true,
      unread: false,
      labels: ['Land', 'Sea'],
      body: '<p>Text</p>',
      url: 'https://gone.example/1',
      guid: 'https://gone.example/1',
      pubDate: 1_600_000_001,
    });
    const { feeds, starredCount } = await news.feedList();
    expect(starredCount).toBe(2);
    const own = feeds.find(({ title }) => title === 'Gone feed');
    const folders = await ok<{ folders: { id: number; name: string }[] }>(news.get('/folders'));
    expect(folders.folders).toEqual(
      [{ id: own?.folderId, name: 'Imported from FreshRSS' }].map((folder) =>
        expect.objectContaining(folder),
      ),
    );
    expect(own?.unreadCount).toBe(0);
    expect(items.size).toBe(3);
  });

  it.each(
    Object.entries(expected).flatMap(([name, { rows = [] }]) =>
      rows.length > 0 ? [[name, rows] as const] : [],
    ),
  )(
    'of each program becomes items with their marks, labels and notes, once: %s',
    async (name, rows) => {
      const file = await readFile(new URL(`files/${name}`, FILES));

      const done = await imports.do(file);
      const again = await imports.do(file);

      const stored = rows.filter(({ isStateOnly }) => !isStateOnly);
      expect(done.outcome).toMatchObject({ stored: stored.length, found: 0 });
      expect(again.outcome).toMatchObject({
        stored: 0,
        starred: 0,
        labelled: 0,
        read: 0,
        noted: 0,
      });
      const items = await news.items();
      const shown = items.map(({ url, title, starred, unread, labels = [] }) => ({
        url,
        title,
        starred,
        unread,
        labels,
      }));
      const wanted = stored.map(
        ({ url = null, title = null, isStarred = false, isRead = null, labels = [] }) => ({
          url,
          title,
          starred: isStarred,
          unread: isRead === false,
          labels: labels.toSorted((a, b) => a.toLowerCase().localeCompare(b.toLowerCase())),
        }),
      );
      const inOrder = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).sort();
      expect(inOrder(shown)).toEqual(inOrder(wanted));
      const { highlights } = await ok<{ highlights: { exact: string; note: string | null }[] }>(
        news.get('/highlights'),
      );
      const notes = stored.flatMap(({ note = null, highlights: marks = [] }) => [
        ...(note === null ? [] : [{ exact: '', note }]),
        ...marks.map(({ text, note: of }) => ({ exact: text, note: of })),
      ]);
      expect(inOrder(highlights.map(({ exact, note }) => ({ exact, note })))).toEqual(
        inOrder(notes),
      );
    },
  );

  it('is found by its guid, by the hashes of Miniflux and Tiny Tiny RSS, and by its link with trackers', async () => {
    const hash = (algorithm: string, text: string) =>
      createHash(algorithm).update(text).digest('hex');
    const names = ['guid', 'miniflux', 'ttrss', 'ttrss-old', 'link'];
    publisher.publish(
      `/${tests}/feed`,
      rss({
        title: 'Tides',
        items: names.map((name) => ({ title: name, guid: `guid-${name}`, link: link(name) })),
      }),
    );
    await news.subscribe(feedUrl);
    const feed = { feed_url: feedUrl, site_url: '', title: 'Tides' };
    const miniflux = {
      total: 1,
      entries: [
        {
          id: 1,
          status: 'read',
          starred: true,
          hash: hash('sha256', 'guid-miniflux'),
          title: 'x',
          url: 'https://moved.example/',
          published_at: '2024-01-01T00:00:00Z',
          feed,
        },
      ],
    };
    const article = (guid: string) =>
      `<article><guid><![CDATA[${guid}]]></guid><title>x</title><content></content><marked>1</marked><published></published><score>0</score><note></note><link>https://moved.example/${guid.length}</link><tag_cache></tag_cache><label_cache></label_cache><feed_title>Tides</feed_title><feed_url>${feedUrl}</feed_url><updated>2024-01-01 00:00:00</updated></article>`;
    const ttrss = `<articles schema-version="139">${article(
      JSON.stringify({ ver: 2, uid: '3', hash: `SHA1:${hash('sha1', 'guid-ttrss')}` }),
    )}${article(`SHA1:${hash('sha1', '3,guid-ttrss-old')}`)}</articles>`;
    const others = freshRss([
      { guid: 'guid-guid', starred: true, feed: { url: feedUrl } },
      {
        url: `${link('link')}?utm_source=rss#top`,
        starred: true,
        feed: { url: 'https://elsewhere.example/feed' },
      },
    ]);

    const outcomes = [];
    for (const file of [miniflux, ttrss, others]) {
      outcomes.push((await imports.do(file)).outcome);
    }

    expect(outcomes).toMatchObject([
      { found: 1, stored: 0 },
      { found: 2, stored: 0 },
      { found: 2, stored: 0 },
    ]);
    const starred = (await news.items()).filter((item) => item.starred).map(({ title }) => title);
    expect(starred).toEqual(expect.arrayContaining(names));
  });

  it('never sets a second time what its user took back, and adds what is new', async () => {
    await follow();
    const one = {
      title: 'one',
      guid: 'guid-one',
      starred: true,
      read: true,
      labels: ['Sea'],
      feed: { url: feedUrl },
    };
    const page = { title: 'Page', url: link('page'), starred: true, read: true };
    await imports.do(freshRss([one, page]));
    const items = await byTitle();
    for (const title of ['one', 'Page']) {
      await ok(news.post(`/items/${items.get(title)?.id}/unstar`));
      await ok(news.post(`/items/${items.get(title)?.id}/unread`));
    }
    await ok(
      news.post('/items/labels/multiple', { itemIds: [items.get('one')?.id], remove: ['Sea'] }),
    );

    const again = await imports.do(
      freshRss([
        { ...one, labels: ['Sea', 'Land'] },
        page,
        { title: 'New', url: link('new'), starred: true },
      ]),
    );

    expect(again.outcome).toMatchObject({ stored: 1, found: 2, starred: 1, labelled: 1, read: 0 });
    const after = await byTitle();
    expect(after.get('one')).toMatchObject({ starred: false, unread: true, labels: ['Land'] });
    expect(after.get('Page')).toMatchObject({ starred: false, unread: true });
    expect(after.get('New')).toMatchObject({ starred: true });
  });

  it('is undone as one, except what was touched since', async () => {
    await follow();
    const before = await shown();
    const { id } = await imports.do(
      freshRss([
        {
          title: 'one',
          guid: 'guid-one',
          starred: true,
          read: true,
          labels: ['Sea'],
          feed: { url: feedUrl },
        },
        { title: 'two', guid: 'guid-two', starred: true, feed: { url: feedUrl } },
        { title: 'Page', url: link('page'), starred: true, labels: ['Sea'] },
        { title: 'Kept', url: link('kept'), read: true },
        {
          title: 'Gone',
          url: 'https://gone.example/',
          feed: { url: 'https://gone.example/feed' },
          read: true,
        },
      ]),
    );
    const kept = (await byTitle()).get('Kept')?.id;
    await ok(news.post(`/items/${kept}/star`));

    const undone = await imports.undo(id);

    expect(undone).toMatchObject({ state: 'undone', canBeUndone: false });
    expect((await byTitle()).get('Kept')).toMatchObject({ starred: true });
    await ok(news.delete(`/feeds/${(await byTitle()).get('Kept')?.feedId}`));
    expect(await shown()).toEqual(before);
    expect(
      (await imports.do(freshRss([{ title: 'Page', url: link('page') }]))).outcome,
    ).toMatchObject({ stored: 1 });
  });

  it('keeps what it brought from the clean-up, also without a star', async () => {
    await follow();
    await news.call('POST', '/items/read', { json: { newestItemId: 9 } });
    const pages = ['a', 'b', 'c'].map((name) => ({
      title: name,
      url: link(name),
      starred: true,
      read: true,
    }));
    await imports.do(freshRss(pages));
    for (const { id } of (await news.items()).filter(({ starred }) => starred)) {
      await ok(news.post(`/items/${id}/unstar`));
    }
    await app.database.query('update source set largest_document = 0');

    await app.inside(RetentionService).cleanUp({ grace: 'none' });

    // Of the followed feed, one read article is kept.
    expect(await byTitle()).toHaveProperty('size', 4);
    expect([...(await byTitle()).keys()]).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  });

  it('arrives unseen by rules, and the oldest has the lowest id', async () => {
    await ok(news.post('/rules', { name: 'All', query: '', actions: [{ type: 'star' }] }));

    await imports.do(
      freshRss([
        {
          title: 'new',
          url: link('new'),
          published: 1_700_000_000,
          read: false,
          feed: { url: 'https://a.example/' },
        },
        {
          title: 'old',
          url: link('old'),
          published: 1_500_000_000,
          read: true,
          feed: { url: 'https://b.example/' },
        },
      ]),
    );

    const items = (await news.items()).toSorted((a, b) => a.id - b.id);
    expect(items).toMatchObject([
      { title: 'old', starred: false, unread: false, pubDate: 1_500_000_000 },
      { title: 'new', starred: false, unread: true, pubDate: 1_700_000_000 },
    ]);
  });

  it('follows the feeds of its list, and only offers those that it names', async () => {
    publisher.publish(`/${tests}/feed`, rss({ title: 'Tides', items: [] }));
    const opml = `<opml version="2.0"><body><outline type="rss" text="Tides" xmlUrl="${feedUrl}"/></body></opml>`;
    const linkwarden = {
      collections: [{ id: 1, name: 'All', links: [], rssSubscriptions: [{ url: feedUrl }] }],
      pinnedLinks: [],
    };

    const named = await imports.do(linkwarden);
    const listed = await imports.do(opml);

    expect(named).toMatchObject({ feeds: [{ url: feedUrl, feedId: null }], outcome: { feeds: 0 } });
    expect(listed).toMatchObject({ hasFeedList: false, outcome: { feeds: 1, stored: 0 } });
    const [feed] = (await news.feedList()).feeds;
    expect(feed?.url).toBe(feedUrl);
    expect((await imports.one(named.id)).feeds).toMatchObject([{ feedId: feed?.id }]);
  });

  it('that cannot be read is refused with a sentence, and loses nothing', async () => {
    const { id } = await imports.read(freshRss([{ title: 'a', url: link('a') }]));

    const answers = [
      await imports.upload('%PDF-1.7'),
      await imports.upload(''),
      await news.call('POST', '/imports', {
        body: '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      }),
    ];

    expect(
      answers.map(({ status, json }) => [status, (json as { message: string }).message]),
    ).toEqual([
      [422, expect.stringMatching(/PDF/)],
      [422, 'Choose a file first.'],
      [422, 'Choose a file first.'],
    ]);
    expect(await imports.one(id)).toMatchObject({ state: 'preview', rows: 1 });
  });

  it('is told of without what the database refuses in texts', async () => {
    const title = 'a\u0000\uD800b';
    const linkwarden = {
      collections: [
        { id: 1, name: title, links: [], rssSubscriptions: [{ url: title, name: title }] },
      ],
      pinnedLinks: [],
    };

    const leftOut = await imports.read(freshRss([{ title, url: 'javascript:x' }]));
    const named = await imports.read(linkwarden);

    expect(leftOut.places).toMatchObject([{ place: '1: a\uFFFDb' }]);
    expect(named.feeds).toMatchObject([
      { url: 'a\uFFFDb', title: 'a\uFFFDb', folder: 'a\uFFFDb', feedId: null },
    ]);
  });

  it('is refused while the disk is nearly full, and nothing of it stays', async () => {
    const disk = app.inside(DiskSpace);
    const checkLow = disk.checkLow.bind(disk);
    disk.checkLow = async () => true;
    const { status, text } = await imports.upload(freshRss([{ title: 'a', url: link('a') }]));
    disk.checkLow = checkLow;

    expect([status, text]).toEqual([507, expect.stringContaining('nearly full')]);
    const { id } = await readerOf(app, user.credentials.userId);
    for (const table of ['news_import', 'news_import_row']) {
      expect(await app.database.query(`select from ${table} where reader_id = $1`, [id])).toEqual(
        [],
      );
    }
  });

  it('is taken from a form', async () => {
    const file = JSON.stringify(freshRss([{ title: 'a', url: link('a') }]));
    const body = `--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${file}\r\n--x--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };

    expect(
      (await ok<{ import: object }>(news.call('POST', '/imports', { body, headers }))).import,
    ).toMatchObject({
      rows: 1,
    });
  });

  it('is bounded in bytes, rows, labels and number, each with a sentence', async () => {
    const many = (count: number, from = 0) =>
      freshRss(
        Array.from({ length: count }, (_, n) => ({ title: `${n}`, url: link(`${from + n}`) })),
      );
    const labels = Array.from({ length: 30 }, (_, n) => `label ${n}`);
    const sentence = async (file: string | object) => {
      const { status, json } = await imports.upload(file);
      return [status, (json as { message: string }).message];
    };

    const refused = [await sentence('x'.repeat(1_100_000)), await sentence(many(21))];
    const labelled = await imports.do(freshRss([{ title: 'Labels', url: link('labels'), labels }]));
    await imports.do(many(20));
    refused.push(await sentence(many(15, 100)));
    await imports.do(many(1));
    await imports.do(many(1));
    refused.push(await sentence(many(1)));

    expect(refused).toEqual([
      [413, 'The file is larger than 1 MiB.'],
      [422, expect.stringContaining('more than 20')],
      [422, 'This installation allows at most 30 imported rows per user. Remove some first.'],
      [422, 'This installation allows at most 4 imports per user. Remove some first.'],
    ]);
    expect(labelled.leftOut).toEqual([
      { reason: 'They were more than the labels per user of this installation.', count: 5 },
    ]);
    expect((await byTitle()).get('Labels')?.labels).toHaveLength(25);
  });

  it('is done once, though it is started twice and two processes work on it', async () => {
    const pages = Array.from({ length: 20 }, (_, n) => ({ title: `${n}`, url: link(`${n}`) }));
    const { id } = await imports.read(freshRss(pages));
    const reader = await readerOf(app, user.credentials.userId);

    await Promise.all([imports.start(id), imports.start(id)]);
    await Promise.all([1, 2].map(() => app.inside(ImportWork).run(reader, id)));

    expect(await imports.ended(id)).toMatchObject({ doneRows: 20, outcome: { stored: 20 } });
    expect(await news.items()).toHaveLength(20);
  });

  it('whose job is lost goes on when it is started or undone again, or by itself', async () => {
    await follow();
    const entry = { title: 'one', guid: 'guid-one', starred: true, feed: { url: feedUrl } };
    const { id } = await imports.read(freshRss([entry]));
    // As after a backup whose jobs are of another version.
    const isWithoutJob = (state: string) =>
      app.database.query('update news_import set state = $2 where id = $1', [id, state]);

    await isWithoutJob('running');
    await imports.start(id);
    expect(await imports.ended(id)).toMatchObject({ state: 'done', outcome: { starred: 1 } });
    await until('the end of its job', async () => (await jobs()).length === 0);
    await isWithoutJob('undoing');
    expect(await imports.undo(id)).toMatchObject({ state: 'undone' });
    expect((await byTitle()).get('one')).toMatchObject({ starred: false });

    await until('the end of its job', async () => (await jobs()).length === 0);
    await isWithoutJob('undoing');
    await app.inside(ImportWork).tidy();
    expect(await imports.ended(id)).toMatchObject({ state: 'undone' });
  });

  it('has one job, however often it is started', async () => {
    const steps = app.inside(ImportSteps);
    const gate = Promise.withResolvers<void>();
    const take = steps.take.bind(steps);
    steps.take = async (...given) => {
      await gate.promise;
      return take(...given);
    };
    const { id } = await imports.read(freshRss([{ title: 'a', url: link('a') }]));
    await imports.start(id);
    await imports.start(id);
    await until('its job', async () => (await jobs()).some(({ state }) => state === 'active'));
    await imports.start(id);

    expect(await jobs()).toEqual([{ state: 'active' }]);
    gate.resolve();
    steps.take = take;

    expect(await imports.ended(id)).toMatchObject({ outcome: { stored: 1 } });
  });

  it('of which two are read at once leaves the preview of one', async () => {
    const file = freshRss([{ title: 'a', url: link('a') }]);

    const read = await Promise.all([imports.upload(file), imports.upload(file)]);

    expect(read.map(({ status }) => status)).toContain(200);
    expect((await ok<{ imports: object[] }>(news.get('/imports'))).imports).toHaveLength(1);
  });

  it('is imported by a command, which first can tell what it holds', async () => {
    const { userId } = user.credentials;
    const place = await temporaryFolder('import');
    const file = path.join(place, 'export');
    await writeFile(
      file,
      JSON.stringify(freshRss([{ title: 'a', url: link('a'), starred: true }])),
    );
    const command = (...args: string[]) => {
      const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
      registerImportCommand(program, (work) => work(app.inside));
      return printedBy(program, ['news:import', ...args]);
    };

    const told = await command(userId, file, '--dry-run');
    const before = await ok(news.get('/imports'));
    const done = await command(userId, file);

    expect(told).toMatch(/^FreshRSS: 1 articles; 0 are there already, 1 are to be stored/);
    expect(told).toContain('Nothing was imported.');
    expect(before).toEqual({ imports: [] });
    expect(done).toContain('1 articles stored, 1 starred');
    expect(await news.items()).toMatchObject([{ title: 'a', starred: true }]);
    await expect(command('nobody', file)).rejects.toThrow('There is no user "nobody".');
    await expect(command(userId, place)).rejects.toThrow('a file on disk');
    await rm(place, { recursive: true });
  });

  it('is its user’s own', async () => {
    const { id } = await imports.do(freshRss([{ title: 'a', url: link('a') }]));
    const other = new NewsClient(await app.signIn(), 'v1-2');

    const answers = [
      await other.get(`/imports/${id}`),
      await other.post(`/imports/${id}/start`),
      await other.post(`/imports/${id}/undo`),
      await other.delete(`/imports/${id}`),
      await new NewsClient({ baseUrl: app.url }, 'v1-3').get('/imports'),
      await new Imports(new NewsClient({ baseUrl: app.url }, 'v1-3')).upload('{}'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 401, 401]);
    expect(await ok(other.get('/imports'))).toEqual({ imports: [] });
  });

  it('is refused to programs that may only read', async () => {
    const { userId } = user.credentials;
    const scope = 'reader-read';
    const { token } = await app.inside(AppPasswordsService).add(userId, 'Reader', { scope });
    const credentials = { userId, password: token };
    const client = new NewsClient({ baseUrl: app.url, credentials }, 'v1-3');

    expect((await new Imports(client).upload(freshRss([]))).status).toBe(403);
    expect((await client.get('/imports')).status).toBe(200);
  });

  it('waits for another one of its user, and can be stopped and forgotten', async () => {
    const first = await imports.read(freshRss([{ title: 'a', url: link('a') }]));
    await app.database.query("update news_import set state = 'undoing' where id = $1", [first.id]);
    const second = await imports.read(freshRss([{ title: 'b', url: link('b') }]));

    const answers = [
      await news.post(`/imports/${second.id}/start`),
      await news.delete(`/imports/${first.id}`),
      await news.post(`/imports/${second.id}/undo`),
    ];

    expect(
      answers.map(({ status, json }) => [status, (json as { message: string }).message]),
    ).toEqual([
      [409, 'Another import is under way. Wait until it has ended, or stop it.'],
      [409, 'Another import is under way. Wait until it has ended, or stop it.'],
      [409, 'Only an import that has ended can be undone, within 30 days.'],
    ]);
    await ok(news.delete(`/imports/${second.id}`));
    expect(await ok(news.get('/imports'))).toMatchObject({ imports: [{ id: first.id }] });
  });
});

const shown = async () => ({
  items: (await news.items()).map(({ id, title, unread, starred, labels = [] }) => ({
    id,
    title,
    unread,
    starred,
    labels,
  })),
  feeds: (await news.feedList()).feeds.map(({ id, title, unreadCount }) => ({
    id,
    title,
    unreadCount,
  })),
  folders: await ok(news.get('/folders')),
  labels: await ok(news.get('/labels')),
});

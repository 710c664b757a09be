import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { registerImportNextcloudCommand } from '../../src/news/import-nextcloud/import-nextcloud.commands.js';
import { NextcloudImportService } from '../../src/news/import-nextcloud/nextcloud-import.service.js';
import { planImport } from '../../src/news/import-nextcloud/plan-import.js';
import { SourceRefresher } from '../../src/news/sources/refreshing/source-refresher.service.js';
import { rss, startFeedServer, type FeedServer, type RssItem } from '../support/feed-server.js';
import { itLong } from '../support/long.js';
import { NewsClient, titles, type ItemJson } from '../support/news-client.js';
import { printedBy } from '../support/printed-by.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { temporaryFolder } from '../support/temporary-folder.js';

type Row = Record<string, unknown>;

let app: TestApp;
let server: FeedServer;
let place: string;
let ada: TestUser;
let bob: TestUser;
/** Ids of folders and feeds are unique per server, so each test has a range. */
let base = 0;

beforeAll(async () => {
  app = await startApp();
  server = await startFeedServer();
  place = await temporaryFolder('import');
});
afterAll(async () => {
  await app.stop();
  await server.close();
  await rm(place, { recursive: true });
});
beforeEach(async () => {
  base += 1_000_000;
  ada = await app.signIn();
  bob = await app.signIn();
});

const client = (user: TestUser) => new NewsClient(user, 'v1-3');
const idOf = (user: TestUser) => user.credentials.userId;
const guidOf = (n: number) => `guid-${n}`;
const stampOf = (n: number) => 1_600_000_000_000_000 + n * 1_000_000 + 123;

const folderRow = (id: number, user: string, values: Row = {}): Row => ({
  table: 'oc_news_folders',
  id: base + id,
  parent_id: null,
  name: `Folder ${id}`,
  user_id: user,
  opened: true,
  deleted_at: 0,
  ...values,
});
const feedRow = (id: number, user: string, url: string, values: Row = {}): Row => ({
  table: 'oc_news_feeds',
  id: base + id,
  user_id: user,
  url_hash: 'of no interest',
  url,
  title: 'The publisher',
  favicon_link: null,
  added: 1_500_000_000,
  folder_id: null,
  link: 'https://publisher.example/',
  deleted_at: 0,
  articles_per_update: 3,
  ordering: 0,
  pinned: false,
  basic_auth_user: '',
  basic_auth_password: '',
  ...values,
});
/** Entry `n` of the publisher as Nextcloud stores it. */
const itemRow = (id: number, feedId: number, n: number, values: Row = {}): Row => ({
  table: 'oc_news_items',
  id: base + id,
  guid_hash: 'of no interest',
  guid: guidOf(n),
  url: `https://publisher.example/${n}`,
  title: `Entry ${n}`,
  author: null,
  pub_date: 1_400_000_000 + n,
  body: `<p>Text ${n}</p>`,
  enclosure_mime: null,
  enclosure_link: null,
  media_thumbnail: null,
  media_description: null,
  feed_id: base + feedId,
  unread: true,
  starred: false,
  last_modified: String(stampOf(n)),
  rtl: false,
  ...values,
});
/** The same entry in the publisher's document. */
const published = (n: number): RssItem => ({
  title: `Entry ${n}`,
  guid: guidOf(n),
  link: `https://publisher.example/${n}`,
  body: `<p>Text ${n}</p>`,
});

async function write(rows: readonly (Row | string)[]): Promise<string> {
  const file = path.join(place, 'export.ndjson');
  const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)));
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

async function gatefold(...args: string[]): Promise<string> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  registerImportNextcloudCommand(program, (work) => work(app.inside));
  return printedBy(program, ['news:import-nextcloud', ...args]);
}

const importRows = async (rows: readonly (Row | string)[], ...options: string[]) =>
  gatefold(await write(rows), ...options);

async function fetchAll(): Promise<void> {
  const sources = await app.database.query<{ id: number }>(
    `select id from source where url like 'http://127.0.0.1%'
        and exists (select from follower where source_id = source.id)`,
  );
  for (const { id } of sources) {
    await app.inside(SourceRefresher).refreshNow(id);
  }
}

const inOrder = (items: readonly ItemJson[]) => items.toSorted((a, b) => a.id - b.id);

describe('importing an export', () => {
  it('keeps ids, flags and stamps of two users who share a feed; the next fetch adds only new entries', async () => {
    const url = server.url('/shared.xml');
    const rows = [
      folderRow(1, idOf(ada), { name: 'Mine' }),
      feedRow(2, idOf(ada), url, {
        folder_id: base + 1,
        ordering: 2,
        pinned: true,
        update_mode: 1,
        full_text_enabled: true,
      }),
      feedRow(3, idOf(bob), url, { title: 'My name for it' }),
      ...[1, 2, 3, 4].map((n) =>
        itemRow(10 + n * 2, 2, n, {
          unread: n > 2,
          starred: n === 1,
          last_modified: stampOf(5 - n),
        }),
      ),
      itemRow(19, 3, 4, { unread: false }),
      itemRow(30, 3, 3, { starred: true }),
    ];

    const printed = await importRows(rows);

    expect(printed).toContain(`Imported user "${idOf(ada)}": 1 folders, 1 feeds, 4 items.`);
    expect(await client(ada).folders()).toMatchObject([{ id: base + 1, name: 'Mine' }]);
    const { feeds, newestItemId } = await client(ada).feedList();
    expect(feeds).toMatchObject([
      {
        id: base + 2,
        url,
        title: 'The publisher',
        folderId: base + 1,
        added: 1_500_000_000,
        ordering: 2,
        pinned: true,
        fullTextEnabled: true,
        updateMode: 1,
        unreadCount: 2,
      },
    ]);
    expect(newestItemId).toBe(base + 18);
    const items = await client(ada).items();
    expect(
      items.map(({ id, guid, unread, starred, lastModified, feedId }) => ({
        id,
        guid,
        unread,
        starred,
        lastModified,
        feedId,
      })),
    ).toEqual(
      [4, 3, 2, 1].map((n) => ({
        id: base + 10 + n * 2,
        guid: guidOf(n),
        unread: n > 2,
        starred: n === 1,
        lastModified: Math.floor(stampOf(5 - n) / 1_000_000),
        feedId: base + 2,
      })),
    );
    expect((await client(bob).feedList()).feeds).toMatchObject([
      { fullTextEnabled: false, updateMode: 0 },
    ]);
    const stamps = await app.database.query<{ micros: number }>(
      'select last_modified_micros as micros from item where subscription_id = $1 order by id',
      [base + 2],
    );
    expect(stamps.map(({ micros }) => micros)).toEqual([4, 3, 2, 1].map(stampOf));

    const newest = Math.floor(stampOf(4) / 1_000_000);
    expect(titles(await client(ada).changedItems(newest))).toEqual(['Entry 1']);
    expect(await client(ada).changedItems(newest + 1)).toEqual([]);

    server.publish(
      '/shared.xml',
      rss({ title: 'The publisher', items: [5, 4, 3, 2].map(published) }),
    );
    await fetchAll();

    for (const [user, highest] of [
      [ada, base + 18],
      [bob, base + 30],
    ] as const) {
      await client(user).feedList();
      const news = await client(user).changedItems(newest + 1);
      expect(titles(news)).toEqual(['Entry 5']);
      expect(news[0]?.id).toBeGreaterThan(highest);
    }
    expect((await client(bob).feedList()).feeds).toMatchObject([{ title: 'My name for it' }]);
    const articles = await app.database.query(
      'select 1 from article where source_id = (select id from source where url = $1)',
      [url],
    );
    expect(articles).toHaveLength(5);
  });

  it('shows the website of a feed before the first fetch, and what the publisher says after it', async () => {
    const urls = ['/site.xml', '/script.xml'].map((path) => server.url(path));
    await importRows([
      folderRow(1, idOf(ada)),
      ...urls.map((url, n) =>
        feedRow(2 + n, idOf(ada), url, { link: n === 0 ? 'https://a.example/' : 'javascript:x()' }),
      ),
    ]);
    const links = async () => {
      const { feeds } = await client(ada).feedList();
      return feeds.toSorted((one, other) => one.id - other.id).map(({ link }) => link);
    };
    expect(await links()).toEqual(['https://a.example/', '']);

    server.publish('/site.xml', rss({ title: 'x', link: 'https://b.example/', items: [] }));
    await fetchAll();

    expect(await links()).toEqual(['https://b.example/', '']);
  });

  it('treats an entry that was edited since as changed, not as new', async () => {
    const url = server.url('/edited.xml');
    await importRows([feedRow(1, idOf(ada), url), itemRow(1, 1, 1), itemRow(2, 1, 2)]);
    server.publish(
      '/edited.xml',
      rss({
        title: 'Edited',
        items: [published(2), { ...published(1), title: 'Entry 1, corrected' }],
      }),
    );
    await fetchAll();

    await client(ada).feedList();

    const items = inOrder(await client(ada).items());
    expect(items.map(({ id, title }) => [id, title])).toEqual([
      [base + 1, 'Entry 1, corrected'],
      [base + 2, 'Entry 2'],
    ]);
    expect(titles(await client(ada).changedItems(1_700_000_000))).toEqual(['Entry 1, corrected']);
  });

  it('assigns higher ids than the imported ones to new folders, feeds and items', async () => {
    const url = server.url('/first.xml');
    server.publish('/next.xml', rss({ title: 'Next', items: [published(7)] }));
    await importRows([
      folderRow(500, idOf(ada)),
      feedRow(600, idOf(ada), url),
      itemRow(700, 600, 1),
    ]);

    const folder = await client(ada).createFolder('Next');
    const feed = await client(ada).subscribe(server.url('/next.xml'));

    expect(folder.id).toBe(base + 501);
    expect(feed.id).toBe(base + 601);
    expect((await client(ada).item('Entry 7')).id).toBe(base + 701);
  });

  it('has imported items arrive with the import, before all that come later', async () => {
    server.publish('/later.xml', rss({ title: 'Later', items: [published(7)] }));
    const before = await app.nowMicros();
    await importRows([
      feedRow(650, idOf(ada), server.url('/earlier.xml')),
      itemRow(750, 650, 1, { last_modified: stampOf(1) }),
      itemRow(752, 650, 2, { last_modified: stampOf(3) }),
    ]);
    const arrivals = () =>
      app.database.query<{ arrived: number; last: number }>(
        `select item.arrived_micros as arrived, reader.last_modified_micros as last
           from item join reader on reader.id = reader_id where user_id = $1 order by item.id`,
        [idOf(ada)],
      );

    const imported = await arrivals();
    await client(ada).subscribe(server.url('/later.xml'));
    const [first, second, third] = await arrivals();

    expect(imported).toHaveLength(2);
    expect(first?.arrived).toBeGreaterThan(before);
    expect(second?.arrived).toBe(first?.arrived);
    // The next stamp is above the last, no matter what the clock says.
    expect(imported[0]?.last).toBeGreaterThanOrEqual(first?.arrived ?? 0);
    expect(third?.arrived).toBeGreaterThan(second?.arrived ?? 0);
  });

  it('sanitises bodies and addresses again, and keeps the text of titles', async () => {
    await importRows([
      feedRow(1, idOf(ada), 'https://publisher.example/dir/feed'),
      itemRow(1, 1, 1, {
        title: 'a\u2028b <b>&amp;',
        body: '<p onclick="x()">Hi<script>alert(1)</script><img src="pic.png"></p>',
        url: 'javascript:alert(1)',
        enclosure_link: 'data:text/html,x',
        enclosure_mime: 'text/html',
        media_thumbnail: '//media.example/t.png',
      }),
    ]);

    const [item] = await client(ada).items();

    expect(item).toMatchObject({
      title: 'a b <b>&amp;',
      body: '<p>Hi<img src="https://publisher.example/dir/pic.png" /></p>',
      url: null,
      enclosureLink: null,
      enclosureMime: null,
      mediaThumbnail: 'https://media.example/t.png',
    });
  });

  it('reads exports of MySQL and SQLite: numbers for flags, texts for numbers, missing columns', async () => {
    const { rtl: _rtl, media_thumbnail: _thumbnail, ...item } = itemRow(1, 1, 1);
    await importRows([
      folderRow(1, idOf(ada), { table: 'nc1_news_folders', deleted_at: '0' }),
      feedRow(1, idOf(ada), 'https://publisher.example/', {
        table: 'feeds',
        pinned: 1,
        full_text_enabled: '1',
        folder_id: String(base + 1),
      }),
      '',
      { ...item, unread: 0, starred: '1' },
    ]);

    expect((await client(ada).feedList()).feeds).toMatchObject([
      { pinned: true, fullTextEnabled: true, folderId: base + 1 },
    ]);
    expect(await client(ada).items()).toMatchObject([{ unread: false, starred: true, rtl: false }]);
  });

  it('puts the credentials of a feed into its address, and does not share such feeds', async () => {
    const url = 'https://private.example/feed';
    await importRows([
      feedRow(1, idOf(ada), url, { basic_auth_user: 'me', basic_auth_password: 's/e:c' }),
      feedRow(2, idOf(bob), url),
      itemRow(1, 1, 1, { title: 'Secret' }),
      itemRow(2, 2, 1, { title: 'Public' }),
    ]);

    expect((await client(ada).feedList()).feeds[0]?.url).toBe(
      'https://me:s%2Fe%3Ac@private.example/feed',
    );
    expect(titles(await client(bob).items())).toEqual(['Public']);
  });

  it('skips deleted rows, and reports differences', async () => {
    const printed = await importRows([
      folderRow(1, idOf(ada), { name: 'Twice' }),
      folderRow(2, idOf(ada), { name: 'Twice' }),
      folderRow(3, idOf(ada), { name: 'Gone', deleted_at: 1_600_000_000 }),
      feedRow(1, idOf(ada), 'https://kept.example/'),
      feedRow(2, idOf(ada), 'https://gone.example/', { deleted_at: 1_600_000_000 }),
      feedRow(3, idOf(ada), 'https://gone2.example/', { folder_id: base + 3 }),
      feedRow(4, idOf(ada), 'https://KEPT.example:443/#x'),
      feedRow(5, idOf(ada), 'ftp://odd.example/'),
      itemRow(1, 1, 1),
      itemRow(2, 2, 1),
      itemRow(3, 3, 1),
      itemRow(4, 4, 1, { unread: false, starred: true }),
      itemRow(5, 4, 2),
      itemRow(6, 5, 1),
      itemRow(7, 99, 1),
    ]);

    expect(printed).toContain(`Folder ${base + 2} of ${idOf(ada)} is now called "Twice (2)".`);
    expect(printed).toContain(`Feed ${base + 2} of ${idOf(ada)} is deleted there`);
    expect(printed).toContain(`Feed ${base + 3} of ${idOf(ada)} is deleted there`);
    expect(printed).toContain(
      `Feed ${base + 4} of ${idOf(ada)} has the same address as feed ${base + 1}`,
    );
    expect(printed).toContain(
      `Feed ${base + 5} of ${idOf(ada)} is not taken over: This is no address`,
    );
    expect(printed).toContain('4 items are of feeds that are not taken over.');
    expect((await client(ada).feedList()).feeds.map(({ id }) => id)).toEqual([base + 1]);
    const items = inOrder(await client(ada).items());
    expect(items.map(({ id, unread, starred }) => [id, unread, starred])).toEqual([
      [base + 4, false, true],
      [base + 5, true, false],
    ]);
  });

  it('adds items to an existing source in the order that the user had', async () => {
    const url = server.url('/joined.xml');
    server.publish('/joined.xml', rss({ title: 'Joined', items: [5, 4, 3].map(published) }));
    const other = client(await app.signIn());
    await other.subscribe(url);
    const before = await other.items();

    const printed = await importRows([
      feedRow(1, idOf(ada), url),
      ...[1, 2, 3, 4].map((n) => itemRow(n, 1, n, { unread: false, body: '<p>Of long ago</p>' })),
    ]);

    expect(printed).toContain('1 feeds, 4 items, and 1 that are new.');
    const page = (offset: number) =>
      client(ada).items({ type: 0, id: base + 1, batchSize: 2, offset });
    expect(titles(await page(0))).toEqual(['Entry 5', 'Entry 4']);
    expect(titles(await page(base + 4))).toEqual(['Entry 3', 'Entry 2']);
    expect(titles(await page(base + 2))).toEqual(['Entry 1']);
    expect((await client(ada).item('Entry 5')).unread).toBe(true);
    await other.feedList();
    expect(await other.items()).toEqual(before);
  });

  it('delivers the newest entries to a user who subscribes before the first fetch', async () => {
    const url = 'https://quiet.example/feed';
    await importRows([
      feedRow(1, idOf(ada), url, { articles_per_update: 2 }),
      ...[1, 2, 3].map((n) => itemRow(n, 1, n)),
    ]);
    await client(bob).call('POST', '/opml/import', {
      body: `<opml><body><outline xmlUrl="${url}"/></body></opml>`,
      headers: { 'content-type': 'text/xml' },
    });

    await client(bob).feedList();

    expect(titles(await client(bob).items())).toEqual(['Entry 3', 'Entry 2']);
  });
});

describe('the command', () => {
  const rows = () => [
    folderRow(1, idOf(ada)),
    feedRow(1, idOf(ada), `https://publisher.example/${base}/a`, { folder_id: base + 1 }),
    feedRow(2, idOf(bob), `https://publisher.example/${base}/b`),
    itemRow(1, 1, 1),
    itemRow(2, 2, 2),
  ];
  /** Rows that an import could leave behind. */
  const everything = async () =>
    app.database.query(
      `select (select count(*) from reader) as readers, (select count(*) from folder) as folders,
              (select count(*) from source) as sources, (select count(*) from article) as articles,
              (select count(*) from subscription) as feeds, (select count(*) from item) as items,
              (select count(*) from account) as accounts,
              (select max(last_value) from pg_sequences where sequencename like '%subscription%') as last`,
    );

  it('counts without writing with --dry-run', async () => {
    const before = await everything();

    const printed = await importRows(rows(), '--dry-run');

    expect(printed.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['FROM', 'TO', 'FOLDERS', 'FEEDS', 'ITEMS', 'UNREAD', 'STARRED'],
      [idOf(ada), idOf(ada), '1', '1', '1', '1', '0'],
      [idOf(bob), idOf(bob), '0', '1', '1', '1', '0'],
      ['Nothing was written.'],
      [''],
    ]);
    expect(await everything()).toEqual(before);
  });

  it('continues after an interrupted run, and does nothing when repeated', async () => {
    const file = await write(rows());
    const imports = app.inside(NextcloudImportService);
    const plan = await planImport(file, { userMap: new Map() });
    await imports.run(plan, plan.users.slice(0, 1), { newIds: false });

    const second = await gatefold(file);
    const before = await everything();
    const third = await gatefold(file);

    expect(second).toContain(`User "${idOf(ada)}" was imported before and is left alone.`);
    expect(second).toContain(`Imported user "${idOf(bob)}": 0 folders, 1 feeds, 1 items.`);
    expect(third).not.toContain('Imported user');
    expect(await everything()).toEqual(before);
    expect(titles(await client(bob).items())).toEqual(['Entry 2']);
  });

  it('maps user names, and creates missing users', async () => {
    const old = rows().map((row) =>
      row['user_id'] === idOf(bob) ? { ...row, user_id: 'Bob Old' } : row,
    );

    const printed = await importRows(old, '--user-map', `Bob Old=bob-${base}`, '--create-users');

    const password = new RegExp(`Created user "bob-${base}". The password is (\\S+) –`).exec(
      printed,
    )?.[1];
    const created = new NewsClient(
      { baseUrl: app.url, credentials: { userId: `bob-${base}`, password: password ?? '' } },
      'v1-2',
    );
    expect(titles(await created.items())).toEqual(['Entry 2']);
  });

  it('assigns new ids to folders and feeds with --new-ids, and keeps those of items', async () => {
    await importRows(rows());
    const cleo = await app.signIn();
    const again = rows()
      .filter((row) => row['user_id'] !== idOf(bob) && row['feed_id'] !== base + 2)
      .map((row) => ('user_id' in row ? { ...row, user_id: idOf(cleo) } : row));

    await expect(importRows(again)).rejects.toThrow(
      `Ids of folders are taken in Gatefold: ${base + 1}. Import into an empty installation, or use --new-ids`,
    );
    await importRows(again, '--new-ids');

    const [folder] = await client(cleo).folders();
    const [feed] = (await client(cleo).feedList()).feeds;
    expect(folder?.id).toBeGreaterThan(base + 1);
    expect(feed?.id).not.toBe(base + 1);
    expect(feed?.folderId).toBe(folder?.id);
    expect(await client(cleo).items()).toMatchObject([{ id: base + 1, feedId: feed?.id }]);
  });

  it('rejects a file with errors before writing anything', async () => {
    await client(await app.signInOnce('busy')).createFolder('Something');
    const before = await everything();
    const refusals: [readonly (Row | string)[], string, ...string[]][] = [
      [[], 'The export holds no folders and no feeds.'],
      [[...rows(), '{"table": "oc_news_items", "id"'], 'Line 6 of the export is not JSON.'],
      [['[]'], 'Line 1 of the export is not a JSON object.'],
      [[{ table: 'oc_users', id: 1 }], 'Line 1 of the export does not say which table it is from'],
      [
        [folderRow(1, 'x', { name: undefined })],
        'Line 1 of the export has a wrong value: "name" must be a text.',
      ],
      [[...rows(), itemRow(3, 1, 3, { unread: null })], '"unread" must be true or false'],
      [
        [...rows(), itemRow(2, 1, 3)],
        `Line 6 of the export has item ${base + 2} behind item ${base + 2}.`,
      ],
      [
        [...rows(), feedRow(3, idOf(ada), 'https://x.example/')],
        'folders and feeds go before all items',
      ],
      [
        [...rows().slice(0, 2), ...rows().slice(0, 2)],
        `Line 3 of the export has folder ${base + 1} for the second time.`,
      ],
      [
        [...rows(), folderRow(9, 'unheard')]
          .toSorted((a, b) => String(a['table']).localeCompare(String(b['table'])))
          .toReversed()
          .filter((row) => row['table'] !== 'oc_news_items'),
        'There is no user "unheard". Nothing was imported.',
      ],
      [rows(), `two users cannot be merged`, '--user-map', `${idOf(ada)}=${idOf(bob)}`],
      [rows(), 'The export knows no user "nobody" of --user-map.', '--user-map', 'nobody=x'],
      [
        rows(),
        'User "busy" has folders or feeds in Gatefold already.',
        '--user-map',
        `${idOf(bob)}=busy`,
      ],
      [
        rows(),
        'A user name has 1 to 64 letters',
        '--create-users',
        '--user-map',
        `${idOf(bob)}=b o b`,
      ],
      [rows(), 'It must look like OLD=NEW.', '--user-map', 'bob'],
    ];

    for (const [refused, message, ...options] of refusals) {
      await expect(importRows(refused, ...options)).rejects.toThrow(message);
    }
    await expect(gatefold(path.join(place, 'missing'))).rejects.toThrow('ENOENT');
    await expect(gatefold(place)).rejects.toThrow('The export must be a file');
    await writeFile(path.join(place, 'latin1'), Buffer.from('{"table":"\xfc"}\n', 'latin1'));
    await expect(gatefold(path.join(place, 'latin1'))).rejects.toThrow(
      'Line 1 of the export is not UTF-8',
    );

    expect(await everything()).toEqual(before);
  });

  it('imports a user completely or not at all', async () => {
    const file = await write(rows());
    const imports = app.inside(NextcloudImportService);
    const plan = await planImport(file, { userMap: new Map() });
    const { toImport } = await imports.check(plan, { newIds: false });
    await client(bob).createFolder('Meanwhile');
    const sources = await everything();

    await expect(imports.run(plan, toImport, { newIds: false })).rejects.toThrow(
      `User "${idOf(bob)}" has got folders or feeds meanwhile.`,
    );

    expect(titles(await client(ada).items())).toEqual(['Entry 1']);
    expect((await client(bob).feedList()).feeds).toEqual([]);
    const [after] = (await everything()) as Record<string, number>[];
    const [was] = sources as Record<string, number>[];
    expect((after?.['sources'] ?? 0) - (was?.['sources'] ?? 0)).toBe(1);
  });

  itLong('imports more items than fit into a batch', async () => {
    // More than one batch of a feed, and of a user.
    const many = 5_200;
    const file = await write([
      ...Array.from({ length: 2 }, (_, n) =>
        feedRow(n + 1, idOf(ada), `https://many.example/${n}`),
      ),
      ...Array.from({ length: many }, (_, n) =>
        itemRow(n + 1, (n % 2) + 1, n, { unread: n % 3 === 0 }),
      ),
    ]);

    await gatefold(file);

    const { feeds, newestItemId } = await client(ada).feedList();
    expect(feeds.reduce((sum, { unreadCount }) => sum + unreadCount, 0)).toBe(Math.ceil(many / 3));
    expect(newestItemId).toBe(base + many);
    expect(await client(ada).items({ batchSize: -1 })).toHaveLength(many);
  });
});

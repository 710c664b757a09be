import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { NewsClient } from '../support/news-client.js';
import { runCommand } from '../support/run-command.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import {
  createTestDatabase,
  dropDatabase,
  SECRET_KEY,
  urlOfDatabase,
} from '../support/test-database.js';

/*
 * An installation on the coordinator of a Citus cluster, with users and feeds, that is distributed over
 * the workers, and brought back to one server by a backup.
 */

const database = await createTestDatabase(false);
const folder = await temporaryFolder('distribute');
const settings = {
  DATABASE_URL: database.url,
  GATEFOLD_DATA_DIR: path.join(folder, 'data'),
  GATEFOLD_SECRET_KEY: SECRET_KEY,
};
const oneServer = {
  ...settings,
  DATABASE_URL: urlOfDatabase(`gatefold_one_server_${randomBytes(8).toString('hex')}`),
};
const users = { ada: 'the password of ada', eve: 'the password of eve' };

let publisher: FeedServer;
let app: TestApp;
let news: NewsClient;
let stranger: NewsClient;

async function start(where: Readonly<Record<string, string>>): Promise<void> {
  app = await startApp(where);
  const clientOf = (userId: keyof typeof users) =>
    new NewsClient({ baseUrl: app.url, credentials: { userId, password: users[userId] } }, 'v1-3');
  news = clientOf('ada');
  stranger = clientOf('eve');
}

const titles = ['one', 'two', 'three'];

function publish(): void {
  publisher.publish('/a.xml', rss({ title: 'a', items: titles.map((title) => ({ title })) }));
}

async function fetchAll(): Promise<void> {
  await app.database.query('update source_schedule set due_at = now()');
  await app.inside(UpdateCycle).fetchDue();
}

beforeAll(async () => {
  publisher = await startFeedServer();
  publish();
  publisher.publish('/b.xml', rss({ title: 'b', items: [{ title: 'heron', body: 'A heron.' }] }));
  await start(settings);
  await app.addUser('ada', users.ada);
  await app.addUser('eve', users.eve);
  const birds = await news.createFolder('birds');
  await news.subscribe(publisher.url('/a.xml'));
  await news.subscribe(publisher.url('/b.xml'), birds.id);
  await stranger.subscribe(publisher.url('/a.xml'));
  const { id } = await news.item('two');
  await news.post(`/items/${id}/star`);
  await news.label([id], { add: ['later'] });
  await news.post(`/items/${(await news.item('one')).id}/read`);
  await found('heron');
});
afterAll(async () => {
  await app.stop();
  await publisher.close();
  await dropDatabase(new URL(oneServer.DATABASE_URL).pathname.slice(1));
  await database.drop();
  await rm(folder, { recursive: true });
});

const found = async (words: string) => {
  const { json } = await news.get('/search', { query: words });
  return (json as { items: { title: string }[] }).items.map(({ title }) => title);
};

/** What clients see. */
const seen = async () => ({
  items: await news.items(),
  feeds: await news.feedList(),
  folders: await news.folders(),
  labels: await news.labels(),
  ofStranger: await stranger.items(),
});

const distribute = (where: Readonly<Record<string, string>> = settings) =>
  runCommand(['database:distribute', '--reader-shards', '4', '--article-shards', '2'], where);

/** Numbers of rows that are on the coordinator itself. */
const localRows = async (...tables: readonly string[]) => {
  const counts = await Promise.all(
    tables.map((table) =>
      app.database.query(`select pg_relation_size('${table}'::regclass) as bytes`),
    ),
  );
  return counts.flat();
};

describe('database:distribute', () => {
  it('refuses while the service is running, and changes nothing', async () => {
    const { code, complaints } = await distribute();

    expect(code).toBe(1);
    expect(complaints).toContain('Stop all of them');
    expect(await app.database.query('select from pg_dist_partition')).toEqual([]);
  });

  it('refuses a database without Citus, and a worker', async () => {
    const plain = await distribute({ ...settings, DATABASE_URL: urlOfDatabase('postgres') });
    const worker = new URL(process.env['TEST_CITUS_WORKERS']?.split(' ')[0] ?? '');
    worker.pathname = new URL(database.url).pathname;
    const onWorker = await distribute({ ...settings, DATABASE_URL: worker.href });

    expect(plain).toMatchObject({ code: 1 });
    expect(plain.complaints).toContain('has no extension Citus');
    expect(onWorker).toMatchObject({ code: 1 });
    expect(onWorker.complaints).toContain('names a worker');
  });

  it('moves what there is: clients see the same afterwards, and go on', async () => {
    const before = await seen();
    await app.stop();

    const { code, output, complaints } = await distribute();
    await start(settings);

    expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
    expect(String(output)).toContain(
      'Distributed 30 tables over 2 workers, in 4 shards of readers and 2 of',
    );
    expect(await seen()).toEqual(before);
    expect(await localRows('item', 'article', 'article_body')).toEqual([
      { bytes: 0 },
      { bytes: 0 },
      { bytes: 0 },
    ]);

    titles.push('four');
    publish();
    await fetchAll();
    await news.post(`/items/${(await news.item('four')).id}/star`);

    expect((await news.item('four')).starred).toBe(true);
    expect((await stranger.item('four')).starred).toBe(false);
    expect(await found('heron')).toEqual(['heron']);
  });

  it('has nothing to do a second time', async () => {
    const before = await seen();
    await app.stop();
    const { code, output } = await distribute();
    await start(settings);

    expect(code).toBe(0);
    expect(String(output)).toContain('distributed over 2 workers already');
    expect(await seen()).toEqual(before);
  });
});

describe('a backup of a distributed database', () => {
  const file = path.join(folder, 'whole.backup');

  it('is refused while the service is running', async () => {
    const { code, complaints } = await runCommand(['backup', file], settings);

    expect(code).toBe(1);
    expect(complaints).toContain('Stop all processes of Gatefold');
  });

  it('is restored on one server, with everything that clients had', async () => {
    const before = await seen();
    await app.stop();

    const written = await runCommand(['backup', file], settings);
    const restored = await runCommand(['restore', file], oneServer);
    await start(oneServer);

    expect(written).toMatchObject({ code: 0, complaints: '' });
    expect(restored).toMatchObject({ code: 0, complaints: '' });
    const { items, ...rest } = await seen();
    expect(items).toEqual(before.items);
    expect(rest).toMatchObject({ folders: before.folders, ofStranger: before.ofStranger });
    titles.push('five');
    publish();
    await fetchAll();
    expect((await news.item('five')).unread).toBe(true);
  });

  it('replaces a distributed database, which is distributed again by the command', async () => {
    const before = await seen();
    await app.stop();

    const restored = await runCommand(['restore', '--replace', file], settings);
    const distributed = await distribute();
    await start(settings);

    expect(restored).toMatchObject({ code: 0, complaints: '' });
    expect(distributed).toMatchObject({ code: 0, complaints: '' });
    await fetchAll();
    expect((await news.items()).map(({ title }) => title)).toEqual(
      before.items.map(({ title }) => title),
    );
  });
});

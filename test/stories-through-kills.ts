/**
 * `node --import ./test/support/run-typescript.mjs test/stories-through-kills.ts [rounds] [seed]`: the same stories
 * are published by two feeds at once, and the serving process is killed at random moments between the fetch, the
 * job that recognises them, and the marks. In the end every reader has each story unread once.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { startDatabaseServer } from '../tools/bench/database-server.js';
import { addPeople } from '../tools/bench/people.js';
import { aServiceProcess, type ServiceProcess } from './support/a-service-process.js';
import { rss, startFeedServer } from './support/feed-server.js';
import { Random } from './support/histories/random.js';
import { NewsClient, ok, type ItemJson } from './support/news-client.js';
import { until } from './support/until.js';

const READERS = 4;
const FEEDS = ['/one', '/other'];
const LONGEST_PAUSE_MS = 2500;
/** Jobs of a process that was killed are taken up by the next one after their longest attempt. */
const DONE_WITHIN_SECONDS = 300;
const ADMIN = { userId: 'admin', password: 'admin of the kills' };

type Item = ItemJson & { readonly duplicateOf?: number };

const rounds = Number(process.argv[2] ?? 10);
const random = new Random(Number(process.argv[3] ?? 1));
const server = await startDatabaseServer(undefined);
const name = `gatefold_kills_${randomBytes(6).toString('hex')}`;
await server.query(`create database "${name}"`);
const database = new Client({ connectionString: server.urlOf(name) });
const publisher = await startFeedServer();
const start = () =>
  aServiceProcess(server.urlOf(name), {
    GATEFOLD_ADMIN_USER: ADMIN.userId,
    GATEFOLD_ADMIN_PASSWORD: ADMIN.password,
  });
const rowsOf = async <Row>(sql: string, params: readonly unknown[] = []) =>
  (await database.query(sql, [...params])).rows as Row[];

let service: ServiceProcess | undefined;
const titles: string[] = [];
function publish(title: string): void {
  titles.unshift(title);
  for (const path of FEEDS) {
    const items = titles.map((one) => ({ title: one, guid: path + one, pubDate: new Date() }));
    publisher.publish(path, rss({ title: path, link: `https://${path.slice(1)}.example`, items }));
  }
}

try {
  service = await start();
  await database.connect();
  publish('What these feeds are about, and why they agree');
  const world = { query: rowsOf, api: service.url, agent: new Agent() };
  const people = await addPeople(world, 'reader-', READERS);
  const clients = () =>
    people.map(
      ({ userId, token }) =>
        new NewsClient(
          { baseUrl: service?.url ?? '', credentials: { userId, password: token } },
          'v1-3',
        ),
    );
  for (const news of clients()) {
    await ok(news.put('/stories', { once: true }));
    for (const path of FEEDS) {
      await news.subscribe(publisher.url(path));
    }
  }
  for (let round = 1; round <= rounds; round += 1) {
    const word = String(round).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '');
    publish(
      `Keeper${word} of the${word} lighthouse${word} leaves${word} after${word} years${word}`,
    );
    await database.query('update source_schedule set due_at = now(), lease_token = null');
    await pause(random.below(LONGEST_PAUSE_MS));
    if (random.chance(0.5)) {
      await clients()[0]
        ?.feedList()
        .catch(() => {});
    }
    await service.kill();
    service = await start();
  }
  const lists = () =>
    Promise.all(clients().map(async (news) => (await news.items({ type: 3 })) as Item[]));
  const isDone = (items: readonly Item[]) =>
    items.length === titles.length * FEEDS.length &&
    items.filter(({ unread }) => unread).length === titles.length;
  await until('each story once', async () => (await lists()).every(isDone), DONE_WITHIN_SECONDS);
  for (const items of await lists()) {
    for (const [title, ofStory] of Map.groupBy(items, (item) => item.title)) {
      const keeper = ofStory.find(({ unread }) => unread);
      const copies = ofStory.filter(({ unread }) => !unread);
      assert.deepEqual(
        copies.map(({ duplicateOf }) => duplicateOf),
        [keeper?.id],
        title ?? '',
      );
    }
  }
  process.stdout.write(`${rounds} kills: each of ${titles.length} stories once for all readers\n`);
} finally {
  await service?.kill();
  await database.end();
  await publisher.close();
  await server.query(`drop database if exists "${name}" with (force)`);
  await server.stop();
}

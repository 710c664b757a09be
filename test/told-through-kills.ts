/**
 * `node --import ./test/support/run-typescript.mjs test/told-through-kills.ts [rounds] [seed]`: articles are
 * published that rules tell by a webhook, and the serving process is killed at random moments between the fetch
 * and the notice. In the end everybody was told of each article: once, or again with the same id.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { startDatabaseServer } from '../tools/bench/database-server.js';
import { addPeople, type Person } from '../tools/bench/people.js';
import { aServiceProcess, type ServiceProcess } from './support/a-service-process.js';
import { rss, startFeedServer } from './support/feed-server.js';
import { Random } from './support/histories/random.js';
import { NewsClient, ok } from './support/news-client.js';
import { startNoticeReceiver } from './support/notice-receiver.js';
import { until } from './support/until.js';

const READERS = 5;
/** From a fetch that is due until the last notice, mostly. */
const LONGEST_PAUSE_MS = 3000;
/** Jobs of a process that was killed are taken up by the next one after their longest attempt. */
const TOLD_WITHIN_SECONDS = 240;
const ADMIN = { userId: 'admin', password: 'admin of the kills' };

const rounds = Number(process.argv[2] ?? 12);
const seed = Number(process.argv[3] ?? 1);
const random = new Random(seed);

const server = await startDatabaseServer(undefined);
const name = `gatefold_kills_${randomBytes(6).toString('hex')}`;
await server.query(`create database "${name}"`);
const database = new Client({ connectionString: server.urlOf(name) });
const publisher = await startFeedServer();
const receiver = await startNoticeReceiver();
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
  const items = titles.map((one) => ({ title: one, guid: one, pubDate: new Date() }));
  publisher.publish('/feed', rss({ title: 'Quakes', items }));
}

try {
  service = await start();
  await database.connect();
  publish('Beginning');
  const world = { query: rowsOf, api: service.url, agent: new Agent() };
  for (const person of await addPeople(world, 'reader-', READERS)) {
    await toBeTold(service.url, person);
  }
  let kills = 0;
  for (let round = 1; round <= rounds; round += 1) {
    publish(`Quake ${round}`);
    await database.query('update source_schedule set due_at = now(), lease_token = null');
    await pause(random.below(LONGEST_PAUSE_MS));
    await service.kill();
    kills += 1;
    service = await start();
  }
  await until('all notices', () => idsOf().size >= rounds * READERS, TOLD_WITHIN_SECONDS);
  // Repeats and what is told twice would come now.
  await pause(5000);

  const ids = idsOf();
  const notices = await database.query<{ total: number; sent: number }>(
    `select count(*)::int as total, count(*) filter (where state = 'sent')::int as sent from notice`,
  );
  assert.deepEqual(notices.rows, [{ total: rounds * READERS, sent: rounds * READERS }]);
  assert.equal(ids.size, rounds * READERS, 'Notices with as many ids as rules and articles.');
  for (const [id, contents] of ids) {
    assert.equal(contents.size, 1, `The notice ${id} was about several things.`);
  }
  assert.equal(new Set([...ids.values()].flatMap((one) => [...one])).size, rounds * READERS);
  const repeats = receiver.received.length - ids.size;
  process.stdout.write(
    `${kills} kills (seed ${seed}): ${ids.size} notices, each once; ${repeats} came again with the same id\n`,
  );
} finally {
  await service?.kill();
  await database.end();
  await Promise.all([publisher.close(), receiver.close()]);
  await server.query(`drop database if exists "${name}" with (force)`);
  await server.stop();
}

/** What was told, by the id of its notice. */
function idsOf(): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { path, headers, json } of receiver.received) {
    const id = String(headers['webhook-id']);
    const about = ids.get(id) ?? new Set();
    const { item } = json['data'] as { item?: { title?: string } };
    ids.set(id, about.add(`${path} ${item?.title}`));
  }
  return ids;
}

/** A user who follows the feed and is told by a webhook. */
async function toBeTold(url: string, { userId, token }: Person): Promise<void> {
  const news = new NewsClient({ baseUrl: url, credentials: { userId, password: token } }, 'v1-3');
  await news.subscribe(publisher.url('/feed'));
  const address = receiver.url(`/${userId}`);
  await ok(news.post('/channels', { kind: 'webhook', form: 'standard', address }));
  await ok(
    news.put('/notices/settings', {
      quiet: null,
      timeZone: 'UTC',
      notWhileReading: false,
      mostPerRuleAndHour: 1000,
    }),
  );
  const actions = [{ type: 'notify', urgent: false }];
  await ok(news.post('/rules', { name: 'Quakes', query: 'intitle:quake', actions }));
}

/**
 * `node --import ./test/support/run-typescript.mjs test/imports-through-kills.ts [kills] [seed]`: a file of another
 * reader is imported and undone, and the serving process is killed at random moments. In the end each article is there
 * once, with its star and label, the oldest first; after the undoing, none is.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { startDatabaseServer } from '../tools/bench/database-server.js';
import { addPeople } from '../tools/bench/people.js';
import { aServiceProcess, type ServiceProcess } from './support/a-service-process.js';
import { Random } from './support/histories/random.js';
import { freshRss, Imports } from './support/imports.js';
import { NewsClient, ok } from './support/news-client.js';
import { until } from './support/until.js';

const ARTICLES = 3000;
const LONGEST_PAUSE_MS = 1500;
/** Jobs of a process that was killed are taken up by the next one after their longest attempt. */
const ENDED_WITHIN_SECONDS = 300;
const ADMIN = { userId: 'admin', password: 'admin of the kills' };

const kills = Number(process.argv[2] ?? 6);
const seed = Number(process.argv[3] ?? 1);
const random = new Random(seed);

const server = await startDatabaseServer(undefined);
const name = `gatefold_kills_${randomBytes(6).toString('hex')}`;
await server.query(`create database "${name}"`);
const database = new Client({ connectionString: server.urlOf(name) });
const start = () =>
  aServiceProcess(server.urlOf(name), {
    GATEFOLD_ADMIN_USER: ADMIN.userId,
    GATEFOLD_ADMIN_PASSWORD: ADMIN.password,
    // So slowly that most kills meet a step.
    GATEFOLD_IMPORT_ITEMS_PER_MINUTE: '30000',
  });
const rowsOf = async <Row>(sql: string, params: readonly unknown[] = []) =>
  (await database.query(sql, [...params])).rows as Row[];

let service: ServiceProcess | undefined;
try {
  service = await start();
  await database.connect();
  const world = { query: rowsOf, api: service.url, agent: new Agent() };
  const [person] = await addPeople(world, 'reader-', 1);
  assert.ok(person);
  const credentials = { userId: person.userId, password: person.token };
  const client = () =>
    new Imports(new NewsClient({ baseUrl: service?.url ?? '', credentials }, 'v1-3'));
  const entries = Array.from({ length: ARTICLES }, (_, n) => ({
    title: `Article ${n}`,
    guid: `guid-${n}`,
    body: `<p>Text ${n}</p>`,
    published: 1_600_000_000 + n,
    starred: true,
    read: n % 2 === 0,
    labels: ['Imported'],
    feed: { url: `https://gone.example/${n % 3}`, title: `Gone ${n % 3}` },
  }));
  const { id } = await client().read(freshRss(entries.toReversed()));
  const killed = async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      await pause(random.below(LONGEST_PAUSE_MS));
      await service?.kill();
      service = await start();
    }
    const isOver = async () => !['running', 'undoing'].includes((await client().one(id)).state);
    await until('the end of the import', isOver, ENDED_WITHIN_SECONDS);
    return client().one(id);
  };

  await client().start(id);
  const done = await killed();
  const titles = await rowsOf<{ title: string; unread: boolean; starred: boolean; labels: number }>(
    `select article.title, unread, starred,
            (select count(*)::int from item_label where item_id = item.id) as labels
       from item join article on article.id = item.article_id order by item.id`,
  );
  assert.equal(done.state, 'done');
  assert.equal(done.outcome['stored'], ARTICLES);
  assert.deepEqual(
    titles,
    entries.map(({ title, read }) => ({ title, unread: !read, starred: true, labels: 1 })),
  );

  await ok(client().news.post(`/imports/${id}/undo`));
  await killed();
  const left = await rowsOf(
    `select (select count(*)::int from item) as items, (select count(*)::int from item_label) as labels,
            (select count(*)::int from subscription) as feeds, (select count(*)::int from rule_effect) as effects`,
  );
  assert.deepEqual(left, [{ items: 0, labels: 0, feeds: 0, effects: 0 }]);
  process.stdout.write(
    `${2 * kills} kills (seed ${seed}): ${ARTICLES} articles imported, each once, and undone\n`,
  );
} finally {
  await service?.kill();
  await database.end();
  await server.query(`drop database if exists "${name}" with (force)`);
  await server.stop();
}

/**
 * `node --import ./test/support/run-typescript.mjs test/soak.ts [SECONDS]`: two replicas behind a
 * proxy in front of the database, with writers and readers of long lists, while connections are cut,
 * refused and frozen, and replicas are killed, stopped and started again. At the end nothing that was
 * acknowledged is lost, every pool is whole, and SIGTERM is obeyed in time.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { seedItems } from '../tools/bench/seed-items.js';
import { aServiceProcess, type ServiceProcess } from './support/a-service-process.js';
import { ApiClient, type Credentials } from './support/api-client.js';
import { aDatabaseProxy } from './support/database-proxy.js';
import { startApp } from './support/start-app.js';
import { createTestDatabase } from './support/test-database.js';
import { startTestServer } from './support/test-server.js';

const API = '/index.php/apps/news/api/v1-3';
const FEEDS = 4;
const ITEMS_PER_FEED = 250;
const ITEMS = FEEDS * ITEMS_PER_FEED;
const WRITERS = 3;
const READERS = 6;
const STOP_WITHIN_MS = 15_000;
const SETTLE_WITHIN_MS = 30_000;

const seconds = Number(process.argv[2] ?? 40);
const server = await startTestServer();
const database = await createTestDatabase();
const proxy = await aDatabaseProxy(database.url);
const credentials = await seed();
const replicas = [await aReplica(), await aReplica()];
const acknowledged: string[] = [];
const seen = { lists: 0, brokenLists: 0, failedWrites: 0, restarts: 0, cuts: 0 };
const run = { isOver: false };

try {
  const work = [
    ...Array.from({ length: WRITERS }, (_, n) => write(n)),
    ...Array.from({ length: READERS }, (_, n) => read(n)),
  ];
  await disturb(Date.now() + seconds * 1000);
  run.isOver = true;
  await Promise.all(work);

  for (const replica of replicas) {
    await until(
      'a replica is ready',
      async () => (await clientOf(replica).get('/health/ready')).status === 200,
    );
    await assertPoolsAreWhole(replica);
  }
  await assertNothingIsLost();
  await assertNobodyHoldsAConnection();
  for (const replica of replicas) {
    await assertStops(replica);
  }
  process.stdout.write(
    `${acknowledged.length} writes acknowledged, none lost; ${JSON.stringify(seen)}\n`,
  );
} catch (error) {
  replicas.forEach((replica, n) =>
    process.stdout.write(`--- replica ${n}\n${replica.log().slice(-4000)}\n`),
  );
  process.stdout.write(`${(error as Error).stack}\n${JSON.stringify(seen)}\n`);
  process.exitCode = 1;
} finally {
  run.isOver = true;
  await Promise.all(
    replicas.filter((replica) => replica.isRunning()).map((replica) => replica.kill()),
  );
  await proxy.close();
  await database.drop();
  await server.stop();
}

async function seed(): Promise<Credentials> {
  const app = await startApp({ DATABASE_URL: database.url });
  const user = await app.signIn();
  await seedItems(app, user, FEEDS, ITEMS_PER_FEED);
  await app.stop();
  return user.credentials;
}

function aReplica(): Promise<ServiceProcess> {
  return aServiceProcess(proxy.url, { GATEFOLD_DATABASE_WAIT_SECONDS: '5' });
}

function clientOf(replica: ServiceProcess): ApiClient {
  return new ApiClient(replica.url, credentials);
}

/** Notes what was answered with 200; a request that fails is made again under another name. */
async function write(writer: number): Promise<void> {
  for (let n = 0; !run.isOver; n++) {
    const replica = replicas[n % replicas.length];
    const name = `folder ${writer} ${n}`;
    const status = await (replica && clientOf(replica).post(`${API}/folders`, { name }))?.then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) {
      acknowledged.push(name);
    } else {
      seen.failedWrites += 1;
      await pause(20);
    }
  }
}

/** A list comes whole, or is broken off where the client sees it. */
async function read(reader: number): Promise<void> {
  for (let n = reader; !run.isOver; n++) {
    const replica = replicas[n % replicas.length];
    const count = await (replica && itemCount(replica))?.catch(() => undefined);
    if (count === undefined) {
      seen.brokenLists += 1;
      await pause(20);
    } else {
      assert.equal(count, ITEMS, 'a list that was not broken off is whole');
      seen.lists += 1;
    }
  }
}

/** @returns undefined when the answer is an error */
async function itemCount(replica: ServiceProcess): Promise<number | undefined> {
  const answer = await clientOf(replica).get(`${API}/items?batchSize=-1`);
  return answer.status === 200 ? (answer.json as { items: unknown[] }).items.length : undefined;
}

async function disturb(endsAt: number): Promise<void> {
  for (let round = 0; Date.now() < endsAt; round++) {
    proxy.cutAfterLastRow();
    await pause(300);
    seen.cuts += 1;
    switch (round % 8) {
      case 1:
        proxy.cut();
        break;
      case 3:
        proxy.refuse();
        await pause(500);
        proxy.accept();
        break;
      case 5:
        proxy.freeze();
        await pause(500);
        proxy.accept();
        break;
      case 7:
        await restart(Math.floor(round / 8));
        break;
    }
  }
}

/** In turns: killed, and stopped while connections are cut. */
async function restart(round: number): Promise<void> {
  const n = round % replicas.length;
  const replica = replicas[n];
  assert(replica);
  if (round % 4 < 2) {
    await replica.kill();
  } else {
    proxy.cut();
    await assertStops(replica);
  }
  replicas[n] = await aReplica();
  seen.restarts += 1;
}

async function assertStops(replica: ServiceProcess): Promise<void> {
  const began = Date.now();
  const code = await replica.stop();
  assert.equal(code, 0, `a stop leaves nothing unfinished, but ended with ${code}`);
  assert(Date.now() - began < STOP_WITHIN_MS, `SIGTERM was obeyed after ${Date.now() - began} ms`);
}

/** More at once than there are connections, several times, all of them whole. */
async function assertPoolsAreWhole(replica: ServiceProcess): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const counts = await Promise.all(Array.from({ length: 6 }, () => itemCount(replica)));
    assert.deepEqual(new Set(counts), new Set([ITEMS]), 'every stream gets its connection');
  }
  const answers = await Promise.all(
    Array.from({ length: 24 }, () => clientOf(replica).get(`${API}/folders`)),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
}

async function assertNothingIsLost(): Promise<void> {
  const [replica] = replicas;
  assert(replica);
  const { json } = await clientOf(replica).get(`${API}/folders`);
  const names = new Set((json as { folders: { name: string }[] }).folders.map(({ name }) => name));
  assert.deepEqual(
    acknowledged.filter((name) => !names.has(name)),
    [],
    'everything that was acknowledged is there',
  );
  assert(acknowledged.length > 0 && seen.lists > 0, 'something was done at all');
}

/** A connection that a process has lost track of would stay in a transaction. */
async function assertNobodyHoldsAConnection(): Promise<void> {
  const client = new Client(database.url);
  await client.connect();
  try {
    await until('no connection is in a transaction any more', async () => {
      const { rows } = await client.query<{ busy: number }>(
        `select count(*)::int as busy from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()
            and state like 'idle in transaction%'`,
      );
      return rows[0]?.busy === 0;
    });
  } finally {
    await client.end();
  }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + SETTLE_WITHIN_MS;
  while (!(await isSo().catch(() => false))) {
    assert(Date.now() < deadline, `${what}: not within ${SETTLE_WITHIN_MS} ms`);
    await pause(100);
  }
}

/**
 * `npm run load -- [SECONDS] [--proxy nginx|haproxy] [--publish]`: 200 feed reader clients, an external app
 * with 50 calls a second and feeds that publish, on two processes behind a proxy. One process is killed
 * in the middle. Nothing fails, what was acknowledged is there in the end, every client has every item,
 * and the memory does not grow. Prints latencies; `--publish` writes them into docs/performance.md.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { AppPasswordsService } from '../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { ITEMS_PER_FEED } from '../tools/bench/farm-documents.js';
import { startFeedFarm } from '../tools/bench/feed-farm.js';
import { memoryMibOfTree } from '../tools/bench/processes.js';
import { publish } from '../tools/bench/publish.js';
import { aReverseProxy, isProxyName } from './support/a-reverse-proxy.js';
import { aServiceProcess, type ServiceProcess } from './support/a-service-process.js';
import { ApiClient, type Answer, type Credentials } from './support/api-client.js';
import { knowApp, startExternalApp, type ExternalApp } from './support/external-app.js';
import { freePort } from './support/free-port.js';
import { ADMIN, startApp, type TestApp } from './support/start-app.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { createTestDatabase } from './support/test-database.js';
import { startTestServer } from './support/test-server.js';

const API = '/index.php/apps/news/api/v1-3';
const GATEWAY = '/ocs/v1.php/apps/app_api/api/v1';
const CLIENTS = 200;
const APP_CALLS_PER_SECOND = 50;
const SEEDED_AT_ONCE = 10;
/** Clients and app have one address, and on a slow machine many requests under way. */
const MOST_CONNECTIONS = 2000;
const FEEDS = 100;
const FEEDS_PER_CLIENT = 5;
const ITEMS_AT_FIRST = FEEDS_PER_CLIENT * ITEMS_PER_FEED;
/** Between two synchronisations of a client. */
const SYNC_EVERY_MS = 5_000;
const PUBLISH_EVERY_MS = 5_000;
/** A proxy has noticed by then that a process is gone. */
const KILL_NOTICED_WITHIN_MS = 10_000;
const KILLED_IS_AWAY_MS = 5_000;
const SAMPLE_EVERY_MS = 1_000;
const READY_WITHIN_MS = 60_000;
/** From this duration on growth of memory tells a leak from a start. */
const LEAKS_SHOW_AFTER_SECONDS = 300;
const MEMORY_NOISE_MIB = 25;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    proxy: { type: 'string', default: 'haproxy' },
    publish: { type: 'boolean', default: false },
  },
});
const seconds = Number(positionals[0] ?? 600);
assert(seconds >= 20, 'Name at least 20 seconds.');
assert(isProxyName(values.proxy), '--proxy is nginx or haproxy.');

interface LoadClient {
  readonly api: ApiClient;
  /** Its subscriptions. */
  readonly feedIds: readonly number[];
  /** Ids of all items that synchronisations have brought. */
  readonly known: Set<number>;
  /** Items whose flag the service has acknowledged as read. */
  readonly read: Set<number>;
  lastModified: number;
}

const latenciesMs = new Map<string, number[]>();
const failures: string[] = [];
const counts = { repeated: 0, editions: 0 };
const run = { isOver: false, killedAtMs: Number.POSITIVE_INFINITY };

const server = await startTestServer();
const database = await createTestDatabase();
const dataDir = await temporaryFolder('data');
const ports = [await freePort(), await freePort()] as const;
const proxy = await aReverseProxy(values.proxy, await freePort(), ports, {
  connections: MOST_CONNECTIONS,
  requestsPerSecond: 100_000,
});
const farm = await startFeedFarm(FEEDS);
const { clients, app } = await seed();
const replicas = [await aReplica(ports[0]), await aReplica(ports[1])];
const memoryMib: number[] = [];

try {
  await ready();
  const endsAt = Date.now() + seconds * 1000;
  const work = [
    ...clients.map((client, n) => readFeeds(client, n)),
    callAsApp(),
    publishNews(),
    watchMemory(),
  ];
  await pause((seconds * 1000) / 2);
  await killTheFirst();
  await pause(Math.max(0, endsAt - Date.now()));
  run.isOver = true;
  await Promise.all(work);
  assert.deepEqual(failures.slice(0, 20), [], `${failures.length} requests failed`);
  await assertNothingIsLost();
  assert(counts.editions > 0, 'feeds have published');
  report();
  assertMemoryIsFlat();
} catch (error) {
  process.stdout.write(`${(error as Error).stack}\n${JSON.stringify(counts)}\n`);
  replicas.forEach((replica) => process.stdout.write(`${replica.log().slice(-3000)}\n`));
  process.exitCode = 1;
} finally {
  run.isOver = true;
  await proxy.stop();
  await Promise.all(replicas.filter((one) => one.isRunning()).map((one) => one.kill()));
  await app.close();
  await farm.stop();
  await database.drop();
  await server.stop();
  await rm(dataDir, { recursive: true });
}

/** Accounts with an app password each, subscribed to feeds that several of them share. */
async function seed(): Promise<{ readonly clients: LoadClient[]; readonly app: ExternalApp }> {
  const service = await startApp({
    DATABASE_URL: database.url,
    GATEFOLD_DATA_DIR: dataDir,
    GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
  });
  const external = await startExternalApp(proxy, { appId: 'load' });
  await knowApp(service, external);
  const found: LoadClient[] = [];
  while (found.length < CLIENTS) {
    const some = Array.from({ length: SEEDED_AT_ONCE }, (_, n) =>
      aClient(service, found.length + n),
    );
    found.push(...(await Promise.all(some)));
  }
  await service.stop();
  process.stdout.write(`${CLIENTS} clients with ${FEEDS} feeds are there.\n`);
  return { clients: found, app: external };
}

async function aClient(service: TestApp, n: number): Promise<LoadClient> {
  const userId = `client-${n}`;
  const user = await service.signInOnce(userId);
  const feedIds: number[] = [];
  for (let one = 0; one < FEEDS_PER_CLIENT; one++) {
    const url = farm.urlOf((n * FEEDS_PER_CLIENT + one) % FEEDS);
    const { status, text, json } = await user.post(`${API}/feeds`, { url, folderId: null });
    assert.equal(status, 200, text);
    feedIds.push(...(json as { feeds: { id: number }[] }).feeds.map(({ id }) => id));
  }
  const { token } = await service.inside(AppPasswordsService).add(userId, 'load');
  const credentials: Credentials = { userId, password: token };
  return {
    api: new ApiClient(proxy.url, credentials),
    feedIds,
    known: new Set(),
    read: new Set(),
    lastModified: 0,
  };
}

function aReplica(port: number): Promise<ServiceProcess> {
  return aServiceProcess(database.url, {
    GATEFOLD_PORT: String(port),
    GATEFOLD_DATA_DIR: dataDir,
    GATEFOLD_BASE_URL: proxy.url,
    GATEFOLD_TRUSTED_PROXIES: '127.0.0.1/32',
    GATEFOLD_RATE_LIMITS: 'on',
    GATEFOLD_UPDATE_INTERVAL_SECONDS: '60',
  });
}

async function ready(): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while ((await fetch(`${proxy.url}/health/ready`).catch(() => undefined))?.status !== 200) {
    assert(Date.now() < deadline, 'the service is not ready');
    await pause(100);
  }
}

async function killTheFirst(): Promise<void> {
  run.killedAtMs = Date.now();
  await replicas[0]?.kill();
  await pause(KILLED_IS_AWAY_MS);
  replicas[0] = await aReplica(ports[0]);
}

/**
 * One request, with its latency under the name of its kind. One that was cut by the kill is made again, as
 * clients do; there is no other reason for which a request may fail.
 */
async function call(kind: string, send: () => Promise<Answer>): Promise<Answer> {
  const began = performance.now();
  const answer = await send().catch((error: Error) => error);
  if (!(answer instanceof Error) && answer.status === 200) {
    const list = latenciesMs.get(kind) ?? [];
    latenciesMs.set(kind, list);
    list.push(performance.now() - began);
    return answer;
  }
  const sinceKillMs = Date.now() - run.killedAtMs;
  const isCut = answer instanceof Error || answer.status === 502;
  if (isCut && sinceKillMs >= 0 && sinceKillMs < KILL_NOTICED_WITHIN_MS) {
    counts.repeated += 1;
    await pause(200);
    return call(kind, send);
  }
  throw new Error(
    `${kind}: ${answer instanceof Error ? answer.message : `${answer.status} ${answer.text.slice(0, 200)}`}`,
  );
}

/** As clients of the Nextcloud News API do: what is new, flags, then the page on the screen. */
async function readFeeds(client: LoadClient, n: number): Promise<void> {
  const { api } = client;
  await pause((SYNC_EVERY_MS * n) / CLIENTS);
  while (!run.isOver) {
    const began = Date.now();
    try {
      await synchronise(client);
      await call('GET feeds', () => api.get(`${API}/feeds`));
      const page = await call('GET items, 20 of them', () =>
        api.get(`${API}/items?batchSize=20&type=3&getRead=false`),
      );
      const itemIds = idsOf(page).slice(0, 5);
      if (itemIds.length > 0) {
        await call('POST items/read/multiple', () =>
          api.post(`${API}/items/read/multiple`, { itemIds }),
        );
        itemIds.forEach((id) => client.read.add(id));
      }
    } catch (error) {
      failures.push(`client ${n}: ${(error as Error).message}`);
    }
    await pause(run.isOver ? 0 : Math.max(0, SYNC_EVERY_MS - (Date.now() - began)));
  }
}

async function synchronise(client: LoadClient): Promise<void> {
  const isFirst = client.lastModified === 0;
  const answer = await call(isFirst ? 'first synchronisation' : 'synchronisation', () =>
    client.api.get(
      isFirst
        ? `${API}/items?batchSize=-1&type=3&getRead=true`
        : `${API}/items/updated?type=3&lastModified=${client.lastModified}`,
    ),
  );
  const { items } = answer.json as { items: { id: number; lastModified: number }[] };
  for (const { id, lastModified } of items) {
    client.known.add(id);
    client.lastModified = Math.max(client.lastModified, lastModified);
  }
}

function idsOf(answer: Answer): number[] {
  return (answer.json as { items: { id: number }[] }).items.map(({ id }) => id);
}

/** At a fixed rate, however long the answers take. */
async function callAsApp(): Promise<void> {
  const began = Date.now();
  const open: Promise<void>[] = [];
  for (let n = 0; !run.isOver; n++) {
    open.push(
      oneCallOfTheApp(n).catch((error: Error) => void failures.push(`app: ${error.message}`)),
    );
    await pause(Math.max(0, began + ((n + 1) * 1000) / APP_CALLS_PER_SECOND - Date.now()));
  }
  await Promise.all(open);
}

async function oneCallOfTheApp(n: number): Promise<void> {
  const as = app.as(`client-${n % CLIENTS}`);
  const send = (path: string, json: object) => () =>
    as.call('POST', `${GATEWAY}${path}?format=json`, { json });
  switch (n % 4) {
    case 0: {
      const configKey = `key ${n}`;
      await call(
        'app: preference set',
        send('/ex-app/preference', { configKey, configValue: String(n) }),
      );
      const answer = await call(
        'app: preference read',
        send('/ex-app/preference/get-values', { configKeys: [configKey] }),
      );
      assert(answer.text.includes(`"${n}"`), 'a preference is read as it was set');
      break;
    }
    case 1:
      await call(
        'app: configuration read',
        send('/ex-app/config/get-values', { configKeys: ['none'] }),
      );
      break;
    case 2:
      await call('app: log line', send('/log', { level: 0, message: `call ${n}` }));
      break;
    default:
      await call('app: user', () => as.call('GET', '/ocs/v1.php/cloud/user?format=json'));
  }
}

/**
 * Every few seconds a tenth of the feeds has three new items, which an updater fetches; so does the schedule of
 * the processes meanwhile.
 */
async function publishNews(): Promise<void> {
  const admin = new ApiClient(proxy.url, ADMIN);
  const subscribers = clients.slice(0, FEEDS / FEEDS_PER_CLIENT);
  for (; !run.isOver; counts.editions++) {
    const feeds = Array.from({ length: FEEDS / 10 }, (_, n) => (counts.editions + n * 10) % FEEDS);
    await farm.publish(feeds);
    for (const feed of feeds) {
      const n = Math.floor(feed / FEEDS_PER_CLIENT);
      const feedId = subscribers[n]?.feedIds[feed % FEEDS_PER_CLIENT] ?? 0;
      const query = { userId: `client-${n}`, feedId };
      await call('GET feeds/update', () => admin.get(`${API}/feeds/update`, { query })).catch(
        (error: Error) => failures.push(`updater: ${error.message}`),
      );
    }
    await pause(PUBLISH_EVERY_MS);
  }
}

/** Of the second process, which lives from the beginning to the end. */
async function watchMemory(): Promise<void> {
  while (!run.isOver) {
    memoryMib.push(memoryMibOfTree(replicas[1]?.pid ?? 0));
    await pause(SAMPLE_EVERY_MS);
  }
}

/** A full list has the items that synchronisations brought, and the flags that were acknowledged. */
async function assertNothingIsLost(): Promise<void> {
  for (const client of clients) {
    await synchronise(client);
    const answer = await client.api.get(`${API}/items?batchSize=-1&type=3&getRead=true`);
    const { items } = answer.json as { items: { id: number; unread: boolean }[] };
    const ids = new Set(items.map(({ id }) => id));
    const unread = new Set(items.filter((item) => item.unread).map(({ id }) => id));
    // What the schedule delivered between the two requests comes with the next synchronisation.
    await synchronise(client);
    const missed = [...ids].filter((id) => !client.known.has(id));
    assert.deepEqual(missed, [], 'synchronisations bring every item');
    const lost = [...client.read].filter((id) => unread.has(id));
    assert.deepEqual(lost, [], 'what was acknowledged as read is read');
    assert(
      client.read.size > 0 && ids.size >= ITEMS_AT_FIRST,
      'every client has items, and read some',
    );
  }
  const news = clients.filter(({ known }) => known.size > ITEMS_AT_FIRST);
  assert(news.length > 0, 'new items came');
}

function report(): void {
  const lines = [
    `${values.proxy}, ${seconds} s, ${CLIENTS} clients, ${APP_CALLS_PER_SECOND} app calls a second, ` +
      `${counts.editions} editions of a tenth of ${FEEDS} feeds; one of two processes killed after ` +
      `${seconds / 2} s, ${counts.repeated} requests repeated then, none failed otherwise.`,
    '',
    '| request | number | p50 ms | p95 ms | p99 ms | longest ms |',
    '| --- | --: | --: | --: | --: | --: |',
    ...[...latenciesMs].map(([kind, list]) => {
      const sorted = list.toSorted((a, b) => a - b);
      const at = (share: number) =>
        (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
      return `| ${kind} | ${sorted.length} | ${at(0.5)} | ${at(0.95)} | ${at(0.99)} | ${at(1)} |`;
    }),
    '',
    `Memory of the process that was not killed, MiB, by fifths of the time: ${fifths()
      .map((one) => one.toFixed(0))
      .join(', ')}.`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (values.publish) {
    publish('load', lines);
  }
}

/** Means of the memory in each fifth of the time. */
function fifths(): number[] {
  const size = memoryMib.length / 5;
  return Array.from({ length: 5 }, (_, n) => {
    const part = memoryMib.slice(Math.floor(n * size), Math.floor((n + 1) * size));
    return part.reduce((sum, one) => sum + one, 0) / Math.max(1, part.length);
  });
}

function assertMemoryIsFlat(): void {
  const [, second = 0, , , last = 0] = fifths();
  if (seconds >= LEAKS_SHOW_AFTER_SECONDS) {
    assert(last < second * 1.1 + MEMORY_NOISE_MIB, `memory grew from ${second} to ${last} MiB`);
  }
}

/**
 * `node --import ./test/support/run-typescript.mjs test/proxies.ts nginx|haproxy`: the configuration in
 * `deploy` before two processes, which are restarted one after the other while clients read, write,
 * transfer files, listen to live updates and log in. No request fails. Then one client address opens
 * thousands of connections in several manners, while a user reads: none of the user's requests fails.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { ExAppRoutesRepository } from '../src/app-api/apps/routes/ex-app-routes.repository.js';
import { aReverseProxy, isProxyName } from './support/a-reverse-proxy.js';
import { aServiceProcess, type ServiceProcess } from './support/a-service-process.js';
import { basic } from './support/api-client.js';
import { knowApp, startExternalApp } from './support/external-app.js';
import { freePort } from './support/free-port.js';
import { startApp } from './support/start-app.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { createTestDatabase } from './support/test-database.js';
import { startTestServer } from './support/test-server.js';

const API = '/index.php/apps/news/api/v1-3';
const WRITERS = 6;
const READERS = 6;
const LISTENERS = 4;
const FILE_BYTES = 3_000_000;
const READY_WITHIN_MS = 60_000;
/** Changes that wait at a process that is too busy to take them when it is told to stop. */
const WAITING_CHANGES = 120;
const BUSY_MS = 3_000;

interface Attack {
  readonly connections: number;
  /** What each connection sends. */
  readonly head: string;
  /** Addresses in different networks; default 1. */
  readonly networks?: number;
}

const HANGING = 'GET /index.php/apps/app_api/proxy/board/hanging HTTP/1.1\r\nHost: x\r\n\r\n';
const ATTACK_MS = 8_000;
const LATE_MS = 1_000;
const ATTACKS: Readonly<Record<string, Attack>> = {
  'unfinished bodies': {
    connections: 2_100,
    head: 'POST /login/v2/poll HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\nt',
  },
  'requests to a route of an app that hangs': {
    connections: 4_200,
    head: HANGING,
  },
  'requests of ten networks to a route of an app that hangs': {
    connections: 2_800,
    head: HANGING,
    networks: 10,
  },
  'unfinished heads': { connections: 2_000, head: 'GET / HTTP/1.1\r\nHost: x\r\n' },
};

const name = process.argv[2];
assert(isProxyName(name), 'Name nginx or haproxy.');

// nginx notices a stopping process by its refusals, HAProxy by its health checks.
const drainSeconds = name === 'nginx' ? 1 : 4;

const server = await startTestServer();
const database = await createTestDatabase();
const dataDir = await temporaryFolder('data');
const ports = [await freePort(), await freePort()] as const;
const proxyPort = await freePort();
const origin = `http://127.0.0.1:${proxyPort}`;
const seed = await startApp({ DATABASE_URL: database.url, GATEFOLD_DATA_DIR: dataDir });
const { credentials } = await seed.signIn();
const board = await startExternalApp(seed, { appId: 'board' });
await knowApp(seed, board);
board.on('/hanging', () => {});
await seed
  .inside(ExAppRoutesRepository)
  .replace('board', [
    { url: '.*', verb: 'GET', accessLevel: 0, headersToExclude: [], bruteforceStatuses: [] },
  ]);
await seed.stop();
const authorization = basic(credentials);
const replicas = [await aReplica(ports[0]), await aReplica(ports[1])];
const proxy = await aReverseProxy(name, proxyPort, ports);
const run = { isOver: false };
const counts = { reads: 0, writes: 0, transfers: 0, streams: 0, slowDownloads: 0 };
const failures: string[] = [];

try {
  await ready(origin);
  await assertForwardedHeaders();
  const work = [
    ...Array.from({ length: WRITERS }, (_, n) => repeat(`writer ${n}`, () => write(n))),
    ...Array.from({ length: READERS }, (_, n) => repeat(`reader ${n}`, read)),
    ...Array.from({ length: LISTENERS }, (_, n) => repeat(`listener ${n}`, listen)),
    repeat('files', transfer),
    repeat('slow download', downloadSlowly),
  ];
  for (const [n, replica] of replicas.entries()) {
    await pause(1000);
    const code = await stopBusy(replica);
    assert.equal(code, 0, 'a stop leaves nothing unfinished');
    replicas[n] = await aReplica(ports[n] ?? 0);
    await ready(replicas[n].url);
    // The balancer takes it back before the next one stops.
    await pause(1500);
  }
  run.isOver = true;
  await Promise.all(work);
  assert.deepEqual(failures, [], 'no request fails');
  assert(
    Object.values(counts).every((count) => count > 0),
    'everything was done at all',
  );
  process.stdout.write(`${name}: two restarts, nothing failed; ${JSON.stringify(counts)}\n`);
  const calmMs = await p99Of('nothing', { connections: 0, head: '' });
  for (const [manner, attack] of Object.entries(ATTACKS)) {
    const p99Ms = await p99Of(manner, attack);
    assert(p99Ms < Math.max(LATE_MS, 3 * calmMs), `${manner}: the user's p99 is ${p99Ms} ms`);
  }
} catch (error) {
  process.stdout.write(`${(error as Error).stack}\n${JSON.stringify(counts)}\n`);
  replicas.forEach((replica) => process.stdout.write(`${replica.log().slice(-2000)}\n`));
  process.exitCode = 1;
} finally {
  run.isOver = true;
  await proxy.stop();
  await board.close();
  await Promise.all(replicas.filter((one) => one.isRunning()).map((one) => one.kill()));
  await database.drop();
  await server.stop();
  await rm(dataDir, { recursive: true });
}

/** Latency of the requests of a user at another address meanwhile. @throws when one fails */
async function p99Of(manner: string, { connections, head, networks = 1 }: Attack): Promise<number> {
  // Other networks than that of the user.
  const localAddresses = Array.from({ length: networks }, (_, n) => `127.0.${n + 1}.2`);
  const attacker = fork(new URL('support/connections-attacker.ts', import.meta.url), [], {
    execArgv: ['--no-warnings', '--import', './test/support/run-typescript.mjs'],
  });
  attacker.send({ port: proxyPort, localAddresses, connections, head });
  const durationsMs: number[] = [];
  const endsAt = Date.now() + ATTACK_MS;
  while (Date.now() < endsAt) {
    const startedAt = Date.now();
    await (await call('GET', `${API}/items?batchSize=10&type=3`)).text();
    durationsMs.push(Date.now() - startedAt);
    await pause(50);
  }
  attacker.send('end');
  const [open] = (await once(attacker, 'message')) as [number];
  attacker.kill();
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  process.stdout.write(
    `${name}: ${connections} x ${manner}, ${open} still open: ${durationsMs.length} requests of a user, p99 ${p99} ms\n`,
  );
  return p99;
}

/** Half of the changes wait in the kernel for the process that stops. */
async function stopBusy(replica: ServiceProcess): Promise<number | null> {
  replica.signal('SIGSTOP');
  const waiting = Array.from({ length: WAITING_CHANGES }, (_, n) =>
    write(n).catch((error: Error) => void failures.push(`waiting ${n}: ${error.message}`)),
  );
  await pause(BUSY_MS);
  replica.signal('SIGTERM');
  replica.signal('SIGCONT');
  const code = await replica.ended();
  await Promise.all(waiting);
  return code;
}

function aReplica(port: number): Promise<ServiceProcess> {
  return aServiceProcess(database.url, {
    GATEFOLD_PORT: String(port),
    GATEFOLD_DATA_DIR: dataDir,
    GATEFOLD_BASE_URL: origin,
    GATEFOLD_TRUSTED_PROXIES: '127.0.0.1/32',
    GATEFOLD_DRAIN_SECONDS: String(drainSeconds),
    GATEFOLD_SHUTDOWN_SECONDS: '30',
  });
}

async function ready(url: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while ((await fetch(`${url}/health/ready`).catch(() => undefined))?.status !== 200) {
    assert(Date.now() < deadline, `${url} is not ready`);
    await pause(100);
  }
}

/** The client's own headers are overwritten; what the service calls itself is the public address. */
async function assertForwardedHeaders(): Promise<void> {
  const answer = await fetch(`${origin}/`, {
    redirect: 'manual',
    headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  });
  const text = `${answer.headers.get('location')} ${await answer.text()}`;
  assert(!text.includes('evil.example'), 'the client cannot name the host');
}

async function repeat(who: string, task: () => Promise<void>): Promise<void> {
  while (!run.isOver) {
    try {
      await task();
    } catch (error) {
      const { message, cause } = error as Error;
      failures.push(`${who}: ${message} ${cause instanceof Error ? cause.message : ''}`);
    }
    await pause(20);
  }
}

async function call(
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  type = 'application/json',
) {
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body }),
  });
  assert(answer.ok, `${method} ${path}: ${answer.status} ${answer.headers.get('server') ?? ''}`);
  return answer;
}

/** Not repeatable: a proxy must not send it twice, and none may be lost. */
async function write(writer: number): Promise<void> {
  const folderName = `folder ${writer} ${counts.writes++}`;
  const answer = await call('POST', `${API}/folders`, JSON.stringify({ name: folderName }));
  const { folders } = (await answer.json()) as { folders: { id: number }[] };
  await (await call('DELETE', `${API}/folders/${folders[0]?.id}`)).text();
}

async function read(): Promise<void> {
  await (await call('GET', `${API}/items?batchSize=20`)).text();
  await (await call('GET', '/ocs/v2.php/cloud/user?format=json')).text();
  counts.reads += 1;
}

async function transfer(): Promise<void> {
  const path = `/remote.php/dav/files/${credentials.userId}/file ${counts.transfers}`;
  const bytes = new Uint8Array(FILE_BYTES).fill(counts.transfers % 256);
  await (await call('PUT', path, bytes, 'application/octet-stream')).text();
  const back = new Uint8Array(await (await call('GET', path)).arrayBuffer());
  assert.equal(Buffer.compare(back, bytes), 0, 'a file comes back as it was sent');
  await (await call('DELETE', path)).text();
  counts.transfers += 1;
}

/** Lasts longer than the time to drain. */
async function downloadSlowly(): Promise<void> {
  const path = `/remote.php/dav/files/${credentials.userId}/large`;
  const size = 20 * FILE_BYTES;
  if (counts.slowDownloads === 0) {
    await call('PUT', path, new Uint8Array(size), 'application/octet-stream');
  }
  let received = 0;
  const { body } = await call('GET', path);
  for await (const chunk of body ?? []) {
    received += (chunk as Uint8Array).length;
    await pause(run.isOver ? 0 : 5);
  }
  assert.equal(received, size, 'a long download is whole');
  counts.slowDownloads += 1;
}

/** A stream that ends is opened again, as browsers do. */
async function listen(): Promise<void> {
  const over = new AbortController();
  const { body } = await fetch(`${origin}/index.php/apps/news/api/v1-3/events`, {
    headers: { authorization, accept: 'text/event-stream' },
    signal: over.signal,
  }).then((answer) => {
    assert.equal(answer.status, 200, `live updates: ${answer.status}`);
    return answer;
  });
  counts.streams += 1;
  const timer = setInterval(() => run.isOver && over.abort(), 100);
  try {
    for await (const chunk of body ?? []) {
      assert((chunk as Uint8Array).length > 0);
    }
  } catch (error) {
    if (!run.isOver) {
      throw error;
    }
  } finally {
    clearInterval(timer);
  }
}

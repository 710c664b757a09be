/**
 * `node --import ./test/support/run-typescript.mjs test/one-against-all.ts [--manner TEXT] [--who TEXT]
 * [--routes PATTERN]`: every route of the service, each manner of a bad sender, and three senders, one after the
 * other on one process with a heap of 256 MiB. Meanwhile an ordinary user synchronises, reads a page and marks.
 * None of the user's requests fails or is late, the memory stays small, and everything is free again
 * afterwards. Prints a table, and what fails.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { ExAppRoutesRepository } from '../src/app-api/apps/routes/ex-app-routes.repository.js';
import { AppPasswordsService } from '../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { seedItems } from '../tools/bench/seed-items.js';
import { aServiceProcess } from './support/a-service-process.js';
import { basic, type Credentials } from './support/api-client.js';
import { handlersOf } from './support/contracts/documented.js';
import { json, knowApp, startExternalApp } from './support/external-app.js';
import { rss, startFeedServer } from './support/feed-server.js';
import { freePort } from './support/free-port.js';
import { NewsClient } from './support/news-client.js';
import {
  MANNERS,
  type Attack,
  type AttackResult,
  type Manner,
  type Message,
  type Target,
} from './support/one-against-all/attack.js';
import { equip } from './support/one-against-all/equip.js';
import { targetRoutes, targetsOf, type TargetRoute } from './support/one-against-all/targets.js';
import { startApp } from './support/start-app.js';
import { createTestDatabase } from './support/test-database.js';
import { startTestServer } from './support/test-server.js';

const API = '/index.php/apps/news/api/v1-3';
const SENDERS = ['anonymous', 'account', 'app'] as const;
type Sender = (typeof SENDERS)[number];

const HEAP_MIB = 256;
const MOST_RSS_MIB = 600;
const LATE_MS = 1_000;
/** What is slow already without the attack, when it begins. */
const SLOWER_THAN_CALM = 3;
const FREE_WITHIN_MS = 30_000;
const CALM_MS = 2_000;
const USER_PAUSE_MS = 20;
const USER_TIMEOUT_MS = 30_000;
/** Of the listening socket, the database pool and the like. */
const OTHER_SOCKETS = 8;
const USER_ADDRESS = '198.51.100.7';
const ATTACKER_ADDRESS = '192.0.2.9';
const FEEDS = 100;
const ITEMS_PER_FEED = 20;
const LONG_FEEDS = 8;
const LONG_ITEMS = 25;
const LONG_BODY = '<p>Long words of an attacker. </p>'.repeat(3_000);
const KIB = 1024;

/** About the app that lets requests hang. */
const EXPECTED_ERROR =
  /ERROR: The server at \S+ does not answer, and is asked every five seconds only\.(?: \(request \S+\))?$/;

/** Routes that are not called, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {};

const TABLE_HEAD = [
  '| manner | who | routes | requests | answers | calm p99 ms | user p99 ms | of | worst ms | worst route | x waiting for a processor | peak RSS MiB |',
  '| --- | --- | --: | --: | --- | --: | --: | --: | --: | --- | --: | --: |',
];

interface Cell {
  readonly manner: Manner;
  readonly who: Sender;
}

interface Sample {
  readonly ms: number;
  /** What the attacker did meanwhile. */
  readonly routes: string;
}

interface Outcome extends Cell {
  readonly routes: number;
  readonly result: AttackResult;
  readonly calmMs: number;
  readonly p99Ms: number;
  readonly samples: number;
  readonly worst: Sample;
  /** How much longer than on a free machine the service took: the time that it waited for a processor. */
  readonly crowded: number;
  readonly peakRssMib: number;
  readonly failures: readonly string[];
}

const { values: options } = parseArgs({
  options: {
    manner: { type: 'string', default: '' },
    who: { type: 'string', default: '' },
    routes: { type: 'string', default: '' },
  },
});
const cells = MANNERS.filter((manner) => manner.includes(options.manner)).flatMap((manner) =>
  SENDERS.filter((who) => who.includes(options.who)).map((who): Cell => ({ manner, who })),
);

const server = await startTestServer();
const database = await createTestDatabase();
const port = await freePort();
const metricsPort = await freePort();
const origin = `http://127.0.0.1:${port}`;
const publisher = await startFeedServer();
const feedUrls = Array.from({ length: LONG_FEEDS }, (_, n) => publisher.url(`/long-${n}.xml`));
feedUrls.forEach((_, feed) => {
  const items = Array.from({ length: LONG_ITEMS }, (_item, n) => ({
    title: `Long item ${feed} ${n}`,
    guid: `long ${feed} ${n}`,
    body: `<p>${feed} ${n}</p>${LONG_BODY}`,
  }));
  publisher.publish(`/long-${feed}.xml`, rss({ title: `Long ${feed}`, items }));
});
publisher.hang('/hanging');
const board = await startExternalApp({ url: origin }, { appId: 'board' });
board.on('/public', json({ text: 'p'.repeat(KIB) }));
board.on('/hanging', () => {});
const { routes, user } = await seed();
const service = await aServiceProcess(database.url, {
  // As bin/gatefold.mjs starts it.
  NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB} --max-semi-space-size=16`,
  MALLOC_ARENA_MAX: '2',
  GATEFOLD_PORT: String(port),
  GATEFOLD_METRICS_PORT: String(metricsPort),
  // Lets the senders name their networks.
  GATEFOLD_TRUSTED_PROXIES: '127.0.0.0/8',
  GATEFOLD_RATE_LIMITS: 'on',
  GATEFOLD_DATABASE_CONNECTIONS: '20',
});
const attacker = fork(
  new URL('support/one-against-all/attacker.ts', import.meta.url).pathname,
  [],
  { execArgv: ['--no-warnings', '--import', './test/support/run-typescript.mjs'] },
);
const outcomes: Outcome[] = [];
const problems: string[] = [];
/** What the user did and saw since it was last emptied. */
const seen = { samples: [] as Sample[], failures: [] as string[], routes: '', isOver: false };

try {
  const reading = readAsUser();
  print(`${routes.length} routes, ${cells.length} cells; not called: ${JSON.stringify(LEFT_OUT)}`);
  for (const cell of cells) {
    const outcome = await perform(cell);
    outcomes.push(outcome);
    print(lineOf(outcome));
    problems.push(...problemsOf(outcome));
    assert(service.isRunning(), `${cell.manner}, ${cell.who}: the process has ended`);
  }
  seen.isOver = true;
  await reading;
  problems.push(...(await whatIsNotFree()));
} catch (error) {
  const worst = seen.samples.toSorted((a, b) => b.ms - a.ms).slice(0, 5);
  problems.push(
    (error as Error).stack ?? '',
    JSON.stringify({ worst, failures: seen.failures }),
    service.log().slice(-3000),
  );
} finally {
  seen.isOver = true;
  attacker.kill();
  problems.push(...faultsInLog(service.log()));
  if (service.isRunning()) {
    await service.kill();
  } else {
    problems.push(`The process has ended:\n${service.log().slice(-3000)}`);
  }
  await board.close();
  await publisher.close();
  await database.drop();
  await server.stop();
}
print(['', ...TABLE_HEAD, ...outcomes.map(lineOf), ''].join('\n'));
print(problems.length === 0 ? 'Nothing failed.' : `FAILED:\n${problems.join('\n')}`);
process.exitCode = problems.length === 0 ? 0 : 1;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function accountOf({ manner, who }: Cell): Credentials {
  const userId = `${who}-${manner.replaceAll(' ', '-')}`;
  return { userId, password: `password of ${userId}` };
}

async function seed() {
  const app = await startApp({ DATABASE_URL: database.url });
  const ada = await app.signInOnce('ada');
  await seedItems(app, ada, FEEDS, ITEMS_PER_FEED);
  // The senders' accounts follow feeds that are fetched already.
  const first = new NewsClient(await app.signInOnce('first'), 'v1-3');
  for (const url of feedUrls) {
    await first.subscribe(url);
  }
  const { token } = await app.inside(AppPasswordsService).add('ada', 'reader');
  for (const { userId, password } of cells.map(accountOf)) {
    await app.addUser(userId, password);
  }
  await knowApp(app, board);
  await app
    .inside(ExAppRoutesRepository)
    .replace('board', [
      { url: '.*', verb: 'GET,POST', accessLevel: 0, headersToExclude: [], bruteforceStatuses: [] },
    ]);
  const pattern = new RegExp(options.routes, 'i');
  const found = targetRoutes(handlersOf(app.app)).filter(
    ({ name, method }) => LEFT_OUT[name] === undefined && pattern.test(`${method} ${name}`),
  );
  await app.stop();
  return { routes: found, user: { userId: 'ada', password: token } };
}

/** The targets of a cell, for which its sender gets an account full of things. */
async function targetsFor(cell: Cell): Promise<readonly Target[]> {
  const forwarded = { 'x-forwarded-for': ATTACKER_ADDRESS };
  if (cell.who === 'anonymous') {
    return targetsOf(routes, { userId: 'ada', appId: 'board' }, () => forwarded);
  }
  const credentials = accountOf(cell);
  const given = { feedUrls, app: board, hangingUrl: publisher.url('/hanging') };
  const { values, token } = await equip(origin, credentials, given);
  const headersOf = ({ guards }: TargetRoute) => {
    if (cell.who === 'app') {
      return board.as(credentials.userId).headers;
    }
    return {
      authorization: guards.includes('GoogleLoginGuard')
        ? `GoogleLogin auth=${token}`
        : basic(credentials),
    };
  };
  return targetsOf(routes, values, (route) => ({ ...forwarded, ...headersOf(route) }));
}

async function perform(cell: Cell): Promise<Outcome> {
  forget('nothing: after the attack before');
  const targets = await targetsFor(cell);
  const failuresBefore = seen.failures;
  forget('nothing');
  await pause(CALM_MS);
  const calmMs = p99Of(seen.samples);
  const calmFailures = seen.failures;
  forget('');
  resetPeak();
  const usualBytes = (cell.who === 'anonymous' ? 64 : KIB) * KIB;
  const before = processorTime();
  const result = await attack({ origin, manner: cell.manner, targets, usualBytes });
  const { samples } = seen;
  const after = processorTime();
  return {
    ...cell,
    routes: targets.length,
    result,
    calmMs,
    p99Ms: p99Of(samples),
    samples: samples.length,
    worst: samples.toSorted((a, b) => b.ms - a.ms)[0] ?? { ms: 0, routes: '' },
    crowded: 1 + (after.waited - before.waited) / Math.max(1, after.ran - before.ran),
    peakRssMib: memoryOf('VmHWM'),
    failures: [...failuresBefore, ...calmFailures, ...seen.failures],
  };
}

function forget(routesNow: string): void {
  Object.assign(seen, { samples: [], failures: [], routes: routesNow });
}

async function attack(what: Attack): Promise<AttackResult> {
  const { promise, resolve, reject } = Promise.withResolvers<AttackResult>();
  const listen = (message: Message) => {
    if (message.kind === 'end') {
      resolve(message.result);
    } else {
      seen.routes = message.name;
    }
  };
  const end = () => reject(new Error('The attacking process has ended.'));
  attacker.on('message', listen);
  attacker.once('exit', end);
  attacker.send(what);
  try {
    return await promise;
  } finally {
    attacker.off('message', listen).off('exit', end);
  }
}

function p99Of(samples: readonly Sample[]): number {
  const sorted = samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY;
}

/** As clients do, one request after the other. */
async function readAsUser(): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let lastModified = Math.floor(Date.now() / 1000);
  let isUnread = true;
  while (!seen.isOver) {
    await callAsUser(agent, 'GET', `${API}/items/updated?type=3&id=0&lastModified=${lastModified}`);
    const page = await callAsUser(agent, 'GET', `${API}/items?batchSize=50&type=3&getRead=true`);
    const [item] = (JSON.parse(page || '{"items":[]}') as { items: { id: number }[] }).items;
    isUnread = !isUnread;
    if (item !== undefined) {
      const path = `${API}/items/${item.id}/${isUnread ? 'unread' : 'read'}`;
      await callAsUser(agent, 'POST', path);
    }
    lastModified = Math.floor(Date.now() / 1000) - 2;
  }
  agent.destroy();
}

/** @returns the body; empty if the request has failed */
async function callAsUser(agent: http.Agent, method: string, path: string): Promise<string> {
  await pause(USER_PAUSE_MS);
  const began = performance.now();
  const { routes: meanwhile, samples, failures } = seen;
  const answer = await new Promise<readonly [number, string]>((resolve, reject) => {
    const headers = { authorization: basic(user), 'x-forwarded-for': USER_ADDRESS };
    const signal = AbortSignal.timeout(USER_TIMEOUT_MS);
    const request = http.request(origin + path, { method, agent, headers, signal }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece)).on('error', reject);
      response.on('end', () =>
        resolve([response.statusCode ?? 0, Buffer.concat(pieces).toString('utf8')]),
      );
    });
    request.on('error', reject).end();
  }).catch((error: Error) => [0, error.message] as const);
  samples.push({ ms: performance.now() - began, routes: meanwhile });
  if (answer[0] === 200) {
    return answer[1];
  }
  failures.push(`${meanwhile}: ${method} ${path}: ${answer[0]} ${answer[1].slice(0, 150)}`);
  return '';
}

function problemsOf(outcome: Outcome): readonly string[] {
  const { manner, who, calmMs, p99Ms, worst, crowded, peakRssMib, failures, result } = outcome;
  const most = Math.max(LATE_MS * crowded, SLOWER_THAN_CALM * calmMs);
  return [
    ...(p99Ms < most
      ? []
      : [
          `the user's p99 is ${p99Ms.toFixed(0)} ms, at worst ${worst.ms.toFixed(0)} ms at ${worst.routes}`,
        ]),
    ...(failures.length === 0
      ? []
      : [
          `${failures.length} requests of the user failed:\n  ${failures.slice(0, 5).join('\n  ')}`,
        ]),
    ...(peakRssMib < MOST_RSS_MIB ? [] : [`the memory was ${peakRssMib.toFixed(0)} MiB`]),
    ...(result.faults.length === 0 ? [] : [`status 500 of ${result.faults.join(', ')}`]),
  ].map((problem) => `${manner}, ${who}: ${problem}`);
}

function lineOf(outcome: Outcome): string {
  const {
    manner,
    who,
    routes: count,
    result,
    calmMs,
    p99Ms,
    samples,
    worst,
    crowded,
    peakRssMib,
  } = outcome;
  const statuses = Object.entries(result.statuses)
    .map(([status, number]) => `${status}: ${number}`)
    .join(', ');
  return `| ${[
    manner,
    who,
    count,
    result.requests,
    statuses,
    calmMs.toFixed(0),
    p99Ms.toFixed(0),
    samples,
    worst.ms.toFixed(0),
    worst.routes,
    crowded.toFixed(1),
    peakRssMib.toFixed(0),
  ].join(' | ')} |`;
}

/** What is still in use, at the end of the time in which everything must be free. */
async function whatIsNotFree(): Promise<readonly string[]> {
  const began = Date.now();
  for (;;) {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const metric = (pattern: RegExp) =>
      [...text.matchAll(pattern)].map(([line, value]) => ({ line, value: Number(value) }));
    const database_ = metric(/^gatefold_database_connections\{.*\} (\d+)$/gm);
    const pooled = database_.reduce((sum, { value }) => sum + value, 0);
    const sockets = socketsOfService();
    const used = [
      ...metric(/^gatefold_open_connections\{.*\} (\d+)$/gm),
      ...metric(/^gatefold_database_connections\{state="(?:used|waiting)"\} (\d+)$/gm),
      ...metric(/^gatefold_http_requests_in_progress(?:\{.*\})? (\d+)$/gm),
    ].flatMap(({ line, value }) => (value > 0 ? [line] : []));
    if (sockets > pooled + OTHER_SOCKETS) {
      used.push(`${sockets} sockets, ${pooled} of them to the database`);
    }
    const [heap] = metric(/^nodejs_heap_size_used_bytes(?:\{.*\})? ([\d.e+]+)$/gm);
    const seconds = ((Date.now() - began) / 1000).toFixed(0);
    if (used.length === 0 || Date.now() - began > FREE_WITHIN_MS) {
      used.push(...(used.length === 0 ? [] : await statementsUnderWay()));
      print(
        `After ${seconds} s: ${used.length === 0 ? 'everything is free' : used.join('; ')}; heap ${((heap?.value ?? 0) / KIB / KIB).toFixed(0)} MiB, RSS ${memoryOf('VmRSS').toFixed(0)} MiB.`,
      );
      return used.map((one) => `still in use after ${seconds} s: ${one}`);
    }
    await pause(500);
  }
}

async function statementsUnderWay(): Promise<readonly string[]> {
  const client = new Client(database.url);
  await client.connect();
  const { rows } = await client.query<{ text: string }>(
    `select concat_ws(' ', state, wait_event, now() - state_change, left(query, 200)) as text
       from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
  );
  await client.end();
  return rows.map(({ text }) => text);
}

function memoryOf(line: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
  return Number(new RegExp(`${line}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / KIB;
}

/** Of the main thread of the service, in nanoseconds. */
function processorTime(): { readonly ran: number; readonly waited: number } {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${service.pid}/schedstat`, 'utf8')
    .split(' ')
    .map(Number);
  return { ran, waited };
}

function resetPeak(): void {
  writeFileSync(`/proc/${service.pid}/clear_refs`, '5');
}

function socketsOfService(): number {
  const folder = `/proc/${service.pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}

function faultsInLog(log: string): readonly string[] {
  const lines = log
    .split('\n')
    .filter((line) => /\b(?:ERROR|FATAL)\b|^\s+at |Unhandled/.test(line))
    .filter((line) => !EXPECTED_ERROR.test(line));
  return lines.length === 0
    ? []
    : [`${lines.length} lines of errors in the log:\n${lines.slice(0, 30).join('\n')}`];
}

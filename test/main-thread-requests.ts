/**
 * `node --import ./test/support/run-typescript.mjs test/main-thread-requests.ts [--routes PATTERN] [--document TEXT]
 * [--all]`: a user, an external app and an administrator send each route the worst documents that it reads: 1 MB of
 * XML, JSON and forms as large as they may be, hostile headers. Prints the longest piece of work of the main thread
 * for each route and document that is above 20 ms, and fails where it is above 50 ms in two of three rounds.
 *
 * What is counted: see `test/support/longest-block.ts`.
 */
import assert from 'node:assert/strict';
import http from 'node:http';
import { parseArgs } from 'node:util';
import { ExAppRoutesRepository } from '../src/app-api/apps/routes/ex-app-routes.repository.js';
import { aServiceProcess } from './support/a-service-process.js';
import { basic, type Credentials } from './support/api-client.js';
import { handlersOf } from './support/contracts/documented.js';
import { json, knowApp, startExternalApp } from './support/external-app.js';
import { rss, startFeedServer } from './support/feed-server.js';
import { freePort } from './support/free-port.js';
import { longestBlock, TELLS_BLOCKS, type Block } from './support/longest-block.js';
import type { Target } from './support/one-against-all/attack.js';
import { equip, type Equipment } from './support/one-against-all/equip.js';
import {
  longestRequests,
  withHostileHeaders,
  type LongRequest,
} from './support/one-against-all/longest-requests.js';
import { targetRoutes, targetsOf, type TargetRoute } from './support/one-against-all/targets.js';
import { ADMIN, startApp } from './support/start-app.js';
import { createTestDatabase } from './support/test-database.js';
import { startTestServer } from './support/test-server.js';

const MOST_COMPUTING_MS = 50;
const TOLD_FROM_MS = 20;
/** Of routes that answer when something happens. */
const LONGEST_ANSWER_MS = 5_000;
const SENDERS = ['user', 'app', 'administrator'] as const;
type Sender = (typeof SENDERS)[number];

/** Ends the account or its credentials, or the service: what follows would not be read. */
const LEFT_OUT = /^(?:OwnAccountController\.delete|ServiceController\.stop)$/;

const { values: options } = parseArgs({
  options: {
    routes: { type: 'string', default: '' },
    document: { type: 'string', default: '' },
    who: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
  },
});

const server = await startTestServer();
const database = await createTestDatabase();
const port = await freePort();
const publisher = await startFeedServer();
publisher.publish('/feed.xml', rss({ title: 'Feed', items: [{ title: 'One', guid: 'one' }] }));
publisher.publish('/missing', '');
const board = await startExternalApp({ url: `http://127.0.0.1:${port}` }, { appId: 'board' });
board.on('/public', json({}));
const { routes, user } = await seed();
const service = await aServiceProcess(
  database.url,
  {
    // As bin/gatefold.mjs starts it.
    NODE_OPTIONS: '--max-semi-space-size=16',
    MALLOC_ARENA_MAX: '2',
    GATEFOLD_PORT: String(port),
    GATEFOLD_SCHEDULER: 'off',
    GATEFOLD_DATABASE_CONNECTIONS: '8',
  },
  TELLS_BLOCKS,
);
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
const problems: string[] = [];
const equipped: Record<string, Promise<Equipment>> = {};
let requests = 0;

try {
  print(
    '| who | route | document | status | computing ms | collecting ms | elapsed ms | of rounds |',
  );
  print('| --- | --- | --- | --: | --: | --: | --: | --: |');
  for (const sender of SENDERS.filter((one) => one.includes(options.who))) {
    const seen = new Set<string>();
    for (const [target, { guards }] of await targetsFor(sender)) {
      // Other routes of the same guards and method read headers by the same code.
      const kind = `${target.method} ${guards.join()}`;
      const hostile = seen.has(kind) ? [] : withHostileHeaders(target);
      seen.add(kind);
      for (const request of [...longestRequests(target), ...hostile]) {
        if (request.name.includes(options.document)) {
          await measure(sender, target, request);
        }
      }
    }
  }
} catch (error) {
  problems.push((error as Error).stack ?? '', service.log().slice(-3000));
} finally {
  agent.destroy();
  await service.kill();
  await board.close();
  await publisher.close();
  await database.drop();
  await server.stop();
}
print(`\n${routes.length} routes, ${requests} requests.`);
print(problems.length === 0 ? 'Nothing failed.' : `FAILED:\n${problems.join('\n')}`);
process.exitCode = problems.length === 0 ? 0 : 1;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function seed() {
  const app = await startApp({ DATABASE_URL: database.url });
  const ada = await app.signInOnce('ada');
  await knowApp(app, board);
  await app
    .inside(ExAppRoutesRepository)
    .replace('board', [
      { url: '.*', verb: 'GET,POST', accessLevel: 0, headersToExclude: [], bruteforceStatuses: [] },
    ]);
  const pattern = new RegExp(options.routes, 'i');
  const found = targetRoutes(handlersOf(app.app)).filter(
    ({ name, method }) => !LEFT_OUT.test(name) && pattern.test(`${method} ${name}`),
  );
  await app.stop();
  return { routes: found, user: ada.credentials };
}

async function targetsFor(sender: Sender): Promise<(readonly [Target, TargetRoute])[]> {
  const credentials: Credentials = sender === 'administrator' ? ADMIN : user;
  const given = {
    feedUrls: [publisher.url('/feed.xml')],
    app: board,
    hangingUrl: publisher.url('/missing'),
  };
  const { values, token } = await (equipped[credentials.userId] ??= equip(
    service.url,
    credentials,
    given,
  ));
  const isOf = ({ guards }: TargetRoute) =>
    sender === 'app'
      ? guards.some((guard) => /Gateway|TaskPoll/.test(guard))
      : sender === 'administrator'
        ? guards.includes('AdminGuard')
        : !guards.some((guard) => /Gateway|TaskPoll|AdminGuard/.test(guard));
  const headersOf = ({ guards }: TargetRoute) =>
    sender === 'app'
      ? board.as(credentials.userId).headers
      : {
          authorization: guards.includes('GoogleLoginGuard')
            ? `GoogleLogin auth=${token}`
            : basic(credentials),
        };
  return routes
    .filter(isOf)
    .flatMap((route) =>
      targetsOf([route], values, headersOf).map((target) => [target, route] as const),
    );
}

async function measure(sender: Sender, target: Target, request: LongRequest): Promise<void> {
  // Computes once, unmeasured: what is compiled with the first request is nobody's fault.
  await send(target, request);
  await longestBlock(service);
  const blocks: Block[] = [];
  let status = 0;
  do {
    status = await send(target, request);
    blocks.push(await longestBlock(service));
  } while (blocks.length < 3 && (blocks[0]?.computingMs ?? 0) > MOST_COMPUTING_MS);
  assert(service.isRunning(), `${target.name}, ${request.name}: the process has ended`);
  const [longest, second] = blocks.toSorted((a, b) => b.computingMs - a.computingMs);
  if (options.all || (longest?.computingMs ?? 0) > TOLD_FROM_MS) {
    const figures = [longest?.computingMs, longest?.collectingMs, longest?.elapsedMs];
    const all = blocks.map(({ computingMs }) => Math.round(computingMs)).join(' ');
    const place = `${target.method} ${target.name}`;
    const cells = [
      sender,
      place,
      request.name,
      status,
      ...figures.map((ms) => ms?.toFixed(1)),
      all,
    ];
    print(`| ${cells.join(' | ')} |`);
  }
  // One alone may have met a thread that shares its core and caches, or code that was compiled anew.
  if ((second?.computingMs ?? 0) > MOST_COMPUTING_MS) {
    const ms = Math.round(second?.computingMs ?? 0);
    problems.push(`${target.method} ${target.name}, ${request.name}: ${ms} ms, twice`);
  }
}

/** @returns the status; 0 if there was none in time */
async function send(target: Target, { path, headers, body }: LongRequest): Promise<number> {
  requests += 1;
  const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
  return new Promise((resolve) => {
    const all = {
      ...target.headers,
      ...headers,
      ...(body && { 'content-type': body.type, 'content-length': String(body.bytes.length) }),
    };
    http
      .request(service.url + path, { method: target.method, agent, headers: all, signal })
      .on('response', (response) => {
        response.on('error', () => resolve(response.statusCode ?? 0)).resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      })
      .on('error', () => resolve(0))
      .end(body?.bytes);
  });
}

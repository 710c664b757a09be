/**
 * `node --import ./test/support/run-typescript.mjs test/rolling-upgrade.ts [COMMIT]`: two processes of an
 * earlier commit, by default the one before the last change of the schema, are replaced by this version
 * one after the other, while clients write and read. No request fails, and PostgreSQL sees no deadlock.
 * If the schema cannot be changed meanwhile, this version refuses to start, and the others go on.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { runnerOf } from '../src/database/connections/dedicated-connection.js';
import { appliedMigrations, LAST_FORMER_COMMIT } from '../src/database/migration-names.js';
import { MIGRATIONS } from '../src/database/migrations/all.js';
import { RollingMigration } from '../src/database/migrations/kinds.js';
import { layOutEarlierCheckout } from '../tools/bench/earlier-checkout.js';
import {
  basicCredentials,
  NEWS_API,
  startProcess,
  type ServiceProcess,
} from '../tools/bench/service.js';
import { rss, startFeedServer } from './support/feed-server.js';
import { dropDatabase, queryServer, urlOfDatabase } from './support/test-database.js';
import { startTestServer } from './support/test-server.js';

const WRITERS = 4;
const READERS = 4;
const ITEMS = 200;
/** Before, between and after the replacements. */
const PHASE_MS = 3000;
const USER = 'admin';
const PASSWORD = 'a password of the rolling upgrade';
const HEADERS = { ...basicCredentials(USER, PASSWORD), 'content-type': 'application/json' };
const SETTINGS = {
  GATEFOLD_ADMIN_USER: USER,
  GATEFOLD_ADMIN_PASSWORD: PASSWORD,
  GATEFOLD_SCHEDULER: 'on',
  GATEFOLD_DRAIN_SECONDS: '1',
};

const MIGRATION_FILES = 'src/database/migrations/';
const git = (...words: string[]) =>
  execFileSync('git', words, { encoding: 'utf8' }).trim().split('\n');
const migrationsAt = (commit: string) => git('ls-tree', '--name-only', commit, MIGRATION_FILES);

/** The latest with fewer migrations, all of which this version has; else the last one before the base. */
function beforeLastChange(): string {
  const now = new Set(migrationsAt('HEAD'));
  const parents = git('log', '--no-merges', '--format=%p', '--', `${MIGRATION_FILES}all.ts`);
  const fewer = parents.filter(Boolean).find((commit) => {
    const then = migrationsAt(commit);
    return then.length < now.size && then.every((file) => now.has(file));
  });
  return fewer ?? LAST_FORMER_COMMIT;
}

const earlier = await layOutEarlierCheckout(process.argv[2] ?? beforeLastChange());
if (earlier === undefined) {
  process.stdout.write('There is no earlier commit here.\n');
  process.exit(1);
}
const server = await startTestServer();
const publisher = await startFeedServer();
const databaseName = `gatefold_rolling_${randomBytes(6).toString('hex')}`;
await queryServer(`create database "${databaseName}"`);
const url = urlOfDatabase(databaseName);
const database = new Client(url);
await database.connect();
const processes: ServiceProcess[] = [];
/**
 * Those that were ready when the balancer asked last. The kernel resets a connection that it has taken when a
 * process closes its port; so requests have to go elsewhere before, in the time to drain.
 */
let inUse: readonly ServiceProcess[] = [];
const run = { isOver: false };
const failures: string[] = [];
const acknowledged: string[] = [];
const counts = { requests: 0, refused: 0, slowestMs: 0 };

try {
  for (let n = 0; n < 2; n++) {
    processes.push(await startProcess(earlier.folder, url, SETTINGS));
  }
  const isRolling = await willRoll();
  await askWhetherReady();
  publish(0);
  const { feeds } = await call<{ feeds: { id: number }[] }>('POST', '/feeds', {
    url: publisher.url('/feed'),
    folderId: 0,
  });
  const work = [
    repeat(askWhetherReady),
    ...Array.from({ length: WRITERS }, (_, n) => repeat((round) => write(n, round))),
    ...Array.from({ length: READERS }, () => repeat(read)),
    repeat((round) => fetchArticles(round, feeds[0]?.id ?? 0)),
  ];
  await pause(PHASE_MS);
  if (isRolling) {
    for (let n = 0; n < 2; n++) {
      await processes[n]?.stop();
      processes[n] = await startProcess(process.cwd(), url, SETTINGS);
      await pause(PHASE_MS);
    }
  } else {
    await assert.rejects(startProcess(process.cwd(), url, SETTINGS), 'this version starts');
    await pause(PHASE_MS);
  }
  run.isOver = true;
  await Promise.all(work);

  assert.deepEqual(failures, [], 'no request fails');
  assert(acknowledged.length > 0, 'something was written at all');
  const { folders } = await call<{ folders: { name: string }[] }>('GET', '/folders');
  const names = new Set(folders.map(({ name }) => name));
  assert.deepEqual(
    acknowledged.filter((name) => !names.has(name)),
    [],
    'everything that was acknowledged is there',
  );
  const { rows } = await database.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  assert.deepEqual(rows, [{ deadlocks: 0 }]);
  process.stdout.write(
    `From ${earlier.title}: ${isRolling ? 'two processes replaced' : 'refused beside them'}, ` +
      `none of ${counts.requests} requests failed; ${JSON.stringify(counts)}\n`,
  );
} catch (error) {
  process.stdout.write(`From ${earlier.title}: ${(error as Error).stack}\n`);
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  process.exitCode = 1;
} finally {
  run.isOver = true;
  await Promise.all(processes.map((one) => one.stop()));
  await publisher.close();
  await database.end();
  await dropDatabase(databaseName);
  await server.stop();
  await earlier.remove();
}

/** Whether all migrations that the database does not have are rolling. */
async function willRoll(): Promise<boolean> {
  const applied = (await appliedMigrations(runnerOf(database))) ?? [];
  const nothing = undefined as never;
  return MIGRATIONS.map((Kind) => new Kind(nothing, nothing))
    .filter((one) => !applied.includes(one.name))
    .every((one) => one instanceof RollingMigration);
}

/** The balancer's check. */
async function askWhetherReady(): Promise<void> {
  const answers = processes.map(async (one) => {
    try {
      const answer = await fetch(`${one.url}/health/ready`, { method: 'HEAD' });
      return answer.ok ? [one] : [];
    } catch {
      return [];
    }
  });
  inUse = (await Promise.all(answers)).flat();
}

/** By the processes in turns. Only what a process did not accept is sent to the next one. */
async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const began = Date.now();
  const first = counts.requests++;
  for (let tries = 1; ; tries++) {
    const { url: origin } = inUse[(first + tries) % inUse.length] ?? {};
    assert(origin !== undefined, 'a process is ready');
    try {
      const answer = await fetch(`${origin}${NEWS_API}${path}`, {
        method,
        // A connection of its own, so that none is closed under a request.
        headers: { ...HEADERS, connection: 'close' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      counts.slowestMs = Math.max(counts.slowestMs, Date.now() - began);
      assert(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
      return (text === '' ? null : JSON.parse(text)) as Answer;
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      if (cause?.code !== 'ECONNREFUSED' || tries === processes.length) {
        throw error;
      }
      counts.refused += 1;
    }
  }
}

async function repeat(task: (round: number) => Promise<unknown>): Promise<void> {
  for (let round = 0; !run.isOver; round++) {
    try {
      await task(round);
    } catch (error) {
      const { message, cause } = error as Error;
      failures.push(`${message} ${cause instanceof Error ? cause.message : ''}`);
    }
    await pause(10);
  }
}

async function write(writer: number, round: number): Promise<void> {
  const name = `folder ${writer} ${round}`;
  await call('POST', '/folders', { name });
  acknowledged.push(name);
  const { items } = await call<{ items: { id: number }[] }>('GET', '/items?batchSize=20&type=3');
  const ids = items.map(({ id }) => id);
  await call('POST', `/items/${round % 2 === 0 ? 'read' : 'unread'}/multiple`, { itemIds: ids });
  await call('POST', `/items/${round % 2 === 0 ? 'star' : 'unstar'}/multiple`, { itemIds: ids });
}

async function read(): Promise<void> {
  await call('GET', '/feeds');
  await call('GET', '/items/updated?lastModified=0&type=3');
}

function publish(round: number): void {
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    guid: `${round} ${n}`,
    title: `Article ${n} of round ${round}`,
    body: `<p>Text ${n}.</p>`,
  }));
  publisher.publish('/feed', rss({ title: 'Feed', link: publisher.url('/'), items }));
}

async function fetchArticles(round: number, feedId: number): Promise<void> {
  publish(round);
  await call('GET', `/feeds/update?userId=${USER}&feedId=${feedId}`);
}

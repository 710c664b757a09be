/**
 * `node --import ./test/support/run-typescript.mjs test/bounded-answers.ts [--routes PATTERN]`: lists that are as
 * long and large as limits and others allow, asked for by one sender 200 times in parallel, on a process with a
 * heap of 256 MiB, and once more by clients that leave at once. Meanwhile an ordinary user reads. No answer is
 * larger than its bound, the memory stays small, and the user is answered. Prints a table, and what fails.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { AppPasswordsService } from '../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { seedItems } from '../tools/bench/seed-items.js';
import { aServiceProcess } from './support/a-service-process.js';
import { basic } from './support/api-client.js';
import { Chatter } from './support/chatter.js';
import { knowApp, startExternalApp } from './support/external-app.js';
import { freePort } from './support/free-port.js';
import { startApp, type TestApp } from './support/start-app.js';
import { createTestDatabase } from './support/test-database.js';
import { startTestServer } from './support/test-server.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const HEAP_MIB = 256;
const MOST_RSS_MIB = 600;
const AT_ONCE = 200;
const LATE_MS = 1_000;
/** What is slow already without the others. */
const SLOWER_THAN_CALM = 3;
const TIMEOUT_MS = 20_000;
const NEWS = '/index.php/apps/news/api/v1-3';
const OCS = '/ocs/v2.php';
const GATEWAY = `${OCS}/apps/app_api/api/v1`;

interface Route {
  readonly name: string;
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly who: 'mallory' | 'app';
  readonly mostBytes: number;
}

const { values: options } = parseArgs({ options: { routes: { type: 'string', default: '' } } });
const server = await startTestServer();
const database = await createTestDatabase();
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const board = await startExternalApp({ url: origin }, { appId: 'board' });
const { routes, headers } = await seed();
const service = await aServiceProcess(database.url, {
  NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB} --max-semi-space-size=16`,
  MALLOC_ARENA_MAX: '2',
  GATEFOLD_PORT: String(port),
  GATEFOLD_RATE_LIMITS: 'on',
  GATEFOLD_DATABASE_CONNECTIONS: '20',
});
const problems: string[] = [];
const lines: string[] = [];
try {
  for (const route of routes.filter(({ name }) => new RegExp(options.routes, 'i').test(name))) {
    lines.push(await measure(route));
    process.stdout.write(`${lines.at(-1)}\n`);
  }
} catch (error) {
  problems.push((error as Error).stack ?? '', service.log().slice(-2000));
} finally {
  await (service.isRunning() ? service.kill() : problems.push('The process has ended.'));
  await board.close();
  await database.drop();
  await server.stop();
}
process.stdout.write(
  [
    '',
    '| list | largest answer, KiB | bound, KiB | statuses | user, calm, ms | user, p95, ms | x waiting for a processor | peak RSS, MiB | of clients that leave |',
    '| --- | --: | --: | --- | --: | --: | --: | --: | --: |',
    ...lines,
    '',
    problems.length === 0 ? 'Nothing failed.' : `FAILED:\n${problems.join('\n')}`,
    '',
  ].join('\n'),
);
process.exitCode = problems.length === 0 ? 0 : 1;

async function measure(route: Route): Promise<string> {
  const calm = await readAsUser(Promise.resolve());
  resetPeak();
  const before = processorTime();
  const asked = Promise.all(Array.from({ length: AT_ONCE }, () => ask(route)));
  const late = await readAsUser(asked);
  const answers = await asked;
  const after = processorTime();
  const crowded = 1 + (after.waited - before.waited) / Math.max(1, after.ran - before.ran);
  const rss = peakRss();
  resetPeak();
  await readAsUser(
    Promise.all(Array.from({ length: AT_ONCE }, (_, n) => ask(route, AbortSignal.timeout(n % 50)))),
  );
  const rssOfGone = peakRss();
  const largest = Math.max(...answers.map(({ bytes }) => bytes));
  const statuses = Object.entries(Object.groupBy(answers, ({ status }) => status));
  const fails = (isFault: boolean, what: string) =>
    problems.push(...(isFault ? [`${route.name}: ${what}`] : []));
  fails(largest > route.mostBytes, `an answer has ${largest} bytes`);
  fails(!answers.some(({ status }) => status === 200), 'nobody was answered');
  fails(rss > MOST_RSS_MIB || rssOfGone > MOST_RSS_MIB, `the memory was ${rss}, ${rssOfGone} MiB`);
  fails(late > Math.max(LATE_MS * crowded, SLOWER_THAN_CALM * calm), `the user waited ${late} ms`);
  return `| ${[
    route.name,
    Math.ceil(largest / KIB),
    route.mostBytes / KIB,
    statuses.map(([status, of]) => `${status}: ${of?.length ?? 0}`).join(', '),
    calm,
    late,
    crowded.toFixed(1),
    rss,
    rssOfGone,
  ].join(' | ')} |`;
}

/** Reads as an ordinary user until the work is done. @returns the time of all but a twentieth, in milliseconds */
async function readAsUser(work: Promise<unknown>): Promise<number> {
  const others = { areOver: false };
  void work.finally(() => (others.areOver = true)).catch(() => {});
  const times: number[] = [];
  for (let count = 0; count < 5 || !others.areOver; count += 1) {
    const began = performance.now();
    const path = `${NEWS}/items?batchSize=20&type=3&getRead=true`;
    const { status } = await ask({ path, who: 'ada' });
    times.push(Math.ceil(performance.now() - began));
    if (status !== 200) {
      problems.push(`The user was answered ${status}.`);
    }
    await pause(20);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
}

async function ask(
  { method = 'GET', path, who }: Omit<Route, 'name' | 'mostBytes' | 'who'> & { who: string },
  signal = AbortSignal.timeout(TIMEOUT_MS),
): Promise<{ readonly status: number; readonly bytes: number }> {
  return new Promise((resolve) => {
    const lost = () => resolve({ status: 0, bytes: 0 });
    const options = { method, agent: false, headers: headers[who] ?? {}, signal };
    const request = http.request(origin + path, options, (response) => {
      let bytes = 0;
      response.on('data', (piece: Buffer) => (bytes += piece.length)).on('error', lost);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }));
    });
    request.on('error', lost).end();
  });
}

function peakRss(): number {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / KIB);
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

async function seed() {
  const app = await startApp({ DATABASE_URL: database.url });
  const ada = await app.signInOnce('ada');
  await seedItems(app, ada, 20, 50);
  const mallory = new Chatter(await app.signInOnce('mallory'));
  await app.signInOnce('trudy');
  await knowApp(app, board);
  const token = await mallory.group('Long talk', 'trudy');
  await fillChat(app, token);
  await fillApps(app);
  await fillNews(app);
  const { token: password } = await app.inside(AppPasswordsService).add('mallory', 'bad');
  const { token: own } = await app.inside(AppPasswordsService).add('ada', 'reader');
  await app.stop();
  const as = (userId: string, secret: string) => ({
    authorization: basic({ userId, password: secret }),
    accept: 'application/json',
  });
  const list = (name: string, path: string, mostBytes: number, who: Route['who'] = 'mallory') => ({
    name,
    path,
    mostBytes,
    who,
  });
  const chat = `${OCS}/apps/spreed/api`;
  const keys = Array.from({ length: 16 }, (_, n) => `configKeys[]=${n}`).join('&');
  const found: readonly Route[] = [
    list('history', `${chat}/v1/chat/${token}?limit=200`, MIB),
    list('long poll', `${chat}/v1/chat/${token}?limit=200&lookIntoFuture=1&timeout=0`, MIB),
    list('rooms', `${chat}/v4/room`, 6 * MIB),
    list('notifications', `${OCS}/apps/notifications/api/v2/notifications`, 3 * MIB),
    list('tasks', `${OCS}/taskprocessing/tasks`, 5 * MIB),
    list('older tasks', `${OCS}/textprocessing/tasks`, 5 * MIB),
    list('settings forms', `${OCS}/settings/api/declarative/forms`, 20 * MIB),
    {
      ...list('values', `${GATEWAY}/ex-app/config/get-values?${keys}`, 20 * MIB, 'app'),
      method: 'POST',
    },
    list('feeds', `${NEWS}/feeds`, 32 * MIB),
    list('folders', `${NEWS}/folders`, 2 * MIB),
    list('labels', `${NEWS}/labels`, 2 * MIB),
  ];
  return {
    routes: found,
    headers: {
      ada: as('ada', own),
      mallory: as('mallory', password),
      app: { ...board.as('').headers, accept: 'application/json' },
    } as Readonly<Record<string, Readonly<Record<string, string>>>>,
  };
}

async function fillChat({ database: db }: TestApp, token: string): Promise<void> {
  const send = `insert into chat_message
    (conversation_id, actor_type, actor_id, actor_display_name, kind, message, parameters)
    select c.id, 'users', 'trudy', 'Trudy', 'comment', '{mention-user1} ' || repeat('x', 31900),
           '{"mention-user1": {"type": "user", "id": "mallory", "name": "Mallory"}}'
      from conversation c`;
  await db.query(`${send}, generate_series(1, 220) where token = $1`, [token]);
  await db.query(
    `insert into conversation (token, type, name, description)
     select 'room' || n, 2, repeat('n', 250), repeat('d', 2000) from generate_series(1, 1999) n`,
  );
  await db.query(
    `insert into conversation_participant (conversation_id, user_id, participant_type)
     select c.id, user_id, case when (c.id % 2 = 0) = (user_id = 'trudy') then 1 else 3 end
       from conversation c, unnest(array['trudy', 'mallory']) user_id where token like 'room%'`,
  );
  await db.query(`${send} where token like 'room%'`);
  await db.query(
    `update conversation set last_message_id =
       (select max(id) from chat_message where conversation_id = conversation.id)`,
  );
}

async function fillApps({ database: db }: TestApp): Promise<void> {
  await db.query(
    `insert into notification (user_id, app_id, object_type, object_id, subject, message, link)
     select 'mallory', 'board', 'app_api', n, json_build_object('text', 'Look', 'parameters', '{}'::json),
            json_build_object('text', repeat('{a}', 3000), 'parameters', json_build_object('a',
              json_build_object('name', repeat('x', 60000)))), ''
       from generate_series(1, 200) n`,
  );
  const long = `repeat('x', 900000)`;
  await db.query(
    `insert into processing_task (called_app_id, type, user_id, consumer, older, input, output, state,
                                  deadline_at, ended_at)
     select 'board', 'core:text2text:summary', 'mallory', 'notes', '{}',
            json_build_object('prompt', ${long}), json_build_object('output', ${long}), 'successful',
            now(), now() from generate_series(1, 200)`,
  );
  await db.query(
    `insert into processing_task (type, state, user_id, consumer, input, output, ended_at, deadline_at)
     select 'core:text2text', 'successful', 'mallory', 'board', json_build_object('input', ${long}),
            json_build_object('output', ${long}), now(), now() from generate_series(1, 200)`,
  );
  await db.query(
    `insert into ex_app_value (app_id, user_id, key, value)
     select 'board', '', n, repeat('v', 1000000) from generate_series(0, 15) n`,
  );
  await db.query(
    `insert into ex_app_registration (app_id, kind, key, fields)
     select 'board', 'settings_form', 'form' || n, json_build_object('id', 'form' || n,
            'section_type', 'personal', 'section_id', 's', 'title', repeat('t', 1000000), 'fields', '[]'::json)
       from generate_series(1, 15) n`,
  );
}

async function fillNews({ database: db }: TestApp): Promise<void> {
  await db.query(
    `insert into source (url, url_key, title, link, rev, fetched_at)
     select 'https://attacker.example/' || repeat('u', 1000) || n, decode(md5('a' || n), 'hex'),
            repeat('t', 900), 'https://attacker.example/' || repeat('l', 1000), 1, now()
       from generate_series(1, 5000) n`,
  );
  await db.query(
    `insert into source_schedule (source_id, host_key, due_at)
     select id, 'attacker.example', now() + interval '1 day' from source where url like '%attacker%'`,
  );
  await db.query(`insert into reader (user_id) values ('mallory') on conflict do nothing`);
  await db.query(
    `insert into reader_user (user_id, reader_id) select user_id, id from reader
      where user_id = 'mallory' on conflict do nothing`,
  );
  const reader = `(select reader_id from reader_user where user_id = 'mallory')`;
  await db.query(
    `insert into subscription (reader_id, source_id, url, delivered_rev)
     select ${reader}, id, url, 1 from source where url like '%attacker%'`,
  );
  for (const table of ['folder', 'label']) {
    await db.query(
      `insert into ${table} (reader_id, name)
       select ${reader}, lpad(n::text, 255, 'ö') from generate_series(1, 1000) n`,
    );
  }
}

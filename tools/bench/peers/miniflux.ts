import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../../../test/support/free-port.js';
import type { DatabaseServer } from '../database-server.js';
import { memoryMibOfTree, processorMsOfTree } from '../processes.js';
import { json, send, type Caller } from '../requests.js';
import { PROSE } from '../seed-items.js';
import { AFTER_START_MS, basicCredentials, endsWithUs } from '../service.js';
import { unpackDebianPackage } from './debian-package.js';
import { LARGEST_PAGE, type Account, type FeedReader, type Peer } from './feed-reader.js';

const ADMIN = { userId: 'admin', password: 'admin of the benchmark' };
const START_MS = 60_000;
const LARGEST_ANSWER_BYTES = 2 ** 26;

/** https://miniflux.app, from Debian's unstable, with the settings it ships with. */
export function miniflux(server: DatabaseServer): Peer {
  let program = '';
  return {
    name: 'Miniflux',
    async prepare() {
      try {
        program = path.join(await unpackDebianPackage('miniflux'), 'usr/bin/miniflux');
        return undefined;
      } catch (error) {
        return `Debian's package cannot be fetched: ${(error as Error).message.split('\n')[0]}`;
      }
    },
    start: () => start(server, program),
  };
}

async function start(server: DatabaseServer, program: string): Promise<FeedReader> {
  const databaseName = `miniflux_bench_${randomBytes(6).toString('hex')}`;
  await server.query(`create database "${databaseName}"`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    DATABASE_URL: keywordsOf(server.urlOf(databaseName)),
    RUN_MIGRATIONS: '1',
    CREATE_ADMIN: '1',
    ADMIN_USERNAME: ADMIN.userId,
    ADMIN_PASSWORD: ADMIN.password,
    LISTEN_ADDR: `127.0.0.1:${port}`,
    BASE_URL: url,
    FETCHER_ALLOW_PRIVATE_NETWORKS: '1',
  };
  let child = await spawnUntilItAnswers(program, env);
  await pause(AFTER_START_MS);
  const pidOf = () => child.pid ?? 0;
  const run = (...words: readonly string[]) =>
    promisify(execFile)(program, words, { env, maxBuffer: LARGEST_ANSWER_BYTES });
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const admin = {
    api: `${url}/v1`,
    credentials: basicCredentials(ADMIN.userId, ADMIN.password),
    agent,
  };
  const { version } = await json<{ version: string }>(admin, '/version');
  const caller: Account = { ...(await withToken(admin)), firstItemId: 1 };

  const database = new Client({ connectionString: server.urlOf(databaseName) });
  await database.connect();
  let ownStatements = 0;
  const query = async <Row>(sql: string): Promise<Row[]> => {
    ownStatements += 1;
    return (await database.query(sql)).rows as Row[];
  };
  const unreadPage = (limit: number, before: string) =>
    `/entries?status=unread&order=id&direction=desc&limit=${limit}${before}`;

  return {
    name: 'Miniflux',
    about: `Miniflux ${version}`,
    databaseName,
    caller,
    get ownStatements() {
      return ownStatements;
    },
    get pid() {
      return pidOf();
    },
    processorMs: () => processorMsOfTree(pidOf()),
    memoryMib: () => memoryMibOfTree(pidOf()),
    suspend() {
      agent.destroy();
      child.kill('SIGSTOP');
    },
    resume: () => void child.kill('SIGCONT'),
    async restart() {
      await end(child);
      const began = performance.now();
      child = await spawnUntilItAnswers(program, env);
      return performance.now() - began;
    },
    runCommand: () => run('-flush-sessions'),
    runExport: () => run('-export-user-feeds', ADMIN.userId),
    async databaseMib() {
      await query('vacuum');
      const [row] = await query<{ bytes: string }>(
        'select pg_database_size(current_database()) as bytes',
      );
      return Number(row?.bytes) / 1024 ** 2;
    },
    async importFeeds(opml) {
      await send(caller, 'POST', '/import', opml, { 'content-type': 'text/x-opml' });
      await refresh();
    },
    async makeAllDue() {
      await query(`update feeds set next_check_at = now(), checked_at = now() - interval '1 hour'`);
      await refresh();
    },
    async isFetching() {
      const [row] = await query<{ busy: boolean }>(
        `select exists (select from feeds where next_check_at <= now()) as busy`,
      );
      return row?.busy === true;
    },
    async listFeeds(one = caller) {
      await send(one, 'GET', '/feeds');
      await send(one, 'GET', '/feeds/counters');
    },
    page: () => send(caller, 'GET', unreadPage(200, '')),
    async allUnread(headers = {}) {
      const one = { ...caller, credentials: { ...caller.credentials, ...headers } };
      for (let count = 0, before = ''; ;) {
        const address = unreadPage(LARGEST_PAGE, before);
        const { entries } = await json<{ entries: { id: number }[] }>(one, address);
        count += entries.length;
        before = `&before_entry_id=${entries.at(-1)?.id}`;
        if (entries.length < LARGEST_PAGE) {
          return count;
        }
      }
    },
    changes: (one = caller) =>
      send(one, 'GET', `/entries?limit=100&changed_after=${Math.floor(Date.now() / 1000) + 1}`),
    mark: (places, read, one = caller) =>
      send(one, 'PUT', '/entries', {
        entry_ids: places.map((place) => one.firstItemId + place),
        status: read ? 'read' : 'unread',
      }),
    async fill({ accounts, feeds, itemsPerFeed, oneOf = 1 }) {
      // By SQL, without the slow hash of a password for every one of them.
      await query(
        `with added as (
           insert into users (username) select 'other' || n from generate_series(2, ${accounts}) n returning id
         ), filed as (
           insert into categories (user_id, title) select id, 'All' from added
         ), settings as (
           insert into integrations (user_id) select id from added
         )
         insert into api_keys (user_id, description, token) select id, 'benchmark', 'token of ' || id from added`,
      );
      await query(
        `insert into feeds (user_id, category_id, title, feed_url, site_url, next_check_at)
         select user_id, id, 'Feed ' || n, 'https://publisher.example/' || n,
                'https://publisher.example/', now() + interval '1 day'
           from categories, generate_series(1, ${feeds}) n
          where user_id = 1 or (n + user_id) % ${oneOf} = 0 order by user_id, n`,
      );
      // Its search index gets the title alone.
      await query(
        `insert into entries (user_id, feed_id, hash, published_at, changed_at, title, url, author,
                              content, document_vectors)
         select user_id, feeds.id, md5(link), to_timestamp(1790000000 + n), now(), 'Title of ' || link,
                link, 'Author', '<p>' || link || ' ${PROSE}</p>', to_tsvector('Title of ' || link)
           from feeds, generate_series(1, ${itemsPerFeed}) n,
                lateral (select feed_url || '/' || n as link) as identity
          order by user_id, n, feeds.id`,
      );
      await query('vacuum analyze');
      const firstIds = await query<{ token: string; id: string }>(
        `select token, min(entries.id) as id from api_keys join entries using (user_id)
          where user_id > 1 group by 1 order by 2`,
      );
      const others = firstIds.map(({ token, id }) => ({
        ...caller,
        credentials: { 'x-auth-token': token },
        firstItemId: Number(id),
      }));
      return [caller, ...others];
    },
    async stop() {
      agent.destroy();
      await end(child);
      await database.end();
      await server.query(`drop database if exists "${databaseName}" with (force)`);
    },
  };

  async function refresh() {
    await send(caller, 'PUT', '/feeds/refresh');
  }
}

/** @param login whose credentials are slow to verify */
async function withToken(login: Caller): Promise<Caller> {
  const wish = { description: 'benchmark' };
  const { token } = await json<{ token: string }>(login, '/api-keys', 'POST', wish);
  return { ...login, credentials: { 'x-auth-token': token } };
}

/** The form of an address that its driver understands for sockets, too. */
function keywordsOf(address: string): string {
  const url = new URL(address);
  const words = {
    host: decodeURIComponent(url.hostname),
    port: url.port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    dbname: url.pathname.slice(1),
    sslmode: 'disable',
  };
  return Object.entries(words)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}='${value}'`)
    .join(' ');
}

async function spawnUntilItAnswers(
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const child = spawn(program, [], { stdio: 'ignore', env });
  endsWithUs(child);
  const deadline = Date.now() + START_MS;
  for (;;) {
    const answer = await fetch(`${env['BASE_URL']}/healthcheck`).catch(() => undefined);
    if (answer?.ok === true) {
      return child;
    }
    if (Date.now() > deadline) {
      throw new Error('Miniflux did not start.');
    }
    await pause(10);
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  await ended;
}

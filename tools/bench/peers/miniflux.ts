import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../../../test/support/free-port.js';
import type { DatabaseServer } from '../database-server.js';
import { memoryMibOfTree, processorMsOfTree } from '../processes.js';
import { json, send, type Caller } from '../requests.js';
import { PROSE } from '../seed-items.js';
import { basicCredentials, endsWithUs } from '../service.js';
import { unpackDebianPackage } from './debian-package.js';
import type { Account, FeedReader, Peer } from './feed-reader.js';

const ADMIN = { userId: 'admin', password: 'admin of the benchmark' };
const LARGEST_PAGE = 1000;
const START_MS = 60_000;

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
  const child = spawn(program, [], {
    stdio: 'ignore',
    env: {
      DATABASE_URL: keywordsOf(server.urlOf(databaseName)),
      RUN_MIGRATIONS: '1',
      CREATE_ADMIN: '1',
      ADMIN_USERNAME: ADMIN.userId,
      ADMIN_PASSWORD: ADMIN.password,
      LISTEN_ADDR: `127.0.0.1:${port}`,
      BASE_URL: url,
      FETCHER_ALLOW_PRIVATE_NETWORKS: '1',
    },
  });
  endsWithUs(child);
  const ended = once(child, 'close');
  const pid = child.pid ?? 0;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const admin = {
    api: `${url}/v1`,
    credentials: basicCredentials(ADMIN.userId, ADMIN.password),
    agent,
  };
  await untilItAnswers(admin);
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
    processorMs: () => processorMsOfTree(pid),
    memoryMib: () => memoryMibOfTree(pid),
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
      let before = '';
      for (;;) {
        const { entries } = await json<{ entries: { id: number }[] }>(
          caller,
          unreadPage(LARGEST_PAGE, before),
          'GET',
          undefined,
          headers,
        );
        if (entries.length < LARGEST_PAGE) {
          return;
        }
        before = `&before_entry_id=${entries.at(-1)?.id}`;
      }
    },
    changes: (one = caller) =>
      send(one, 'GET', `/entries?limit=100&changed_after=${Math.floor(Date.now() / 1000) + 1}`),
    mark: (places, read, one = caller) =>
      send(one, 'PUT', '/entries', {
        entry_ids: places.map((place) => one.firstItemId + place),
        status: read ? 'read' : 'unread',
      }),
    async fill({ accounts, feeds, itemsPerFeed }) {
      const filled = [caller];
      for (let n = 2; n <= accounts; n += 1) {
        const [userId, password] = [`other${n}`, `password of ${n}`];
        await send(admin, 'POST', '/users', { username: userId, password });
        const other = { ...admin, credentials: basicCredentials(userId, password) };
        filled.push({
          ...(await withToken(other)),
          firstItemId: (n - 1) * feeds * itemsPerFeed + 1,
        });
      }
      await query(
        `insert into feeds (user_id, category_id, title, feed_url, site_url, next_check_at)
         select user_id, id, 'Feed ' || n, 'https://publisher.example/' || n,
                'https://publisher.example/', now() + interval '1 day'
           from categories, generate_series(1, ${feeds}) n order by user_id, n`,
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
      return filled;
    },
    async stop() {
      agent.destroy();
      child.kill('SIGTERM');
      await ended;
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

async function untilItAnswers(caller: Caller): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    try {
      await send(caller, 'GET', '/me');
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        throw new Error('Miniflux did not start.', { cause: error });
      }
    }
    await pause(100);
  }
}

import type { MikroORM } from '@mikro-orm/postgresql';
import { Client, type ClientConfig, type Pool } from 'pg';
import type { SqlRunner } from '../../common/sql-runner.js';
import { directUrlOf, readUrl } from './orm.config.js';

const CONNECT_TIMEOUT_MS = 10_000;
const GOODBYE_MS = 1000;

/**
 * Opens a connection to the database server outside the pool, with a session of its own.
 *
 * @throws Error after a timeout of ten seconds
 */
export async function openConnection(orm: MikroORM, settings: ClientConfig = {}): Promise<Client> {
  const directUrl = directUrlOf(orm);
  if (directUrl === undefined) {
    return openPoolConnection(orm, settings);
  }
  const { dbName, ...direct } = readUrl(directUrl);
  return openPoolConnection(orm, { ...direct, database: dbName, ...settings });
}

/** Opens a connection at the address of the pool, which may be a pooler's. */
export async function openPoolConnection(
  orm: MikroORM,
  settings: ClientConfig = {},
): Promise<Client> {
  const { options } = await orm.em.getConnection().getNativeClient();
  // pg makes secrets non-enumerable, so the spread does not copy them.
  const { password, ssl } = options;
  const client = new Client({
    ...options,
    password,
    ssl,
    // COPY and cursors need a connection without pipelining.
    pipeline: false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...settings,
  });
  // An unhandled 'error' event would end the process; 'end' follows anyway.
  client.on('error', () => {});
  await client.connect();
  return client;
}

export function runnerOf(client: Client | Pool): SqlRunner {
  return {
    query: async <Row>(sql: string, params: readonly unknown[] = []) =>
      (await client.query(sql, [...params])).rows as Row[],
  };
}

/** Commits when `work` resolves; rolls back and rethrows when it rejects. */
export async function transactionOn<Result>(
  client: Client,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** Closes a connection, by force if the server does not respond. */
export async function closeConnection(client: Client): Promise<void> {
  const ended = client.end();
  const timer = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS);
  await ended;
  clearTimeout(timer);
}

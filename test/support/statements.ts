import { jest } from '@jest/globals';
import { Client } from 'pg';
import { WITHOUT_JIT } from '../../src/database/connections/orm.config.js';
import type { Database } from '../../src/database/database.js';
import { ASK } from '../../src/database/notices/notices.js';
import { ASK_WORKERS_ANEW } from '../../src/database/silent-servers/workers.repository.js';
import { PLAN_AS_USUAL, PLAN_ONCE, SET_LIMITS } from '../../src/database/statement-limits.js';

/** Sent when a connection is opened, and while the server is watched. */
const OF_CONNECTIONS: ReadonlySet<string> = new Set([
  WITHOUT_JIT,
  SET_LIMITS,
  PLAN_ONCE,
  PLAN_AS_USUAL,
  ASK,
  ASK_WORKERS_ANEW,
]);

/** Looks every few seconds for jobs, for those of processes that have ended, and for silent workers; measures the tables. */
const OF_BACKGROUND =
  /as known \(kind\)|\.pgboss\.|monitor_backoff_on|nspname = 'job'|pg_dist_|\bjob\.(?:version|job_now)/;

/**
 * SQL texts sent to the database during `work`, by all connections of this process, without those
 * that prepare a connection or watch the server.
 */
export async function statementsDuring(
  database: Database,
  work: () => Promise<unknown>,
): Promise<string[]> {
  // MikroORM has a pool with a class of its own.
  const ofPool = await database.withPool(async (pool) => {
    const client = await pool.connect();
    client.release();
    let methods = Object.getPrototypeOf(client) as Client;
    while (!Object.hasOwn(methods, 'query')) {
      methods = Object.getPrototypeOf(methods) as Client;
    }
    return methods;
  });
  const spies = [...new Set([Client.prototype, ofPool])].map((one) => jest.spyOn(one, 'query'));
  try {
    await work();
    return spies
      .flatMap(({ mock }) => mock.calls.map(([given]) => textOf(given)))
      .filter((text) => !OF_CONNECTIONS.has(text));
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
}

/** The same without what the service does by itself in the background. */
export async function statementsOfRequests(
  ...given: Parameters<typeof statementsDuring>
): Promise<string[]> {
  return (await statementsDuring(...given)).filter((text) => !OF_BACKGROUND.test(text));
}

function textOf(given: unknown): string {
  return String((given as { text?: string } | undefined)?.text ?? given);
}

import { jest } from '@jest/globals';
import { Client } from 'pg';
import { WITHOUT_JIT } from '../../src/database/connections/orm.config.js';
import type { Database } from '../../src/database/database.js';
import { ASK } from '../../src/database/notices/notices.js';
import { ASK_WORKERS_ANEW } from '../../src/database/silent-servers/workers.repository.js';
import {
  currentWork,
  limitedAs,
  PLAN_AS_USUAL,
  PLAN_ONCE,
  SET_LIMITS,
} from '../../src/database/statement-limits.js';

/** Sent when a connection is opened, and while the server is watched. */
const OF_CONNECTIONS: ReadonlySet<string> = new Set([
  WITHOUT_JIT,
  SET_LIMITS,
  PLAN_ONCE,
  PLAN_AS_USUAL,
  ASK,
  ASK_WORKERS_ANEW,
]);

interface Statement {
  readonly text: string;
  readonly isOfRequest: boolean;
}

/**
 * SQL texts sent to the database during `work`, by all connections of this process, without those
 * that prepare a connection or watch the server.
 */
export async function statementsDuring(
  database: Database,
  work: () => Promise<unknown>,
): Promise<string[]> {
  return (await recorded(database, work)).map(({ text }) => text);
}

/** The same of requests, and of `work` itself, without what the service does meanwhile in the background. */
export async function statementsOfRequests(
  database: Database,
  work: () => Promise<unknown>,
): Promise<string[]> {
  return (await recorded(database, () => limitedAs('request', work)))
    .filter(({ isOfRequest }) => isOfRequest)
    .map(({ text }) => text);
}

async function recorded(database: Database, work: () => Promise<unknown>): Promise<Statement[]> {
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
  const statements: Statement[] = [];
  const spies = [...new Set([Client.prototype, ofPool])].map((one) => {
    const query = one.query as (...given: unknown[]) => unknown;
    return jest.spyOn(one, 'query').mockImplementation(function spied(this: Client, ...given) {
      statements.push({ text: textOf(given[0]), isOfRequest: currentWork() === 'request' });
      return query.apply(this, given) as never;
    });
  });
  try {
    await work();
    return statements.filter(({ text }) => !OF_CONNECTIONS.has(text));
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
}

function textOf(given: unknown): string {
  return String((given as { text?: string } | undefined)?.text ?? given);
}

import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type MikroORM, type Options } from '@mikro-orm/postgresql';
import {
  Client,
  type ClientBase,
  type ClientConfig,
  type Pool,
  type PoolClient,
  type TypeOverrides,
} from 'pg';
import type { Described } from '../entity-of.js';
import { MIGRATIONS } from '../migrations/all.js';
import { limitStatements, type StatementLimits } from '../statement-limits.js';
import { shareConnections } from './connection-shares.js';
import { growOnDemand } from './grow-on-demand.js';

/** A URL, or the socket folder of the embedded server. */
export type DatabaseAddress = UrlAddress | SocketAddress;

interface UrlAddress {
  readonly url: string;
  /** Address of the server itself, when `url` is a pooler that shares sessions between transactions. */
  readonly directUrl?: string | undefined;
}

export interface SocketAddress {
  readonly socketDir: string;
  readonly user: string;
  readonly dbName: string;
}

const INT8_OID = 20;

/** TCP keep-alive, to detect dead connections. */
const KEEP_ALIVE_MS = 10_000;

const DEFAULT_WAIT_SECONDS = 10;

/**
 * Options for the embedded and for an external server.
 *
 * @param waitSeconds for a connection
 * @param limits of statements; default: none
 */
export function ormConfig(
  address: DatabaseAddress,
  entities: readonly Described[],
  maxConnections: number,
  waitSeconds = DEFAULT_WAIT_SECONDS,
  limits?: StatementLimits,
): Options {
  const { ssl, ...where } = 'url' in address ? readUrl(address.url) : readSocket(address);
  const directUrl = 'url' in address ? address.directUrl : undefined;
  return defineConfig({
    ...where,
    entities: entities.map(({ schema }) => schema),
    // Tests and backup commands use the database without entities.
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    // Rows are read and changed by statements; none is kept to be compared and written later.
    disableIdentityMap: true,
    // Done in migrate.ts, which handles processes that start at the same time.
    ensureDatabase: false,
    // Opening a connection costs more than most queries, so idle ones are kept for a while.
    pool: { min: 1, max: maxConnections, idleTimeoutMillis: 60_000 },
    driverOptions: {
      ssl,
      onPoolCreated: (pool: Pool) =>
        preparePool(pool, directUrl === undefined ? limits : undefined),
      // Other clients share the sessions behind a pooler.
      ...(directUrl === undefined ? { onConnect: prepareSession } : {}),
      directUrl,
      application_name: 'gatefold',
      connectionTimeoutMillis: waitSeconds * 1000,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      // Needed by `Database.transactionOf`.
      pipeline: true,
    },
    migrations: {
      migrationsList: MIGRATIONS,
      tableName: 'migration',
      snapshot: false,
      silent: true,
    },
  });
}

/** Address of the server behind a pooler by transaction; undefined without one. */
export function directUrlOf(orm: MikroORM): string | undefined {
  const options: { readonly directUrl?: string | undefined } = orm.config.get('driverOptions');
  return options.directUrl;
}

interface ConnectionSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly dbName: string;
  readonly ssl: ClientConfig['ssl'];
}

/**
 * Parsed by pg, which supports all forms of URLs. MikroORM ignores the query string, and with it
 * `sslmode`.
 */
export function readUrl(url: string): ConnectionSettings {
  const { host, port, user = '', password = '', database = user, ssl } = new Client(url);
  return { host, port, user, password, dbName: database, ssl };
}

function readSocket({ socketDir, user, dbName }: SocketAddress): ConnectionSettings {
  return { host: socketDir, port: 5432, user, password: '', dbName, ssl: false };
}

/**
 * The first statement of a session. Compiling a list takes PostgreSQL longer than reading it: with JIT the
 * first of 30,000 items came after 600 ms.
 */
export const WITHOUT_JIT = 'set jit = off';

async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(WITHOUT_JIT);
}

function preparePool(pool: Pool, limits: StatementLimits | undefined): void {
  readInt8AsNumber(pool);
  pool.on('connect', releaseWhenLost);
  growOnDemand(pool);
  shareConnections(pool);
  limitStatements(pool, limits);
}

/** Ids and microseconds stay far below 2^53, so numbers are exact and JSON can carry them. */
function readInt8AsNumber(pool: Pool): void {
  // MikroORM sets a TypeOverrides there, which is missing in the type of the option.
  (pool.options.types as TypeOverrides).setTypeParser(INT8_OID, Number);
}

/**
 * Releases a connection that is lost while in use. Kysely releases the connection of a transaction
 * only after the rollback, which fails on a lost one: each would shrink the pool permanently.
 */
function releaseWhenLost(client: PoolClient): void {
  // The current or next query fails anyway; an unhandled 'error' event would end the process.
  client.on('error', () => {});

  let giveBack: PoolClient['release'] = () => {};
  Object.defineProperty(client, 'release', {
    get: () => giveBack,
    set(release: PoolClient['release']) {
      let isBack = false;
      giveBack = (error) => {
        if (!isBack) {
          isBack = true;
          release(error);
        }
      };
    },
  });
  client.once('end', () => giveBack(true));
}

import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type AnyEntity, type EntityName, type Options } from '@mikro-orm/postgresql';
import { Client, type ClientConfig, type Pool, type PoolClient, type TypeOverrides } from 'pg';
import { MIGRATIONS } from './migrations/all.js';

/** How to reach a PostgreSQL server: an address, or the socket folder of the embedded one. */
export type DatabaseAddress = { readonly url: string } | SocketAddress;

export interface SocketAddress {
  readonly socketDir: string;
  readonly user: string;
  readonly dbName: string;
}

const INT8_OID = 20;

/** How soon a connection that silently broke is looked after by the operating system. */
const KEEP_ALIVE_MS = 10_000;

const DEFAULT_WAIT_SECONDS = 10;

/**
 * One builder for the embedded and for an external server: same entities, migrations and SQL.
 *
 * @param waitSeconds for a free connection of the pool, or for the server to take a new one
 */
export function ormConfig(
  address: DatabaseAddress,
  entities: readonly EntityName<AnyEntity>[],
  maxConnections: number,
  waitSeconds = DEFAULT_WAIT_SECONDS,
): Options {
  const { ssl, ...where } = 'url' in address ? readUrl(address.url) : readSocket(address);
  return defineConfig({
    ...where,
    entities: [...entities],
    // Rooms without entities of their own are fine, and so is a database before its first room.
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    // Done in migrate.ts, which minds that several processes may start at once.
    ensureDatabase: false,
    // Idle connections are kept, since opening one costs more than the queries it serves.
    pool: { min: 1, max: maxConnections, idleTimeoutMillis: 300_000 },
    driverOptions: {
      ssl,
      onPoolCreated: preparePool,
      application_name: 'gatefold',
      connectionTimeoutMillis: waitSeconds * 1000,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    },
    migrations: {
      migrationsList: MIGRATIONS,
      tableName: 'migration',
      snapshot: false,
      silent: true,
    },
  });
}

interface Whereabouts {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly dbName: string;
  readonly ssl: ClientConfig['ssl'];
}

/**
 * Read by the driver, which knows all forms of addresses: MikroORM passes over everything after the
 * question mark, and would connect in plain text where `sslmode` asks for encryption.
 */
function readUrl(url: string): Whereabouts {
  const { host, port, user = '', password = '', database = user, ssl } = new Client(url);
  return { host, port, user, password, dbName: database, ssl };
}

function readSocket({ socketDir, user, dbName }: SocketAddress): Whereabouts {
  return { host: socketDir, port: 5432, user, password: '', dbName, ssl: false };
}

function preparePool(pool: Pool): void {
  readInt8AsNumber(pool);
  pool.on('connect', takeBackWhenLost);
}

/** Ids and microseconds stay far below 2^53, so numbers are exact and JSON can carry them. */
function readInt8AsNumber(pool: Pool): void {
  // MikroORM puts a TypeOverrides of its own there, which the type of the option does not tell.
  (pool.options.types as TypeOverrides).setTypeParser(INT8_OID, Number);
}

/**
 * Lets a connection that ends while it is in use go back to the pool. The query builder gives back
 * a transaction's connection only after it could roll back, which a lost one never can: with each
 * the pool would be smaller for good, until nothing works any more.
 */
function takeBackWhenLost(client: PoolClient): void {
  // The query that is under way fails by itself, and between two queries it is the next that does.
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

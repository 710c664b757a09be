import { MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CompiledQuery } from 'kysely';
import { escapeLiteral, Pool, type PoolClient, type QueryConfig } from 'pg';
import Cursor from 'pg-cursor';
import type { SqlRunner } from '../common/sql-runner.js';
import { CopyQuery, type RowOfBytes } from './copy-query.js';
import { DatabaseAvailability } from './database-availability.js';
import { DatabaseUnavailable } from './database-unavailable.js';
import { directUrlOf } from './orm.config.js';
import { preparedName } from './prepared.js';
import { noting } from './statement-limits.js';
import type { Statement } from './statement.js';
import { tracedRows, tracedStatement } from './traced-statement.js';

export type { SqlRunner };

/** An open transaction: SQL and entity manager share its connection. */
export interface Transaction extends SqlRunner {
  readonly em: EntityManager;
}

/**
 * Database access for repositories. Always READ COMMITTED: the locks of the news room require that
 * each statement sees earlier commits.
 */
@Injectable()
export class Database implements SqlRunner, OnApplicationShutdown {
  readonly #availability = new DatabaseAvailability();
  #main: Pool | undefined;
  #streams: Pool | undefined;

  /** Behind a pooler, the next transaction may run in a session that does not know the name. */
  readonly #prepares: boolean;

  constructor(private readonly orm: MikroORM) {
    this.#prepares = directUrlOf(orm) === undefined;
  }

  /** Runs work with a new entity manager, outside a transaction. */
  async entities<Result>(work: (em: EntityManager) => Promise<Result>): Promise<Result> {
    return this.withPool(() => work(this.orm.em.fork()));
  }

  async query<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.withPool((pool) =>
      tracedStatement(sql, () => noting(sql, pool.query(forPg({ sql, params }, this.#prepares)))),
    );
    return rows as Row[];
  }

  /** Commits when `work` resolves; rolls back and rethrows when it rejects. */
  async transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.withPool(() => this.#transaction(work));
  }

  /**
   * Runs statements in one transaction and one round trip. They are sent together, so none can use
   * the rows of another; but each sees the state after those before it, and waits for their locks.
   * Commits, or rolls back and throws the first error.
   *
   * @returns the rows of each statement
   */
  async transactionOf(statements: readonly Statement[]): Promise<unknown[][]> {
    const rows = await this.queryTogether([BEGIN, ...statements, COMMIT]);
    return rows.slice(1, -1);
  }

  /**
   * Runs statements one after the other on one connection, in one round trip, each by itself.
   *
   * @returns the rows of each statement
   * @throws the first error; after one outside a transaction, later statements were run all the same
   */
  async queryTogether(statements: readonly Statement[]): Promise<unknown[][]> {
    return this.withPool(async (pool) =>
      sendTogether(await pool.connect(), statements, this.#prepares),
    );
  }

  /**
   * Gives access to the pool, for libraries that generate SQL.
   *
   * @throws DatabaseUnavailable
   */
  async withPool<Result>(work: (pool: Pool) => Promise<Result>): Promise<Result> {
    const pool = await this.#pool();
    return this.#availability.during(pool, () => work(pool));
  }

  async #transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.orm.em.fork().transactional(async (em) => {
      const connection = em.getKysely();
      const query = async <Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> => {
        const { rows } = await tracedStatement(sql, () =>
          noting(sql, connection.executeQuery<Row>(forKysely({ sql, params }, this.#prepares))),
        );
        return rows;
      };
      return work({ em, query });
    });
  }

  /**
   * Reads a long result through a cursor, `rowsPerRead` rows at a time. Holds a connection until
   * the consumer finishes or stops.
   */
  stream<Row>(
    sql: string,
    params: readonly unknown[],
    rowsPerRead: number,
  ): AsyncGenerator<Row[], void, undefined> {
    return tracedRows(sql, this.#stream(sql, params, rowsPerRead));
  }

  async *#stream<Row>(
    sql: string,
    params: readonly unknown[],
    rowsPerRead: number,
  ): AsyncGenerator<Row[], void, undefined> {
    const pool = await this.#streamPool();
    const client = await this.#availability.during(pool, () => pool.connect());
    const lost = Promise.withResolvers<never>();
    const onEnd = () => lost.reject(new Error('The connection to the database was lost.'));
    client.once('end', onEnd);
    const cursor = client.query(new Cursor<Row>(sql, [...params]));
    // A cursor may never settle on a lost connection: when closing, and when the connection is lost
    // between the last row and "ready for query".
    const orLost = <Result>(step: Promise<Result>) => Promise.race([step, lost.promise]);
    let broken: Error | undefined;
    try {
      for (;;) {
        const rows = await orLost(cursor.read(rowsPerRead));
        if (rows.length > 0) {
          yield rows;
        }
        if (rows.length < rowsPerRead) {
          return;
        }
      }
    } catch (error) {
      broken = error as Error;
      throw this.#availability.explain(pool, error);
    } finally {
      await orLost(cursor.close()).catch((error: Error) => (broken = error));
      client.off('end', onEnd);
      client.release(broken);
    }
  }

  /**
   * Reads a long result as bytes, in batches as they arrive; a consumer that is slow stops the server.
   * Holds a connection until the consumer finishes. One that stops earlier costs the connection, since
   * the server sends all rows.
   *
   * @param statement with columns of text and JSON, and with texts and whole numbers as values
   * @param settings `set local …;` statements, for this one alone
   */
  copy(statement: Statement, settings = ''): AsyncGenerator<RowOfBytes[], void, undefined> {
    return tracedRows(statement.sql, this.#copy(statement, settings));
  }

  async *#copy(
    statement: Statement,
    settings: string,
  ): AsyncGenerator<RowOfBytes[], void, undefined> {
    // Sent together, so that they are one transaction.
    const query = new CopyQuery(
      `${settings} copy (${withValues(statement)}) to stdout (format binary)`,
    );
    const pool = await this.#streamPool();
    const client = await this.#availability.during(pool, () => pool.connect());
    try {
      yield* client.query(query).batches();
    } catch (error) {
      throw this.#availability.explain(pool, error);
    } finally {
      if (!query.isDone) {
        client.connection.stream.destroy();
      }
      client.release(!query.isDone);
    }
  }

  /** @throws DatabaseUnavailable when the database cannot be reached or is a read-only standby */
  async assertWritable(): Promise<void> {
    const [row] = await this.query<{ readOnly: boolean }>(
      `select current_setting('transaction_read_only') = 'on' as "readOnly"`,
    );
    if (row?.readOnly === true) {
      throw new DatabaseUnavailable('read-only');
    }
  }

  /** Connections that are not idle. */
  connectionsInUse(): { readonly pool: number; readonly streams: number } {
    return { pool: inUse(this.#main), streams: inUse(this.#streams) };
  }

  /** Of the pool for short work by state, and of that for long lists. `waiting` is work, not connections. */
  connections(): Readonly<Record<'used' | 'idle' | 'waiting' | 'streams', number>> {
    const { idleCount: idle = 0, waitingCount: waiting = 0 } = this.#main ?? {};
    return { used: inUse(this.#main), idle, waiting, streams: inUse(this.#streams) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#streams?.end();
  }

  async #pool(): Promise<Pool> {
    this.#main ??= await this.orm.em.getConnection().getNativeClient();
    return this.#main;
  }

  /** Apart from the main pool, so that slow readers of long lists cannot starve short requests. */
  async #streamPool(): Promise<Pool> {
    if (this.#streams === undefined) {
      const { options } = await this.#pool();
      const max = mostStreams(options.max ?? 10);
      // pg makes secrets non-enumerable, so the spread does not copy them.
      const { password, ssl } = options;
      // Cursors need a connection without pipelining.
      this.#streams = new Pool({ ...options, password, ssl, min: 0, max, pipeline: false });
      // A lost connection fails its stream, and idle ones are replaced; but an unhandled 'error' event
      // would end the process.
      this.#streams.on('error', () => {});
      this.#streams.on('connect', (client) => client.on('error', () => {}));
    }
    return this.#streams;
  }
}

/** @param maxConnections of the pool */
export function mostStreams(maxConnections: number): number {
  return Math.ceil(maxConnections / 2);
}

/** The connection must pipeline, see `ormConfig`. */
async function sendTogether(
  client: PoolClient,
  statements: readonly Statement[],
  prepares: boolean,
): Promise<unknown[][]> {
  const { stream } = client.connection;
  // One write to the socket instead of one per statement.
  stream.cork();
  const sent = statements.map((statement) =>
    tracedStatement(statement.sql, () =>
      noting(statement.sql, client.query(forPg(statement, prepares))),
    ),
  );
  stream.uncork();
  // After an error in a transaction the others fail as well, and the commit is a rollback.
  const results = await Promise.allSettled(sent);
  client.release();
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
  return results.map((result) => (result.status === 'fulfilled' ? result.value.rows : []));
}

const BEGIN: Statement = { sql: 'begin', params: [] };
const COMMIT: Statement = { sql: 'commit', params: [] };

function forPg({ sql, params }: Statement, prepares: boolean): QueryConfig {
  const name = prepares ? preparedName(sql) : undefined;
  const query = { text: sql, values: [...params] };
  return name === undefined ? query : { name, ...query };
}

/** Kysely passes `sql` to pg as it is, and pg takes a name with it as well. */
function forKysely({ sql, params }: Statement, prepares: boolean): CompiledQuery {
  const name = prepares ? preparedName(sql) : undefined;
  const query = CompiledQuery.raw(sql, [...params]);
  return name === undefined ? query : { ...query, sql: { name, text: sql } as unknown as string };
}

function inUse(pool: Pool | undefined): number {
  return pool === undefined ? 0 : pool.totalCount - pool.idleCount;
}

/** `copy` takes no parameters. */
function withValues({ sql, params }: Statement): string {
  return sql.replaceAll(/\$(\d+)/g, (_, n: string) => literal(params[Number(n) - 1]));
}

function literal(value: unknown): string {
  if (typeof value === 'string') {
    return escapeLiteral(value);
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new TypeError(`${String(value)} is neither a text nor a whole number.`);
  }
  return `(${BigInt(value)})`;
}

import { MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CompiledQuery } from 'kysely';
import { escapeLiteral, Pool, type PoolClient, type QueryConfig } from 'pg';
import { timed } from '../common/auth/request-actor.js';
import type { SqlRunner } from '../common/sql-runner.js';
import { BytesQuery, type RowOfBytes } from './byte-rows.js';
import { refuseConnections } from './connections/connection-shares.js';
import { DatabaseAvailability } from './connections/database-availability.js';
import { directUrlOf } from './connections/orm.config.js';
import { tracedStatement } from './connections/traced-statement.js';
import { DatabaseUnavailable } from './database-unavailable.js';
import { nameOfText, preparedName } from './prepared.js';
import {
  assertCurrentRight,
  BY_INDEX,
  noting,
  planningOnce,
  withoutShare,
} from './statement-limits.js';
import type { Statement } from './statement.js';

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
export class Database implements SqlRunner {
  readonly #availability = new DatabaseAvailability(() => this.silentWorkers.length > 0);
  #main: Pool | undefined;
  /** Workers of a cluster that do not answer, as `host:port`. */
  silentWorkers: readonly string[] = [];

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
    this.#assertAnswers(sql);
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
    statements.forEach(({ sql }) => this.#assertAnswers(sql));
    return this.withPool(async (pool) =>
      sendTogether(await pool.connect(), statements, this.#prepares),
    );
  }

  /**
   * Gives access to the pool, for libraries that generate SQL.
   *
   * @throws DatabaseUnavailable; also the refusal of a request whose right has ended
   */
  async withPool<Result>(work: (pool: Pool) => Promise<Result>): Promise<Result> {
    assertCurrentRight();
    const pool = await this.#pool();
    return timed(this.#availability.during(pool, () => work(pool)));
  }

  async #transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.orm.em.fork().transactional(async (em) => {
      const connection = em.getKysely();
      const query = async <Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> => {
        assertCurrentRight();
        this.#assertAnswers(sql);
        const { rows } = await tracedStatement(sql, () =>
          noting(sql, connection.executeQuery<Row>(forKysely({ sql, params }, this.#prepares))),
        );
        return rows;
      };
      return withoutShare(() => work({ em, query }));
    });
  }

  /**
   * Reads rows as bytes, in batches as they arrive. The connection is free when the server has sent them:
   * rows not yet consumed are in memory, so the statement must limit its rows.
   *
   * @param statement with columns of text and JSON
   * @param plan `kept`: by indexes, see `BY_INDEX`, once for each connection, for any values; only for
   *   statements of few distinct texts; `by-index`: the same, for these values, which are texts and whole
   *   numbers; default: as the server prefers
   */
  async *readBytes(
    statement: Statement,
    plan?: 'kept' | 'by-index',
  ): AsyncGenerator<RowOfBytes[], void, undefined> {
    const { sql } = statement;
    this.#assertAnswers(sql);
    const query = this.#queryOf(statement, plan);
    const pool = await this.#pool();
    const connect = () => this.#availability.during(pool, () => pool.connect());
    const client = await (plan !== undefined && this.#prepares ? planningOnce(connect) : connect());
    const rows = new BytesQuery(query, client);
    client.query(rows);
    const end = noting(sql, timed(tracedStatement(sql, () => rows.ended()))).then(
      () => client.release(),
      () => client.release(true),
    );
    try {
      yield* rows.batches();
    } catch (error) {
      await end;
      throw this.#availability.explain(pool, error);
    }
  }

  #queryOf(statement: Statement, plan: 'kept' | 'by-index' | undefined): QueryConfig {
    const query = { text: statement.sql, values: [...statement.params] };
    if (plan === undefined) {
      return query;
    }
    if (!this.#prepares) {
      // One message is one transaction, for which the settings are.
      return { text: `${BY_INDEX} ${withValues(statement)}` };
    }
    return plan === 'kept'
      ? { name: nameOfText(statement.sql), ...query }
      : { text: withValues(statement) };
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

  /** Ends all work and connections, and refuses more until the server answers. */
  noteSilence(isSilent: boolean): void {
    this.#availability.refusal = undefined;
    if (this.#main !== undefined) {
      refuseConnections(this.#main, undefined);
    }
    if (isSilent && this.#main !== undefined) {
      const { _clients: clients, _pendingQueue: waiting, options } = this.#main as Pool & PoolParts;
      const reason = `Connection terminated: ${options.host}:${options.port} does not answer`;
      const refusal = (this.#availability.refusal = new Error(reason));
      refuseConnections(this.#main, refusal);
      waiting.splice(0).forEach(({ callback }) => callback(refusal));
      clients.forEach(({ connection }) => connection.stream.destroy(refusal));
    }
  }

  /** Ends connections to sessions that a silent worker holds. */
  endSessions(pids: readonly number[]): void {
    const { _clients: clients } = this.#main as Pool & PoolParts;
    for (const { processID, connection } of clients.filter((one) => pids.includes(one.processID))) {
      connection.stream.destroy(new Error(`Connection terminated: session ${processID} hangs`));
    }
  }

  /** Articles of a list are on all workers. */
  #assertAnswers(sql: string): void {
    if (this.silentWorkers.length > 0 && /\barticle(?:_\w+)?\b/.test(sql)) {
      throw new DatabaseUnavailable('partly-away');
    }
  }

  /** Connections of the pool, by state. `waiting` is work, not connections. */
  connections(): Readonly<Record<'used' | 'idle' | 'waiting', number>> {
    const { totalCount = 0, idleCount: idle = 0, waitingCount: waiting = 0 } = this.#main ?? {};
    return { used: totalCount - idle, idle, waiting };
  }

  async #pool(): Promise<Pool> {
    this.#main ??= await this.orm.em.getConnection().getNativeClient();
    return this.#main;
  }
}

/** Internals of pg that lack methods. */
interface PoolParts {
  readonly _clients: readonly (PoolClient & { readonly processID: number })[];
  readonly _pendingQueue: { readonly callback: (error: Error) => void }[];
}

/** The connection must pipeline, see `ormConfig`. */
async function sendTogether(
  client: PoolClient,
  statements: readonly Statement[],
  prepares: boolean,
): Promise<unknown[][]> {
  const { stream } = client.connection;
  // Batches the statements into one write to the socket.
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

/** Kysely passes `sql` unchanged to pg, which accepts a name with it. */
function forKysely({ sql, params }: Statement, prepares: boolean): CompiledQuery {
  const name = prepares ? preparedName(sql) : undefined;
  const query = CompiledQuery.raw(sql, [...params]);
  return name === undefined ? query : { ...query, sql: { name, text: sql } as unknown as string };
}

/** Inlines the values, for a plan that fits them in a session that plans once. */
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

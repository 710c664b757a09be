import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';

/** Timeouts of statements in seconds; 0 sets none. */
export interface StatementLimits {
  /** Of requests. */
  readonly requestSeconds: number;
  /** Of all other work: jobs, schedules, commands. */
  readonly backgroundSeconds: number;
  /** For a lock that another transaction holds. */
  readonly lockSeconds: number;
}

/** Migrations have no timeouts. */
type Work = 'request' | 'background' | 'migration';

const works = new AsyncLocalStorage<{ readonly kind: Work; readonly sender?: () => string }>();

/**
 * Runs `work` with the timeouts of its kind; without it, work is in the background.
 *
 * @param sender whose share of the connections it uses, see `shareConnections`
 */
export function limitedAs<Result>(kind: Work, work: () => Result, sender?: () => string): Result {
  return works.run({ kind, ...(sender && { sender }) }, work);
}

/** Runs `work` with the same timeouts, and without a share of the connections. */
export function withoutShare<Result>(work: () => Result): Result {
  return limitedAs(currentWork(), work);
}

/** Whose share the current work uses. */
export function currentSender(): string | undefined {
  return works.getStore()?.sender?.();
}

function currentWork(): Work {
  return works.getStore()?.kind ?? 'background';
}

type WithClient = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: (release?: unknown) => void,
) => void;

/**
 * Makes the connections of a pool stop statements and locks that take too long, and transactions that
 * are left open. A connection that was used for the same kind of work before costs nothing; otherwise
 * one statement more, which is sent together with the first.
 */
export function limitStatements(pool: Pool, limits: StatementLimits): void {
  const connect = pool.connect.bind(pool) as (callback?: WithClient) => Promise<PoolClient> | void;
  const applied = new WeakMap<PoolClient, Work>();
  const apply = (client: PoolClient, work: Work): PoolClient => {
    if (applied.get(client) !== work) {
      applied.set(client, work);
      // A lost connection fails the statement after it as well.
      client.query(SET_LIMITS, millisecondsOf(work, limits)).catch(() => applied.delete(client));
    }
    return client;
  };
  const limited = (callback?: WithClient): Promise<PoolClient> | void => {
    const work = currentWork();
    if (callback === undefined) {
      return (connect() as Promise<PoolClient>).then((client) => apply(client, work));
    }
    return connect((error, client, release) =>
      callback(error, client && apply(client, work), release),
    );
  };
  pool.connect = limited as Pool['connect'];
}

export const SET_LIMITS =
  `select set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false), ` +
  `set_config('idle_in_transaction_session_timeout', $3, false)`;

function millisecondsOf(work: Work, limits: StatementLimits): string[] {
  const { requestSeconds, backgroundSeconds, lockSeconds } = limits;
  if (work === 'migration') {
    return ['0', '0', '0'];
  }
  const statement = work === 'request' ? requestSeconds : backgroundSeconds;
  return [statement, lockSeconds, statement].map((seconds) => String(seconds * 1000));
}

const texts = new WeakMap<object, string>();

/** Remembers which statement failed, for the log. @throws the error of `result` */
export async function noting<Result>(sql: string, result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Error) {
      texts.set(error, sql);
    }
    throw error;
  }
}

/** The text of the statement that failed, without values. @returns undefined if it is unknown */
export function statementOf(error: unknown): string | undefined {
  return error instanceof Error ? texts.get(error) : undefined;
}

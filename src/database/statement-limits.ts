import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';

/** Timeouts of statements in seconds; 0 sets none. */
export interface StatementLimits {
  readonly statementSeconds: number;
  /** Limit of all other work: jobs, schedules, commands. */
  readonly backgroundStatementSeconds: number;
  /** Limit of waiting for a lock that another transaction holds. */
  readonly lockSeconds: number;
}

/** Migrations have no timeouts. */
type Work = 'request' | 'background' | 'migration';

interface CurrentWork {
  readonly kind: Work;
  readonly sender?: () => string;
  /** @throws why the request may not go on */
  readonly assertRight?: () => void;
  readonly plansOnce?: boolean;
}

const works = new AsyncLocalStorage<CurrentWork>();

/**
 * Settings for lists of items. Changes of flags move rows, so that the planner soon prefers to read and
 * sort all items, which takes a second for a million before the first row. Walking the index is as fast in
 * all, and starts at once. `set local` statements of a transaction.
 */
export const BY_INDEX = `
  set local enable_seqscan = off;
  set local enable_bitmapscan = off;
  set local max_parallel_workers_per_gather = 0;`;

/**
 * Runs `work` with the timeouts of its kind; without it, work is in the background.
 *
 * @param sender whose share of the connections it uses, see `shareConnections`
 * @param assertRight called before each statement; throws when the sender may do nothing more
 */
export function limitedAs<Result>(
  kind: Work,
  work: () => Result,
  sender?: () => string,
  assertRight?: () => void,
): Result {
  return works.run({ kind, ...(sender && { sender }), ...(assertRight && { assertRight }) }, work);
}

/** Runs `work` with the same timeouts, and without a share of the connections. */
export function withoutShare<Result>(work: () => Result): Result {
  return limitedAs(currentWork(), work, undefined, works.getStore()?.assertRight);
}

/** Runs `work` that others wait for, too: it does not end with the right of the request that began it. */
export function forOthersToo<Result>(work: () => Result): Result {
  return limitedAs(currentWork(), work, works.getStore()?.sender);
}

/** @throws why the request that the current work belongs to may do nothing more */
export function assertCurrentRight(): void {
  currentRight()?.();
}

/** What asserts the right of the current request, for work that is done for several; undefined in the background. */
export function currentRight(): (() => void) | undefined {
  return works.getStore()?.assertRight;
}

/**
 * Runs `connect` for a statement of a list that is planned `BY_INDEX`, once for each connection. Citus cannot
 * plan without values.
 */
export function planningOnce<Result>(connect: () => Result): Result {
  return works.run({ kind: 'background', ...works.getStore(), plansOnce: true }, connect);
}

/** The sender whose share the current work uses. */
export function currentSender(): string | undefined {
  return works.getStore()?.sender?.();
}

/** The kind of work that the current statement is sent for. */
export function currentWork(): Work {
  return works.getStore()?.kind ?? 'background';
}

type WithClient = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: (release?: unknown) => void,
) => void;

interface SessionState {
  kind?: Work;
  plansOnce: boolean;
}

/** Untyped internals of pg: idle connections, of which the pool takes the last. */
interface IdleConnections {
  readonly _idle: { readonly client: PoolClient }[];
}

/**
 * Makes the connections of a pool stop statements and locks that take too long, and transactions that
 * are left open, and keep plans of lists. A connection that was used for the same kind of work before costs
 * nothing; otherwise one statement more, which is sent together with the first.
 *
 * @param limits undefined for none
 */
export function limitStatements(pool: Pool, limits: StatementLimits | undefined): void {
  const connect = pool.connect.bind(pool) as (callback?: WithClient) => Promise<PoolClient> | void;
  const states = new WeakMap<PoolClient, SessionState>();
  const plansOnce = (client: PoolClient) => states.get(client)?.plansOnce === true;
  const apply = (client: PoolClient, work: CurrentWork): PoolClient => {
    const state = states.get(client) ?? { plansOnce: false };
    states.set(client, state);
    // A lost connection fails the statement after it as well.
    const forget = () => states.delete(client);
    if (limits !== undefined && state.kind !== work.kind) {
      state.kind = work.kind;
      client.query(SET_LIMITS, millisecondsOf(work.kind, limits)).catch(forget);
    }
    if (state.plansOnce !== (work.plansOnce === true)) {
      state.plansOnce = !state.plansOnce;
      client.query(state.plansOnce ? PLAN_ONCE : PLAN_AS_USUAL).catch(forget);
    }
    return client;
  };
  const limited = (callback?: WithClient): Promise<PoolClient> | void => {
    const work = works.getStore() ?? { kind: 'background' };
    const { _idle: idle } = pool as unknown as IdleConnections;
    const fitting = idle.findLastIndex(
      ({ client }) => plansOnce(client) === (work.plansOnce === true),
    );
    idle.push(...idle.splice(fitting, Number(fitting >= 0)));
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

/** `BY_INDEX` for the session, and plans without values. */
export const PLAN_ONCE = `select set_config('enable_seqscan', 'off', false), set_config('enable_bitmapscan', 'off', false),
  set_config('max_parallel_workers_per_gather', '0', false),
  set_config('plan_cache_mode', case when exists (select 1 from pg_extension where extname = 'citus')
                                     then 'auto' else 'force_generic_plan' end, false)`;
export const PLAN_AS_USUAL =
  'reset enable_seqscan; reset enable_bitmapscan; reset max_parallel_workers_per_gather; reset plan_cache_mode';

function millisecondsOf(work: Work, limits: StatementLimits): string[] {
  const { statementSeconds, backgroundStatementSeconds, lockSeconds } = limits;
  if (work === 'migration') {
    return ['0', '0', '0'];
  }
  const statement = work === 'request' ? statementSeconds : backgroundStatementSeconds;
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

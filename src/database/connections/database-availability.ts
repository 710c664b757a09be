import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { databaseFault, DatabaseUnavailable, type DatabaseFault } from '../database-unavailable.js';
import { unknownMigrations } from '../migration-names.js';
import { preparedName } from '../prepared.js';
import { statementOf } from '../statement-limits.js';
import { originalOf } from './connection-shares.js';
import { runnerOf } from './dedicated-connection.js';

/** A fault that lasts is logged again after this long, with a count. */
const LOG_AGAIN_MS = 30_000;

const LONGEST_NAME = 120;
/** SQLSTATEs of a column, a table and a function that do not exist. */
const MISSING: ReadonlySet<unknown> = new Set(['42703', '42P01', '42883']);

/** By the server at our request, or by us; see `WorkerWatch`. */
const ENDED_SESSION = /^terminating connection|^Connection terminated/;

interface Sighting {
  readonly loggedAt: number;
  lastAt: number;
  /** Statements that failed since. */
  unlogged: number;
}

/** Maps the errors of an unavailable database to one, and logs each cause once, not per statement. */
export class DatabaseAvailability {
  readonly #logger = new Logger('Database');
  readonly #seen = new Map<DatabaseFault, Sighting>();
  /** Why all work is refused immediately. */
  refusal: Error | undefined;

  /** @param isPartlyAway whether sessions that wait for a worker are ended, which is logged elsewhere */
  constructor(private readonly isPartlyAway: () => boolean) {}

  /**
   * @param pool that the work uses
   * @throws DatabaseUnavailable
   */
  async during<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result> {
    try {
      if (this.refusal !== undefined) {
        throw this.refusal;
      }
      const result = await work();
      this.#worked();
      return result;
    } catch (thrown) {
      const error = originalOf(thrown);
      const isMissing = MISSING.has((error as { code?: unknown }).code);
      const newer = isMissing ? await unknownMigrations(runnerOf(pool)).catch(() => []) : [];
      throw this.explain(pool, error, newer.length > 0 ? 'upgraded' : databaseFault(error));
    }
  }

  /** @returns DatabaseUnavailable, or the error itself when it is about the statement */
  explain(pool: Pool, error: unknown, fault = databaseFault(error)): unknown {
    if (fault === undefined || error instanceof DatabaseUnavailable) {
      return error;
    }
    if (ENDED_SESSION.test((error as Error).message) && this.isPartlyAway()) {
      return new DatabaseUnavailable('partly-away', { cause: error });
    }
    this.#log(fault, describe(fault, pool, error as Error));
    return new DatabaseUnavailable(fault, { cause: error });
  }

  #log(fault: DatabaseFault, text: string): void {
    const now = Date.now();
    const seen = this.#seen.get(fault);
    if (seen !== undefined && now - seen.loggedAt < LOG_AGAIN_MS) {
      seen.unlogged += 1;
      seen.lastAt = now;
      return;
    }
    const more = seen === undefined ? '' : ` ${seen.unlogged} more statements failed meanwhile.`;
    this.#seen.set(fault, { loggedAt: now, lastAt: now, unlogged: 0 });
    this.#logger.error(`${text}${more}`);
  }

  #worked(): void {
    // A successful read does not end the fault "read-only".
    if (this.#seen.delete('away')) {
      this.#logger.log('The database is available again.');
    }
    // Statements of other workers succeed all the time.
    const partly = this.#seen.get('partly-away');
    if (partly !== undefined && Date.now() - partly.lastAt >= LOG_AGAIN_MS) {
      this.#seen.delete('partly-away');
      this.#logger.log(
        `No statement failed for ${LOG_AGAIN_MS / 1000} s because of a server of the database.`,
      );
    }
  }
}

const TEXTS: Readonly<Record<Exclude<DatabaseFault, 'busy'>, string>> = {
  away: 'The database cannot be reached',
  'partly-away': 'A server of the database cannot be reached, and what it stores is not available',
  'read-only': 'The database is read-only',
  slow: 'A statement took longer than GATEFOLD_STATEMENT_SECONDS allows',
  locked: 'A statement waited for a lock longer than GATEFOLD_LOCK_SECONDS or the database allows',
  upgraded: 'A newer version has changed the schema under a statement',
};

function describe(fault: DatabaseFault, pool: Pool, error: Error): string {
  if (fault === 'busy') {
    return (
      `All ${pool.options.max} connections of the pool are busy, and ${pool.waitingCount} statements ` +
      'are waiting; see GATEFOLD_DATABASE_CONNECTIONS and GATEFOLD_DATABASE_WAIT_SECONDS.'
    );
  }
  const isOfStatement = fault === 'slow' || fault === 'locked' || fault === 'upgraded';
  return `${TEXTS[fault]}: ${isOfStatement ? nameOf(error) : messageOf(error)}`;
}

/** The beginning of the statement, which has no values; or PostgreSQL's description of its place. */
function nameOf(error: Error): string {
  const sql = statementOf(error);
  if (sql === undefined) {
    return 'where' in error && typeof error.where === 'string' ? error.where : 'of an entity';
  }
  const shown = sql.replaceAll(/\s+/g, ' ').trim();
  return preparedName(sql) ?? shown.slice(0, LONGEST_NAME);
}

/** Errors of several attempts to connect have no message of their own. */
function messageOf(error: Error): string {
  return 'errors' in error && Array.isArray(error.errors)
    ? error.errors.map(({ message }: Error) => message).join('; ')
    : error.message;
}

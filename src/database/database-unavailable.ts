import { isNativeError } from 'node:util/types';
import { ServiceUnavailable } from '../common/errors/service-unavailable.js';

/**
 * Why the database cannot be used at the moment. `partly-away`: a worker of a cluster, while data on other
 * workers can be used.
 */
export type DatabaseFault =
  | 'away'
  | 'partly-away'
  | 'busy'
  | 'read-only'
  | 'slow'
  | 'locked'
  | 'upgraded';

const AWAY_SENTENCE =
  'There is no connection to the database at the moment; try again in a few seconds.';

const SENTENCES: Readonly<Record<DatabaseFault, string>> = {
  away: AWAY_SENTENCE,
  'partly-away': AWAY_SENTENCE,
  busy: 'All connections to the database are busy at the moment; try again in a few seconds.',
  slow: 'The database took too long for this; try again in a few seconds.',
  locked: 'Another change to the same data takes too long; try again in a few seconds.',
  upgraded: 'The request was interrupted; try again.',
  'read-only': 'The database takes no changes at the moment; try again in a few seconds.',
};

/** A statement failed for a reason other than the statement itself. */
export class DatabaseUnavailable extends ServiceUnavailable {
  readonly retryAfterSeconds = 5;

  constructor(
    readonly fault: DatabaseFault,
    options?: ErrorOptions,
  ) {
    super(SENTENCES[fault], options);
  }
}

/** Faults by SQLSTATE (40: deadlocks and the like), or by message where it is more precise. */
const FAULTS: Readonly<Record<string, DatabaseFault>> = {
  '25006': 'read-only',
  '57014': 'slow',
  '55P03': 'locked',
  '40P01': 'locked',
  '40001': 'locked',
  'timeout exceeded when trying to connect': 'busy',
  'cached plan must not change result type': 'upgraded',
};

/** SQLSTATEs of refused and terminated connections. */
const AWAY = /^(?:57P0[1-5]|0800\d|53300|3D000|28000|28P01)$/;

/** Severities that end the connection. */
const ENDS_CONNECTION = /^(?:FATAL|PANIC)$/;

/** Message of a Citus coordinator when a transaction loses its worker. It has no SQLSTATE for it. */
const WITHOUT_WORKER =
  /^(?:could not commit transaction for shard|failure on connection marked as essential|could not connect to any active|could not establish any connections|failed to COPY to shard|failed to complete COPY|terminating connection)/;

/** Messages of libpq, with which the coordinator describes the end of a connection to a worker. */
const WORKER_CONNECTION_LOST =
  /server closed the connection|SSL SYSCALL error|invalid socket|connection not open|no connection to the server|could not (?:send data to|receive data from) server/;
const OF_WORKER = /^while executing command on /;

const INTERNAL_ERROR = 'XX000';
const IO_ERROR = '58030';

/** Messages of pg and PgBouncer, which have no SQLSTATE for it. */
const AWAY_MESSAGE =
  /^Connection terminated|^timeout expired$|is not queryable$|after calling end on the pool|connection to the database was lost|query_wait_timeout|pgbouncer cannot connect|server conn crashed/;

const SOCKET_CALLS: ReadonlySet<unknown> = new Set(['connect', 'read', 'write', 'getaddrinfo']);

/** Fields of errors of PostgreSQL, and of sockets. */
interface ErrorFields {
  readonly code?: string;
  readonly severity?: string;
  readonly syscall?: string;
  readonly where?: string;
}

/** @returns undefined when the error is about the statement itself */
export function databaseFault(error: unknown): DatabaseFault | undefined {
  if (error instanceof DatabaseUnavailable) {
    return error.fault;
  }
  // Socket errors may come from another realm, where `instanceof Error` is false.
  if (!isNativeError(error)) {
    return undefined;
  }
  // AggregateError of an address with several hosts.
  if ('errors' in error && Array.isArray(error.errors)) {
    return databaseFault(error.errors[0]);
  }
  const { code, severity, syscall } = error as ErrorFields;
  const known = FAULTS[code ?? ''] ?? FAULTS[error.message];
  if (known !== undefined) {
    return known;
  }
  if (isOfWorker(error)) {
    return 'partly-away';
  }
  const isAway =
    AWAY.test(code ?? '') ||
    ENDS_CONNECTION.test(severity ?? '') ||
    SOCKET_CALLS.has(syscall) ||
    AWAY_MESSAGE.test(error.message);
  return isAway ? 'away' : undefined;
}

/** Whether a statement of ours lost a worker, while its own connection continues. */
function isOfWorker(error: Error): boolean {
  const { code = '', severity, where = '' } = error as ErrorFields;
  if (severity !== 'ERROR') {
    return false;
  }
  return code === INTERNAL_ERROR || code === IO_ERROR
    ? WITHOUT_WORKER.test(error.message) ||
        (OF_WORKER.test(where) && WORKER_CONNECTION_LOST.test(error.message))
    : AWAY.test(code);
}

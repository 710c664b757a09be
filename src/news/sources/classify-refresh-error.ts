import { DatabaseUnavailable } from '../../database/database-unavailable.js';
import { ReadingUnavailable } from '../feed-parser/pool/reading-pool.js';

/** Whose an exception is that stopped a refresh. */
export type Breakdown =
  /** The database or the process is in trouble, and would be with any source. */
  | { readonly is: 'ours' }
  /** It may happen again with what this source sends, so it is shown as an error of the source. */
  | { readonly is: 'of-the-source'; readonly message: string };

/** Classes of SQLSTATE that say that the server, the connection or a lock is not there. */
const CLASSES_OF_ABSENCE = new Set(['08', '25', '28', '3D', '40', '53', '55', '57', '58']);

export function explainBreakdown(error: unknown): Breakdown {
  const sqlState = sqlStateOf(error);
  if (error instanceof ReadingUnavailable || error instanceof DatabaseUnavailable) {
    return { is: 'ours' };
  }
  if (sqlState === null) {
    return {
      is: 'of-the-source',
      message: 'Gatefold failed to process this feed; its log says more.',
    };
  }
  return CLASSES_OF_ABSENCE.has(sqlState.slice(0, 2))
    ? { is: 'ours' }
    : {
        is: 'of-the-source',
        message: `The feed was read, but could not be stored (database error ${sqlState}).`,
      };
}

/**
 * The SQLSTATE of what the database or its driver raised; `08000`, trouble with the connection, for
 * errors of the socket. Libraries wrap such errors, so their causes are looked at too.
 */
function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error)) {
    return null;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)) {
    return code;
  }
  if (/^(ECONN|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_)/.test(code) || LOST.test(error.message)) {
    return '08000';
  }
  return sqlStateOf(error.cause);
}

/** The driver gives no code when a connection ends under a query, or when none becomes free. */
const LOST =
  /connection (terminated|ended|error|timeout)|timeout exceeded when trying to connect|not queryable|after calling end on the pool/i;

import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import { ReadingUnavailable } from '../../feed-parser/pool/reading-pool.js';

/** Cause of an exception in a refresh. */
type RefreshErrorCause =
  /** The database or this process has a problem that affects any source. */
  | { readonly is: 'ours' }
  /** Possibly caused by what this source sends, so it counts as a failure of the source. */
  | { readonly is: 'of-the-source'; readonly message: string };

/** SQLSTATE classes of an unavailable server, connection, transaction or lock. */
const UNAVAILABLE_CLASSES = new Set(['08', '25', '28', '3D', '40', '53', '55', '57', '58']);

export function classifyRefreshError(error: unknown): RefreshErrorCause {
  const sqlState = sqlStateOf(error);
  if (error instanceof ReadingUnavailable || error instanceof DatabaseUnavailable) {
    return { is: 'ours' };
  }
  if (sqlState === null) {
    return {
      is: 'of-the-source',
      message: 'Gatefold failed to process this feed; see its log.',
    };
  }
  return UNAVAILABLE_CLASSES.has(sqlState.slice(0, 2))
    ? { is: 'ours' }
    : {
        is: 'of-the-source',
        message: `The feed was read, but could not be stored (database error ${sqlState}).`,
      };
}

/**
 * The SQLSTATE of an error of the database or its driver, or of its cause; `08000` (connection
 * exception) for errors of the socket.
 */
function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error)) {
    return null;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)) {
    return code;
  }
  if (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_)/.test(code) ||
    CONNECTION_LOST.test(error.message)
  ) {
    return '08000';
  }
  return sqlStateOf(error.cause);
}

/** The driver gives these errors no code: a connection ended during a query, or none became free. */
const CONNECTION_LOST =
  /connection (terminated|ended|error|timeout)|timeout exceeded when trying to connect|not queryable|after calling end on the pool/i;

import { StartRefused } from '../common/errors/start-refused.js';
import { databaseFault } from './database-unavailable.js';

/** @returns why the database cannot be used, in a sentence; or the error itself if it is another */
export function startFailure(error: unknown): unknown {
  return databaseFault(error) === undefined
    ? error
    : new StartRefused(`The database cannot be used: ${(error as Error).message}`, {
        cause: error,
      });
}

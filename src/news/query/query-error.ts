import { invalid } from '../../common/errors/domain-error.js';

/** A query that cannot be read. `at` is the place in the typed text, in UTF-16 code units. */
export class QueryError extends invalid(
  (message: string, _at: number) => message,
  (_message: string, at: number) => ({ at }),
) {}

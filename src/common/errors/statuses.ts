import type { DomainErrorKind } from './domain-error.js';

/** The only mapping of errors to HTTP statuses. */
export const STATUS_OF_KIND: Readonly<Record<DomainErrorKind, number>> = {
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  malformed: 400,
  'precondition-failed': 412,
  invalid: 422,
  'too-many': 429,
  unavailable: 503,
  'storage-full': 507,
};

/**
 * Dialect of a response: the two roots differ in success code and HTTP status; bare paths have the
 * codes of the first and the statuses of the second.
 */
export type OcsDialect = 'v1' | 'v2' | 'bare';

/** Wrong credentials of any kind. */
export const OCS_UNAUTHENTICATED = 997;
export const OCS_UNKNOWN_ROUTE = 998;
/** Unexpected error. */
export const OCS_INTERNAL_ERROR = 996;

const TOO_MANY_REQUESTS = 429;

export interface OcsEnvelope {
  readonly ocs: {
    readonly meta: {
      readonly status: 'ok' | 'failure';
      readonly statuscode: number;
      readonly message: string;
      /** Absent under v2. Lists here are never paged, so they are always empty. */
      readonly totalitems?: string;
      readonly itemsperpage?: string;
    };
    readonly data: unknown;
  };
}

/**
 * A failure with code, text or data that the protocol prescribes and domain errors lack, for
 * instance an empty message or an `error` inside the data.
 */
export class OcsFailure extends Error {
  constructor(
    readonly statuscode: number,
    message = '',
    readonly data: unknown = [],
  ) {
    super(message);
    this.name = 'OcsFailure';
  }
}

/**
 * Returned by a handler for a success status other than 200. No effect under the first root, which
 * has only one.
 */
export class OcsSuccess<Data = unknown> {
  constructor(
    readonly status: 201 | 202,
    readonly data: Data,
  ) {}
}

/** Returned by a handler for 204 with an empty body, below both roots. */
export class OcsNothing {
  readonly status = 204;
}

/** @param data result of the handler; undefined becomes an empty list */
export function ok(dialect: OcsDialect, data: unknown, status = 200): OcsEnvelope {
  return envelope(
    dialect,
    'ok',
    dialect === 'v2' ? status : 100,
    'OK',
    data === undefined ? [] : data,
  );
}

export function failure(
  dialect: OcsDialect,
  statuscode: number,
  message: string,
  data: unknown = [],
): OcsEnvelope {
  return envelope(dialect, 'failure', statuscode, message, data);
}

/**
 * HTTP status of a failure. Under v1 always 200, since clients read only the envelope, except 401
 * and 429, which concern their HTTP libraries.
 */
export function httpStatusOf(dialect: OcsDialect, statuscode: number): number {
  if (statuscode === OCS_UNAUTHENTICATED) {
    return 401;
  }
  if (statuscode === TOO_MANY_REQUESTS) {
    return 429;
  }
  if (dialect === 'v1') {
    return 200;
  }
  if (statuscode === OCS_UNKNOWN_ROUTE) {
    return 404;
  }
  if (statuscode === OCS_INTERNAL_ERROR || statuscode === 999) {
    return 500;
  }
  return statuscode < 200 || statuscode > 599 ? 400 : statuscode;
}

function envelope(
  dialect: OcsDialect,
  status: 'ok' | 'failure',
  statuscode: number,
  message: string,
  data: unknown,
): OcsEnvelope {
  const meta = { status, statuscode, message };
  const paging = dialect === 'v2' ? {} : { totalitems: '', itemsperpage: '' };
  return { ocs: { meta: { ...meta, ...paging }, data } };
}

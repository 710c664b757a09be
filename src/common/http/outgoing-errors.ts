import { DomainError, type DomainErrorKind } from '../errors/domain-error.js';

/** Kinds of failed outgoing requests. */
export type OutgoingFailure =
  | 'not-allowed'
  | 'host-not-found'
  | 'network'
  | 'timeout'
  | 'too-large'
  | 'too-many-redirects'
  | 'unreadable';

/**
 * An outgoing request without a usable response. Messages contain only the host: user names,
 * passwords, paths and queries may be secret.
 */
export abstract class OutgoingHttpError extends DomainError {
  readonly kind: DomainErrorKind = 'unavailable';
  abstract readonly failure: OutgoingFailure;
}

/** The scheme is neither http nor https. */
export class UnsupportedAddress extends OutgoingHttpError {
  override readonly kind = 'invalid';
  readonly failure = 'unreadable';

  constructor() {
    super('Only addresses that begin with http:// or https:// can be fetched.');
  }
}

/** The server's address is neither public nor allowed by the operator. */
export class AddressNotAllowed extends OutgoingHttpError {
  override readonly kind = 'invalid';
  readonly failure = 'not-allowed';

  constructor(host: string) {
    super(
      `The server at ${host} is not on the public internet. ` +
        `An administrator can allow its address with GATEFOLD_FETCH_ALLOW_PRIVATE.`,
    );
  }
}

export class HostNotFound extends OutgoingHttpError {
  readonly failure = 'host-not-found';

  constructor(host: string) {
    super(`There is no server named ${host}; check the spelling of the address.`);
  }
}

export class ConnectionFailed extends OutgoingHttpError {
  readonly failure = 'network';

  /** @param reason a clause in plain words, for instance `it refused the connection` */
  constructor(host: string, reason: string) {
    super(`The server at ${host} could not be reached: ${reason}.`);
  }
}

/** The operator's proxy answered, not the server. */
export class ProxyRefused extends OutgoingHttpError {
  readonly failure: OutgoingFailure;

  constructor(host: string, status: number) {
    super(
      status === 407
        ? `The server at ${host} requires a user name and password, or rejects the given ones (status ${status}).`
        : `The server at ${host} answered with status ${status}.`,
    );
    this.failure = status < 500 && status !== 407 ? 'not-allowed' : 'network';
  }
}

export class RequestTimedOut extends OutgoingHttpError {
  readonly failure = 'timeout';

  constructor(host: string, timeoutSeconds: number) {
    super(`The server at ${host} did not answer within ${timeoutSeconds} s.`);
  }
}

export class ResponseTooLarge extends OutgoingHttpError {
  readonly failure = 'too-large';

  /** @param what for instance `more than 5 MiB` */
  constructor(host: string, what: string) {
    super(`The server at ${host} sent ${what}.`);
  }
}

export class TooManyRedirects extends OutgoingHttpError {
  readonly failure = 'too-many-redirects';

  constructor(host: string, maxRedirects: number) {
    super(`The server at ${host} redirected more than ${maxRedirects} times in a row.`);
  }
}

export class ResponseUnreadable extends OutgoingHttpError {
  readonly failure = 'unreadable';

  /** @param what for instance `an answer that is not HTTP` */
  constructor(host: string, what: string) {
    super(`The server at ${host} sent ${what}.`);
  }
}

const CONNECTION_REASONS: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'its name cannot be resolved at the moment',
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: 'it closed the connection before the answer was complete',
  EPIPE: 'it closed the connection before the answer was complete',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ETIMEDOUT: 'it did not accept the connection',
  ERR_PROXY_TUNNEL: 'it did not accept the connection',
  EPROTO: 'it does not speak TLS as expected; perhaps its address begins with http://',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not from a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is not from a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not from a trusted authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not from a trusted authority',
};

/** Alerts of TLS about the certificate of the client. */
const CLIENT_CERTIFICATE_ALERT =
  /^ERR_SSL_(?:TLSV13_ALERT_CERTIFICATE_REQUIRED|TLSV1_ALERT_UNKNOWN_CA|SSLV3_ALERT_(?:BAD|UNSUPPORTED|NO)_CERTIFICATE|SSLV3_ALERT_CERTIFICATE_\w+)$/;

function reasonOf(code: string): string {
  return CLIENT_CERTIFICATE_ALERT.test(code)
    ? 'it requires a client certificate, or rejects the given one'
    : (CONNECTION_REASONS[code] ?? `the connection failed (${code})`);
}

/**
 * Converts errors of sockets, TLS and the HTTP parser into readable ones. Not as `cause`: the
 * original contains the whole request with its credentials.
 */
export function explainFailure(error: unknown, host: string): OutgoingHttpError {
  if (error instanceof OutgoingHttpError) {
    return error;
  }
  const refusal = (error as { statusCode?: number } | undefined)?.statusCode;
  if (refusal !== undefined) {
    return new ProxyRefused(host, refusal);
  }
  const code = errorCode(error);
  if (code === 'ADDRESS_REFUSED') {
    return new AddressNotAllowed(host);
  }
  if (code === 'ENOTFOUND') {
    return new HostNotFound(host);
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ResponseTooLarge(host, 'too long a header');
  }
  if (code.startsWith('HPE_')) {
    return new ResponseUnreadable(host, 'an answer that is not HTTP');
  }
  return new ConnectionFailed(host, reasonOf(code));
}

/**
 * The system error code, for instance `ECONNREFUSED`; for an AggregateError of several addresses, the first
 * one's.
 */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) {
    return 'unknown reason';
  }
  if ('code' in error && typeof error.code === 'string') {
    return error.code;
  }
  if ('errors' in error && Array.isArray(error.errors)) {
    return errorCode(error.errors[0]);
  }
  return 'unknown reason';
}

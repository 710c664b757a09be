import type { Params } from 'nestjs-pino';
import { randomUUID, createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import pinoPretty from 'pino-pretty';
import type { Config } from '../config/config.js';
import { keepLatest } from '../keep-latest.js';
import { traceId } from '../tracing/spans.js';
import { loggedError, describeError, type LoggedError } from './logged-error.js';

/** Interval at which a repeated fault is logged again with its stack. */
const STACK_AGAIN_MS = 3_600_000;

/** Faults that are remembered; the one seen first is forgotten for a new one. */
const MOST_FAULTS = 200;

interface Sighting {
  readonly stackLoggedAt: number;
  repeated: number;
}

/** An error with a fingerprint that errors of the same type and place share. */
export interface LoggedFault extends LoggedError {
  /** The fingerprint, to find the line with the stack trace. */
  readonly fault: string;
  /** Occurrences since its stack was logged; only then is there a stack. */
  readonly repeated: number;
}

/** Errors of the same type from the same place are one fault, whose stack is logged once an hour. */
export class RepeatedFaults {
  readonly #seen = new Map<string, Sighting>();

  constructor(private readonly now: () => number = Date.now) {}

  forLog(error: Error): LoggedFault {
    const fault = faultKey(error);
    const seen = this.#seen.get(fault);
    if (seen !== undefined && this.now() - seen.stackLoggedAt < STACK_AGAIN_MS) {
      seen.repeated += 1;
      return { type: error.name, message: error.message, fault, repeated: seen.repeated };
    }
    keepLatest(this.#seen, fault, { stackLoggedAt: this.now(), repeated: 0 }, MOST_FAULTS);
    return { ...describeError(error), fault, repeated: 0 };
  }
}

const REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * Structured logs: one line per event, with the request's id. Contents of requests are not logged:
 * headers hold credentials, queries and bodies hold user input.
 */
export function loggerOptions(config: Config): Params {
  const faults = new RepeatedFaults();
  const options = {
    level: config.logLevel,
    ...(config.traces === 'otlp' && { mixin: () => ({ traceId: traceId() }) }),
    genReqId: requestId,
    // Ours alone: the standard ones read headers and more with each line.
    wrapSerializers: false,
    serializers: {
      req: (request: IncomingMessage & { readonly id: unknown }) => ({
        id: request.id,
        method: request.method,
        path: pathOf(request),
      }),
      res: (response: ServerResponse) => ({ status: response.statusCode }),
      err: loggedError,
    },
    customSuccessMessage: describe,
    customErrorMessage: describe,
    customLogLevel,
    customErrorObject: (
      _request: IncomingMessage,
      response: ServerResponse,
      _error: Error,
      { err: _withoutCause, ...line }: Record<string, unknown>,
    ) => {
      const fault = faultOf(response);
      return fault === undefined ? line : { ...line, err: faults.forLog(fault) };
    },
  } as const;
  return config.logFormat === 'json'
    ? { pinoHttp: options }
    : {
        pinoHttp: [
          options,
          pinoPretty({
            sync: true,
            singleLine: true,
            ignore: 'pid,hostname,context,req,res',
            messageFormat: ({ msg, req }) =>
              `${String(msg ?? '')}${req === undefined ? '' : ` (request ${(req as { id: string }).id})`}`,
          }),
        ],
      };
}

/** Where pino-http looks for the error of a response. */
interface WithFault {
  err?: Error;
}

/** Adds the error to the log line of this request. */
export function logFault(response: ServerResponse, error: unknown): void {
  (response as WithFault).err = error instanceof Error ? error : new Error(String(error));
}

function faultOf(response: ServerResponse): Error | undefined {
  return (response as WithFault).err;
}

function customLogLevel(
  _request: IncomingMessage,
  response: ServerResponse,
  error?: Error,
): 'error' | 'warn' | 'debug' {
  if (faultOf(response) !== undefined) {
    return 'error';
  }
  // Not 503: an outage is logged once, not with each request.
  const isFault = response.statusCode >= 500 && response.statusCode !== 503;
  return error !== undefined || isFault ? 'warn' : 'debug';
}

/** Readable message, without the structured fields. */
function describe(request: IncomingMessage, response: ServerResponse): string {
  const fault = faultOf(response);
  const why = fault === undefined ? '' : `: ${fault.message}`;
  return `${request.method} ${pathOf(request)} ${response.statusCode}${why}`;
}

/** Tokens in paths, of links that need no credentials. */
const SECRET_SEGMENT = /\/[\w-]{32,}(?=\/|$)/g;

/** Path as requested: `url` is normalised. Without tokens, and the query, which is user input. */
function pathOf(request: IncomingMessage): string | undefined {
  const url = 'originalUrl' in request ? String(request.originalUrl) : request.url;
  return url?.split('?', 1)[0]?.replace(SECRET_SEGMENT, '/…');
}

/** Keeps a proxy's id, so that its log can be correlated with ours. */
function requestId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}

/** Hash of the type and the places in the stack; the message may differ with each request. */
function faultKey(error: Error): string {
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const hash = createHash('sha256').update([error.name, ...places].join('\n'));
  return hash.digest('hex').slice(0, 12);
}

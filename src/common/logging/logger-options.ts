import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Params } from 'nestjs-pino';
import pinoPretty from 'pino-pretty';
import type { Config } from '../config/config.js';

const REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * Structured logs: one line per event, with the request's id. Contents of requests are not logged:
 * headers hold credentials, queries and bodies hold user input.
 */
export function loggerOptions(config: Config): Params {
  const options = {
    level: config.logLevel,
    genReqId: requestId,
    serializers: {
      req: (request: { id: unknown; method: string; url: string }) => ({
        id: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
      }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
    customSuccessMessage: describe,
    customErrorMessage: describe,
    customLogLevel: (_request: IncomingMessage, response: ServerResponse, error?: Error) =>
      error !== undefined || isFault(response.statusCode) ? 'warn' : 'debug',
    // The error with its stack trace and request id has already been logged.
    customErrorObject: (
      _request: IncomingMessage,
      _response: ServerResponse,
      _error: Error,
      { err: _stack, ...line }: Record<string, unknown>,
    ) => line,
  } as const;
  return config.logFormat === 'json'
    ? { pinoHttp: options }
    : {
        pinoHttp: [
          options,
          pinoPretty({ sync: true, singleLine: true, ignore: 'pid,hostname,context,req,res' }),
        ],
      };
}

/** Not 503: an outage is logged once, not with each request. */
function isFault(status: number): boolean {
  return status >= 500 && status !== 503;
}

/** Readable message, without the structured fields. */
function describe(request: IncomingMessage, response: ServerResponse): string {
  // As requested; `url` has been normalised.
  const url = 'originalUrl' in request ? String(request.originalUrl) : (request.url ?? '');
  return `${request.method} ${url.split('?', 1)[0]} ${response.statusCode}`;
}

/** Keeps a proxy's id, so that its log can be correlated with ours. */
function requestId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Params } from 'nestjs-pino';
import pinoPretty from 'pino-pretty';
import type { Config } from '../config/config.js';

const REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * Structured logs: one line an event, with the request's id. What a request carried is not
 * logged: headers hold credentials, queries and bodies what people typed.
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
    // The log has what failed and its stack trace already, with the request's id.
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

/** 503 says that something is away for a moment, which is logged once and not with each request. */
function isFault(status: number): boolean {
  return status >= 500 && status !== 503;
}

/** Enough to follow what a client does without reading the structured part. */
function describe(request: IncomingMessage, response: ServerResponse): string {
  // As it was called; `url` has been rewritten to the form that the rooms know.
  const url = 'originalUrl' in request ? String(request.originalUrl) : (request.url ?? '');
  return `${request.method} ${url.split('?', 1)[0]} ${response.statusCode}`;
}

/** A proxy's id is kept, so that its log and ours can be read side by side. */
function requestId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}

import { HttpException, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { refuseRest } from '../http/refuse-rest.js';
import { DomainError } from './domain-error.js';
import { ServiceUnavailable } from './service-unavailable.js';
import { STATUS_OF_KIND } from './statuses.js';

/** An error in the terms of an answer, whatever envelope it will be put into. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds: number | undefined;
  /** Our own fault: the client learns nothing about it, the log everything. */
  readonly unexpected: boolean;
}

const logger = new Logger('Request');

/**
 * Describes an error for the client and logs it when it is our fault. Sets `Retry-After`, and
 * `Connection: close` when the rest of a large body is not wanted any more.
 *
 * @returns null when part of another answer is already on its way: then the connection is cut, the
 *   one way left to tell the client that what it has is not whole
 */
export function beginFailure(error: unknown, request: Request, response: Response): Failure | null {
  const failure = describeFailure(error);
  if (failure.unexpected && !request.socket.destroyed) {
    logUnexpected(error, request);
  }
  if (response.headersSent) {
    request.socket.destroy();
    return null;
  }
  refuseRest(request, response);
  if (failure.retryAfterSeconds !== undefined) {
    response.setHeader('Retry-After', String(failure.retryAfterSeconds));
  }
  return failure;
}

export function describeFailure(error: unknown): Failure {
  if (error instanceof DomainError) {
    return {
      status: STATUS_OF_KIND[error.kind],
      message: error.message,
      retryAfterSeconds: error.retryAfterSeconds,
      unexpected: false,
    };
  }
  if (error instanceof ServiceUnavailable) {
    return {
      status: 503,
      message: error.message,
      retryAfterSeconds: error.retryAfterSeconds,
      unexpected: false,
    };
  }
  if (error instanceof HttpException) {
    return {
      status: error.getStatus(),
      message: textOf(error),
      retryAfterSeconds: undefined,
      unexpected: false,
    };
  }
  if (isAboutUnwritableText(error)) {
    return {
      status: 400,
      message: 'The request holds a text with a zero byte, which cannot be stored or searched for.',
      retryAfterSeconds: undefined,
      unexpected: false,
    };
  }
  return {
    status: 500,
    message: 'Internal server error',
    retryAfterSeconds: undefined,
    unexpected: true,
  };
}

/** PostgreSQL's codes for a zero byte in a text, and in JSON. */
const UNWRITABLE_TEXT: ReadonlySet<unknown> = new Set(['22021', '22P05']);

/** No room has a use for zero bytes, so each would have to refuse them everywhere. */
function isAboutUnwritableText(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  return ('code' in error && UNWRITABLE_TEXT.has(error.code)) || isAboutUnwritableText(error.cause);
}

function textOf(error: HttpException): string {
  const answer = error.getResponse();
  const message = typeof answer === 'string' ? answer : Reflect.get(answer, 'message');
  return typeof message === 'string' ? message : error.message;
}

function logUnexpected(error: unknown, request: Request): void {
  // Without the query, which may hold what a user typed.
  const what = `${request.method} ${request.path} failed (request ${requestId(request)})`;
  if (error instanceof Error) {
    logger.error(`${what}: ${error.message}`, error.stack);
    return;
  }
  logger.error(`${what}: ${String(error)}`);
}

function requestId(request: Request): string {
  const id: unknown = Reflect.get(request, 'id');
  return typeof id === 'string' || typeof id === 'number' ? String(id) : 'without id';
}

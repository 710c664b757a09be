import { HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { logFault } from '../logging/logger-options.js';
import { languageOf } from '../texts/languages.js';
import { sentenceIn } from '../texts/translations.js';
import { DomainError } from './domain-error.js';
import { refuseRest } from './refuse-rest.js';
import { ServiceUnavailable } from './service-unavailable.js';
import { STATUS_OF_KIND } from './statuses.js';
import { StorageFull } from './storage-full.js';

/** An error as a response, independent of the envelope. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds: number | undefined;
  /** See `DomainError`. */
  readonly code?: string | undefined;
  /** See `DomainError`. */
  readonly at?: number | undefined;
  /** A bug or outage: the client gets no details, the log all. */
  readonly unexpected: boolean;
}

/**
 * Describes an error for the client, in its language, and logs unexpected ones in English. Sets `Retry-After`, `X-Gatefold-Error`, and
 * `Connection: close` if a large body is still being received.
 *
 * @returns null if the response has begun: the connection is then closed, the only way left to
 *   signal an incomplete response
 */
export function beginFailure(error: unknown, request: Request, response: Response): Failure | null {
  const failure = describeFailure(error);
  if (failure.unexpected && !request.socket.destroyed) {
    logFault(response, error);
  }
  if (response.headersSent) {
    request.socket.destroy();
    return null;
  }
  refuseRest(request, response);
  if (failure.retryAfterSeconds !== undefined) {
    response.setHeader('Retry-After', String(failure.retryAfterSeconds));
  }
  if (failure.code !== undefined) {
    response.setHeader('X-Gatefold-Error', failure.code);
  }
  return { ...failure, message: sentenceIn(languageOf(request), failure.message) };
}

export function describeFailure(error: unknown): Failure {
  if (error instanceof DomainError) {
    return {
      status: STATUS_OF_KIND[error.kind],
      message: error.told ?? error.message,
      retryAfterSeconds: error.retryAfterSeconds,
      code: error.code,
      at: error.at,
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
  if (hasCode(error, DISK_FULL)) {
    return describeFailure(new StorageFull());
  }
  if (hasCode(error, ...UNWRITABLE_TEXT) || isUnsendable(error)) {
    return {
      status: 400,
      message: 'The request holds a text with a zero byte, which cannot be stored or searched for.',
      retryAfterSeconds: undefined,
      unexpected: false,
    };
  }
  if (hasCode(error, REFERS_TO_NOTHING)) {
    return {
      status: 409,
      message: 'What the request is about was deleted meanwhile.',
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

/** PostgreSQL's error code when its disk is full. */
const DISK_FULL = '53100';

/**
 * PostgreSQL's error code for a foreign key without its row: the account or object was there when the
 * request began, and was deleted before its end.
 */
const REFERS_TO_NOTHING = '23503';

/**
 * PostgreSQL's codes for zero bytes in text and in JSON. Handled here, so that rooms need not reject them.
 */
const UNWRITABLE_TEXT = ['22021', '22P05'];

/** A statement with a zero byte, where MikroORM writes values into statements. */
function isUnsendable(error: unknown): boolean {
  return hasCode(error, '08P01') && (error as Error).message.includes('invalid message format');
}

/** Whether an error, or one of its causes, has one of these codes. */
function hasCode(error: unknown, ...codes: readonly unknown[]): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  return ('code' in error && codes.includes(error.code)) || hasCode(error.cause, ...codes);
}

function textOf(error: HttpException): string {
  const answer = error.getResponse();
  const message = typeof answer === 'string' ? answer : Reflect.get(answer, 'message');
  return typeof message === 'string' ? message : error.message;
}

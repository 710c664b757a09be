import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CredentialsRequired } from '../auth/auth.errors.js';
import { beginFailure, type Failure } from '../errors/failure.js';
import { languageOf } from '../texts/languages.js';
import { sentenceIn } from '../texts/translations.js';
import {
  failure,
  httpStatusOf,
  OCS_INTERNAL_ERROR,
  OCS_UNAUTHENTICATED,
  OcsFailure,
} from './envelope.js';
import { dialectOf, render } from './ocs-wire.js';

/** Wraps errors of handlers and guards. */
@Catch()
export class OcsErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerOcsError(error, http.getRequest<Request>(), http.getResponse<Response>());
  }
}

export function answerOcsError(error: unknown, request: Request, response: Response): void {
  const prescribed =
    error instanceof OcsFailure
      ? translated(error, request)
      : asOcsFailure(error, request, response);
  if (prescribed !== null) {
    answerFailure(prescribed, request, response);
  }
}

function translated({ statuscode, message, data }: OcsFailure, request: Request): OcsFailure {
  return new OcsFailure(statuscode, sentenceIn(languageOf(request), message), data);
}

function answerFailure(prescribed: OcsFailure, request: Request, response: Response): void {
  const { statuscode, message, data } = prescribed;
  const dialect = dialectOf(request.path);
  const body = render(failure(dialect, statuscode, message, data), request, response);
  response.status(httpStatusOf(dialect, statuscode)).send(body);
}

function asOcsFailure(error: unknown, request: Request, response: Response): OcsFailure | null {
  const described = beginFailure(error, request, response);
  if (described === null) {
    return null;
  }
  if (error instanceof CredentialsRequired) {
    return new OcsFailure(OCS_UNAUTHENTICATED, 'Current user is not logged in');
  }
  return new OcsFailure(codeOf(described), described.message);
}

function codeOf({ status, unexpected }: Failure): number {
  if (unexpected) {
    return OCS_INTERNAL_ERROR;
  }
  if (status === 401) {
    return OCS_UNAUTHENTICATED;
  }
  // The protocol has one code for invalid input.
  return status === 422 ? 400 : status;
}

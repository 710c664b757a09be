import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CredentialsRequired } from '../../../common/auth/auth.errors.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { beginFailure } from '../../../common/errors/failure.js';

/** Clients know 400 for whatever a service refuses, and take 404 for a wrong address. */
const AS_BAD_REQUEST: ReadonlySet<number> = new Set([404, 409, 412, 422]);

/** Responds with the sentence alone, which clients show. */
@Catch()
export class PlainErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const failure = beginFailure(error, http.getRequest<Request>(), response);
    if (failure === null) {
      return;
    }
    const isBadRequest = error instanceof DomainError && AS_BAD_REQUEST.has(failure.status);
    const status = isBadRequest ? 400 : failure.status;
    const text = error instanceof CredentialsRequired ? 'Unauthorized' : failure.message;
    response.status(status).type('text/plain; charset=utf-8').send(text);
  }
}

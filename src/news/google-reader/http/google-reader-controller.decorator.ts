import {
  applyDecorators,
  Controller,
  Header,
  UseFilters,
  UseGuards,
  UseInterceptors,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  Catch,
  type ArgumentsHost,
  type ExceptionFilter,
  createParamDecorator,
} from '@nestjs/common';
import type { Response, Request } from 'express';
import { hash } from 'node:crypto';
import type { Observable } from 'rxjs';
import { CredentialsRequired } from '../../../common/auth/auth.errors.js';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import { Clock } from '../../../common/clock.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { beginFailure } from '../../../common/errors/failure.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { readFields, type Fields } from '../../../common/http/read-fields.js';
import { MIB } from '../../../common/units.js';
import { RequestingClientInterceptor } from '../../http/requesting-client.interceptor.js';
import { GoogleLoginGuard } from './google-login.guard.js';

/**
 * Roots of the routes, after the edge has removed the path prefix. Clients with an account type "FreshRSS"
 * append `/api/greader.php` to the address of the service, even if it is there already.
 */
const GOOGLE_READER_ROOTS = ['', 'api/greader.php/', 'api/greader.php/api/greader.php/'];

const API = 'reader/api/0';

export function belowEachRoot(path: string): string[] {
  return GOOGLE_READER_ROOTS.map((root) => root + path);
}

/** A controller of the Google Reader API: each route requires a token, and answers errors as text. */
export function GoogleReaderController(path = API): ClassDecorator {
  return applyDecorators(
    Controller(belowEachRoot(path)),
    InScope('reader'),
    UseGuards(GoogleLoginGuard),
    UseFilters(PlainErrorFilter),
    UseInterceptors(AnswerDateInterceptor, RequestingClientInterceptor),
  );
}

/** A controller of the API whose routes require no token. */
export function OpenGoogleReaderController(paths: readonly string[]): ClassDecorator {
  return applyDecorators(
    Controller(paths.flatMap((path) => belowEachRoot(path))),
    Public(),
    UseFilters(PlainErrorFilter),
  );
}

/**
 * Dates the answer with the beginning of the request: clients send this as their next `ot`, which must not
 * be later than items that arrive while a list is read.
 */
@Injectable()
export class AnswerDateInterceptor implements NestInterceptor {
  constructor(private readonly clock: Clock) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    response.setHeader('Date', this.clock.now().toUTCString());
    return next.handle();
  }
}

/** Statuses answered as 400: clients know it for every refusal, and take 404 for a wrong address. */
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

/** Ten thousand items in the longest form of an id have less than 1 MiB. */
const LARGEST_FORM_BYTES = 4 * MIB;

/** Injects the fields of a request, which are read now, after the guards. */
export const SentFields = createParamDecorator(
  async (_data: unknown, context: ExecutionContext): Promise<Fields> =>
    readFields(context.switchToHttp().getRequest<Request>(), LARGEST_FORM_BYTES),
);

/** Sends JSON with an ETag, or 304 to a client that has it already. */
export function sendCachedJson(request: Request, response: Response, answer: object): void {
  const text = JSON.stringify(answer);
  const etag = `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
  // Required by platform HTTP caches of clients.
  response.set({ ETag: etag, 'Cache-Control': 'private, no-cache' });
  if (request.headers['if-none-match']?.includes(etag.slice(2)) === true) {
    response.status(304).end();
    return;
  }
  response.status(200).type('application/json; charset=utf-8').send(text);
}

/** The answer of a route that changes something; clients compare the body. */
export const OK_TEXT = new Media('text/plain', '`OK`');

/** Marks a route that answers with plain text. */
export const PlainText = (): MethodDecorator => Header('Content-Type', 'text/plain; charset=utf-8');

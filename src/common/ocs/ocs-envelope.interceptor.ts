import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, map, switchMap, type Observable } from 'rxjs';
import { inputBodiesOf } from '../http/input-bodies.js';
import { requestWithBody } from '../http/input.decorator.js';
import { ok, OcsNothing, OcsSuccess } from './envelope.js';
import { dialectOf, render } from './ocs-wire.js';

/** Wraps results of handlers. */
@Injectable()
export class OcsEnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<string> {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    // The body may contain the format, also if the handler does not read it.
    return from(requestWithBody(context)).pipe(
      switchMap((request) => next.handle().pipe(map((result) => wrap(result, request, response)))),
      map((answer) => inputBodiesOf(http.getRequest()).countAnswer(http.getRequest(), answer)),
    );
  }
}

function wrap(result: unknown, request: Request, response: Response): string {
  if (response.headersSent) {
    // The handler has sent its answer itself.
    return '';
  }
  if (result instanceof OcsNothing) {
    response.status(204);
    return '';
  }
  const dialect = dialectOf(request.path);
  if (!(result instanceof OcsSuccess)) {
    return render(ok(dialect, result), request, response);
  }
  if (dialect === 'v2') {
    response.status(result.status);
  }
  return render(ok(dialect, result.data, result.status), request, response);
}

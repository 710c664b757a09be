import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { ok } from './envelope.js';
import { dialectOf, render } from './ocs-wire.js';

/** Wraps what a handler returns. */
@Injectable()
export class OcsEnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<string> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    return next
      .handle()
      .pipe(map((data) => render(ok(dialectOf(request.path), data), request, response)));
  }
}

import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { Observable } from 'rxjs';
import { asClient } from '../changing-client.js';
import { CLIENT_NAME } from './inputs.js';

/** Remembers the name a program gives itself, so that live updates leave out what it did itself. */
@Injectable()
export class ChangingClientInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const name = context.switchToHttp().getRequest<Request>().headers['x-gatefold-client'];
    if (typeof name !== 'string' || !CLIENT_NAME.test(name)) {
      return next.handle();
    }
    return new Observable((subscriber) =>
      asClient(name, () => next.handle().subscribe(subscriber)),
    );
  }
}

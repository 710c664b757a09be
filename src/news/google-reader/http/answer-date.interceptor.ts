import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { Clock } from '../../../common/clock.js';

/**
 * Dates the answer with the beginning of the request: clients send this as their next `ot`, and what
 * arrives while a list is being read must not lie before it.
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

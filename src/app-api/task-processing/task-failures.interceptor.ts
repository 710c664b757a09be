import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import { catchError, throwError, type Observable } from 'rxjs';
import { describeFailure } from '../../common/errors/failure.js';
import { OcsFailure } from '../../common/ocs/envelope.js';

/** Puts the message of an error into the data as well, where consumers of task processing read it. */
@Injectable()
export class TaskFailures implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      catchError((error: unknown) => {
        const { status, message, retryAfterSeconds, unexpected } = describeFailure(error);
        if (unexpected) {
          return throwError(() => error);
        }
        if (retryAfterSeconds !== undefined) {
          response.setHeader('Retry-After', String(retryAfterSeconds));
        }
        // The protocol has one code for invalid input.
        return throwError(
          () => new OcsFailure(status === 422 ? 400 : status, message, { message }),
        );
      }),
    );
  }
}

import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Observable } from 'rxjs';
import type { IdentifiedRequest } from '../http/current-user.decorator.js';
import type { ScopedRoom } from '../ports/app-password-scope.js';
import { assertScope } from './assert-scope.js';
import { CHANGING_GET } from './changing-get.decorator.js';
import { IN_SCOPE, READS_BY_POST } from './in-scope.decorator.js';
import { READING_METHODS } from './reading-methods.js';

/**
 * Limits app passwords to their scope, on every route and after whichever guard authenticated it.
 * Closed by default: see `InScope`.
 */
@Injectable()
export class ScopeInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { credential, method } = context.switchToHttp().getRequest<IdentifiedRequest>();
    const room = this.reflector.getAllAndOverride<ScopedRoom | 'any' | undefined>(IN_SCOPE, [
      context.getHandler(),
      context.getClass(),
    ]);
    const reads = this.#is(READS_BY_POST, context) || READING_METHODS.has(method);
    const changes = !reads || this.#is(CHANGING_GET, context);
    assertScope(credential, { room: room ?? null, changes });
    return next.handle();
  }

  #is(mark: string, context: ExecutionContext): boolean {
    return this.reflector.get<true | undefined>(mark, context.getHandler()) === true;
  }
}

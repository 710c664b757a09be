import {
  applyDecorators,
  Controller,
  HttpCode,
  UseFilters,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type Type,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, map, switchMap, type Observable } from 'rxjs';
import { BasicAuthGuard } from '../auth/basic-auth.guard.js';
import { requestWithBody } from '../http/input.decorator.js';
import { ok, OcsNothing, OcsSuccess } from './envelope.js';
import { OcsErrorFilter } from './ocs-error.filter.js';
import { OCS_ROOTS, dialectOf, render } from './ocs-wire.js';

/** Wraps results of handlers. */
@Injectable()
export class OcsEnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<string> {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    // The body may contain the format, also if the handler does not read it.
    return from(requestWithBody(context)).pipe(
      switchMap((request) => next.handle().pipe(map((result) => wrap(result, request, response)))),
    );
  }
}

interface OcsControllerOptions {
  /** Adds a route at the path itself, outside both OCS roots. */
  readonly bare?: boolean;
  /** Default: `BasicAuthGuard`. */
  readonly guards?: readonly Type<CanActivate>[];
}

/**
 * A controller whose handlers return plain data or throw; the envelope is added. Routed under both
 * OCS roots, with 200 on success for all methods.
 *
 * @param path below the roots, for instance `cloud/capabilities`
 */
export function OcsController(path: string, options: OcsControllerOptions = {}): ClassDecorator {
  const { bare = false, guards = [BasicAuthGuard] } = options;
  const paths = [...OCS_ROOTS, ...(bare ? [''] : [])].map((root) => `${root}/${path}`);
  return applyDecorators(
    succeedWith200,
    Controller(paths),
    UseInterceptors(OcsEnvelopeInterceptor),
    UseFilters(OcsErrorFilter),
    UseGuards(...guards),
  );
}

function succeedWith200(controller: object): void {
  const prototype: unknown = Reflect.get(controller, 'prototype');
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name !== 'constructor' && typeof descriptor.value === 'function') {
      HttpCode(200)(controller, name, descriptor);
    }
  }
}

function wrap(result: unknown, request: Request, response: Response): string {
  if (response.headersSent || response.closed) {
    // The handler has sent its answer itself, or the client has gone.
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

import {
  applyDecorators,
  Controller,
  HttpCode,
  UseFilters,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type Type,
} from '@nestjs/common';
import { BasicAuthGuard } from '../auth/basic-auth.guard.js';
import { OcsEnvelopeInterceptor } from './ocs-envelope.interceptor.js';
import { OcsErrorFilter } from './ocs-error.filter.js';
import { OCS_ROOTS } from './ocs-wire.js';

interface OcsControllerOptions {
  /** Also routed at the path itself, outside both OCS roots. */
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

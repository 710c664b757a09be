import type { CanActivate, Type } from '@nestjs/common';
import { GatewayAuthGuard } from './gateway-auth.guard.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';

/**
 * A controller for requests of external apps: under both OCS roots and at the bare path.
 * `GatewayAuthGuard` authenticates the app before `guards` run.
 */
export function OcsGatewayController(path: string, ...guards: Type<CanActivate>[]): ClassDecorator {
  return OcsController(path, { bare: true, guards: [GatewayAuthGuard, ...guards] });
}

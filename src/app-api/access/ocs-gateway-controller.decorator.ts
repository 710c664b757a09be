import type { CanActivate, Type } from '@nestjs/common';
import { GatewayAuthGuard } from './gateway-auth.guard.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';

/**
 * A controller that external apps call: under both OCS roots and at the bare path, let in by their
 * own credentials, and then by whatever `guards` ask for.
 */
export function OcsGatewayController(path: string, ...guards: Type<CanActivate>[]): ClassDecorator {
  return OcsController(path, { bare: true, guards: [GatewayAuthGuard, ...guards] });
}

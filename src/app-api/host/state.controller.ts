import { Get } from '@nestjs/common';
import { AllowDisabledApp, CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../apps/access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { Operation } from '../../common/contracts/operation.decorator.js';
import { AppStateAnswer } from './host.wire.js';

/** Tells an app whether it is enabled. Existing apps use the second path. */
@OcsGatewayController('apps/app_api')
export class StateController {
  @Get(['api/v1/ex-app/state', 'ex-app/state'])
  @AllowDisabledApp()
  @Operation('Tells an app whether it is enabled.', AppStateAnswer)
  show(@CallingExApp() app: CallingApp): number {
    return Number(app.enabled);
  }
}

import { Get } from '@nestjs/common';
import { AllowDisabledApp, CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';

/** By which an app learns whether it is enabled. The second path is that of the apps in use. */
@OcsGatewayController('apps/app_api')
export class StateController {
  @Get(['api/v1/ex-app/state', 'ex-app/state'])
  @AllowDisabledApp()
  show(@CallingExApp() app: CallingApp): number {
    return Number(app.enabled);
  }
}

import { Get } from '../../common/contracts/routes.js';
import { AllowDisabledApp, CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../apps/access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { AppStateAnswer } from './host.wire.js';

/** Tells an app whether it is enabled. Existing apps use the second path. */
@OcsGatewayController('apps/app_api')
export class StateController {
  @Get(
    ['api/v1/ex-app/state', 'ex-app/state'],
    'Tells an app whether it is enabled.',
    AppStateAnswer,
  )
  @AllowDisabledApp()
  show(@CallingExApp() app: CallingApp): number {
    return Number(app.enabled);
  }
}

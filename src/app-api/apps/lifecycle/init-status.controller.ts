import type { z } from 'zod';
import { Put } from '../../../common/contracts/routes.js';
import { AllowInstallingApp, CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import { ExAppNotFound } from '../../app-api.errors.js';
import { LifecycleService } from './lifecycle.service.js';
import { Progress } from './init-status.input.js';
import { GatewayInput } from '../../gateway-input.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import { EmptyListAnswer } from './init-status.wire.js';

/** Receives the progress of an app's initialisation. The other paths are those of older apps. */
@OcsGatewayController('apps/app_api')
export class InitStatusController {
  constructor(private readonly lifecycle: LifecycleService) {}

  @Put(
    ['ex-app/status', 'api/v1/ex-app/status', 'apps/status/:appId'],
    'Reports how far the initialisation of the app has come.',
    EmptyListAnswer,
  )
  @AllowInstallingApp()
  async report(
    @CallingExApp() caller: CallingApp,
    @GatewayInput(Progress) { progress, error, appId = caller.appId }: z.output<typeof Progress>,
  ): Promise<[]> {
    if (appId !== caller.appId) {
      // Apps must not learn of each other.
      throw new ExAppNotFound(appId);
    }
    await this.lifecycle.reportProgress(appId, progress, error);
    return [];
  }
}

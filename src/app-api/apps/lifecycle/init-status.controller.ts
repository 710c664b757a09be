import { z } from 'zod';
import { AllowInstallingApp, CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { Put } from '../../../common/contracts/routes.js';
import type { In } from '../../../common/http/input.decorator.js';
import { orElse } from '../../../common/http/loose-inputs.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import { ExAppNotFound } from '../../app-api.errors.js';
import { text } from '../../field-schemas.js';
import { GatewayInput } from '../../gateway-input.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import { InitStatusRejected } from './lifecycle.errors.js';
import { LifecycleService } from './lifecycle.service.js';

export const EmptyListAnswer = z.array(z.unknown()).max(0);

/** Per cent; apps send fractions, too. */
const progress = z
  .preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    z
      .number({ error: 'must be a number from 0 to 100' })
      .min(0, 'must be a number from 0 to 100')
      .max(100, 'must be a number from 0 to 100'),
  )
  .transform(Math.floor);

const Progress = z
  .object({
    progress: progress.nullable(),
    error: orElse(text(10_000), ''),
    appId: z.string().optional(),
  })
  // The document answers 404, not 400.
  .catch({ progress: null, error: '' });

/** Receives the progress of an app's initialisation. Older apps use the other paths. */
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
    @GatewayInput(Progress) { progress, error, appId = caller.appId }: In<typeof Progress>,
  ) {
    if (appId !== caller.appId) {
      // Apps must not learn of each other.
      throw new ExAppNotFound(appId);
    }
    await this.lifecycle.reportProgress(appId, InitStatusRejected.unless(progress), error);
    return [];
  }
}

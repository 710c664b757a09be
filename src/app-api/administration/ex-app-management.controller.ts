import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { Get, Put } from '../../common/contracts/routes.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { InTurn } from '../../common/http/answer-turns.js';
import type { In } from '../../common/http/input.decorator.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import { ExAppNotFound } from '../app-api.errors.js';
import { ExAppsService } from '../apps/lifecycle/ex-apps.service.js';
import { EmptyListAnswer } from '../apps/lifecycle/init-status.controller.js';
import { LifecycleService } from '../apps/lifecycle/lifecycle.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { AppPath, ListOfApps, SetEnabled } from './ex-app.input.js';
import { toExAppJson, ExAppAnswer, ExAppsAnswer } from './ex-app.wire.js';

/**
 * External apps, for administrators and for apps that act as one. Other programs use the paths without
 * `api/v1`.
 */
@OcsController('apps/app_api', { bare: true, guards: [BasicAuthGuard, AdminGuard] })
export class ExAppManagementController {
  constructor(
    private readonly apps: ExAppsService,
    private readonly lifecycle: LifecycleService,
  ) {}

  @Get(['api/v1/ex-app/info/:appId', 'ex-app/info/:appId'], 'Shows an app.', ExAppAnswer)
  async info(@GatewayInput(AppPath) { appId }: In<typeof AppPath>) {
    return toExAppJson(await this.apps.find(appId));
  }

  @Put(
    ['api/v1/ex-app/:appId/enabled', 'ex-app/:appId/enabled'],
    'Enables or disables an app.',
    EmptyListAnswer,
  )
  async setEnabled(@GatewayInput(SetEnabled) { appId, enabled }: In<typeof SetEnabled>) {
    await (enabled ? this.#enable(appId) : this.#disable(appId));
    return [];
  }

  @InTurn()
  @Get(['api/v1/ex-app/:list', 'ex-app/:list'], 'Lists apps: `all` or `enabled`.', ExAppsAnswer)
  async list(@GatewayInput(ListOfApps) { list }: In<typeof ListOfApps>) {
    if (list !== 'all' && list !== 'enabled') {
      throw new OcsFailure(400, `There is a list "all" and a list "enabled", but none "${list}".`);
    }
    return (await this.apps.list(list)).map(toExAppJson);
  }

  async #enable(appId: string): Promise<void> {
    const changed = await this.lifecycle.enable(appId).catch((error: unknown) => {
      throw asFailure('Failed to enable ExApp', error);
    });
    if (!changed) {
      throw new OcsFailure(400, 'ExApp already enabled');
    }
  }

  async #disable(appId: string): Promise<void> {
    const { changed, complaint } = await this.lifecycle.disable(appId).catch((error: unknown) => {
      throw asFailure('Failed to disable ExApp', error);
    });
    if (!changed) {
      throw new OcsFailure(400, 'ExApp already disabled');
    }
    if (complaint !== null) {
      throw new OcsFailure(400, `Failed to disable ExApp: ${complaint}`);
    }
  }
}

/** The protocol has one code and one prefix for all failures of the app. */
function asFailure(what: string, error: unknown): unknown {
  return error instanceof DomainError && !(error instanceof ExAppNotFound)
    ? new OcsFailure(400, `${what}: ${error.message}`)
    : error;
}

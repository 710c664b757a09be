import type { z } from 'zod';
import { Delete, Post } from '../../common/contracts/routes.js';
import { ReadsByPost } from '../../common/auth/in-scope.decorator.js';
import { ActingUserGuard } from '../apps/access/acting-user.guard.js';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import { TakesLargeBodies } from '../../common/http/largest-body.decorator.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import { OcsGatewayController } from '../apps/access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import type { Account } from '../../common/ports/user-directory.js';
import { PreferencesService } from './preferences.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { NamedValues, SetValue } from './value.input.js';
import {
  toKeyAndValueJson,
  toPreferenceJson,
  PreferenceAnswer,
  ValuesAnswer,
  RemovedCountAnswer,
} from './value.wire.js';

/** Values that an app stores for the acting user. */
@TakesLargeBodies()
@OcsGatewayController('apps/app_api/api/v1/ex-app/preference', ActingUserGuard)
export class PreferencesController {
  constructor(private readonly preferences: PreferencesService) {}

  @Post('', 'Sets a value for the user.', PreferenceAnswer)
  async set(
    @CallingExApp() { appId }: CallingApp,
    @CurrentUser() { userId }: Account,
    @GatewayInput(SetValue) { configKey, configValue, sensitive }: z.output<typeof SetValue>,
  ) {
    const kept = await this.preferences.of(appId, userId).set(configKey, configValue, sensitive);
    return toPreferenceJson(appId, userId, kept);
  }

  @Post('get-values', 'Shows values for the user.', ValuesAnswer)
  @ReadsByPost()
  async get(
    @CallingExApp() { appId }: CallingApp,
    @CurrentUser() { userId }: Account,
    @GatewayInput(NamedValues) { configKeys }: z.output<typeof NamedValues>,
  ) {
    return (await this.preferences.of(appId, userId).get(configKeys)).map(toKeyAndValueJson);
  }

  @Delete('', 'Removes values for the user.', RemovedCountAnswer)
  async remove(
    @CallingExApp() { appId }: CallingApp,
    @CurrentUser() { userId }: Account,
    @GatewayInput(NamedValues) { configKeys }: z.output<typeof NamedValues>,
  ): Promise<number> {
    const removed = await this.preferences.of(appId, userId).delete(configKeys);
    if (removed === 0) {
      throw new OcsFailure(404, 'No user config values deleted');
    }
    return removed;
  }
}

import type { z } from 'zod';
import { Delete, Post } from '../../common/contracts/routes.js';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { ReadsByPost } from '../../common/auth/in-scope.decorator.js';
import { TakesLargeBodies } from '../../common/http/largest-body.decorator.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import { OcsGatewayController } from '../apps/access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { ConfigValuesService } from './config-values.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { NamedValues, SetValue } from './value.input.js';
import {
  toConfigValueJson,
  toKeyAndValueJson,
  ConfigValueAnswer,
  ValuesAnswer,
  RemovedCountAnswer,
} from './value.wire.js';

/** Configuration values of the calling app. */
@TakesLargeBodies()
@OcsGatewayController('apps/app_api/api/v1/ex-app/config')
export class ConfigValuesController {
  constructor(private readonly values: ConfigValuesService) {}

  @Post('', 'Sets a value of the app.', ConfigValueAnswer)
  async set(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(SetValue) { configKey, configValue, sensitive }: z.output<typeof SetValue>,
  ) {
    return toConfigValueJson(
      appId,
      await this.values.of(appId).set(configKey, configValue, sensitive),
    );
  }

  @Post('get-values', 'Shows values of the app.', ValuesAnswer)
  @ReadsByPost()
  async get(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(NamedValues) { configKeys }: z.output<typeof NamedValues>,
  ) {
    return (await this.values.of(appId).get(configKeys)).map(toKeyAndValueJson);
  }

  @Delete('', 'Removes values of the app.', RemovedCountAnswer)
  async remove(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(NamedValues) { configKeys }: z.output<typeof NamedValues>,
  ): Promise<number> {
    const removed = await this.values.of(appId).delete(configKeys);
    if (removed === 0) {
      throw new OcsFailure(404, 'No app config values deleted');
    }
    return removed;
  }
}

import { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { ReadsByPost } from '../../common/auth/in-scope.decorator.js';
import { Delete, Post } from '../../common/contracts/routes.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import type { In } from '../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../common/http/largest-body.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import type { Account } from '../../common/ports/user-directory.js';
import {
  ActingUserGuard,
  OcsGatewayController,
} from '../apps/access/ocs-gateway-controller.decorator.js';
import { flag } from '../field-schemas.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import type { StoredValue } from './values.repository.js';
import { ValuesService } from './values.service.js';

const valueFields = {
  id: z.int(),
  appid: z.string(),
  configkey: z.string(),
  configvalue: z.string().nullable(),
  sensitive: z.int(),
};

const ConfigValueAnswer = z.object(valueFields);

const PreferenceAnswer = z.object({ ...valueFields, user_id: z.string() });

const ValuesAnswer = z.array(
  z.object({ configkey: z.string(), configvalue: z.string().nullable() }),
);

const RemovedCountAnswer = z.int().describe('How many were removed.');

/** Stored as text; apps also send numbers, booleans, objects and null. */
const anyText = z.preprocess(toText, z.string({ error: 'must be a text, a number or a boolean' }));

export const SetValue = z.object({
  configKey: anyText,
  configValue: anyText,
  sensitive: orElse(flag.optional(), undefined),
});

const NamedValues = z.object({
  configKeys: z.preprocess(
    // A list with one element arrives as a string in a query.
    (value) => (typeof value === 'string' ? [value] : value),
    z.array(anyText, { error: 'must be a list of keys' }),
  ),
});

/** Configuration values of the calling app. */
@OcsGatewayController('apps/app_api/api/v1/ex-app/config')
export class ConfigValuesController {
  constructor(private readonly values: ValuesService) {}

  @Post('', 'Sets a value of the app.', ConfigValueAnswer)
  @TakesLargeBodies()
  async set(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(SetValue) { configKey, configValue, sensitive }: In<typeof SetValue>,
  ) {
    return toConfigValueJson(
      appId,
      await this.values.of(appId).set(configKey, configValue, sensitive),
    );
  }

  @InTurn()
  @Post('get-values', 'Shows values of the app.', ValuesAnswer)
  @ReadsByPost()
  async get(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(NamedValues) { configKeys }: In<typeof NamedValues>,
  ) {
    return (await this.values.of(appId).get(configKeys)).map(toKeyAndValueJson);
  }

  @Delete('', 'Removes values of the app.', RemovedCountAnswer)
  async remove(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(NamedValues) { configKeys }: In<typeof NamedValues>,
  ) {
    const removed = await this.values.of(appId).delete(configKeys);
    if (removed === 0) {
      throw new OcsFailure(404, 'No app config values deleted');
    }
    return removed;
  }
}

/** Values that an app stores for the acting user. */
@OcsGatewayController('apps/app_api/api/v1/ex-app/preference', ActingUserGuard)
export class PreferencesController {
  constructor(private readonly preferences: ValuesService) {}

  @Post('', 'Sets a value for the user.', PreferenceAnswer)
  @TakesLargeBodies()
  async set(
    @CallingExApp() { appId }: CallingApp,
    @CurrentUser() { userId }: Account,
    @GatewayInput(SetValue) { configKey, configValue, sensitive }: In<typeof SetValue>,
  ) {
    const kept = await this.preferences.of(appId, userId).set(configKey, configValue, sensitive);
    return toPreferenceJson(appId, userId, kept);
  }

  @InTurn()
  @Post('get-values', 'Shows values for the user.', ValuesAnswer)
  @ReadsByPost()
  async get(
    @CallingExApp() { appId }: CallingApp,
    @CurrentUser() { userId }: Account,
    @GatewayInput(NamedValues) { configKeys }: In<typeof NamedValues>,
  ) {
    return (await this.preferences.of(appId, userId).get(configKeys)).map(toKeyAndValueJson);
  }

  @Delete('', 'Removes values for the user.', RemovedCountAnswer)
  async remove(
    @CallingExApp() { appId }: CallingApp,
    @CurrentUser() { userId }: Account,
    @GatewayInput(NamedValues) { configKeys }: In<typeof NamedValues>,
  ) {
    const removed = await this.preferences.of(appId, userId).delete(configKeys);
    if (removed === 0) {
      throw new OcsFailure(404, 'No user config values deleted');
    }
    return removed;
  }
}

function toText(value: unknown): unknown {
  if (value === null) {
    return '';
  }
  if (typeof value === 'boolean') {
    return value ? '1' : '0';
  }
  return typeof value === 'number' || typeof value === 'object' ? JSON.stringify(value) : value;
}

function toConfigValueJson(appId: string, { id, key, value, sensitive }: StoredValue) {
  return { id, appid: appId, configkey: key, configvalue: value, sensitive: Number(sensitive) };
}

function toPreferenceJson(appId: string, userId: string, kept: StoredValue) {
  return { ...toConfigValueJson(appId, kept), user_id: userId };
}

function toKeyAndValueJson({ key, value }: StoredValue) {
  return { configkey: key, configvalue: value };
}

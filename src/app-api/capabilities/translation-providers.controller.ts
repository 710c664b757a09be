import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { RegistrationsService } from './registrations.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { Translation, ProviderName } from './registration-inputs.js';
import { toTranslationJson } from './registration-wire.js';

/** Apps that can translate. */
@OcsGatewayController('apps/app_api/api/v1/ai_provider/translation')
export class TranslationProvidersController {
  constructor(private readonly registrations: RegistrationsService) {}

  @Post()
  async register(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(Translation) fields: z.output<typeof Translation>,
  ): Promise<void> {
    await this.registrations.register(appId, 'translation', fields.name, fields);
  }

  @Get()
  async show(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(ProviderName) { name }: z.output<typeof ProviderName>,
  ) {
    return toTranslationJson(await this.registrations.find(appId, 'translation', name));
  }

  @Delete()
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(ProviderName) { name }: z.output<typeof ProviderName>,
  ): Promise<void> {
    await this.registrations.unregister(appId, 'translation', name);
  }
}

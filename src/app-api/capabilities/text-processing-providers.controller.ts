import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { RegistrationsService } from './registrations.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { TextProcessing, ProviderName } from './registration-inputs.js';
import { toTextProcessingJson } from './registration-wire.js';

/** Apps that can answer, summarise and the like. */
@OcsGatewayController('apps/app_api/api/v1/ai_provider/text_processing')
export class TextProcessingProvidersController {
  constructor(private readonly registrations: RegistrationsService) {}

  @Post()
  async register(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(TextProcessing) fields: z.output<typeof TextProcessing>,
  ): Promise<void> {
    await this.registrations.register(appId, 'text_processing', fields.name, fields);
  }

  @Get()
  async show(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(ProviderName) { name }: z.output<typeof ProviderName>,
  ) {
    return toTextProcessingJson(await this.registrations.find(appId, 'text_processing', name));
  }

  @Delete()
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(ProviderName) { name }: z.output<typeof ProviderName>,
  ): Promise<void> {
    await this.registrations.unregister(appId, 'text_processing', name);
  }
}

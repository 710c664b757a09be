import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { RegistrationsService } from './registrations.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { SpeechToText, ProviderName } from './registration-inputs.js';
import { toSpeechToTextJson } from './registration-wire.js';

const PATHS = ['ai_provider/speech_to_text', 'provider/speech_to_text'];

/** Apps that can write down speech. The second address is that of the specification. */
@OcsGatewayController('apps/app_api/api/v1')
export class SpeechToTextProvidersController {
  constructor(private readonly registrations: RegistrationsService) {}

  @Post(PATHS)
  async register(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(SpeechToText) fields: z.output<typeof SpeechToText>,
  ): Promise<void> {
    await this.registrations.register(appId, 'speech_to_text', fields.name, fields);
  }

  @Get(PATHS)
  async show(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(ProviderName) { name }: z.output<typeof ProviderName>,
  ) {
    return toSpeechToTextJson(await this.registrations.find(appId, 'speech_to_text', name));
  }

  @Delete(PATHS)
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(ProviderName) { name }: z.output<typeof ProviderName>,
  ): Promise<void> {
    await this.registrations.unregister(appId, 'speech_to_text', name);
  }
}

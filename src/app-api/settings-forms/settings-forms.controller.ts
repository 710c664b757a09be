import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { TakesLargeBodies } from '../../common/http/largest-body.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { RegistrationsService } from '../capabilities/registrations.service.js';
import { SettingsFormsService } from './settings-forms.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { SettingsForm, SettingsFormName } from '../capabilities/registration-inputs.js';
import { toSettingsFormJson } from '../capabilities/registration-wire.js';

/** Forms that the host shows among its own settings. */
@TakesLargeBodies()
@OcsGatewayController('apps/app_api/api/v1/ui/settings')
export class SettingsFormsController {
  constructor(
    private readonly forms: SettingsFormsService,
    private readonly registrations: RegistrationsService,
  ) {}

  @Post()
  async register(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(SettingsForm) { formScheme }: z.output<typeof SettingsForm>,
  ): Promise<void> {
    await this.forms.register(appId, formScheme);
  }

  @Get()
  async show(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(SettingsFormName) { formId }: z.output<typeof SettingsFormName>,
  ) {
    return toSettingsFormJson(await this.registrations.find(appId, 'settings_form', formId));
  }

  @Delete()
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(SettingsFormName) { formId }: z.output<typeof SettingsFormName>,
  ): Promise<void> {
    await this.registrations.unregister(appId, 'settings_form', formId);
  }
}

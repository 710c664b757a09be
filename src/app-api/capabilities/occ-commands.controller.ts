import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { RegistrationsService } from './registrations.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { OccCommand, OccCommandName } from './registration-inputs.js';
import { toOccCommandJson } from './registration-wire.js';

/** Commands of the host's command line that an app carries out. */
@OcsGatewayController('apps/app_api/api/v1/occ_command')
export class OccCommandsController {
  constructor(private readonly registrations: RegistrationsService) {}

  @Post()
  async register(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(OccCommand) fields: z.output<typeof OccCommand>,
  ): Promise<void> {
    await this.registrations.register(appId, 'occ_command', fields.name, fields);
  }

  @Get()
  async show(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(OccCommandName) { name }: z.output<typeof OccCommandName>,
  ) {
    return toOccCommandJson(await this.registrations.find(appId, 'occ_command', name));
  }

  @Delete()
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(OccCommandName) { name }: z.output<typeof OccCommandName>,
  ): Promise<void> {
    await this.registrations.unregister(appId, 'occ_command', name);
  }
}

import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { keyOf } from './registration-fields.js';
import { RegistrationsService } from './registrations.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { Script, ScriptName } from './registration-inputs.js';
import { toScriptJson } from './registration-wire.js';

/** Scripts of a page, loaded in the order of their registration. */
@OcsGatewayController('apps/app_api/api/v1/ui/script')
export class ScriptsController {
  constructor(private readonly registrations: RegistrationsService) {}

  @Post()
  async register(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(Script) fields: z.output<typeof Script>,
  ): Promise<void> {
    await this.registrations.register(
      appId,
      'script',
      keyOf(fields.type, fields.name, fields.path),
      fields,
    );
  }

  @Get()
  async show(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(ScriptName) { type, name, path }: z.output<typeof ScriptName>,
  ) {
    return toScriptJson(await this.registrations.find(appId, 'script', keyOf(type, name, path)));
  }

  @Delete()
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(ScriptName) { type, name, path }: z.output<typeof ScriptName>,
  ): Promise<void> {
    await this.registrations.unregister(appId, 'script', keyOf(type, name, path));
  }
}

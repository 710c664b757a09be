import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { keyOf } from './registration-fields.js';
import { RegistrationsService } from './registrations.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { Style, StyleName } from './registration-inputs.js';
import { toStyleJson } from './registration-wire.js';

/** Style sheets of a page. */
@OcsGatewayController('apps/app_api/api/v1/ui/style')
export class StylesController {
  constructor(private readonly registrations: RegistrationsService) {}

  @Post()
  async register(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(Style) fields: z.output<typeof Style>,
  ): Promise<void> {
    await this.registrations.register(
      appId,
      'style',
      keyOf(fields.type, fields.name, fields.path),
      fields,
    );
  }

  @Get()
  async show(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(StyleName) { type, name, path }: z.output<typeof StyleName>,
  ) {
    return toStyleJson(await this.registrations.find(appId, 'style', keyOf(type, name, path)));
  }

  @Delete()
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(StyleName) { type, name, path }: z.output<typeof StyleName>,
  ): Promise<void> {
    await this.registrations.unregister(appId, 'style', keyOf(type, name, path));
  }
}

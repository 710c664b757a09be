import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { RegistrationsService } from './registrations.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { TopMenu, TopMenuName } from './registration-inputs.js';
import { toTopMenuJson } from './registration-wire.js';

/** Entries of the menu at the top of every page, each with a page of its own. */
@OcsGatewayController('apps/app_api/api/v1/ui/top-menu')
export class TopMenuController {
  constructor(private readonly registrations: RegistrationsService) {}

  @Post()
  async register(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(TopMenu) fields: z.output<typeof TopMenu>,
  ): Promise<void> {
    await this.registrations.register(appId, 'top_menu', fields.name, fields);
  }

  @Get()
  async show(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(TopMenuName) { name }: z.output<typeof TopMenuName>,
  ) {
    return toTopMenuJson(await this.registrations.find(appId, 'top_menu', name));
  }

  @Delete()
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(TopMenuName) { name }: z.output<typeof TopMenuName>,
  ): Promise<void> {
    await this.registrations.unregisterTopMenu(appId, name);
  }
}

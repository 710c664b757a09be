import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { RegistrationsService } from './registrations.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { FileAction, FileActionName } from './registration-inputs.js';
import { toFileActionJson } from './registration-wire.js';

const V1 = 'v1/ui/files-actions-menu';
const V2 = 'v2/ui/files-actions-menu';

/** Entries of the menu of a file. The route of the registration decides how an app is called. */
@OcsGatewayController('apps/app_api/api')
export class FilesActionsMenuController {
  constructor(private readonly registrations: RegistrationsService) {}

  @Post(V1)
  async registerForOneFile(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(FileAction) fields: z.output<typeof FileAction>,
  ): Promise<void> {
    const action = { ...fields, version: '1.0' } as const;
    await this.registrations.register(appId, 'file_action', action.name, action);
  }

  @Post(V2)
  async registerForManyFiles(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(FileAction) fields: z.output<typeof FileAction>,
  ): Promise<void> {
    const action = { ...fields, version: '2.0' } as const;
    await this.registrations.register(appId, 'file_action', action.name, action);
  }

  @Get([V1, V2])
  async show(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(FileActionName) { name }: z.output<typeof FileActionName>,
  ) {
    return toFileActionJson(await this.registrations.find(appId, 'file_action', name));
  }

  @Delete([V1, V2])
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(FileActionName) { name }: z.output<typeof FileActionName>,
  ): Promise<void> {
    await this.registrations.unregister(appId, 'file_action', name);
  }
}

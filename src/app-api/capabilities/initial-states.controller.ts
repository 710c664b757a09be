import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { TakesLargeBodies } from '../../common/http/largest-body.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { keyOf } from './registration-fields.js';
import { RegistrationsService } from './registrations.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { InitialState, InitialStateName } from './registration-inputs.js';
import { toInitialStateJson } from './registration-wire.js';

/** Values that the scripts of a page find there. */
@TakesLargeBodies()
@OcsGatewayController('apps/app_api/api/v1/ui/initial-state')
export class InitialStatesController {
  constructor(private readonly registrations: RegistrationsService) {}

  @Post()
  async register(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(InitialState) fields: z.output<typeof InitialState>,
  ): Promise<void> {
    await this.registrations.register(
      appId,
      'initial_state',
      keyOf(fields.type, fields.name, fields.key),
      fields,
    );
  }

  @Get()
  async show(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(InitialStateName) { type, name, key }: z.output<typeof InitialStateName>,
  ) {
    return toInitialStateJson(
      await this.registrations.find(appId, 'initial_state', keyOf(type, name, key)),
    );
  }

  @Delete()
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(InitialStateName) { type, name, key }: z.output<typeof InitialStateName>,
  ): Promise<void> {
    await this.registrations.unregister(appId, 'initial_state', keyOf(type, name, key));
  }
}

import type { Type } from '@nestjs/common';
import { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { Delete, Get, Post } from '../../common/contracts/routes.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { TakesLargeBodies } from '../../common/http/largest-body.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { OcsGatewayController } from '../apps/access/ocs-gateway-controller.decorator.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import type { Capability } from './capability.js';
import { RegistrationsService } from './registrations.service.js';

/** The fields of its kind; of most kinds also `id` and `appid`. */
const RegistrationAnswer = z.looseObject({});

/**
 * The routes by which external apps register, read back and unregister things of one kind. Chat bots
 * have a controller of their own: they cannot be read back, and registering one returns a secret.
 */
export function registrationController<Fields>(capability: Capability<Fields>): Type {
  const routes = [...capability.routes];

  @OcsGatewayController('apps/app_api/api')
  class CapabilityController {
    constructor(private readonly registrations: RegistrationsService) {
      if (capability.warningsOf) {
        registrations.declare(capability);
      }
    }

    @Post(routes, `Registers: ${routes.join(', ')}.`, 'nothing')
    async register(
      @CallingExApp() { appId }: CallingApp,
      @GatewayInput(capability.input) fields: Fields,
    ): Promise<void> {
      await this.registrations.register(appId, capability, fields);
    }

    @InTurn()
    @Get(routes, `Shows what is registered: ${routes.join(', ')}.`, RegistrationAnswer)
    async show(
      @CallingExApp() { appId }: CallingApp,
      @GatewayInput(capability.keyInput) key: string,
    ) {
      return capability.toJson(await this.registrations.find(appId, capability, key));
    }

    @Delete(routes, `Unregisters: ${routes.join(', ')}.`, 'nothing')
    async unregister(
      @CallingExApp() { appId }: CallingApp,
      @GatewayInput(capability.keyInput) key: string,
    ): Promise<void> {
      await this.registrations.unregister(appId, capability, key);
    }
  }

  if (capability.largeBodies === true) {
    TakesLargeBodies()(CapabilityController);
  }
  // Logs and tests know a controller by the name of its class.
  const name = `${capability.routes.join('+')} controller`;
  Object.defineProperty(CapabilityController, 'name', { value: name });
  return CapabilityController;
}

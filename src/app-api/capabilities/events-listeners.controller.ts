import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { RegistrationsService } from './registrations.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { EventsListener, EventsListenerName } from './registration-inputs.js';
import { toEventsListenerJson } from './registration-wire.js';

/** Apps that want to know what happens to files. */
@OcsGatewayController('apps/app_api/api/v1/events_listener')
export class EventsListenersController {
  constructor(private readonly registrations: RegistrationsService) {}

  @Post()
  async register(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(EventsListener) fields: z.output<typeof EventsListener>,
  ): Promise<void> {
    await this.registrations.register(appId, 'events_listener', fields.eventType, fields);
  }

  @Get()
  async show(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(EventsListenerName) { eventType }: z.output<typeof EventsListenerName>,
  ) {
    return toEventsListenerJson(await this.registrations.find(appId, 'events_listener', eventType));
  }

  @Delete()
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(EventsListenerName) { eventType }: z.output<typeof EventsListenerName>,
  ): Promise<void> {
    await this.registrations.unregister(appId, 'events_listener', eventType);
  }
}

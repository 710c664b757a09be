import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Capabilities } from '../../common/ports/capabilities.js';
import { GATEWAY_VERSION } from './gateway-version.js';
import { TEXT_TASK_TYPES } from '../capabilities/providers.js';

/** From which level on apps should write to the host's log: warnings. */
const LOG_LEVEL = 2;

/** What the gateway can do for apps, told to everybody who is logged in. */
@Injectable()
export class GatewayCapabilities implements OnModuleInit {
  constructor(private readonly capabilities: Capabilities) {}

  onModuleInit(): void {
    this.capabilities.contribute((account) => ({
      app_api:
        account === undefined
          ? { version: GATEWAY_VERSION }
          : {
              loglevel: LOG_LEVEL,
              version: GATEWAY_VERSION,
              text_processing: { task_types: TEXT_TASK_TYPES },
            },
    }));
  }
}

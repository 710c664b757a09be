import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Capabilities } from '../../common/ports/capabilities.js';
import { GATEWAY_VERSION } from './gateway-version.js';
import { TEXT_TASK_TYPES } from '../capabilities/providers.js';

/** Apps should write warnings and above to the host's log. */
const LOG_LEVEL = 2;

/** The capabilities `app_api`. */
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

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { Capabilities } from '../../common/ports/capabilities.js';
import { GATEWAY_VERSION } from '../gateway-version.js';

/** Older text processing; the capabilities name them. */
export const TEXT_TASK_TYPES = ['free_prompt', 'headline', 'summary', 'topics'] as const;

/** Apps should write warnings and above to the host's log. */
const LOG_LEVEL = 2;

/** The capabilities `app_api`. */
@Injectable()
export class GatewayCapabilities implements OnModuleInit {
  constructor(
    private readonly capabilities: Capabilities,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.capabilities.contribute((account) => ({
      app_api:
        account === undefined
          ? { version: GATEWAY_VERSION }
          : {
              loglevel: LOG_LEVEL,
              version: GATEWAY_VERSION,
              ...(this.config.parts.has('task-processing') && {
                text_processing: { task_types: TEXT_TASK_TYPES },
              }),
            },
    }));
  }
}

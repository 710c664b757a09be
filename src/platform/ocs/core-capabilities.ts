import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Capabilities } from '../../common/ports/capabilities.js';

const POLL_INTERVAL_SECONDS = 60;

/** What the host itself can do. */
@Injectable()
export class CoreCapabilities implements OnModuleInit {
  constructor(private readonly capabilities: Capabilities) {}

  onModuleInit(): void {
    this.capabilities.contribute(() => ({
      core: {
        pollinterval: POLL_INTERVAL_SECONDS,
        // Addresses work without /index.php.
        'mod-rewrite-working': true,
      },
    }));
  }
}

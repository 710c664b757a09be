import { ConsoleLogger } from '@nestjs/common';
import { EX_APPS_LOG } from '../app-api/apps/log/ex-app-log.js';

/** Log output of commands: warnings and errors only. */
export class CommandLogger extends ConsoleLogger {
  constructor() {
    super({ logLevels: ['fatal', 'error', 'warn'] });
  }

  override warn(message: unknown, ...parts: unknown[]): void {
    if (parts.at(-1) !== EX_APPS_LOG) {
      super.warn(message, ...parts);
    }
  }
}

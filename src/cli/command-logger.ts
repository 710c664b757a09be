import { ConsoleLogger } from '@nestjs/common';
import { EX_APPS_LOG } from '../app-api/apps/log/ex-app-log.js';

/** What commands show of the log: warnings and errors, without what they tell in their own words. */
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

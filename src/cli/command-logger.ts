import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { EX_APPS_LOG } from '../common/logging/contexts.js';

/** Log output of commands: warnings and errors only, on stderr, since output may be a backup. */
export class CommandLogger extends ConsoleLogger {
  constructor() {
    super({ logLevels: ['fatal', 'error', 'warn'] });
  }

  protected override printMessages(
    messages: unknown[],
    context?: string,
    logLevel?: LogLevel,
    _stream?: 'stdout' | 'stderr',
    errorStack?: unknown,
  ): void {
    super.printMessages(messages, context, logLevel, 'stderr', errorStack);
  }

  override error(message: unknown, ...parts: unknown[]): void {
    // `reportFailure` reports once why the application could not be created.
    if (parts.at(-1) !== 'ExceptionHandler') {
      super.error(message, ...parts);
    }
  }

  override warn(message: unknown, ...parts: unknown[]): void {
    if (parts.at(-1) !== EX_APPS_LOG) {
      super.warn(message, ...parts);
    }
  }
}

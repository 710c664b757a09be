import pino from 'pino';
import { InvalidConfiguration } from '../common/config/config.js';
import { DomainError } from '../common/errors/domain-error.js';
import { ServiceUnavailable } from '../common/errors/service-unavailable.js';
import { StartRefused } from '../common/errors/start-refused.js';

/**
 * Reports why a command failed: the message of a known error, otherwise a stack trace. Commands
 * print to stderr, the service logs.
 */
export function reportFailure(error: unknown, command: string): void {
  if (command === 'serve' && process.env['GATEFOLD_LOG_FORMAT'] === 'json') {
    const err = isForeseen(error) ? undefined : error;
    pino({}, pino.destination({ sync: true })).fatal({ context: 'Start', err }, messageOf(error));
    return;
  }
  const stack = error instanceof Error ? error.stack : undefined;
  process.stderr.write(`${isForeseen(error) ? messageOf(error) : (stack ?? messageOf(error))}\n`);
}

function isForeseen(error: unknown): boolean {
  return (
    error instanceof DomainError ||
    error instanceof InvalidConfiguration ||
    error instanceof ServiceUnavailable ||
    error instanceof StartRefused
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

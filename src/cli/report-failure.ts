import type { Logger } from 'pino';
import { terminal } from '../common/command-line/terminal.js';
import { InvalidConfiguration } from '../common/config/config.js';
import { DomainError } from '../common/errors/domain-error.js';
import { ServiceUnavailable } from '../common/errors/service-unavailable.js';
import { StartRefused } from '../common/errors/start-refused.js';

const FORESEEN = [DomainError, InvalidConfiguration, ServiceUnavailable, StartRefused];

/**
 * Reports why a command failed: the message of a known error, otherwise a stack trace.
 *
 * @param log of the service; undefined: for people, on stderr
 */
export function reportFailure(error: unknown, log: Logger | undefined): void {
  if (log !== undefined) {
    log.fatal({ context: 'Start', err: isForeseen(error) ? undefined : error }, messageOf(error));
    return;
  }
  const stack = error instanceof Error ? error.stack : undefined;
  terminal().stderr.write(
    `${isForeseen(error) ? messageOf(error) : (stack ?? messageOf(error))}\n`,
  );
}

function isForeseen(error: unknown): boolean {
  return FORESEEN.some((kind) => error instanceof kind);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

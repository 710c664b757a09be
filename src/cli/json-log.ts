import pino, { type Logger } from 'pino';
import { endProcess } from '../common/last-acts.js';
import { loggedError } from '../common/logging/logged-error.js';

/**
 * The service's log for events outside of the application: failures at the start, warnings of Node.js,
 * uncaught errors.
 *
 * @returns undefined for other commands and logs in text, which print as Node.js does
 */
export function jsonLog(command: string): Logger | undefined {
  const isJson = command === 'serve' && process.env['GATEFOLD_LOG_FORMAT'] === 'json';
  const serializers = { err: loggedError };
  return isJson ? pino({ serializers }, pino.destination({ sync: true })) : undefined;
}

/** Logs warnings and errors that Node.js would print itself. An uncaught error ends the process. */
export function logProcessEvents(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    log.warn({ context: 'Process', warning: name }, message);
  });
  process.on('uncaughtException', (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    log.fatal({ context: 'Process', err: error }, `Ended by: ${message}`);
    void endProcess(1);
  });
}

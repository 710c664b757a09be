import { Injectable, Logger } from '@nestjs/common';
import { DomainError } from '../errors/domain-error.js';
import { ConnectionFailed, OutgoingHttpError } from './outgoing-errors.js';

const MISS_MS = 2000;
const MOST_MISSES = 3;
/** How long a silent server is not asked. */
export const REST_MS = 5000;

/**
 * Refuses calls of a server that let several in a row time out, but for one every few seconds that tries it.
 *
 * @see docs/decisions/0081-servers-that-hang.md
 */
@Injectable()
export class SilentServers {
  readonly #logger = new Logger('Servers');
  readonly #servers = new Map<string, { misses: number; restsUntil: number }>();

  /** @throws ConnectionFailed when the server is not asked */
  async ask<Result>(host: string, work: () => Promise<Result>): Promise<Result> {
    const began = performance.now();
    const server = this.#servers.get(host) ?? { misses: 0, restsUntil: 0 };
    this.#servers.set(host, server);
    if (began < server.restsUntil) {
      throw new ConnectionFailed(
        host,
        'it has not answered for a while; try again in some seconds',
      );
    }
    server.restsUntil = server.misses < MOST_MISSES ? 0 : began + REST_MS;
    try {
      const result = await work();
      if (server.misses >= MOST_MISSES) {
        this.#logger.log(`The server at ${host} answers again.`);
      }
      Object.assign(server, { misses: 0, restsUntil: 0 });
      return result;
    } catch (error) {
      if (performance.now() - began >= MISS_MS && isOfSilence(error)) {
        server.misses += 1;
        server.restsUntil = server.misses < MOST_MISSES ? 0 : performance.now() + REST_MS;
        if (server.misses === MOST_MISSES) {
          this.#logger.error(
            `The server at ${host} does not answer, and is asked every five seconds only.`,
          );
        }
      }
      throw error;
    }
  }
}

/** Excludes errors about the request, and disconnected callers. */
function isOfSilence(error: unknown): boolean {
  return error instanceof OutgoingHttpError
    ? error.failure === 'timeout' || error.failure === 'network'
    : !(error instanceof DomainError) && (error as Error).name !== 'AbortError';
}

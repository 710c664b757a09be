import type { Server, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';

/** A turn of the event loop in which nothing was done takes less. */
const QUIET_TURN_MS = 0.05;
const QUIET_WITHIN_MS = 1000;

/** Tracks the answers of a server for a graceful shutdown. */
export class GracefulServer {
  readonly #open = new Set<ServerResponse>();
  #isDraining = false;
  #closed: Promise<Error | undefined> | undefined;

  constructor(private readonly server: Server) {
    server.on('request', (_request, response: ServerResponse) => {
      this.#open.add(response);
      response.once('close', () => {
        this.#open.delete(response);
        if (!server.listening) {
          server.closeIdleConnections();
        }
      });
      if (this.#isDraining) {
        askToClose(response);
      }
    });
    const closeIdleConnections = server.closeIdleConnections.bind(server);
    // `close` calls it. To Node.js, a connection is idle once its answer has ended, though it is not yet sent.
    server.closeIdleConnections = () => {
      if (!Array.from(this.#open).some(({ writableEnded }) => writableEnded)) {
        closeIdleConnections();
      }
    };
    const close = server.close.bind(server);
    // The framework closes the server as well, and waits for the last answer.
    server.close = (callback) => {
      if (this.#closed === undefined && !server.listening) {
        return close(callback);
      }
      this.#closed ??= new Promise((resolve) => close(resolve));
      void this.#whenClosed(callback);
      return server;
    };
  }

  /** Number of requests being answered. */
  openAnswers(): number {
    return this.#open.size;
  }

  /** From now on each answer ends its connection, so that no client sends another request on it. */
  drain(): void {
    this.#isDraining = true;
    this.#open.forEach(askToClose);
  }

  /**
   * New connections are refused, and proxies choose another process. Open answers continue.
   *
   * Connections that the kernel has taken, but not yet handed over, are reset by closing, and a proxy
   * does not repeat a change that it has sent. So this waits for a moment in which none came.
   */
  async stopListening(): Promise<void> {
    let came = false;
    this.server.on('connection', () => (came = true));
    const deadline = performance.now() + QUIET_WITHIN_MS;
    let began: number;
    do {
      came = false;
      began = performance.now();
      // One turn of the event loop takes at most one connection.
      await setImmediate();
    } while ((came || performance.now() - began > QUIET_TURN_MS) && began < deadline);
    this.server.close();
  }

  async #whenClosed(callback?: (error?: Error) => void): Promise<void> {
    const error = await this.#closed;
    callback?.(error);
  }
}

function askToClose(response: ServerResponse): void {
  if (!response.headersSent) {
    response.setHeader('Connection', 'close');
  }
}

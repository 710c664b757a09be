import { existsSync, readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** Where Linux tells of the connections that wait at a port. */
const SOCKET_TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

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
   * Connections that the kernel has taken, but not yet handed over, are reset by closing, as are kept ones
   * with an unread request, and a proxy does not repeat a change that it has sent. So this waits, however
   * busy the process is, for a moment in which nothing waits.
   *
   * @param withinMs the longest wait
   */
  async stopListening(withinMs: number): Promise<void> {
    const address = this.server.address() as AddressInfo | null;
    if (address === null) {
      // The start was interrupted before it listened.
      return;
    }
    const { port } = address;
    let came = false;
    this.server.on('connection', () => (came = true)).on('request', () => (came = true));
    const deadline = performance.now() + withinMs;
    do {
      came = false;
      // One turn of the event loop takes at most one connection, and reads all others.
      await setImmediate();
    } while ((came || hasWaiting(port)) && performance.now() < deadline);
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

/** Whether the kernel has taken a connection that this process has not: the second queue of one in state 0A. */
function hasWaiting(port: number): boolean {
  const hex = port.toString(16).padStart(4, '0');
  const waits = new RegExp(`:${hex} \\w+:0000 0A \\w+:(?!0{8})`, 'i');
  return SOCKET_TABLES.some(
    (table) => existsSync(table) && waits.test(readFileSync(table, 'latin1')),
  );
}

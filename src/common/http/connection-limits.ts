import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './client-network.js';

/** Timeout for request headers; checked every 30 seconds. */
const HEADERS_MS = 20_000;

const REFUSAL =
  'HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

export interface ConnectionLimits {
  /** Maximum in total. Further ones are refused by the operating system. */
  readonly most: number;
  /** Maximum per network, see `networkOf`. */
  readonly mostOfNetwork: number;
  /** Whether it is a reverse proxy, which is exempt. */
  isProxy(address: string): boolean;
}

/** Limits the connections of a server before any data is read. */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const open = new Map<string, number>();
  server.maxConnections = limits.most;
  server.headersTimeout = HEADERS_MS;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (limits.isProxy(address)) {
      return;
    }
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 0) - 1;
      if (left > 0) {
        open.set(network, left);
        return;
      }
      open.delete(network);
    });
    if (count > limits.mostOfNetwork) {
      socket.write(REFUSAL);
      socket.destroySoon();
    }
  });
}

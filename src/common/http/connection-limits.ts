import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Counts } from '../counts.js';
import { networkOf } from './client-network.js';

/** Timeout for request headers; checked every 30 seconds. */
const HEADERS_MS = 20_000;

/** Share of all connections from which on new ones take the place of others that wait. */
const CROWDED = 0.9;

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

/**
 * Limits the connections of a server before any data is read. When nearly all are in use, each new one ends
 * one that waits for a request or for the rest of its head: of the network that has the most.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const open = new Counts();
  /** Connections without a request and their networks, the longest waiting first. */
  const waiting = new Map<Socket, string>();
  let total = 0;
  server.maxConnections = limits.most;
  server.headersTimeout = HEADERS_MS;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    total += 1;
    socket.once('close', () => (total -= 1));
    if (total > limits.most * CROWDED) {
      endOneOf(waiting, open);
    }
    if (limits.isProxy(address)) {
      return;
    }
    const network = networkOf(address);
    waiting.set(socket, network);
    open.add(network, 1);
    socket.once('close', () => {
      waiting.delete(socket);
      open.add(network, -1);
    });
    if (open.of(network) > limits.mostOfNetwork) {
      socket.write(REFUSAL);
      socket.destroySoon();
    }
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const network = waiting.get(socket);
    if (network !== undefined) {
      waiting.delete(socket);
      response.once('close', () => socket.destroyed || waiting.set(socket, network));
    }
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => void waiting.delete(socket));
}

function endOneOf(waiting: Map<Socket, string>, open: Counts): void {
  let victim: Socket | undefined;
  let most = 0;
  for (const [socket, network] of waiting) {
    const count = open.of(network);
    if (count > most) {
      victim = socket;
      most = count;
    }
  }
  if (victim !== undefined) {
    waiting.delete(victim);
    victim.destroy();
  }
}

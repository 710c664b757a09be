import { createServer, request as send, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that was for one of the stand-ins. */
export interface Visit {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/**
 * The gateway, with stand-ins before it for rooms that an installation may lack: what comes below
 * one of the roots is answered here, all else by the gateway.
 */
export interface HostWithRooms {
  readonly url: string;
  /** Resolves with the nth visit, counted from 1. */
  visit(nth: number): Promise<Visit>;
  close(): Promise<void>;
}

/** @param rooms answers by the root of their paths */
export async function startHostWithRooms(
  gatewayUrl: string,
  rooms: Readonly<Record<string, string>>,
): Promise<HostWithRooms> {
  const visits: Visit[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const { method = '', url = '/', headers } = request;
    const path = url.replace(/^\/index\.php/, '');
    const root = Object.keys(rooms).find((candidate) => path.startsWith(candidate));
    if (root === undefined) {
      const onward = send(`${gatewayUrl}${url}`, { method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      request.pipe(onward);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      visits.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
      for (const check of waiting) check();
      response.end(rooms[root]);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    visit: (nth) =>
      new Promise((resolve) => {
        const check = () => {
          const visit = visits[nth - 1];
          if (visit !== undefined) {
            waiting.delete(check);
            resolve(visit);
          }
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

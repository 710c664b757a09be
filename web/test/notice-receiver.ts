import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a receiver got: JSON to the root of ntfy, or to an address of a webhook. */
export interface Received {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly json: Readonly<Record<string, unknown>>;
}

/** A server in the shape of ntfy, for notices. */
export interface NoticeReceiver {
  readonly url: string;
  readonly received: Received[];
  /** Of the answers from now on. */
  status: number;
  close(): Promise<void>;
}

export async function startNoticeReceiver(): Promise<NoticeReceiver> {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const json = JSON.parse(body || '{}') as Received['json'];
      received.push({ path: request.url ?? '', headers: request.headers, json });
      response.writeHead(receiver.status, { 'Content-Type': 'application/json' });
      response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: NoticeReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    status: 200,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return receiver;
}

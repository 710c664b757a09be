import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import http, { type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { responseTo } from '../../test/support/response-to.js';
import { GracefulServer } from './graceful-server.js';

/** Exceeds the buffers of the kernel. */
const LARGE_BYTES = 32 * 1024 ** 2;
const QUIET_WITHIN_MS = 30_000;
const WAITING = 30;
/** All of them together take longer than a second. */
const BUSY_MS = 40;

describe('a server that is taken out of service', () => {
  let server: Server;
  let graceful: GracefulServer;
  const agent = new http.Agent({ keepAlive: true });
  const get = (path: string) =>
    responseTo(http.get({ port: (server.address() as AddressInfo).port, path, agent }));

  beforeEach(async () => {
    server = http.createServer(({ url }, response) => {
      keepBusy(url === '/busy' ? BUSY_MS : 0);
      response.end(Buffer.alloc(url === '/large' ? LARGE_BYTES : 1));
    });
    // Idle connections stay open until a side closes them.
    server.keepAliveTimeout = 0;
    graceful = new GracefulServer(server);
    await once(server.listen(0), 'listening');
  });
  afterEach(() => server.closeAllConnections());

  it('sends an answer that is finished, but not sent, to its end', async () => {
    const answer = await get('/large');
    const closed = once(server, 'close');

    await graceful.stopListening(QUIET_WITHIN_MS);
    let received = 0;
    for await (const piece of answer) {
      received += (piece as Buffer).length;
    }

    expect(received).toBe(LARGE_BYTES);
    answer.destroy();
    await closed;
  });

  it('answers all whom the kernel has let in, however busy it is', async () => {
    const { port } = server.address() as AddressInfo;
    // By an address: a name would be looked up first, and the kernel asked too late.
    const to = { host: '127.0.0.1', port, path: '/busy', method: 'POST', agent: false };
    const answers = Array.from({ length: WAITING }, () => responseTo(http.request(to).end()));
    await once(server, 'connection');

    await graceful.stopListening(QUIET_WITHIN_MS);

    expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual(
      Array.from({ length: WAITING }, () => 200),
    );
  });

  it('has nothing to close before it listens', async () => {
    const stopping = new GracefulServer(http.createServer()).stopListening(QUIET_WITHIN_MS);

    await expect(stopping).resolves.toBeUndefined();
  });

  it('ends connections that wait for a request', async () => {
    const answer = await get('/small');
    const { socket } = answer;
    await once(answer.resume(), 'end');

    await graceful.stopListening(QUIET_WITHIN_MS);
    await promisify(server.close.bind(server))();

    expect(socket.closed || (await once(socket, 'close'))).toBeTruthy();
  });
});

function keepBusy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    // It waits without giving way.
  }
}

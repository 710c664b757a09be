import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import http, { type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { within } from '../../../test/support/until.js';
import { OutgoingStream, type StreamTimes } from './outgoing-stream.js';
import { SilentServers } from './silent-servers.js';

const HOUR = 3_600_000;
const PATIENT: StreamTimes = { silentMs: HOUR, silentUpgradedMs: HOUR, wholeMs: HOUR };

let server: Server;
let baseUrl: string;
beforeAll(async () => {
  server = http.createServer((request, response) => {
    if (request.url !== '/silent') {
      response.write('a');
    }
    if (request.url === '/chatty') {
      const timer = setInterval(() => response.write('a'), 5);
      response.once('close', () => clearInterval(timer));
    }
  });
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => {});
    socket.write('HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const streams = (times: Partial<StreamTimes>) =>
  new OutgoingStream(new SilentServers(), { ...PATIENT, ...times });

describe('An exchange ends', () => {
  it('when the server never answers', async () => {
    const asked = streams({ silentMs: 50 }).open({
      baseUrl,
      path: '/silent',
      method: 'GET',
      headers: {},
    });

    await expect(within('the end', asked)).rejects.toThrow('did not answer within');
  });

  it.each([
    ['when the server is silent in the middle', '/begun', { silentMs: 50 }],
    ['when the server goes on for too long', '/chatty', { wholeMs: 50 }],
  ])('%s', async (_when, path, times) => {
    const exchange = async () =>
      buffer(await streams(times).open({ baseUrl, path, method: 'GET', headers: {} }));

    // On a busy machine, the answer has not begun.
    await expect(within('the end', exchange())).rejects.toThrow(/aborted|did not answer within/);
  });

  it('when an upgraded connection is silent, which may take longer', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    const times = { silentMs: HOUR, silentUpgradedMs: 50, wholeMs: HOUR };
    const { connection } = await streams(times).upgrade({
      baseUrl,
      path: '/',
      method: 'GET',
      headers,
    });

    await within('the end', once(connection?.socket ?? server, 'close'));

    expect(connection?.socket.destroyed).toBe(true);
  });
});

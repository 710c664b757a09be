import { afterEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { within } from '../../../test/support/until.js';
import { endSlowTransfers } from './slow-transfers.js';

const ends: (() => void)[] = [];
afterEach(() => {
  ends.splice(0).forEach((end) => end());
});

/** A client that sends the head of a request, and reads nothing. */
async function begin(head: string, handler: RequestListener): Promise<net.Socket> {
  const server = http.createServer(handler);
  endSlowTransfers(server, { everySeconds: 0.05, leastBytes: 100 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  ends.push(() => {
    socket.destroy();
    server.close();
  });
  socket.write(`${head} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n`);
  return socket;
}

it.each<[string, RequestListener]>([
  ['trickles in', () => {}],
  ['goes on after its answer', (_request, response) => void response.end()],
])('A body that %s is closed.', async (_how, handler) => {
  const socket = await begin('PUT /a', handler);
  const drip = setInterval(() => socket.write('x'), 20);

  await within('the end', new Promise((closed) => socket.resume().once('close', closed)));

  clearInterval(drip);
  expect(socket.destroyed).toBe(true);
});

it('An answer that is not read is closed, and a quiet stream goes on.', async () => {
  const quiet = await begin('GET /events', (request, response) => {
    request.resume();
    response.write('data: tide\n\n');
  });
  quiet.resume().write('x'.repeat(1000));
  const ended = Promise.withResolvers<void>();
  const socket = await begin('GET /large', (request, response) => {
    request.resume();
    response.once('close', ended.resolve).end(Buffer.alloc(50_000_000));
  });
  socket.pause().write('x'.repeat(1000));

  await within('the end', ended.promise);

  expect([quiet.closed, quiet.bytesRead > 0]).toEqual([false, true]);
});

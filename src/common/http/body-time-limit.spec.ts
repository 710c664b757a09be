import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { once } from 'node:events';
import type { Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { EDGE_RULES } from '../../edge-rules.js';
import { bodyTimeLimit } from './body-time-limit.js';
import { within } from '../../../test/support/until.js';

let server: Server;
beforeAll(async () => {
  const app = express();
  app.use(bodyTimeLimit({ anonymous: 0.05, known: 300 }, EDGE_RULES));
  app.put('/remote.php/webdav/refused', (_request, response) => response.sendStatus(401));
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

/** Announces a body and sends a part of it. */
async function begin(path: string): Promise<net.Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  socket.write(`PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx`);
  return socket;
}

describe('a connection ends', () => {
  it.each([
    ['while its body trickles in', '/anything'],
    ['when its body goes on trickling in after a refusal', '/remote.php/webdav/refused'],
  ])('%s', async (_when, path) => {
    const socket = await begin(path);

    await within('the end of the connection', once(socket, 'close'));

    expect(socket.destroyed).toBe(true);
  });
});

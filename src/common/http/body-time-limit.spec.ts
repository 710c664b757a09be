import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import { once } from 'node:events';
import type { Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { until, within } from '../../../test/support/until.js';
import { EdgeRules } from '../config/edge-rules.js';
import { bodyTimeLimit } from './body-time-limit.js';

const EDGE_RULES = new EdgeRules([
  { path: /^\/remote\.php\//i, rawBody: true, slowBody: (method) => method === 'PUT' },
]);
const PATIENT_MS = 123_000;

let server: Server;
beforeAll(async () => {
  const app = express();
  const patient = bodyTimeLimit({ anonymous: PATIENT_MS / 1000, known: 300 }, EDGE_RULES);
  app.put('/patient/silent', patient, () => {});
  app.put('/patient/refused', patient, (_request, response) => response.sendStatus(401));
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

it.each([
  ['is answered early', '/patient/refused'],
  ['is not answered', '/patient/silent'],
])('a request that %s is forgotten when its connection ends', async (_how, path) => {
  const set = jest.spyOn(globalThis, 'setTimeout');
  const cleared = jest.spyOn(globalThis, 'clearTimeout');
  const timers = () =>
    set.mock.calls.flatMap(([, ms], n) => (ms === PATIENT_MS ? [set.mock.results[n]?.value] : []));
  const socket = await begin(path);
  await until('the timer', () => timers().length === 1);

  socket.destroy();

  const isCleared = () => cleared.mock.calls.some(([timer]) => timer === timers()[0]);
  await until('the end of the timer', isCleared);
  expect(isCleared()).toBe(true);
  jest.restoreAllMocks();
});

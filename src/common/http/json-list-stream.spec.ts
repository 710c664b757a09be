import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { once } from 'node:events';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendJsonList } from './json-list-stream.js';

describe('a list that is sent while it is read', () => {
  const read = { begun: Promise.withResolvers<void>(), ended: Promise.withResolvers<void>() };
  const hasGone = Promise.withResolvers<void>();
  let server: Server;

  async function* numbers(until: Promise<void>) {
    try {
      read.begun.resolve();
      await until;
      yield [1, 2];
      yield [3];
    } finally {
      read.ended.resolve();
    }
  }

  beforeAll(async () => {
    const app = express();
    const send = (response: express.Response, until: Promise<void>) =>
      sendJsonList(response, 'numbers', numbers(until), (number) => ({ number }));
    app.get('/all', async (_request, response) => send(response, Promise.resolve()));
    app.get('/abandoned', async (_request, response) => {
      response.once('close', hasGone.resolve);
      await send(response, hasGone.promise);
    });
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  const url = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

  it('arrives whole', async () => {
    expect(await (await fetch(url('/all'))).json()).toEqual({
      numbers: [{ number: 1 }, { number: 2 }, { number: 3 }],
    });
  });

  it('gives back what it reads from when the client leaves before the first row', async () => {
    Object.assign(read, { begun: Promise.withResolvers(), ended: Promise.withResolvers() });
    const asking = request(url('/abandoned')).on('error', () => {});
    asking.end();
    await read.begun.promise;
    asking.destroy();

    await expect(read.ended.promise).resolves.toBeUndefined();
  });
});

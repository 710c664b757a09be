import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { itLong } from '../../../test/support/long.js';
import { responseTo } from '../../../test/support/response-to.js';
import { within } from '../../../test/support/until.js';
import { compressAnswers } from '../../common/http/compress-answers.js';
import { sendPieces } from './fever-answers.provider.js';

describe.each([false, true])('a text that is sent in pieces (compressed: %j)', (compressed) => {
  const MANY = 2000;
  const LONG = 100;
  /** Hardly compressible. */
  const LARGE = randomBytes(49_152).toString('base64');
  let server: Server;
  let made = 0;
  const begun = Promise.withResolvers<void>();
  const hasGone = Promise.withResolvers<void>();
  const released = { before: Promise.withResolvers<void>(), while: Promise.withResolvers<void>() };

  async function* pieces() {
    yield '{"ids":"1';
    yield ',2';
    yield '"}';
  }

  async function* long() {
    for (let count = 0; count < LONG; count += 1) {
      yield LARGE;
    }
  }

  async function* failing(after: number) {
    for (let count = 0; count < after; count += 1) {
      yield LARGE;
    }
    throw new Error('The database was lost.');
  }

  async function* late() {
    try {
      begun.resolve();
      await hasGone.promise;
      yield LARGE;
      yield LARGE;
    } finally {
      released.before.resolve();
    }
  }

  async function* many() {
    try {
      for (; made < MANY; made += 1) {
        yield LARGE;
      }
    } finally {
      released.while.resolve();
    }
  }

  beforeAll(async () => {
    const app = express();
    if (compressed) {
      app.use(compressAnswers());
    }
    app.get('/all', (_request, response) => sendPieces(response, pieces()));
    app.get('/long', (_request, response) => sendPieces(response, long()));
    app.get('/nothing', (_request, response) =>
      sendPieces(response, failing(0)).catch(() => response.sendStatus(503)),
    );
    app.get('/failing', (_request, response) => {
      sendPieces(response, failing(2)).catch(() => {});
    });
    app.get('/late', (_request, response) => {
      response.once('close', hasGone.resolve);
      return sendPieces(response, late());
    });
    app.get('/many', (_request, response) => sendPieces(response, many()));
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.closeAllConnections());
  afterAll(() => void server.close());

  const url = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

  it('arrives completely, as JSON', async () => {
    const response = await fetch(url('/all'));

    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({ ids: '1,2' });
  });

  itLong('arrives completely when it is long', async () => {
    const text = await (await fetch(url('/long'))).text();

    expect(text.length).toBe(LONG * LARGE.length);
  });

  it('fails with a status before its first piece, and by closing the connection later', async () => {
    expect((await fetch(url('/nothing'))).status).toBe(503);

    const later = fetch(url('/failing')).then((response) => response.text());
    await expect(later).rejects.toThrow(/fetch failed|terminated/);
  });

  it('releases its source if the client disconnects before the first piece', async () => {
    const asking = request(url('/late')).on('error', () => {});
    asking.end();
    await within('the beginning of a text', begun.promise);
    asking.destroy();

    const ended = within('the end of its source', released.before.promise);
    await expect(ended).resolves.toBeUndefined();
  });

  it('is made no further once the client has gone', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const asking = request(url('/many'), { headers }).on('error', () => {});
    asking.end();
    const response = await responseTo(asking);
    await within('the first pieces', once(response, 'readable'));
    asking.destroy();

    await within('the end of its source', released.while.promise);
    expect(made).toBeLessThan(MANY);
  });
});

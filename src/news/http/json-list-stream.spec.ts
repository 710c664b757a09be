import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGunzip } from 'node:zlib';
import { itLong } from '../../../test/support/long.js';
import { responseTo } from '../../../test/support/response-to.js';
import { until, within } from '../../../test/support/until.js';
import { compressAnswers } from '../../common/http/compress-answers.js';
import { sendJsonList } from './json-list-stream.js';

describe('a streamed list', () => {
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
      sendJsonList(response, 'numbers', numbers(until), (number) => JSON.stringify({ number }));
    app.get('/all', async (_request, response) => send(response, Promise.resolve()));
    async function* failing(after: number) {
      for (let count = 0; count < after; count += 1) {
        yield [count];
      }
      throw new Error('The database was lost.');
    }
    app.get('/failing/:after', (request, response) => {
      const rows = failing(Number(request.params.after));
      sendJsonList(response, 'numbers', rows, String).catch(() => {
        if (!response.headersSent) {
          response.sendStatus(503);
        }
      });
    });
    app.get('/abandoned', async (_request, response) => {
      response.once('close', hasGone.resolve);
      await send(response, hasGone.promise);
    });
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  const url = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

  it('arrives completely', async () => {
    expect(await (await fetch(url('/all'))).json()).toEqual({
      numbers: [{ number: 1 }, { number: 2 }, { number: 3 }],
    });
  });

  it('fails with a status before its first row, and by closing the connection later', async () => {
    expect((await fetch(url('/failing/0'))).status).toBe(503);

    const begun = fetch(url('/failing/2')).then((response) => response.text());
    await expect(begun).rejects.toThrow(/fetch failed|terminated/);
  });

  it('releases its source if the client disconnects before the first row', async () => {
    Object.assign(read, { begun: Promise.withResolvers(), ended: Promise.withResolvers() });
    const asking = request(url('/abandoned')).on('error', () => {});
    asking.end();
    await within('the beginning of a list', read.begun.promise);
    asking.destroy();

    const ended = within('the end of its source', read.ended.promise);
    await expect(ended).resolves.toBeUndefined();
  });
});

describe('a compressed list', () => {
  const BATCHES = 1000;
  const secondBatch = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let server: Server;
  let batchesRead = 0;

  async function* twoBatches() {
    yield [1];
    await secondBatch.promise;
    yield [2];
  }

  /** Much more than all buffers hold, and hardly compressible. */
  async function* manyBatches() {
    try {
      for (; batchesRead < BATCHES; batchesRead += 1) {
        yield [randomBytes(65_536).toString('base64')];
      }
    } finally {
      released.resolve();
    }
  }

  beforeAll(async () => {
    const app = express();
    app.use(compressAnswers());
    app.get('/two', (_request, response) =>
      sendJsonList(response, 'numbers', twoBatches(), (number) => JSON.stringify({ number })),
    );
    app.get('/many', (_request, response) =>
      sendJsonList(response, 'texts', manyBatches(), (text) => JSON.stringify({ text })),
    );
    app.get('/small', (_request, response) => response.json({ small: true }));
    app.get('/events', (_request, response) => {
      response.type('text/event-stream').write(`data: ${'x'.repeat(5000)}\n\n`);
      response.end();
    });
    app.get('/lines', (_request, response) => {
      response.type('application/x-ndjson').end(`${'"x"\n'.repeat(5000)}`);
    });
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.closeAllConnections());
  afterAll(() => void server.close());

  const ask = async (path: string): Promise<IncomingMessage> => {
    const { port } = server.address() as AddressInfo;
    const headers = { 'accept-encoding': 'gzip' };
    const asking = request({ host: '127.0.0.1', port, path, headers, agent: false }).end();
    return responseTo(asking);
  };

  it('sends its first rows while the next are being read', async () => {
    const response = await ask('/two');
    expect(response.headers['content-encoding']).toBe('gzip');
    const decoded = response.pipe(createGunzip());

    const [first] = (await within('the first rows', once(decoded, 'data'))) as [Buffer];
    secondBatch.resolve();
    const rest = (await decoded.toArray()) as Buffer[];

    expect(first.toString()).toBe('{"numbers":[{"number":1}');
    expect(Buffer.concat(rest).toString()).toBe(',{"number":2}]}');
  });

  itLong(
    'is read no faster than a slow client receives it, and no further once it has gone',
    async () => {
      const response = await ask('/many');
      await within('the first rows', once(response, 'readable'));

      const readAfterOthers = async () => {
        for (let count = 0; count < 100; count += 1) {
          (await ask('/small')).resume();
        }
        return batchesRead;
      };

      // Once the buffers are full, no more rows are read.
      await until(
        'no more rows to be read',
        async () => (await readAfterOthers()) === (await readAfterOthers()),
      );

      expect(batchesRead).toBeLessThan(BATCHES);
      response.destroy();
      await within('the end of its source', released.promise);
    },
  );

  it.each(['/events', '/lines'])(
    'does not compress %s, which must not be buffered',
    async (path) => {
      const response = await ask(path);

      expect(response.headers['content-encoding']).toBeUndefined();
      response.resume();
    },
  );
});

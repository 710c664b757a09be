import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { basic } from '../support/api-client.js';
import { EVERY_PART } from '../support/every-part.js';
import { json, knowApp, startExternalApp } from '../support/external-app.js';
import { heldBytes } from '../support/held-memory.js';
import { itLong } from '../support/long.js';
import { processorMs } from '../support/processor-time.js';
import { RawSender } from '../support/raw-sender.js';
import { responseTo } from '../support/response-to.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { until, within } from '../support/until.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };
const FLAGS = '/index.php/apps/news/api/v1-3/items/read/multiple';

let app: TestApp;
let ada: TestUser;
beforeAll(async () => {
  app = await startApp({
    ...EVERY_PART,
    GATEFOLD_ANONYMOUS_BODIES_MIB: '1',
    GATEFOLD_ANONYMOUS_BODY_SECONDS: '1',
    GATEFOLD_USER_BODIES_MIB: '10',
  });
  ada = await app.signInOnce('ada');
});
afterAll(() => app.stop());

const senders: RawSender[] = [];
afterEach(() => {
  for (const sender of senders.splice(0)) {
    sender.close();
  }
});

function sender(): RawSender {
  const one = new RawSender(app.url);
  senders.push(one);
  return one;
}

const asAda = () => ({ authorization: basic(ada.credentials) });

it('A request with two Host headers is rejected with 400.', async () => {
  const one = sender().send(
    'GET /status.php HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n',
  );

  expect(await one.status()).toBe(400);
});

it('A large answer counts like the bodies of its sender until it is read.', async () => {
  const tools = await startExternalApp(app, { appId: 'hoarder' });
  await knowApp(app, tools);
  const path = '/ocs/v1.php/apps/app_api/api/v1/ex-app/config';
  const configKeys = ['k', 'l'];
  for (const configKey of configKeys) {
    const json = { configKey, configValue: 'z'.repeat(3.5 * MIB) };
    await tools.as('').call('POST', path, { json });
  }
  const unread = http.request(`${app.url}${path}/get-values?configKeys[]=k&configKeys[]=l`, {
    method: 'POST',
    headers: tools.as('').headers,
  });
  unread.end();
  const answer = await responseTo(unread);
  const ask = async () =>
    (await tools.as('').call('POST', `${path}/get-values`, { json: { configKeys } })).status;

  expect(await ask()).toBe(429);
  answer.destroy();
  await until('the first answer to be dropped', async () => (await ask()) === 200);
  await tools.close();
});

describe('A form without credentials', () => {
  it('with as many fields as fit needs little CPU time', async () => {
    const body = 'k=1&'.repeat(16_000);
    await app.asStranger().call('POST', '/login/v2/poll', { body: 'token=x', headers: FORM });

    const spentMs = await processorMs(async () => {
      const answer = await app.asStranger().call('POST', '/login/v2/poll', { body, headers: FORM });
      expect(answer.status).toBe(404);
    });

    expect(spentMs).toBeLessThan(300);
  });

  it('larger than 64 KiB is rejected with 413 before it is sent, and the connection is closed', async () => {
    const one = sender().begin('POST', '/login/v2/poll', 79_996, FORM);

    expect(await one.status()).toBe(413);
    expect(one.received).toMatch(/^Connection: close\r$/im);
    expect(one.received).toContain('The request body is larger than 65536 bytes.');
  });

  it('of unknown length is read no further than 64 KiB', async () => {
    const chunk = `4000\r\n${'x'.repeat(16 * KIB)}\r\n`;
    const head = `POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n`;
    const one = sender().send(`${head}Content-Type: ${FORM['content-type']}\r\n\r\n`);

    one.send(chunk.repeat(5));

    expect(await one.status()).toBe(413);
    expect(one.received).toMatch(/^Connection: close\r$/im);
  });

  it('reaches login and login flow', async () => {
    const { userId, password } = ada.credentials;
    const body = new URLSearchParams({ user: userId, password }).toString();

    const answer = await app.asStranger().call('POST', '/login', { body, headers: FORM });

    expect(answer.status).toBe(303);
  });
});

describe('A body', () => {
  const refused: readonly (readonly [string, string, number, Record<string, string>])[] = [
    ['/login/v2/poll', 'POST', 413, FORM],
    ['/login', 'POST', 413, FORM],
    ['/login/oidc/logout', 'POST', 413, FORM],
    ['/login/v2/grant', 'POST', 413, JSON_TYPE],
    [FLAGS, 'PUT', 401, JSON_TYPE],
    [FLAGS, 'PUT', 401, { ...JSON_TYPE, authorization: 'Basic d3Jvbmc6d3Jvbmc=' }],
    [FLAGS, 'PUT', 401, { ...JSON_TYPE, cookie: `gatefold_session=${'x'.repeat(43)}` }],
    ['/websub/nobody-asked-for-this', 'POST', 404, {}],
    ['/ocs/v2.php/apps/app_api/api/v1/ex-app/config', 'POST', 401, JSON_TYPE],
    ['/ocs/v2.php/apps/app_api/api/v1/talk_proxy/none/bot', 'POST', 404, JSON_TYPE],
    ['/apps/news/import/opml', 'POST', 401, { 'content-type': 'text/x-opml' }],
    ['/remote.php/dav/files/ada/a.txt', 'PUT', 401, {}],
    ['/no/such/route', 'POST', 404, JSON_TYPE],
  ];

  it.each(refused)('for %s is not waited for when the sender may not send it', async (...one) => {
    const [path, method, status, headers] = one;
    const begun = sender().begin(method, path, 9 * MIB, headers);

    expect(await begun.status()).toBe(status);
  });

  itLong('without credentials holds no memory while unfinished', async () => {
    const part = Buffer.alloc(8.9 * MIB, 'x');
    const before = heldBytes();

    const attackers = Array.from({ length: 20 }, (_, index) => {
      const [path = '', method = '', , headers] = refused[index % refused.length] ?? [];
      return sender()
        .begin(method, path, 9 * MIB, headers)
        .send(part);
    });
    await Promise.all(attackers.map((one) => one.status()));

    expect(heldBytes() - before).toBeLessThan(30 * MIB);
  });

  it('with invalid JSON is parsed only after authentication', async () => {
    const broken = { body: '{"name": ', headers: JSON_TYPE };
    const path = '/apps/news/api/v1-3/folders';

    expect((await app.asStranger().call('POST', path, broken)).status).toBe(401);
    expect((await ada.call('POST', path, broken)).status).toBe(400);
  });

  it.each([
    ['nests too deep', '['.repeat(5000), 'nests deeper than 100 levels'],
    ['holds too many values', `[${'[],'.repeat(110_000)}1]`, 'holds more than 110000 values'],
  ])('of a user that %s is refused with 400', async (_what, body, fault) => {
    const answer = await ada.call('PUT', FLAGS, { body, headers: JSON_TYPE });

    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ message: `The request body ${fault}.` });
  });
});

describe('Memory of one address for unfinished bodies', () => {
  it('is limited, does not affect others, and is freed when the connections close', async () => {
    const full = 'user=x&password='.padEnd(60 * KIB, 'x');
    const begun = Array.from({ length: 5 }, () =>
      sender()
        .begin('POST', '/login', 60 * KIB + 1, FORM)
        .send(full),
    );

    const first = await within(
      'an answer to one of the five',
      Promise.race(
        begun.map(async (one) => {
          const status = await one.status();
          return status === 0 ? new Promise<number>(() => {}) : status;
        }),
      ),
    );

    expect(first).toBe(429);
    expect((await ada.put(FLAGS, { itemIds: [] })).status).toBe(200);
    for (const one of begun) {
      one.close();
    }
    await until('memory for a login', async () => (await tryToLogin()) === 403);
  });

  const tryToLogin = async () => {
    const body = 'user=ada&password=wrong';
    return (await app.asStranger().call('POST', '/login', { body, headers: FORM })).status;
  };
});

describe('A slow body', () => {
  itLong(
    'is aborted after a second without credentials, or after a refusal, not for a user',
    async () => {
      const body = JSON.stringify({ itemIds: [] });
      const user = sender().begin('PUT', FLAGS, body.length, { ...JSON_TYPE, ...asAda() });
      user.send(body.slice(0, 3));
      const stranger = sender().begin('POST', '/login', 100, FORM).send('user=a');
      const refused = sender().begin('POST', '/no/such/route', 100, JSON_TYPE).send('{');
      expect(await refused.status()).toBe(404);

      await Promise.all([stranger.closed(), refused.closed()]);
      user.send(body.slice(3));

      expect(stranger.received).toBe('');
      expect(await user.status()).toBe(200);
    },
  );
});

describe('A body of a user', () => {
  const pairs = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      feedId: index,
      guidHash: 'd41d8cd98f00b204e9800998ecf8427e',
    }));

  it('may name more than ten thousand items where the route allows it', async () => {
    const body = JSON.stringify({ items: pairs(20_000) });
    expect(body.length).toBeGreaterThan(MIB);

    expect((await ada.call('PUT', FLAGS, { body, headers: JSON_TYPE })).status).toBe(200);
  });

  it('is rejected with 413 beyond 1 MiB elsewhere', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(MIB) });
    const path = '/apps/news/api/v1-3/folders';

    const answer = await ada.call('POST', path, { body, headers: JSON_TYPE });

    expect(answer.status).toBe(413);
    expect(answer.json).toEqual({ message: 'The request body is larger than 1048576 bytes.' });
  });

  it('is rejected with 429 when other bodies of the user use the limit', async () => {
    const part = Buffer.alloc(4 * MIB - 2, ' ');
    const begin = () =>
      sender()
        .begin('PUT', FLAGS, 4 * MIB, { ...JSON_TYPE, ...asAda() })
        .send(part);

    const all = [begin(), begin(), begin()];
    const refusal = await Promise.race(all.map(async (one) => [await one.status(), one] as const));

    expect(refusal[0]).toBe(429);
    expect(refusal[1].received).toMatch(/^Retry-After: 5\r$/im);
    expect((await (await app.signIn()).put(FLAGS, { itemIds: [] })).status).toBe(200);
  });

  const inForm = { 'content-type': 'multipart/form-data; boundary=limit' };
  const xml = { 'content-type': 'application/xml' };

  it.each<[string, string, Record<string, string>]>([
    ['PUT', FLAGS, JSON_TYPE],
    ['PUT', '/avatar', { 'content-type': 'image/png' }],
    ['POST', '/avatar', inForm],
    ['POST', '/apps/news/api/v1-3/opml/import', xml],
    ['POST', '/apps/news/api/v1-3/opml/import', inForm],
    ['POST', '/apps/news/import/opml', inForm],
    ['PROPFIND', '/remote.php/webdav/', xml],
    ['PROPPATCH', '/remote.php/webdav/a.txt', xml],
    ['REPORT', '/remote.php/webdav/', xml],
    ['LOCK', '/remote.php/webdav/a.txt', xml],
    ['SEARCH', '/remote.php/dav', xml],
  ])('for %s %s counts beside the others of the user', async (method, path, headers) => {
    const user = await app.signIn();
    const headersOfLarge = { ...xml, authorization: basic(user.credentials) };
    const begin = () =>
      sender()
        .begin('POST', '/apps/news/import/opml', 10 * MIB, headersOfLarge)
        .send(Buffer.alloc(10 * MIB - KIB, ' '));
    let begun = begin();
    const file = 'Content-Disposition: form-data; name="a"; filename="b"';
    const body = `--limit\r\n${file}\r\n\r\n${'x'.repeat(100 * KIB)}\r\n--limit--\r\n`;
    const ask = async () => (await user.call(method, path, { body, headers })).status;

    await until('no room for another body', async () => {
      // It is the large one that is refused if its last bytes come meanwhile.
      begun = begun.received === '' ? begun : begin();
      return (await ask()) === 429;
    });
    begun.close();
    await until('room for another body', async () => (await ask()) !== 429);
    expect(await ask()).not.toBe(429);
  });

  it('may be compressed, within the limit when decompressed', async () => {
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    const folder = gzipSync(JSON.stringify({ name: 'Compressed' }));
    const bomb = gzipSync(JSON.stringify({ name: 'x'.repeat(20 * MIB) }));
    const path = '/apps/news/api/v1-3/folders';

    expect((await ada.call('POST', path, { body: folder, headers })).status).toBe(200);
    expect((await ada.call('POST', path, { body: bomb, headers })).status).toBe(413);
  });
});

describe('A body of an external app', () => {
  it('may be as large as its settings are', async () => {
    const external = await startExternalApp(app, { appId: 'tools' });
    await knowApp(app, external);
    external.on('/', json({}));

    const answer = await external
      .as('')
      .call('POST', '/ocs/v2.php/apps/app_api/api/v1/ex-app/config?format=json', {
        json: { configKey: 'model', configValue: 'x'.repeat(2 * MIB) },
      });

    expect(answer.status).toBe(200);
    await external.close();
  });
});

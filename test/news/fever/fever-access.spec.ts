import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { aServiceProcess } from '../../support/a-service-process.js';
import { ApiClient, type Answer } from '../../support/api-client.js';
import { toOcs } from '../../support/external-app.js';
import { FeverClient, feverClientOf, feverKey } from '../../support/fever-client.js';
import { itLong } from '../../support/long.js';
import { ADMIN, startApp, type TestApp, type TestUser } from '../../support/start-app.js';
import { createTestDatabase } from '../../support/test-database.js';

const BASE = 'https://reader.example/below';
const ADDRESSES = [
  '/fever',
  '/fever/',
  '/fever.php',
  '/fever.php/',
  '/api/fever.php',
  '/api/fever.php/',
  '/fever/fever',
  '/fever/fever/',
  '/below/fever/',
  '/below/api/fever.php',
  '//fever/',
];
const REFUSED = { api_version: 3, auth: 0 };
const ADMITTED = { api_version: 3, auth: 1 };

let app: TestApp;
let ada: TestUser;
let fever: FeverClient;
beforeAll(async () => {
  app = await startApp({ GATEFOLD_BASE_URL: BASE, GATEFOLD_RATE_LIMITS: 'on' });
  ada = await app.signInOnce('ada');
  fever = await feverClientOf(app, ada);
});
afterAll(() => app.stop());

const multipart = (fields: Readonly<Record<string, string>>): Promise<Answer> => {
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return app.asStranger().call('POST', '/fever/?api&groups', {
    body: `${parts.join('')}--edge--\r\n`,
    headers: { 'content-type': 'multipart/form-data; boundary=edge' },
  });
};

describe('the address', () => {
  it.each(ADDRESSES)('is %s', async (address) => {
    expect((await fever.post(`${address}?api`)).json).toMatchObject(ADMITTED);
  });

  it('may be called by pages of other origins, with the key alone', async () => {
    const headers = { origin: 'https://client.example' };

    const preflight = await app.asStranger().call('OPTIONS', '/fever/?api', { headers });
    const answer = await app.asStranger().get(`/fever/?api&api_key=${fever.key}`, { headers });

    expect(preflight.headers['access-control-allow-methods']).toContain('POST');
    expect(answer.headers['access-control-allow-origin']).toBe('https://client.example');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });
});

describe('the key', () => {
  it('is taken from a form, in either case', async () => {
    expect((await fever.post('/fever/?api')).json).toMatchObject(ADMITTED);
    expect(
      (await fever.send('/fever/?api', `api_key=${fever.key.toUpperCase()}`)).json,
    ).toMatchObject(ADMITTED);
  });

  it('is taken from a multipart form, as Readrops and Raven send it', async () => {
    const { json } = await multipart({ api_key: fever.key });

    expect(json).toMatchObject({ ...ADMITTED, groups: [] });
  });

  it('is taken from the query of a POST without a body, as FeedMe sends it', async () => {
    const { json } = await app.asStranger().call('POST', `/fever/?api&api_key=${fever.key}`);

    expect(json).toMatchObject(ADMITTED);
  });

  it('is taken from the query of a GET, as Unread sends it, with selectors that have values', async () => {
    const { json } = await fever.get(`/fever/?api=&groups=1&api_key=${fever.key}`);

    expect(json).toMatchObject({ ...ADMITTED, groups: [] });
  });

  it('may stand in a form together with the selectors', async () => {
    const { json } = await fever.post('/fever/', 'api=1&groups=&unread_item_ids=1');

    expect(json).toMatchObject({ ...ADMITTED, groups: [], unread_item_ids: '' });
  });

  it('is never that of the account password, nor of an app password without one', async () => {
    const { userId, password } = ada.credentials;
    const { token } = await app.inside(AppPasswordsService).add(userId, 'plain');

    for (const secret of [password, token]) {
      const client = new FeverClient(app.url, feverKey(userId, secret));
      expect((await client.post('/fever/?api')).json).toEqual(REFUSED);
    }
  });

  it('that is missing or empty is answered with 200 and auth 0, which Reeder probes first', async () => {
    for (const answer of [
      await app.asStranger().call('POST', '/fever/?api'),
      await app.asStranger().get('/fever/?api'),
      await fever.send('/fever/?api&items', 'api_key='),
    ]) {
      expect([answer.status, answer.json]).toEqual([200, REFUSED]);
    }
  });

  it('is the only thing that admits: neither password nor session does', async () => {
    expect((await ada.get('/fever/?api&items')).json).toEqual(REFUSED);
  });

  it('in a body larger than 64 KiB is not read', async () => {
    const { status, json } = await fever.post('/fever/?api', `id=${'1,'.repeat(40_000)}`);

    expect([status, json]).toEqual([413, { message: expect.any(String) }]);
  });

  it('ends with its app password', async () => {
    const { id, token } = await app
      .inside(AppPasswordsService)
      .add('ada', 'lost phone', { fever: true });
    const lost = new FeverClient(app.url, feverKey('ada', token));
    const before = (await lost.post('/fever/?api')).json;

    await app.inside(AppPasswordsService).revoke('ada', id);

    expect([before, (await lost.post('/fever/?api')).json]).toEqual([
      expect.objectContaining(ADMITTED),
      REFUSED,
    ]);
  });

  it('opens no other route', async () => {
    const headers = { authorization: `GoogleLogin auth=${fever.key}` };
    for (const path of ['/reader/api/0/user-info', '/index.php/apps/news/api/v1-3/folders']) {
      expect((await app.asStranger().get(path, { headers })).status).toBe(401);
    }
    const basic = new ApiClient(app.url, { userId: 'ada', password: fever.key });
    expect((await basic.get('/index.php/apps/news/api/v1-3/folders')).status).toBe(401);
  });

  it('that is wrong too often is answered with 429, and right ones still work', async () => {
    const statuses = new Set<number>();
    for (let guess = 0; guess < 40; guess += 1) {
      const { status } = await fever.send('/fever/?api', `api_key=${feverKey('ada', `${guess}`)}`);
      statuses.add(status);
    }
    const refused = await fever.send('/fever/?api', `api_key=${feverKey('ada', 'once more')}`);

    expect([...statuses]).toEqual([200, 429]);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await fever.post('/fever/?api')).json).toMatchObject(ADMITTED);
    expect((await app.asStranger().call('POST', '/fever/?api')).status).toBe(200);
  });
});

describe('the log', () => {
  itLong('never has a key, neither of good requests nor of failed ones', async () => {
    const testDatabase = await createTestDatabase();
    const service = await aServiceProcess(testDatabase.url, {
      GATEFOLD_LOG_LEVEL: 'trace',
      GATEFOLD_ADMIN_USER: ADMIN.userId,
      GATEFOLD_ADMIN_PASSWORD: ADMIN.password,
    });
    try {
      const admin = new ApiClient(service.url, ADMIN);
      const made = await admin.call('POST', '/ocs/v2.php/core/apppasswords', {
        headers: { accept: 'application/json' },
        json: { name: 'reader', fever: true },
      });
      const { token } = toOcs(made).data as { token: string };
      const client = new FeverClient(service.url, feverKey(ADMIN.userId, token));
      const wrong = feverKey(ADMIN.userId, 'wrong');
      await client.get(`/fever/?api&items&api_key=${client.key}`);
      await client.get(`/fever/?api&items&api_key=${wrong}`);
      await client.post('/fever/?api&items');
      await client.send('/api/fever.php?api', `api_key=${wrong}`);
      await testDatabase.drop();
      const failed = await client.get(`/fever/?api&items&api_key=${client.key}`);

      expect(failed.status).toBeGreaterThanOrEqual(500);
      expect(service.log()).toContain('GET /fever/ 200');
      for (const secret of [client.key, wrong, token]) {
        expect(service.log()).not.toContain(secret);
        expect(failed.text).not.toContain(secret);
      }
    } finally {
      await service.kill();
    }
  });
});

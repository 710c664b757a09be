import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Readiness } from '../../../src/common/health/readiness.js';
import { startApp, type TestApp } from '../../support/start-app.js';

/** A cookie of the right form. */
const SESSION = `gatefold_session=${'a'.repeat(44)}`;

describe('health', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.stop());

  it('is live and ready after the migrations, without credentials', async () => {
    const client = app.asStranger();

    expect((await client.get('/health/live')).status).toBe(200);
    expect((await client.get('/health/ready')).json).toEqual({ status: 'ok' });
  });

  it('returns the request id, that of the proxy if any', async () => {
    const client = app.asStranger();
    const own = await client.get('/health/live');
    const given = await client.get('/health/live', { headers: { 'x-request-id': 'abc-123' } });
    const hostile = await client.get('/health/live', { headers: { 'x-request-id': 'a b<c>' } });

    expect(own.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(given.headers['x-request-id']).toBe('abc-123');
    expect(hostile.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is not ready from the moment a shutdown begins', async () => {
    const stopping = await startApp();
    const readiness = stopping.inside(Readiness);
    expect(await readiness.missing()).toEqual([]);

    await stopping.stop();

    expect(await readiness.missing()).not.toEqual([]);
  });

  // The last one: the database does not come back.
  it('is live but not ready while the database is away', async () => {
    const client = app.asStranger();
    await app.loseDatabase();

    expect((await client.get('/health/live')).status).toBe(200);
    expect((await client.get('/health/ready')).status).toBe(503);
  });

  it.each([
    ['GET', '/apps/news/'],
    ['GET', '/login'],
    ['GET', '/login/v2/flow/abc'],
    ['POST', '/login'],
    ['POST', '/login/password'],
  ])(
    'tells browsers at %s %s that the database is away, in their language',
    async (method, path) => {
      const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
      const browser = { accept, 'accept-language': 'de', cookie: SESSION };
      const form = { 'content-type': 'application/x-www-form-urlencoded', origin: app.url };
      const password = 'a passphrase for 5 specs';
      const fields = { user: 'ada', token: 'abc', password, repeated: password };
      const body = new URLSearchParams(fields).toString();
      const sent =
        method === 'POST' ? { body, headers: { ...browser, ...form } } : { headers: browser };
      const { status, headers, text } = await app.asStranger().call(method, path, sent);

      expect([status, headers['retry-after']]).toEqual([503, '5']);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(text).toContain('<html lang="de" dir="ltr">');
      expect(text).toContain('Zur Datenbank besteht gerade keine Verbindung');
    },
  );

  it.each([
    ['GET', '/apps/news/', '*/*'],
    ['HEAD', '/apps/news/', 'text/html'],
    ['GET', '/apps/news/api/v1-3/folders', 'text/html, image/gif, */*; q=.2'],
    ['GET', '/ocs/v2.php/cloud/user?format=json', 'text/html'],
  ])('tells programs at %s %s that accept %s the same in JSON', async (method, path, accept) => {
    const headers = { accept, cookie: SESSION, authorization: 'Basic YTpi' };
    const answer = await app.asStranger().call(method, path, { headers });

    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    expect(answer.headers['content-type']).toContain('application/json');
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/start-app.js';
import { Readiness } from '../../src/common/health/readiness.js';

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
});

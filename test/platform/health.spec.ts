import { describe, expect, it } from '@jest/globals';
import { ApiClient } from '../support/api-client.js';
import { startApp } from '../support/start-app.js';
import { Readiness } from '../../src/common/health/readiness.js';

describe('health', () => {
  it('is live and ready after the migrations, without credentials', async () => {
    const app = await startApp();
    try {
      const client = new ApiClient(app.url);

      expect((await client.get('/health/live')).status).toBe(200);
      expect((await client.get('/health/ready')).json).toEqual({ status: 'ok' });
    } finally {
      await app.stop();
    }
  });

  it('is live but not ready while the database is away, or while it shuts down', async () => {
    const app = await startApp();
    try {
      const client = new ApiClient(app.url);
      await app.loseDatabase();

      expect((await client.get('/health/live')).status).toBe(200);
      expect((await client.get('/health/ready')).status).toBe(503);
    } finally {
      await app.stop();
    }
  });

  it('is not ready from the moment a shutdown begins', async () => {
    const app = await startApp();
    const readiness = app.inside(Readiness);
    expect(await readiness.missing()).toEqual([]);

    await app.stop();

    expect(await readiness.missing()).not.toEqual([]);
  });

  it('returns the request id, that of the proxy if any', async () => {
    const app = await startApp();
    try {
      const client = new ApiClient(app.url);
      const own = await client.get('/health/live');
      const given = await client.get('/health/live', { headers: { 'x-request-id': 'abc-123' } });
      const hostile = await client.get('/health/live', { headers: { 'x-request-id': 'a b<c>' } });

      expect(own.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(given.headers['x-request-id']).toBe('abc-123');
      expect(hostile.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    } finally {
      await app.stop();
    }
  });
});

import { describe, expect, it } from '@jest/globals';
import http from 'node:http';
import { seedItems } from '../../../tools/bench/seed-items.js';
import { aServiceProcess } from '../../support/a-service-process.js';
import { basic } from '../../support/api-client.js';
import { itLong } from '../../support/long.js';
import { responseTo } from '../../support/response-to.js';
import { startApp } from '../../support/start-app.js';
import { createTestDatabase } from '../../support/test-database.js';
import { found } from '../../support/until.js';

describe('a service that is told to stop', () => {
  it('finishes the current response, and accepts no new requests', async () => {
    const app = await startApp();
    const user = await app.signIn();
    await seedItems(app, user, 5, 100);
    const url = `${app.url}/index.php/apps/news/api/v1-3/items`;
    const headers = { authorization: basic(user.credentials) };

    const answer = await responseTo(http.get(url, { headers, agent: false }));
    // Unread, the rest of the response remains in the stopping service.
    const stopped = app.stop();
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      text += chunk;
    }
    await stopped;

    expect((JSON.parse(text) as { items: unknown[] }).items).toHaveLength(500);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  itLong(
    'with a time to drain is not ready, serves on, and ends each connection with its answer',
    async () => {
      const database = await createTestDatabase();
      const service = await aServiceProcess(database.url, { GATEFOLD_DRAIN_SECONDS: '2' });
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      const get = async (path: string) =>
        (await responseTo(http.get(`${service.url}${path}`, { agent }))).resume();
      expect((await get('/health/ready')).headers.connection).toBe('keep-alive');

      const stopped = service.stop();
      const readiness = await found('it not to be ready', async () => {
        const { statusCode } = await get('/health/ready');
        return statusCode === 200 ? null : statusCode;
      });
      const answer = await get('/index.php/apps/news/api');

      expect(readiness).toBe(503);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers.connection).toBe('close');
      await expect(stopped).resolves.toBe(0);
      await database.drop();
    },
  );
});

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { aDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.js';
import { itLong } from '../support/long.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const FOLDERS = '/index.php/apps/news/api/v1-3/folders';

let database: TestDatabase;
let proxy: DatabaseProxy;
let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await aDatabaseProxy(database.url);
  app = await startApp({ DATABASE_URL: proxy.url });
  user = await app.signIn();
});
afterAll(async () => {
  await app.stop();
  await proxy.close();
  await database.drop();
});
afterEach(() => void jest.restoreAllMocks());

describe('a server of the database that keeps its connections open and answers nothing', () => {
  it('makes each request get 503 within 5 s, and works as soon as it answers', async () => {
    const logged: string[] = [];
    for (const level of ['error', 'log'] as const) {
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((text) => void logged.push(String(text)));
    }
    await user.post(FOLDERS, { name: 'Before' });
    proxy.freeze();
    const began = performance.now();

    // More than there are connections, of which some wait for one.
    const held = await Promise.all(
      Array.from({ length: 12 }, (_, n) => user.post(FOLDERS, { name: `Meanwhile ${n}` })),
    );
    const heldFor = performance.now() - began;
    const refused = await Promise.all([user.get(FOLDERS), app.asAdmin().get('/health/ready')]);
    const refusedAfter = performance.now() - began - heldFor;
    const living = await app.asStranger().get('/status.php');

    expect(new Set([...held, ...refused].map(({ status }) => status))).toEqual(new Set([503]));
    expect(Number(held[0]?.headers['retry-after'])).toBeGreaterThan(0);
    expect(heldFor).toBeLessThan(5000);
    expect(refusedAfter).toBeLessThan(1000);
    expect(living.status).toBe(200);

    proxy.accept();
    await until('an answer', async () => (await user.get(FOLDERS)).status === 200);

    const { folders } = (await user.get(FOLDERS)).json as { folders: { name: string }[] };
    expect(folders.map(({ name }) => name)).toContain('Before');
    const place = new URL(proxy.url).host;
    expect(logged).toEqual([
      `The database cannot be reached: Connection terminated: ${place} does not answer`,
      'The database is available again.',
    ]);
  });

  itLong('is told from a statement that takes long, which is let be', async () => {
    const [row] = await app.database.query(`select 1 as one from pg_sleep(4.2)`);

    expect(row).toEqual({ one: 1 });
  });
});

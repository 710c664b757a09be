import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/start-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ GATEFOLD_DATABASE_CONNECTIONS: '4' });
});
afterAll(() => app.stop());

it('does not shrink when connections are lost during transactions', async () => {
  for (let lost = 0; lost < 6; lost++) {
    const broken = app.database.transaction(async (tx) => {
      await tx.query('select pg_terminate_backend(pg_backend_pid())');
    });
    await expect(broken).rejects.toThrow(/connection/i);
  }

  const answers = Array.from({ length: 8 }, () =>
    app.database.transaction((tx) => tx.query('select 1 as one')),
  );
  expect(await Promise.all(answers)).toHaveLength(8);
});

it('survives that a connection is lost between two queries of a transaction', async () => {
  const broken = app.database.transaction(async (tx) => {
    const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
    await app.database.query('select pg_terminate_backend($1, 5000)', [row?.pid]);
    await tx.query('select 1');
  });

  await expect(broken).rejects.toThrow(/connection/i);
  expect(await app.database.query('select 1 as one')).toEqual([{ one: 1 }]);
});

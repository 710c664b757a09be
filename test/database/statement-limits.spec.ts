import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { limitedAs } from '../../src/database/statement-limits.js';
import { describeLong } from '../support/long.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

const FOLDERS = '/index.php/apps/news/api/v1-3/folders';

let app: TestApp;
let user: TestUser;

async function start(settings: Record<string, string>): Promise<void> {
  app = await startApp(settings);
  user = await app.signIn();
  await user.post(FOLDERS, { name: 'Science' });
}

afterEach(() => void jest.restoreAllMocks());

/** What requests get, and what is logged, while another transaction holds the row of the reader. */
async function whileBlocked(): Promise<{ statuses: number[]; text: string; logged: string[] }> {
  const logged: string[] = [];
  jest
    .spyOn(Logger.prototype, 'error')
    .mockImplementation((text) => void logged.push(String(text)));
  return limitedAs('migration', () =>
    app.database.transaction(async (tx) => {
      await tx.query('select from reader for update');
      const [first, second] = await Promise.all([
        user.post(FOLDERS, { name: 'a secret name' }),
        user.post(FOLDERS, { name: 'another one' }),
      ]);
      expect(Number(first.headers['retry-after'])).toBeGreaterThan(0);
      return { statuses: [first.status, second.status], text: first.text, logged };
    }),
  );
}

describe('the timeouts of a statement', () => {
  beforeAll(() => start({ GATEFOLD_DATABASE_CONNECTIONS: '4', GATEFOLD_LOCK_SECONDS: '1' }));
  afterAll(() => app.stop());

  const settings = async () => {
    const [row] = await app.database.query<object>(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
              current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    return row;
  };

  it('end the wait for a row with 503 after that of locks, logged once and without values', async () => {
    const { statuses, text, logged } = await whileBlocked();

    expect(statuses).toEqual([503, 503]);
    expect(text).toContain('Another change to the same data takes too long');
    expect(logged).toEqual([
      expect.stringMatching(/waited for a lock longer than GATEFOLD_LOCK_SECONDS.*reader/i),
    ]);
    expect(logged.join()).not.toContain('a secret name');
    // The connections are usable, and the rest of the service was not concerned.
    expect((await user.post(FOLDERS, { name: 'Later' })).status).toBe(200);
    expect((await app.asStranger().get('/health/ready')).status).toBe(200);
  });

  it('depend on the kind of work, on whichever connection it runs', async () => {
    for (let n = 0; n < 3; n++) {
      expect(await settings()).toEqual({ statement: '10min', lock: '1s', idle: '10min' });
      expect(await limitedAs('request', settings)).toEqual({
        statement: '1min',
        lock: '1s',
        idle: '1min',
      });
      expect(await limitedAs('migration', settings)).toEqual({
        statement: '0',
        lock: '0',
        idle: '0',
      });
    }
  });

  it('are those of requests for routes, and in transactions', async () => {
    const query = app.database.query.bind(app.database);
    const seen: unknown[] = [];
    jest.spyOn(app.database, 'query').mockImplementation(async (sql, params) => {
      const [row] = await query<{ statement: string }>(
        `select current_setting('statement_timeout') as statement`,
      );
      // Regular work has other statements.
      if (sql.includes('from subscription')) {
        seen.push(row?.statement);
      }
      return query(sql, params);
    });

    await user.get('/index.php/apps/news/api/v1-3/feeds');

    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set(['1min']));
    await limitedAs('request', () =>
      app.database.transaction(async (tx) => {
        const [row] = await tx.query(`select current_setting('statement_timeout') as statement`);
        expect(row).toEqual({ statement: '1min' });
      }),
    );
  });
});

describeLong('a request that waits for a row without a timeout of locks', () => {
  beforeAll(() => start({ GATEFOLD_LOCK_SECONDS: '0', GATEFOLD_STATEMENT_SECONDS: '1' }));
  afterAll(() => app.stop());

  it('gets 503 after the timeout of statements', async () => {
    const { statuses, text, logged } = await whileBlocked();

    expect(statuses).toEqual([503, 503]);
    expect(text).toContain('The database took too long');
    expect(logged).toEqual([expect.stringMatching(/GATEFOLD_STATEMENT_SECONDS/)]);
  });
});

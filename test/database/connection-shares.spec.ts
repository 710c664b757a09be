import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { limitedAs } from '../../src/database/statement-limits.js';
import { NewsClient } from '../support/news-client.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { until } from '../support/until.js';

/* Requests whose statements wait for a lock, so that each keeps a connection. The pool has five. */

const FOLDERS = '/index.php/apps/news/api/v1-3/folders';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await startApp({ GATEFOLD_DATABASE_WAIT_SECONDS: '1' });
  user = await app.signIn();
  await user.post(FOLDERS, { name: 'First' });
});
afterAll(() => app.stop());

/** Sends requests that wait until `meanwhile` has ended. @returns their statuses */
async function whileTheyWait(requests: number, meanwhile: () => Promise<void>): Promise<number[]> {
  let waiting: Promise<number>[] = [];
  await limitedAs('migration', () =>
    app.database.transaction(async (tx) => {
      await tx.query('select from reader for update');
      waiting = Array.from({ length: requests }, async (_, n) => {
        const { status } = await user.post(FOLDERS, { name: `Folder ${requests}-${n}` });
        return status;
      });
      await until('waiting statements', async () => {
        const rows = await app.database.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length === 2;
      });
      await meanwhile();
    }),
  );
  return Promise.all(waiting);
}

describe('requests of one user that keep connections to the database', () => {
  it('leave the others to other users and to strangers', async () => {
    const other = new NewsClient(await app.signIn(), 'v1-3');

    const statuses = await whileTheyWait(8, async () => {
      expect(await other.items()).toEqual([]);
      expect((await app.asStranger().get('/health/ready')).status).toBe(200);
      expect(app.database.connections().waiting).toBe(0);
    });

    expect(statuses).toEqual(Array(8).fill(200));
  });

  it('are refused when they wait too long, with a time to try again', async () => {
    let refused: number[] = [];

    await whileTheyWait(2, async () => {
      const answers = await Promise.all([
        user.post(FOLDERS, { name: 'Third' }),
        user.get('/index.php/apps/news/api/v1-3/items'),
        // By entities.
        user.get('/ocs/v2.php/core/passkeys'),
      ]);
      refused = answers.map(({ status, headers }) => {
        expect(headers['retry-after']).toBe('5');
        return status;
      });
      expect(answers[0]?.text).toContain(
        'You already have 2 statements of the database in progress',
      );
    });

    expect(refused).toEqual([429, 429, 429]);
  });

  it('do not wait for themselves when a transaction asks for another connection', async () => {
    const nested = () =>
      app.database.transaction(() => app.database.query<{ one: number }>('select 1 as one'));
    const answers = await limitedAs(
      'request',
      () => Promise.all([nested(), nested()]),
      () => 'user:one',
    );

    expect(answers).toEqual([[{ one: 1 }], [{ one: 1 }]]);
  });
});

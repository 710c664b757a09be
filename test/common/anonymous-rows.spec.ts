import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { RESET_JOBS } from '../../src/platform/sign-in/password-links/password-mail-jobs.js';
import { Browser } from '../support/browser.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { until } from '../support/until.js';

const MOST = 100;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({
    GATEFOLD_RATE_LIMITS: 'on',
    GATEFOLD_KEEP_FAILED_LOGINS: String(MOST),
    // Nobody listens there: requests for links of passwords wait.
    GATEFOLD_SMTP_URL: 'smtp://127.0.0.1:9',
    GATEFOLD_MAIL_FROM: 'gatefold@example.org',
  });
});
afterAll(() => app.stop());

const count = async (table: string, where = 'true') => {
  const [row] = await app.database.query<{ count: number }>(
    `select count(*)::int as count from ${table} where ${where}`,
  );
  return row?.count ?? 0;
};

describe('Stored data of anonymous requests', () => {
  it('is limited in failed logins and counters, oldest removed first', async () => {
    await app.database.query(
      `insert into security_event (happened_at, kind, address)
       select now() - interval '1 minute', kind, '192.0.2.1'
         from unnest(array['login_failed', 'user_created']) kind, generate_series(1, 500)`,
    );
    await app.database.query(
      `insert into login_throttle (key, failures, last_failure_at, trusted_until)
       select 'pair:u' || n || '@192.0.2.1', 1, now() - n * interval '1 second',
              case when n > 490 then now() + interval '1 day' end
         from generate_series(1, 500) n`,
    );

    const wrong = { authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` };
    const answer = await app.asStranger().get('/apps/news/api/v1-3/folders', { headers: wrong });

    expect(answer.status).toBe(401);
    expect(await count('security_event', `kind = 'login_failed'`)).toBeLessThanOrEqual(MOST);
    expect(await count('security_event', `kind = 'user_created'`)).toBeGreaterThanOrEqual(500);
    expect(await count('login_throttle', 'trusted_until is null')).toBeLessThanOrEqual(MOST);
    expect(await count('login_throttle', 'trusted_until is not null')).toBe(10);
    expect(await count('login_throttle', `key like '%:admin%'`)).toBeGreaterThan(0);
  });

  it('is limited in wrong secrets of external apps', async () => {
    await app.database.query(
      `insert into gateway_failure (network, failed_at)
       select '192.0.2.1', now() - n * interval '1 second' from generate_series(1, 500) n`,
    );
    const headers = {
      'ex-app-id': 'tools',
      'ex-app-version': '1.0.0',
      'authorization-app-api': Buffer.from(':wrong').toString('base64'),
    };

    const answer = await app
      .asStranger()
      .get('/ocs/v2.php/apps/app_api/api/v1/users?format=json', { headers });

    expect(answer.status).toBe(401);
    expect(await count('gateway_failure')).toBeLessThanOrEqual(MOST);
  });

  it('is limited to ten thousand pending login flows', async () => {
    await app.database.query(
      `insert into login_flow (poll_token_hash, login_token_hash, client_name, network, expires_at)
       select sha256(n::text::bytea), sha256(n::text::bytea), 'x', '192.0.2.' || n % 250,
              now() + interval '1 minute'
         from generate_series(1, 10000) n`,
    );

    expect((await app.asStranger().post('/login/v2')).status).toBe(200);
    expect(await count('login_flow')).toBe(10_000);
    await app.database.query(`update login_flow set expires_at = now() - interval '1 second'`);
    expect((await app.asStranger().post('/login/v2')).status).toBe(200);
    expect(await count('login_flow')).toBe(1);
  });

  it('is limited to 20,000 requests for links of passwords an hour, and no row of an account', async () => {
    const ask = (user: string) =>
      new Browser(app.url).submit('/login/forgotten', { user }, { origin: app.url });
    const hour = Math.floor(Date.now() / 3_600_000);
    await app.database.query(
      `insert into login_throttle (key, failures, last_failure_at)
       select 'reset:' || n, 19999, now() from generate_series($1::int, $1::int + 1) n`,
      [hour],
    );
    const waiting = async () =>
      (await app.inside(JobQueue).overview()).find(({ kind }) => kind === RESET_JOBS.name);

    expect((await ask('nobody')).status).toBe(200);
    await until(
      'the end of the job for the link',
      async () => (await waiting())?.queued === 0 && (await waiting())?.active === 0,
    );
    expect((await ask('somebody')).status).toBe(429);
    expect(await waiting()).toMatchObject({ queued: 0, retrying: 0, active: 0 });
    expect(await count('password_link')).toBe(0);
  });

  it('is limited to one link per account', async () => {
    await app.inside(UsersService).changeEmail('admin', 'admin@example.org');
    await app.database.query(`delete from login_throttle`);
    for (const user of ['admin', 'admin@example.org', 'ADMIN@example.org']) {
      await new Browser(app.url).submit('/login/forgotten', { user }, { origin: app.url });
    }

    await until('a link', async () => (await count('password_link')) > 0);
    const states = async () =>
      (await app.inside(JobQueue).overview()).find(({ kind }) => kind === RESET_JOBS.name);
    await until('three failed mails', async () => (await states())?.retrying === 3);
    expect(await count('password_link')).toBe(1);
  });
});

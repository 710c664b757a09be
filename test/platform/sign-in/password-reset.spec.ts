import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { Clock } from '../../../src/common/clock.js';
import { Config } from '../../../src/common/config/config.js';
import { JOB_SCHEMA } from '../../../src/database/job-schema.js';
import { JobQueue } from '../../../src/database/jobs/job-queue.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { MailServer } from '../../../src/platform/installation/mail/mail-server.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { RESET_JOBS } from '../../../src/platform/sign-in/password-links/password-mail-jobs.js';
import { ApiClient } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { startMailServer, type TestMailServer } from '../../support/mail-server.js';
import { useOtherSettings } from '../../support/other-settings.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { statementsDuring } from '../../support/statements.js';
import { until } from '../../support/until.js';

const SELF = '/ocs/v2.php/cloud/user?format=json';
const OLD = 'the former words of the user';
const NEW = 'the words that are chosen now';

let server: TestMailServer;
let app: TestApp;
let count = 0;
let userId: string;
let email: string;

beforeAll(async () => {
  server = await startMailServer();
  app = await startApp({
    GATEFOLD_SMTP_URL: server.url,
    GATEFOLD_MAIL_FROM: 'gatefold@example.org',
  });
});
afterAll(async () => {
  await app?.stop();
  await server?.stop();
});
beforeEach(async () => {
  userId = `person-${count++}`;
  email = `${userId}@example.org`;
  await app.inside(UsersService).add({ userId, password: OLD, email });
});

const ask = (user: string, language = 'en') =>
  new Browser(app.url).submit(
    '/login/forgotten',
    { user },
    { origin: app.url, 'accept-language': language },
  );
const login = (password: string) => new Browser(app.url).login({ userId, password });
const tokenOf = (text: string) => /\/login\/password#([\w-]{43})/.exec(text)?.[1] ?? '';
const setPassword = (token: string, password = NEW) =>
  new Browser(app.url).submit('/login/password', { token, password, repeated: password });
const users = () => app.inside(UsersService);

/** Resolves when no request waits. */
async function settled(): Promise<void> {
  await until('the end of the jobs for links', async () => {
    const states = await app.inside(JobQueue).overview();
    const { queued, active } = states.find(({ kind }) => kind === RESET_JOBS.name) ?? {};
    return queued === 0 && active === 0;
  });
}

describe('a forgotten password', () => {
  it('is offered on the login page', async () => {
    expect((await app.asStranger().get('/login')).text).toContain('href="/login/forgotten"');
    const { status, text } = await app.asStranger().get('/login/forgotten');

    expect(status).toBe(200);
    expect(text).toContain('User name or email address');
  });

  it.each([
    ['user name', () => userId],
    ['address', () => email],
    ['address in capitals', () => ` ${email.toUpperCase()} `],
  ])('is replaced by a link that is asked for with the %s', async (_how, name) => {
    const answer = await ask(name());

    expect(answer.status).toBe(200);
    const { text } = await server.mailTo(email);
    expect(text).toContain(`the account ${userId}`);
    expect(text).toContain('1 hour');
    expect((await setPassword(tokenOf(text))).status).toBe(200);
    expect([(await login(OLD)).status, (await login(NEW)).status]).toEqual([403, 303]);
  });

  it('ends all sessions when it is replaced, and tells the user by mail', async () => {
    const thief = new Browser(app.url);
    await thief.login({ userId, password: OLD });
    expect((await thief.get(SELF)).status).toBe(200);
    await ask(userId);

    await setPassword(tokenOf((await server.mailTo(email)).text));

    expect((await thief.get(SELF)).status).toBe(401);
    const { subject, text } = await server.mailTo(email, 1);
    expect(subject).toMatch(/^Your password at .* was changed$/);
    expect(text).not.toContain('/login/password');
  });

  it('takes the app passwords with it when it is replaced, which a change by the user does not', async () => {
    const appPassword = async () =>
      (await app.inside(AppPasswordsService).add(userId, 'phone')).token;
    const answers = async (password: string) =>
      (await new ApiClient(app.url, { userId, password }).get(SELF)).status;
    const token = await appPassword();
    await users().changePassword(userId, 'words that I chose myself');
    expect(await answers(token)).toBe(200);

    await ask(userId);
    await setPassword(tokenOf((await server.mailTo(email)).text));

    expect(await answers(token)).toBe(401);
  });

  it('is not looked for by a name with a zero byte, which would fail for an hour', async () => {
    const { status } = await ask(`${userId}\0`);

    expect(status).toBe(200);
    await settled();
    expect((await server.mailTo(email)).text).toContain(`the account ${userId}`);
  });

  it('is told of in the language that the user has chosen, or that of the browser', async () => {
    await ask(userId, 'fr');
    expect((await server.mailTo(email)).text).toContain('le compte');

    const other = `de-${userId}`;
    await users().add({ userId: other, password: OLD, email: `de-${email}` });
    await new ApiClient(app.url, { userId: other, password: OLD }).call(
      'PATCH',
      '/ocs/v2.php/apps/gatefold/api/v1/preferences/pages',
      { json: { values: { language: 'de' } } },
    );
    await ask(other, 'fr');
    expect((await server.mailTo(`de-${email}`)).text).toContain('das Konto');
  });

  it('leads to the same answer and the same statements, whether there is a user or not', async () => {
    await ask('warm-up');
    await settled();
    // Other statements are those of workers, which look for jobs now and then.
    const isOfRequest = (text: string) => /login_throttle|password_link|account|insert/i.test(text);
    const of = async (name: string) => {
      let answer: Awaited<ReturnType<typeof ask>> | undefined;
      // The job would run at the same time.
      app.inside(JobQueue).wake = () => {};
      const statements = await statementsDuring(app.database, async () => {
        answer = await ask(name);
      });
      Reflect.deleteProperty(app.inside(JobQueue), 'wake');
      await app.inside(JobQueue).poll();
      await settled();
      return [answer?.status, answer?.text, statements.filter(isOfRequest)];
    };

    const [unknown, known] = [await of('nobody-at-all'), await of(userId)];

    // The counter of all requests, and the job.
    expect(known[2]).toHaveLength(2);
    expect(known).toEqual(unknown);
    await server.mailTo(email);
  });

  it.each([
    ['nobody', async () => 'nobody'],
    ['an unknown address', async () => 'nobody@example.org'],
    ['an empty name', async () => ''],
    ['a pattern', async () => '%'],
    [
      'a disabled user',
      async () => {
        await users().disable(userId);
        return userId;
      },
    ],
    [
      'a user of an identity provider',
      async () => {
        await app.database.query(
          "insert into oidc_identity (issuer, subject, user_id) values ('a', $1, $1)",
          [userId],
        );
        return userId;
      },
    ],
    [
      'a user of a provisioning service',
      async () => {
        await app.database.query('insert into scim_user (user_id) values ($1)', [userId]);
        return email;
      },
    ],
    [
      'a user of the directory',
      async () => {
        await app.database.query('insert into ldap_account (user_id, entry_id) values ($1, $1)', [
          userId,
        ]);
        return userId;
      },
    ],
    [
      'a user without an address',
      async () => {
        await users().changeEmail(userId, '');
        return userId;
      },
    ],
  ])('of %s sends no mail', async (_who, name) => {
    const answer = await ask(await name());

    expect(answer.status).toBe(200);
    await settled();
    expect(server.mails.filter(({ to }) => to.includes(email))).toEqual([]);
  });

  it('sends the link to the address of the account, no matter what was typed', async () => {
    await users().changeEmail(userId, `Ada@${userId}.example`);

    await ask(`aDA@${userId}.EXAMPLE`);

    expect((await server.mailTo(`Ada@${userId}.example`)).to).toHaveLength(1);
  });

  it('sends each account with an address its own link, to five at most', async () => {
    const shared = `shared-${userId}@example.org`;
    for (let n = 0; n < 7; n++) {
      await users().add({ userId: `${userId}-${n}`, password: OLD, email: shared });
    }
    await ask(shared);
    await settled();

    const mails = server.mails.filter(({ to }) => to.includes(shared));
    expect(new Set(mails.map(({ text }) => tokenOf(text))).size).toBe(5);
  });

  it('sends an account one mail within five minutes', async () => {
    await ask(userId);
    const { text } = await server.mailTo(email);

    await ask(email);
    await settled();

    expect(server.mails.filter(({ to }) => to.includes(email))).toHaveLength(1);
    expect((await setPassword(tokenOf(text))).status).toBe(200);
  });

  it('is sent although strangers asked for a thousand names that nobody has', async () => {
    const hour = Math.floor(app.inside(Clock).nowSeconds() / 3600);
    await app.database.query(
      `insert into login_throttle (key, failures, last_failure_at) values ($1, 1000, now())
       on conflict (key) do update set failures = 1000, last_failure_at = now()`,
      [`reset:${hour}`],
    );

    await ask(userId);

    expect(tokenOf((await server.mailTo(email)).text)).not.toBe('');
  });

  it('has a link for an hour', async () => {
    await ask(userId);
    const token = tokenOf((await server.mailTo(email)).text);
    const clock = app.inside(Clock);
    const now = clock.now.bind(clock);
    try {
      clock.now = () => new Date(now().getTime() + 3601 * 1000);
      expect((await setPassword(token)).status).toBe(404);
    } finally {
      clock.now = now;
    }
    expect((await setPassword(token)).status).toBe(200);
  });

  it('leaves no trace of what was typed', async () => {
    const typed = 'my-secret-password-in-the-wrong-field';
    await ask(typed);
    await settled();

    const rows = await app.database.query(
      `select from ${JOB_SCHEMA}.job j where strpos(j::text, $1) > 0`,
      [typed],
    );
    expect(rows).toEqual([]);
  });

  it('cannot be asked for by another site', async () => {
    const answer = await new Browser(app.url).submit(
      '/login/forgotten',
      { user: userId },
      { origin: 'https://evil.example' },
    );

    expect(answer.status).toBe(403);
    await settled();
    expect(server.mails.filter(({ to }) => to.includes(email))).toEqual([]);
  });

  it('uses the address of the installation, not that of the request', async () => {
    await new Browser(app.url).submit(
      '/login/forgotten',
      { user: userId },
      { 'x-forwarded-host': 'evil.example' },
    );

    const { text, html } = await server.mailTo(email);
    expect(text + html).not.toContain('evil.example');
    expect(text).toContain(`${app.url}/login/password#`);
  });
});

describe('the address that links are sent to', () => {
  const change = (client: ApiClient | Browser, more: object = {}, headers = {}) =>
    client.call('PUT', `/ocs/v2.php/cloud/users/${userId}`, {
      json: { key: 'email', value: 'thief@example.org', ...more },
      headers: { 'ocs-apirequest': 'true', ...headers },
    });
  const shown = async () => (await users().show(userId)).email;

  it('needs the password in a session', async () => {
    const browser = new Browser(app.url);
    await browser.login({ userId, password: OLD });
    const { json } = await browser.get('/index.php/csrftoken');
    const headers = { requesttoken: (json as { token: string }).token };

    expect((await change(browser, {}, headers)).status).toBe(403);
    expect((await change(browser, { password: 'a wrong one' }, headers)).status).toBe(403);
    expect(await shown()).toBe(email);
    expect((await change(browser, { password: OLD }, headers)).status).toBe(200);
    expect(await shown()).toBe('thief@example.org');
  });

  it('gets no mail if a program has set it while there was no mail server', async () => {
    await app.database.query(
      `update account set email = 'planted@example.org', email_confirmed = false where user_id = $1`,
      [userId],
    );

    await ask(userId);
    await ask('planted@example.org');
    await settled();
    expect(server.mails.filter(({ to }) => to.includes('planted@example.org'))).toEqual([]);

    await users().confirmEmail(userId);
    await ask(userId);
    expect((await server.mailTo('planted@example.org')).text).toContain('/login/password#');
  });

  it('cannot be changed with an app password, nor by one as the password', async () => {
    const person = new ApiClient(app.url, { userId, password: OLD });
    const path = '/ocs/v2.php/core/apppasswords?format=json';
    const { json } = await person.post(path, { name: 'Phone' });
    const { token } = (json as { ocs: { data: { token: string } } }).ocs.data;
    const program = new ApiClient(app.url, { userId, password: token });

    expect((await change(program)).status).toBe(403);
    expect((await change(program, { password: token })).status).toBe(403);
    expect(await shown()).toBe(email);
    expect((await change(person)).status).toBe(200);
  });

  it('of another user needs an administrator', async () => {
    expect((await change(await app.signIn())).status).toBe(404);
    expect((await change(app.asAdmin())).status).toBe(200);
  });
});

describe('requests for links', () => {
  useOtherSettings(
    () => app.inside(Config),
    () => ({ rateLimits: true }),
  );
  beforeEach(() => app.database.query('delete from login_throttle'));

  it('are limited for one name, whether it exists or not', async () => {
    for (const name of [userId, 'nobody-here']) {
      await app.database.query('delete from login_throttle');
      const statuses: number[] = [];
      for (let n = 0; n < 7; n++) {
        statuses.push((await ask(n % 2 === 0 ? name : name.toUpperCase())).status);
      }
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    }
  });

  it('are limited for one network', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      statuses.push((await ask(`somebody-${n}`)).status);
    }
    const refused = await ask('somebody-else');

    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3600);
    expect(refused.text).toContain('Too many links were requested. Try again in');
  });

  it('do not keep anybody from logging in', async () => {
    for (let n = 0; n < 12; n++) {
      await ask(userId);
    }

    expect((await login(OLD)).status).toBe(303);
  });

  it('with invalid links count as failed logins of the network', async () => {
    const statuses = new Set<number>();
    for (let n = 0; n < 40; n++) {
      statuses.add((await setPassword(`wrong-${n}`)).status);
    }

    expect([...statuses]).toEqual([404, 429]);
  });
});

describe('without a mail server', () => {
  useOtherSettings(
    () => app.inside(Config),
    () => ({ parts: new Set([...app.inside(Config).parts].filter((part) => part !== 'mail')) }),
  );
  beforeEach(() => {
    jest.spyOn(app.inside(MailServer), 'isConfigured', 'get').mockReturnValue(false);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('nothing is offered, and one’s own address needs no password', async () => {
    const user = await app.signIn();
    expect((await app.asStranger().get('/login')).text).not.toContain('forgotten');
    expect((await app.asStranger().get('/login/forgotten')).status).toBe(404);
    const browser = new Browser(app.url);
    expect((await browser.submit('/login/forgotten', { user: 'admin' })).status).toBe(404);
    const path = '/ocs/v2.php/core/apppasswords?format=json';
    const { json } = await user.post(path, { name: 'Phone' });
    const { token } = (json as { ocs: { data: { token: string } } }).ocs.data;
    const { userId: id } = user.credentials;
    const program = new ApiClient(app.url, { userId: id, password: token });
    const edit = { key: 'email', value: 'me@example.org' };
    expect((await program.put(`/ocs/v2.php/cloud/users/${id}`, edit)).status).toBe(200);
    const confirmed = async () =>
      app.database.query('select email_confirmed as is from account where user_id = $1', [id]);
    expect(await confirmed()).toEqual([{ is: false }]);
    expect((await user.put(`/ocs/v2.php/cloud/users/${id}`, edit)).status).toBe(200);
    expect(await confirmed()).toEqual([{ is: true }]);
  });
});

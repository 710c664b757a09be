import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { JobQueue } from '../../../src/database/jobs/job-queue.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { MailServer } from '../../../src/platform/installation/mail/mail-server.service.js';
import { INVITATION_JOBS } from '../../../src/platform/sign-in/password-links/password-mail-jobs.js';
import { Browser } from '../../support/browser.js';
import { toOcs } from '../../support/external-app.js';
import { startMailServer, type TestMailServer } from '../../support/mail-server.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { until } from '../../support/until.js';

const USERS = '/ocs/v2.php/cloud/users';
const WORDS = 'the words of the new user';

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
    GATEFOLD_INVITATION_DAYS: '3',
  });
});
afterAll(async () => {
  await app?.stop();
  await server?.stop();
});
beforeEach(() => {
  userId = `new-${count++}`;
  email = `${userId}@example.org`;
});

const asOcs = async (method: string, path: string, json?: object, language = 'en') =>
  toOcs(
    await app.asAdmin().call(method, path, {
      query: { format: 'json' },
      headers: { 'accept-language': language },
      ...(json && { json }),
    }),
  );
const invite = (more: object = {}, language?: string) =>
  asOcs('POST', USERS, { userid: userId, password: '', email, ...more }, language);
const inviteAgain = () => asOcs('POST', `${USERS}/${userId}/welcome`);
const login = (password: string) => new Browser(app.url).login({ userId, password });
const tokenOf = (text: string) =>
  new RegExp(`${app.url}/login/password#([\\w-]{43})`).exec(text)?.[1] ?? '';
const setPassword = (token: string, password = WORDS, repeated = password) =>
  new Browser(app.url).submit('/login/password', { token, password, repeated });

describe('an account without a password', () => {
  it('gets a mail with a link, with which the user sets the password', async () => {
    expect(await invite({ groups: ['admin'] })).toMatchObject({ statuscode: 200 });

    const { text, subject } = await server.mailTo(email);
    expect(subject).toContain(new URL(app.url).host);
    expect(text).toContain(`Your user name is: ${userId}`);
    expect(text).toContain('3 days');
    const answer = await setPassword(tokenOf(text));

    expect(answer.status).toBe(200);
    expect(answer.text).toContain('The password is set.');
    expect((await login(WORDS)).status).toBe(303);
  });

  it('gets it in the language of the administrator', async () => {
    await invite({}, 'de');

    const { text } = await server.mailTo(email);
    expect(text).toContain(`Dein Benutzername lautet: ${userId}`);
    expect(text).toContain('3 Tage lang');
  });

  it('has no password before that', async () => {
    await invite();

    for (const password of ['', userId, email]) {
      expect((await login(password)).status).toBe(403);
    }
  });

  it.each([
    [108, 'an address', { email: '' }],
    [108, 'an address, not spaces', { email: '  ' }],
    [101, 'an address that is one', { email: 'nowhere' }],
    [102, 'a new name', { userid: 'admin' }],
  ])('needs (%i) %s', async (code, _what, more) => {
    expect(await invite(more)).toMatchObject({ statuscode: code });

    expect(await app.inside(UsersService).count({ text: userId })).toBe(0);
    expect(server.mails.filter(({ text }) => text.includes(`: ${userId}\n`))).toEqual([]);
  });

  it('is an entry of the audit log', async () => {
    await invite();

    const path = '/ocs/v2.php/apps/gatefold/api/v1/security/events';
    const { data } = await asOcs('GET', `${path}?kind=user_invited&user=${userId}`);
    expect(data).toEqual([
      expect.objectContaining({ kind: 'user_invited', user: userId, actor: 'admin' }),
    ]);
  });
});

describe('the link', () => {
  it('is valid once', async () => {
    await invite();
    const token = tokenOf((await server.mailTo(email)).text);
    await setPassword(token);

    const again = await setPassword(token, 'the words of another user');

    expect(again.status).toBe(404);
    expect(again.text).toContain('This link is not valid.');
    expect((await login(WORDS)).status).toBe(303);
  });

  it('is valid once, also for two at the same time', async () => {
    await invite();
    const token = tokenOf((await server.mailTo(email)).text);

    const answers = await Promise.all(
      Array.from({ length: 5 }, (_one, n) => setPassword(token, `the words of number ${n}`)),
    );

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
  });

  it('remains valid after a weak or mistyped password', async () => {
    await invite();
    const token = tokenOf((await server.mailTo(email)).text);

    const weak = await setPassword(token, 'short');
    const mistyped = await setPassword(token, WORDS, `${WORDS}!`);

    expect([weak.status, mistyped.status]).toEqual([422, 422]);
    expect(weak.text).toContain('must have at least 10 characters');
    expect(mistyped.text).toContain('not the same');
    // The form is not lost.
    expect(weak.text).toContain(`value="${token}"`);
    expect((await setPassword(token)).status).toBe(200);
  });

  it('ends after the time of the setting, and its row is removed', async () => {
    await invite();
    const token = tokenOf((await server.mailTo(email)).text);
    await app.database.query(
      `update password_link set expires_at = now() - interval '1 second' where user_id = $1`,
      [userId],
    );

    expect((await setPassword(token)).status).toBe(404);
    const gone = userId;
    userId = `${userId}-next`;
    await invite({ email: `next-${email}` });
    await server.mailTo(`next-${email}`);
    expect(
      await app.database.query('select from password_link where user_id = $1', [gone]),
    ).toEqual([]);
  });

  it.each([
    ['the account is disabled', () => app.inside(UsersService).disable(userId)],
    ['the address changes', () => app.inside(UsersService).changeEmail(userId, 'other@b')],
    ['the address is removed', () => app.inside(UsersService).changeEmail(userId, '')],
    ['the password is set', () => app.inside(UsersService).changePassword(userId, `${WORDS} a`)],
    [
      'the account is linked to a provider',
      () =>
        app.database.query(
          "insert into oidc_identity (issuer, subject, user_id) values ('a', $1, $1)",
          [userId],
        ),
    ],
  ])('ends when %s', async (_when, change) => {
    await invite();
    const token = tokenOf((await server.mailTo(email)).text);

    await change();

    expect((await setPassword(token)).status).toBe(404);
  });

  it('is stored as a hash', async () => {
    await invite();
    const token = tokenOf((await server.mailTo(email)).text);

    const rows = await app.database.query(
      `select from password_link l where strpos(l::text, $1) > 0`,
      [Buffer.from(token).toString('hex')],
    );
    expect(token).toHaveLength(43);
    expect(rows).toEqual([]);
  });
});

describe('an invitation', () => {
  it('can be sent again, which ends the former link', async () => {
    await invite();
    const first = tokenOf((await server.mailTo(email)).text);

    expect(await inviteAgain()).toMatchObject({ statuscode: 200 });

    const second = tokenOf((await server.mailTo(email, 1)).text);
    expect((await setPassword(first)).status).toBe(404);
    expect((await setPassword(second)).status).toBe(200);
  });

  it('is tried again with a new link when the mail server is busy', async () => {
    server.refusals.push([451, 'come back later']);
    await invite();
    const waiting = async () =>
      (await app.inside(JobQueue).overview()).find(({ kind }) => kind === INVITATION_JOBS.name);
    await until('a retry', async () => (await waiting())?.retrying === 1);

    await inviteAgain();

    expect((await setPassword(tokenOf((await server.mailTo(email)).text))).status).toBe(200);
    expect(await waiting()).toMatchObject({ queued: 0, retrying: 0 });
  });

  it('is not sent to who has logged in, has no address, or is disabled', async () => {
    await app.addUser(userId, WORDS);
    expect(await inviteAgain()).toMatchObject({ statuscode: 101 });
    await app.inside(UsersService).changeEmail(userId, email);
    await app.inside(UsersService).disable(userId);
    expect(await inviteAgain()).toMatchObject({ statuscode: 102 });
    await app.inside(UsersService).enable(userId);
    await login(WORDS);
    expect(await inviteAgain()).toMatchObject({ statuscode: 102 });
    expect(await asOcs('POST', `${USERS}/nobody/welcome`)).toMatchObject({ statuscode: 998 });
  });

  it('is for administrators alone', async () => {
    const stranger = await app.signIn();
    await invite();

    expect((await stranger.post(`${USERS}/${userId}/welcome`)).status).toBe(403);
    expect((await app.asStranger().post(`${USERS}/${userId}/welcome`)).status).toBe(401);
  });
});

describe('the page for the password', () => {
  it('takes the code from the fragment with a script that its policy allows, and no other', async () => {
    const { headers, text } = await app.asStranger().get('/login/password');

    expect(headers['content-security-policy']).toMatch(/script-src 'sha256-[\w+/=]+';/);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('same-origin');
    expect(text).toContain('location.hash');
  });

  it('refuses forms of other sites', async () => {
    await invite();
    const token = tokenOf((await server.mailTo(email)).text);
    const fields = { token, password: WORDS, repeated: WORDS };

    const answer = await new Browser(app.url).submit('/login/password', fields, {
      origin: 'https://evil.example',
    });

    expect(answer.status).toBe(403);
    expect((await setPassword(token)).status).toBe(200);
  });

  it('escapes what is sent to it', async () => {
    const { text } = await setPassword('"><script>alert(1)</script>');

    expect(text).not.toContain('<script>alert');
  });
});

it('without a mail server, accounts need a password, and nobody is invited', async () => {
  jest.spyOn(app.inside(MailServer), 'isConfigured', 'get').mockReturnValue(false);
  try {
    const answer = await app.asAdmin().call('POST', USERS, {
      query: { format: 'json' },
      json: { userid: 'eve', password: '', email: 'eve@example.org' },
    });
    expect(toOcs(answer)).toMatchObject({ statuscode: 107 });
    await app.addUser('eve', WORDS);
    const again = await app.asAdmin().call('POST', `${USERS}/eve/welcome`, {
      query: { format: 'json' },
    });
    expect(toOcs(again)).toMatchObject({ statuscode: 102 });
  } finally {
    jest.restoreAllMocks();
  }
});

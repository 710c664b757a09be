import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { ApiClient } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

const SELF = '/ocs/v2.php/cloud/user?format=json';
const ADA = { userId: 'ada', password: 'pässword of "ada" <&>' };

let testDatabase: TestDatabase;
let clock: TestClock;
let platform: Platform;
let browser: Browser;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  clock = new TestClock();
  platform = await startPlatform({
    databaseUrl: testDatabase.url,
    clock,
    settings: { GATEFOLD_ADMIN_PASSWORD: 'of the administrator' },
  });
  await platform.get(UsersService).add(ADA);
});

afterAll(async () => {
  await platform?.stop();
  await testDatabase?.drop();
});

beforeEach(async () => {
  browser = new Browser(platform.url);
  await platform.database.query('delete from login_throttle');
});

describe('the login page', () => {
  it('works without scripts', async () => {
    const { status, headers, text } = await browser.get('/login');

    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toMatch(/^<!doctype html>/i);
    expect(text).toContain('<form method="post" action="/login">');
    expect(text).toContain('autocomplete="username"');
    expect(text).toContain('autocomplete="current-password"');
    expect(text).toContain(`Gatefold · ${new URL(platform.url).host}`);
  });

  it('allows its own style and script and nothing else', async () => {
    const { headers, text } = await browser.get('/login');
    const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? '';
    const script = /<script>([^]*)<\/script>/.exec(text)?.[1] ?? '';
    const hashOf = (part: string) => createHash('sha256').update(part).digest('base64');

    expect(style).toContain('prefers-color-scheme: dark');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hashOf(style)}'; img-src 'self'; script-src 'sha256-${hashOf(script)}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('same-origin');
  });

  it.each([
    ['', 'en', 'Log in'],
    ['de-AT,de;q=0.9,en;q=0.5', 'de', 'Anmelden'],
    ['sv,en;q=0.5,de;q=0.4', 'en', 'Log in'],
    ['sv', 'en', 'Log in'],
    ['pl', 'pl', 'Zaloguj się'],
    ['pt-BR,en;q=0.5', 'pt', 'Entrar'],
    ['zh-TW', 'zh', '登录'],
  ])('answers "%s" in the language %s', async (accepted, language, title) => {
    const headers = accepted === '' ? {} : { 'accept-language': accepted };
    const { text } = await browser.get('/login', { headers });

    expect(text).toContain(`<html lang="${language}" dir="ltr">`);
    expect(text).toContain(`<h1>${title}</h1>`);
  });

  it('keeps the redirect target, escaped', async () => {
    const { text } = await browser.get('/login', {
      query: { redirect_url: '/apps/files/?a="><script>' },
    });

    expect(text).toContain('value="/apps/files/?a=&quot;&gt;&lt;script&gt;"');
    expect(text).not.toContain('"><script>');
  });

  it('redirects users with a session', async () => {
    await browser.login(ADA);

    const answer = await browser.get('/login?redirect_url=/apps/files/');

    expect([answer.status, answer.headers.location]).toEqual([303, '/apps/files/']);
  });
});

describe('logging in', () => {
  it('begins a session and redirects to the start page', async () => {
    const answer = await browser.login(ADA);

    expect([answer.status, answer.headers.location]).toEqual([303, '/apps/news/']);
    expect((await browser.get(SELF)).json).toMatchObject({ ocs: { data: { id: 'ada' } } });
  });

  it('trims the user name', async () => {
    expect((await browser.login({ ...ADA, userId: ' ada ' })).status).toBe(303);
  });

  it.each([
    ['/apps/files/?dir=%2Fa', '/apps/files/?dir=%2Fa'],
    ['/index.php/apps/files/', '/apps/files/'],
    ['/login/v2/flow/abc', '/login/v2/flow/abc'],
    ['//evil.example', '/apps/news/'],
    ['/\\evil.example', '/apps/news/'],
    ['https://evil.example/', '/apps/news/'],
    ['javascript:alert(1)', '/apps/news/'],
    ['/login', '/apps/news/'],
  ])('goes on from %s to %s', async (wanted, location) => {
    const answer = await browser.login(ADA, wanted);

    expect([answer.status, answer.headers.location]).toEqual([303, location]);
  });

  it('rejects all wrong credentials alike, without a session', async () => {
    const disabled = { userId: 'disabled', password: 'the right password' };
    await platform.get(UsersService).add(disabled);
    await platform.get(UsersService).disable(disabled.userId);
    const { token } = await platform.get(AppPasswordsService).add('ada', 'phone');
    const attempts = [
      { userId: 'ada', password: 'wrong' },
      { userId: 'ADA', password: ADA.password },
      { userId: 'nobody', password: ADA.password },
      { userId: 'ada', password: '' },
      { userId: '', password: '' },
      { userId: 'ada', password: token },
      disabled,
    ];

    for (const attempt of attempts) {
      const { status, headers, text } = await browser.login(attempt);

      expect(status).toBe(403);
      expect(text).toContain('<p role="alert">User name or password is wrong.</p>');
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers['www-authenticate']).toBeUndefined();
    }
  });

  it('ignores passwords in the address, which is logged', async () => {
    const query = new URLSearchParams({ user: ADA.userId, password: ADA.password });

    expect((await browser.submit(`/login?${query.toString()}`, {})).status).toBe(403);
    expect(
      (await browser.submit('/login', { user: ADA.userId, password: ADA.password })).status,
    ).toBe(303);
  });

  it('keeps the user name in the form after a failure, not the password', async () => {
    const { text } = await browser.login({ userId: '"><b>', password: 'mistyped' });

    expect(text).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(text).not.toContain('mistyped');
  });

  it('is throttled, with a message and the time to wait', async () => {
    const grace = { userId: 'grace', password: 'the password of grace' };
    await platform.get(UsersService).add(grace);
    for (let attempt = 0; attempt < 6; attempt++) {
      expect((await browser.login({ ...grace, password: `guess ${attempt}` })).status).toBe(403);
    }

    const { status, headers, text } = await browser.login(grace);

    expect([status, headers['retry-after']]).toEqual([429, '2']);
    expect(text).toContain('There were too many failed attempts. Try again in 2 seconds.');
    clock.advanceSeconds(3);
    expect((await browser.login(grace)).status).toBe(303);
  });

  it.each([{ origin: 'https://evil.example' }, { origin: 'null' }])(
    'is refused when a page of another site sent the form: %j',
    async (headers) => {
      const fields = { user: ADA.userId, password: ADA.password };

      const answer = await browser.submit('/login', fields, headers);

      expect(answer.status).toBe(403);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.text).toContain('came from a page of another site');
    },
  );
});

describe('logging out', () => {
  it('redirects to the login page without a session', async () => {
    const byLink = await browser.get('/logout');
    const byForm = await browser.submit('/logout', {});

    expect([byLink.status, byLink.headers.location]).toEqual([303, '/login']);
    expect([byForm.status, byForm.headers.location]).toEqual([303, '/login']);
  });
});

describe('below a path prefix, with https', () => {
  let prefixed: Platform;
  const origin = 'https://example.org';

  beforeAll(async () => {
    prefixed = await startPlatform({
      databaseUrl: testDatabase.url,
      clock,
      settings: { GATEFOLD_BASE_URL: `${origin}/reader` },
    });
  });

  afterAll(() => prefixed?.stop());

  it.each([
    ['passed on', '/reader'],
    ['taken off', ''],
  ])('works with the prefix %s by the proxy', async (_how, prefix) => {
    const visitor = new Browser(prefixed.url);
    const fields = { user: 'ada', password: ADA.password, redirect_url: '/reader/apps/files/' };

    const form = await visitor.get(`${prefix}/login`);
    const answer = await visitor.submit(`${prefix}/login`, fields, { origin });

    expect(form.text).toContain('action="/reader/login"');
    expect([answer.status, answer.headers.location]).toEqual([303, '/reader/apps/files/']);
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /; Path=\/reader; .*HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  it('redirects to the login below the prefix', async () => {
    const answer = await new ApiClient(prefixed.url).get('/reader/logout');

    expect(answer.headers.location).toBe('/reader/login');
  });

  it('rejects the same host without https', async () => {
    const fields = { user: 'ada', password: ADA.password };

    const answer = await new Browser(prefixed.url).submit('/reader/login', fields, {
      origin: 'http://example.org',
    });

    expect(answer.status).toBe(403);
  });
});

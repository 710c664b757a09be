import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TOTP } from 'otpauth';
import { Clock } from '../../../src/common/clock.js';
import { Sessions } from '../../../src/common/ports/sessions.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { LoginFlowService } from '../../../src/platform/sign-in/login-flow/login-flow.service.js';
import { SecondFactorsService } from '../../../src/platform/sign-in/second-factor/second-factors.service.js';
import { ApiClient, type Answer } from '../../support/api-client.js';
import { giveBelongings, type Belongings } from '../../support/belongings.js';
import { Browser } from '../../support/browser.js';
import { routesOf } from '../../support/routes.js';
import { startApp, type TestApp } from '../../support/start-app.js';

/* Old sessions have to prove who is there before administration, and before changes to logins. */

const USERS = '/ocs/v2.php/cloud/users';
const APP_PASSWORDS = '/ocs/v2.php/core/apppasswords';
const PROOF = '/ocs/v2.php/core/proof';

/** Without a proof: scripts with any app password may make them, or they change nothing. */
const PROGRAMS_TOO = new Set(['DoctorController.retry', 'AccountListController.check']);

let app: TestApp;
let belongings: Belongings;
/** Of the administrator, with a session that is older than 15 minutes. */
let old: Browser;

beforeAll(async () => {
  app = await startApp();
  const [ada, bob] = [await app.signInOnce('ada'), await app.signInOnce('bob')];
  belongings = await giveBelongings(app, ada, bob);
});

afterAll(async () => {
  await belongings?.close();
  await app?.stop();
});

beforeEach(async () => {
  old = await loggedIn(app.asAdmin().credentials);
  await ageSessions();
});

async function loggedIn(person: { userId: string; password: string }): Promise<Browser> {
  const browser = new Browser(app.url);
  expect((await browser.login(person)).status).toBe(303);
  return browser;
}

/** Makes all sessions, and proofs in them, this much older. */
async function ageSessions(minutes = 16): Promise<void> {
  await app.database.query(
    `update login_session set created_at = created_at - make_interval(mins => $1),
       proven_at = proven_at - make_interval(mins => $1)`,
    [minutes],
  );
}

async function call(by: Browser, method: string, path: string, json?: object): Promise<Answer> {
  const cookie = `gatefold_session=${by.cookies.get('gatefold_session')}`;
  const session = await app.inside(Sessions).identify({ headers: { cookie }, ip: '' });
  return by.call(method, path, {
    headers: { requesttoken: session?.requestToken ?? '', accept: 'application/json' },
    ...(json && { json }),
  });
}

const outcomeOf = ({ status, headers }: Answer) => [status, headers['x-gatefold-error']];
const PROOF_REQUIRED = [403, 'proof-required'];

const prove = async (by: Browser, proof: object) => (await call(by, 'POST', PROOF, proof)).status;

const newUser = (userId: string) => ({ userid: userId, password: `the words of ${userId}` });

describe('an old session of an administrator', () => {
  it('may read, but change nothing before a proof; then it may for 15 minutes', async () => {
    expect((await call(old, 'GET', USERS)).status).toBe(200);
    const check = '/ocs/v2.php/apps/gatefold/api/v1/users/check';
    expect((await call(old, 'POST', check, newUser('no name'))).status).toBe(400);
    expect((await call(old, 'POST', check, newUser('eve'))).status).toBe(200);

    const refused = await call(old, 'POST', USERS, newUser('eve'));
    expect(outcomeOf(refused)).toEqual(PROOF_REQUIRED);
    expect(refused.text).toContain('Confirm first that it is you, with your password or a code.');
    await expect(app.inside(UsersService).show('eve')).rejects.toThrow('There is no user "eve".');

    expect(await prove(old, { password: app.asAdmin().credentials.password })).toBe(200);
    expect((await call(old, 'POST', USERS, newUser('eve'))).status).toBe(200);
    await ageSessions(14);
    expect((await call(old, 'DELETE', `${USERS}/eve`)).status).toBe(200);
    await ageSessions(2);
    expect(outcomeOf(await call(old, 'POST', USERS, newUser('fay')))).toEqual(PROOF_REQUIRED);
  });

  it('is asked again as soon as the 15 minutes are over', async () => {
    const clock = app.inside(Clock);
    const begun = clock.nowSeconds();
    const after = (seconds: number) => {
      clock.now = () => new Date((begun + seconds) * 1000);
    };
    try {
      after(0);
      const admin = await loggedIn(app.asAdmin().credentials);
      after(899);
      expect((await call(admin, 'POST', USERS, newUser('gil'))).status).toBe(200);
      after(900);
      expect(outcomeOf(await call(admin, 'POST', USERS, newUser('hal')))).toEqual(PROOF_REQUIRED);
    } finally {
      Reflect.deleteProperty(clock, 'now');
    }
  });

  it('is asked on every route by which administrators change something', async () => {
    const routes = routesOf(app).filter(
      ({ guards, method, handler }) =>
        guards.includes('AdminGuard') && method !== 'GET' && !PROGRAMS_TOO.has(handler),
    );
    // Below /ocs/v1.php, the status is in the envelope.
    const answers: [string, unknown][] = [];
    for (const { method, path, handler } of routes) {
      const { headers } = await call(old, method, belongings.fill(path));
      answers.push([handler, headers['x-gatefold-error']]);
    }

    expect(answers.length).toBeGreaterThan(20);
    expect(answers.filter(([, code]) => code !== 'proof-required')).toEqual([]);
  });

  it('is asked before it changes the account of another user, but not its own', async () => {
    const edit = (userId: string) =>
      call(old, 'PUT', `${USERS}/${userId}`, { key: 'displayname', value: 'Name' });

    expect(outcomeOf(await edit('bob'))).toEqual(PROOF_REQUIRED);
    expect(outcomeOf(await edit('admin'))).toEqual([200, undefined]);
  });

  it('gets nowhere with a wrong password, that of another user, or in the address', async () => {
    const { password } = app.asAdmin().credentials;
    expect(await prove(old, {})).toBe(403);
    expect(await prove(old, { password: 'wrong' })).toBe(403);
    expect(await prove(old, { password: 'password of ada' })).toBe(403);
    const inAddress = `${PROOF}?password=${encodeURIComponent(password)}`;
    expect((await call(old, 'POST', inAddress)).status).toBe(403);

    expect(outcomeOf(await call(old, 'POST', USERS, newUser('eve')))).toEqual(PROOF_REQUIRED);
  });

  it('is not helped by a proof in another session', async () => {
    const other = await loggedIn(app.asAdmin().credentials);
    expect(await prove(other, { password: app.asAdmin().credentials.password })).toBe(200);

    expect(outcomeOf(await call(old, 'POST', USERS, newUser('eve')))).toEqual(PROOF_REQUIRED);
  });

  it('is not asked if a proxy vouches for each request', async () => {
    await app.database.query(`update login_session set provider = 'header'`);

    expect((await call(old, 'PUT', `${USERS}/bob/enable`)).status).toBe(200);
  });
});

describe('programs', () => {
  it('are not asked', async () => {
    const { token } = await app
      .inside(AppPasswordsService)
      .add('admin', 'script', { mayAdminister: true });
    const script = new ApiClient(app.url, { userId: 'admin', password: token });

    for (const program of [script, app.asAdmin()]) {
      expect((await program.call('PUT', `${USERS}/bob/enable`)).status).toBe(200);
    }
  });

  it('that are not the user cannot prove anything', async () => {
    const { token } = await app.inside(AppPasswordsService).add('ada', 'phone');
    const phone = new ApiClient(app.url, { userId: 'ada', password: token });

    expect((await phone.post(PROOF, { password: 'password of ada' })).status).toBe(403);
    expect((await new ApiClient(app.url).post(PROOF, {})).status).toBe(401);
  });
});

describe('an old session of a user', () => {
  let ada: Browser;
  beforeEach(async () => {
    ada = await loggedIn({ userId: 'ada', password: 'password of ada' });
    await ageSessions();
  });

  it('is asked before a new app password and before a second factor is set up', async () => {
    const attempts: [string, object][] = [
      [APP_PASSWORDS, { name: 'Phone' }],
      ['/ocs/v2.php/core/secondfactors/totp', {}],
    ];
    for (const [path, json] of attempts) {
      expect(outcomeOf(await call(ada, 'POST', path, json))).toEqual(PROOF_REQUIRED);
    }

    expect(await prove(ada, { password: 'password of ada' })).toBe(200);

    for (const [path, json] of attempts) {
      expect(outcomeOf(await call(ada, 'POST', path, json))).toEqual([200, undefined]);
    }
  });

  it('is asked for the password on the page that connects a program', async () => {
    const { loginToken, pollToken } = await app.inside(LoginFlowService).begin('phone', '::1');
    const page = await ada.get(`/login/v2/flow/${loginToken}`);
    expect(page.text).toContain('name="password"');
    const requesttoken = /name="requesttoken" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const form = { token: loginToken, requesttoken, decision: 'grant' };

    for (const password of ['', 'wrong']) {
      const refused = await ada.submit('/login/v2/grant', { ...form, password });
      expect(refused.status).toBe(403);
      expect(refused.text).toContain('<p role="alert">The password is wrong.</p>');
    }
    const query = `?password=${encodeURIComponent('password of ada')}`;
    expect((await ada.submit(`/login/v2/grant${query}`, form)).status).toBe(403);
    expect(await app.inside(LoginFlowService).take(pollToken)).toBeNull();

    const granted = await ada.submit('/login/v2/grant', { ...form, password: 'password of ada' });

    expect(granted.status).toBe(200);
    expect(await app.inside(LoginFlowService).take(pollToken)).toMatchObject({ loginName: 'ada' });
  });

  it('may deny access to a program without a proof', async () => {
    const { loginToken } = await app.inside(LoginFlowService).begin('phone', '::1');
    const page = await ada.get(`/login/v2/flow/${loginToken}`);
    const requesttoken = /name="requesttoken" value="([^"]+)"/.exec(page.text)?.[1] ?? '';

    const form = { token: loginToken, requesttoken, decision: 'deny' };
    expect((await ada.submit('/login/v2/grant', form)).status).toBe(200);
  });

  it('proves itself by a code, too, once there is a second factor', async () => {
    const factors = app.inside(SecondFactorsService);
    const { secret } = await factors.beginTotp('ada');
    const [code = ''] = await factors.confirmTotp('ada', new TOTP({ secret }).generate());
    const ways = await call(ada, 'GET', PROOF);
    expect(ways.json).toMatchObject({ ocs: { data: { code: true, provider: null } } });

    expect(await prove(ada, { code: '000000' })).toBe(403);
    expect(await prove(ada, { code })).toBe(200);

    expect((await call(ada, 'POST', APP_PASSWORDS, { name: 'Tablet' })).status).toBe(200);
    await factors.removeTotp('ada');
  });
});

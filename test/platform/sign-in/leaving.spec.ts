import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { RestoreHooks } from '../../../src/common/ports/hooks.js';
import { InstallationChecks } from '../../../src/common/ports/installation-checks.js';
import { DAY_SECONDS } from '../../../src/common/units.js';
import { SecurityEventsService } from '../../../src/platform/accounts/security/security-events.service.js';
import { AccountDeletions } from '../../../src/platform/accounts/users/account-deletions.task.js';
import { registerUserCommands } from '../../../src/platform/accounts/users/users.commands.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { registerLeavingCommands } from '../../../src/platform/sign-in/leaving/leaving.commands.js';
import { LeavingService } from '../../../src/platform/sign-in/leaving/leaving.service.js';
import { SignInSettings } from '../../../src/platform/sign-in/sign-in.settings.js';
import { Browser } from '../../support/browser.js';
import { toOcs } from '../../support/external-app.js';
import { startMailServer, type TestMailServer } from '../../support/mail-server.js';
import { withOtherSettings } from '../../support/other-settings.js';
import { printedBy } from '../../support/printed-by.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

/* Owners of accounts have them deleted: after days, by an administrator, or not at all. */

const LEAVING = '/ocs/v2.php/core/leaving';
const SELF = '/ocs/v2.php/cloud/user';
const WORDS = 'the words of the owner';
const ADMIN = { userId: 'boss', password: 'the words of the boss' };

let server: TestMailServer;
let database: TestDatabase;
let clock: TestClock;
/** Two processes. */
let here: Platform;
let there: Platform;
let count = 0;
let userId: string;

beforeAll(async () => {
  [server, database] = await Promise.all([startMailServer(), createTestDatabase()]);
  clock = new TestClock();
  const options = {
    databaseUrl: database.url,
    clock,
    settings: {
      GATEFOLD_SMTP_URL: server.url,
      GATEFOLD_MAIL_FROM: 'gatefold@example.org',
      GATEFOLD_SECRET_KEY: 'one key for both of these processes',
    },
  };
  here = await startPlatform(options);
  there = await startPlatform(options);
  await here.get(UsersService).add({ ...ADMIN, isAdmin: true });
  await here.get(UsersService).unmakeAdministrator('admin');
});
afterAll(async () => {
  await there?.stop();
  await here?.stop();
  await database?.drop();
  await server?.stop();
});
beforeEach(async () => {
  userId = `owner-${count++}`;
  await here.get(UsersService).add({ userId, password: WORDS, email: addressOf(userId) });
});

const addressOf = (id: string) => `${id}@example.org`;
const owner = (on = here) => on.as({ userId, password: WORDS });
const json = { query: { format: 'json' }, headers: { 'ocs-apirequest': 'true' } };
const ask = async (as = owner()) => as.call('POST', LEAVING, json);
const keep = async (as = owner()) => as.call('DELETE', LEAVING, json);
const stateOf = async (as = owner()) => toOcs(await as.call('GET', LEAVING, json)).data;
const decide = (body: object, as = here.as(ADMIN), id = userId) =>
  as.call('POST', `/ocs/v2.php/apps/gatefold/api/v1/users/${id}/leaving`, { ...json, json: body });
const withPolicy = <Result>(accountDeletion: 'off' | 'ask', work: () => Promise<Result>) =>
  withOtherSettings(here.get(SignInSettings), { accountDeletion }, work);
const exists = async (id = userId) => (await here.get(UsersService).allUserIds()).includes(id);
const deleteDue = async () => {
  await Promise.all([here, there].map((process) => process.get(LeavingService).deleteDue()));
  await here.get(AccountDeletions).resume();
};
const mailsTo = (id = userId) =>
  server.mails.filter(({ to }) => to.includes(addressOf(id))).map(({ subject }) => subject);
const audit = async (id = userId) =>
  here.database.query(
    `select kind, actor_id as actor, details from security_event
      where user_id = $1 and kind in ('deletion_requested', 'deletion_cancelled', 'user_deleted')
      order by id`,
    [id],
  );

async function logIn(): Promise<Browser> {
  const browser = new Browser(here.url);
  expect((await browser.login({ userId, password: WORDS })).status).toBe(303);
  return browser;
}
/** @returns the answer of a request in a session */
async function inSession(browser: Browser, method: string) {
  const { token } = (await browser.get('/csrftoken')).json as { token: string };
  return browser.call(method, LEAVING, {
    query: { format: 'json' },
    headers: { requesttoken: token },
  });
}

describe('an account whose owner leaves', () => {
  it('is deleted after 14 days, with a mail at the beginning and at the end', async () => {
    const now = clock.nowSeconds();
    expect(await stateOf()).toEqual({
      policy: 'days',
      days: 14,
      askedSeconds: null,
      leavesSeconds: null,
    });

    expect(toOcs(await ask()).data).toMatchObject({
      askedSeconds: now,
      leavesSeconds: now + 14 * DAY_SECONDS,
    });
    const { text, subject } = await server.mailTo(addressOf(userId));
    expect(subject).toMatch(/^Your account at .* will be deleted$/);
    expect(text).toContain('will be deleted on March 15, 2026, with everything in it.');
    expect(text).toContain(`${here.url}/settings/user`);

    clock.advanceSeconds(14 * DAY_SECONDS - 1);
    await deleteDue();
    expect((await owner().get(SELF)).status).toBe(200);
    clock.advanceSeconds(1);
    await deleteDue();

    expect(await exists()).toBe(false);
    expect((await server.mailTo(addressOf(userId), 1)).subject).toMatch(/is being deleted$/);
    await deleteDue();
    expect(mailsTo()).toHaveLength(2);
    expect(await audit()).toEqual([
      { kind: 'deletion_requested', actor: userId, details: expect.stringMatching(/^2026-/) },
      { kind: 'user_deleted', actor: null, details: null },
    ]);
  });

  it('has no session any more, and works after a new login, whose page says when it ends', async () => {
    const [asking, other] = [await logIn(), await logIn()];

    expect((await inSession(asking, 'POST')).status).toBe(200);

    expect((await asking.get(SELF, json)).status).toBe(401);
    expect((await other.get(SELF, json)).status).toBe(401);
    const again = await logIn();
    expect((await again.get(SELF, json)).status).toBe(200);
    expect(await stateOf()).toMatchObject({ askedSeconds: clock.nowSeconds() });
    await keep();
  });

  it('has no session any more if a process stops as soon as it has a date', async () => {
    const [asking, other] = [await logIn(), await logIn()];
    const events = here.get(SecurityEventsService);
    events.record = () => Promise.reject(new Error('killed'));
    const killed = await inSession(asking, 'POST');
    Reflect.deleteProperty(events, 'record');

    expect(killed.status).toBe(500);
    expect(await stateOf()).toMatchObject({ askedSeconds: clock.nowSeconds() });
    expect((await other.get(SELF, json)).status).toBe(401);
    expect((await asking.get(SELF, json)).status).toBe(401);
    await keep();
  });

  it('is kept by its owner until the last second, with a mail; app passwords work again', async () => {
    const { token } = await here.get(AppPasswordsService).add(userId, 'reader');
    const program = (on: Platform) => on.as({ userId, password: token }).get(SELF, json);
    expect((await program(there)).status).toBe(200);
    await ask();
    expect((await server.mailTo(addressOf(userId))).subject).toMatch(/will be deleted$/);
    expect([(await program(here)).status, (await program(there)).status]).toEqual([401, 401]);

    clock.advanceSeconds(14 * DAY_SECONDS);
    const session = await logIn();
    expect((await inSession(session, 'DELETE')).status).toBe(200);

    await deleteDue();
    expect(await exists()).toBe(true);
    expect((await program(here)).status).toBe(200);
    expect((await server.mailTo(addressOf(userId), 1)).subject).toMatch(/is kept$/);
    expect((await keep()).status).toBe(409);
    expect(await audit()).toMatchObject([
      { kind: 'deletion_requested' },
      { kind: 'deletion_cancelled', actor: userId },
    ]);
  });

  it('is either kept or deleted, also when both happen at the same moment', async () => {
    await ask();
    clock.advanceSeconds(14 * DAY_SECONDS);

    const [kept] = await Promise.all([keep(), deleteDue()]);

    await deleteDue();
    expect(await exists()).toBe(kept.status === 200);
    expect([200, 401, 409]).toContain(kept.status);
  });

  it('is deleted once, with one mail, if a process stops when the deletion has begun', async () => {
    await ask();
    await server.mailTo(addressOf(userId));
    clock.advanceSeconds(14 * DAY_SECONDS);
    const deletions = here.get(AccountDeletions);
    deletions.delete = () => Promise.reject(new Error('killed'));
    await here.get(LeavingService).deleteDue();
    Reflect.deleteProperty(deletions, 'delete');
    expect((await owner().get(SELF, json)).status).toBe(401);

    await there.get(LeavingService).deleteDue();
    await there.get(AccountDeletions).resume();

    expect(await exists()).toBe(false);
    expect((await server.mailTo(addressOf(userId), 1)).subject).toMatch(/is being deleted$/);
    expect(mailsTo()).toHaveLength(2);
    expect(await audit()).toHaveLength(2);
  });

  it('has its date from the first request', async () => {
    await ask();
    const before = await stateOf();
    clock.advanceSeconds(DAY_SECONDS);

    expect((await ask()).status).toBe(200);

    expect(await stateOf()).toEqual(before);
    await keep();
  });

  it('has the full time again after a restored backup', async () => {
    await ask();
    await here.get(RestoreHooks).run();

    const { leavesSeconds, askedSeconds } = (await stateOf()) as Record<string, number>;

    expect((leavesSeconds ?? 0) - (askedSeconds ?? 0)).toBe(14 * DAY_SECONDS);
    expect(askedSeconds).toBeGreaterThan(clock.nowSeconds());
    await keep();
  });
});

describe('the request', () => {
  it('is refused to strangers, app passwords, and sessions without a recent proof', async () => {
    const { token } = await here.get(AppPasswordsService).add(userId, 'all');
    const old = await logIn();
    clock.advanceSeconds(16 * 60);

    expect((await ask(here.as())).status).toBe(401);
    expect((await ask(here.as({ userId, password: token }))).status).toBe(403);
    const answer = await inSession(old, 'POST');
    expect([answer.status, answer.headers['x-gatefold-error']]).toEqual([403, 'proof-required']);
    expect(await stateOf()).toMatchObject({ askedSeconds: null });
  });

  it('cannot be cancelled by strangers, app passwords, and sessions without a recent proof', async () => {
    const { token } = await here.get(AppPasswordsService).add(userId, 'all');
    await ask();
    const old = await logIn();
    clock.advanceSeconds(16 * 60);

    expect((await keep(here.as())).status).toBe(401);
    expect((await keep(here.as({ userId, password: token }))).status).toBe(401);
    expect((await inSession(old, 'DELETE')).headers['x-gatefold-error']).toBe('proof-required');
    expect(await stateOf()).not.toMatchObject({ askedSeconds: null });
    await keep();
  });

  it.each([
    ['a directory', 'insert into ldap_account (user_id, entry_id) values ($1, $1)'],
    ['a provider', `insert into oidc_identity (issuer, subject, user_id) values ('a', $1, $1)`],
    ['a provisioning service', 'insert into scim_user (user_id) values ($1)'],
  ])('is refused to accounts of %s, which decides', async (_what, statement) => {
    await here.database.query(statement, [userId]);

    const answer = toOcs(await ask());

    expect(answer).toMatchObject({ statuscode: 403, message: expect.stringMatching(/directory/) });
    expect(await stateOf()).toMatchObject({ policy: 'elsewhere', askedSeconds: null });
  });

  it('is refused if accounts are not deleted by their owners', async () => {
    const answer = await withPolicy('off', async () => toOcs(await ask()));

    expect(answer).toMatchObject({ statuscode: 403 });
    expect(await stateOf()).toMatchObject({ askedSeconds: null });
  });

  it('is refused to the last administrator, also to one of two at the same time', async () => {
    const browser = new Browser(here.url);
    await browser.login(ADMIN);
    expect(toOcs(await inSession(browser, 'POST'))).toMatchObject({
      message: expect.stringContaining('is the last administrator who can log in'),
    });
    expect((await browser.get(SELF, json)).status).toBe(200);
    await here.get(UsersService).makeAdministrator(userId);

    const [one, two] = await Promise.all([ask(), ask(there.as(ADMIN))]);

    expect([one.status, two.status].toSorted()).toEqual([200, 409]);
    const [leaving, staying] =
      one.status === 200 ? [owner(), ADMIN.userId] : [here.as(ADMIN), userId];
    await expect(here.get(UsersService).unmakeAdministrator(staying)).rejects.toThrow(
      'is the last administrator',
    );
    await keep(leaving);
    await here.get(UsersService).unmakeAdministrator(userId);
  });
});

describe('where an administrator decides', () => {
  const notices = async (id: string) =>
    here.database.query<{ text: string }>(
      `select subject ->> 'text' as text from notification
        where user_id = $1 and object_type = 'account-deletion' and object_id = $2`,
      [id, userId],
    );
  const asked = () => withPolicy('ask', async () => toOcs(await ask()).data);

  it('the request tells administrators, and leaves sessions and programs alone', async () => {
    const browser = await logIn();
    const { token } = await here.get(AppPasswordsService).add(userId, 'reader');

    expect(await asked()).toMatchObject({ policy: 'ask', leavesSeconds: null });

    expect((await browser.get(SELF, json)).status).toBe(200);
    expect((await here.as({ userId, password: token }).get(SELF, json)).status).toBe(200);
    expect(await notices(ADMIN.userId)).toEqual([
      { text: `"${userId}" asks for the deletion of their account.` },
    ]);
    const shown = await here.as(ADMIN).get(`/ocs/v2.php/cloud/users/${userId}`, json);
    expect(toOcs(shown).data).toMatchObject({ leaveAskedSeconds: clock.nowSeconds() });
    clock.advanceSeconds(400 * DAY_SECONDS);
    await deleteDue();
    expect(await exists()).toBe(true);
    await keep();
    expect(await notices(ADMIN.userId)).toEqual([]);
  });

  it('the answer deletes the account, with the sentence in a mail', async () => {
    await asked();
    await server.mailTo(addressOf(userId));

    expect((await decide({ delete: true, reason: 'Good luck!' })).status).toBe(200);

    await here.get(AccountDeletions).resume();
    expect(await exists()).toBe(false);
    const { text } = await server.mailTo(addressOf(userId), 1);
    expect(text).toContain('The administrator says: Good luck!');
    expect(await notices(ADMIN.userId)).toEqual([]);
    expect((await decide({ delete: true })).status).toBe(404);
  });

  it('the answer keeps the account, with the sentence in a mail and a notification', async () => {
    await asked();

    expect((await decide({ delete: false, reason: 'First hand over.' })).status).toBe(200);

    expect(await notices(userId)).toEqual([{ text: 'An administrator keeps your account.' }]);
    expect((await server.mailTo(addressOf(userId), 1)).text).toContain('First hand over.');
    expect(await audit()).toMatchObject([
      { details: 'an administrator decides' },
      { kind: 'deletion_cancelled', actor: ADMIN.userId, details: 'First hand over.' },
    ]);
    expect((await decide({ delete: true })).status).toBe(409);
    expect(await exists()).toBe(true);
  });

  it('only other administrators answer, in a sentence', async () => {
    await asked();

    expect((await decide({ delete: true }, here.as())).status).toBe(401);
    expect((await decide({ delete: true }, owner())).status).toBe(403);
    expect((await decide({ delete: true }, here.as(ADMIN), ADMIN.userId)).status).toBe(409);
    expect((await decide({ delete: false, reason: 'x'.repeat(501) })).status).toBe(400);
    expect((await decide({ delete: true }, here.as(ADMIN), 'nobody')).status).toBe(404);
    expect(await exists()).toBe(true);
    await keep();
  });
});

it('The doctor and the list of users tell who leaves, and a command keeps an account', async () => {
  await ask();
  const findings = async () =>
    (await here.get(InstallationChecks).run()).find(({ subject }) => subject === 'Accounts')
      ?.findings;
  const date = new Date(clock.now().getTime() + 14 * DAY_SECONDS * 1000).toISOString();
  expect(await findings()).toEqual([
    {
      state: 'ok',
      text: `To be deleted as their owners wish: ${userId} on ${date.slice(0, 10)}.`,
    },
  ]);

  const program = new Command().exitOverride();
  registerUserCommands(program, (work) => work(here.get));
  registerLeavingCommands(program, (work) => work(here.get));
  expect(await printedBy(program, ['user:list'])).toContain(`leaves ${date}`);
  expect(await printedBy(program, ['user:keep', userId])).toContain('is kept.');
  await withPolicy('ask', async () => ask());

  expect(await findings()).toMatchObject([{ state: 'warning' }]);
  expect(await printedBy(program, ['user:list'])).toContain('asks to be deleted');
  await keep();
  expect(await findings()).toBeUndefined();
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type AddressInfo } from 'node:net';
import { Clock } from '../../../src/common/clock.js';
import { Config } from '../../../src/common/config/config.js';
import { InstallationChecks } from '../../../src/common/ports/installation-checks.js';
import { GroupsService } from '../../../src/platform/accounts/groups/groups.service.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { LdapCheck } from '../../../src/platform/sign-in/ldap/ldap-check.task.js';
import { LdapSettings } from '../../../src/platform/sign-in/ldap/ldap.settings.js';
import { SignInSettings } from '../../../src/platform/sign-in/sign-in.settings.js';
import { loadConfig } from '../../../src/settings.js';
import {
  directoryIsThere,
  GROUPS,
  PEOPLE,
  SERVICE,
  startDirectory,
  type TestDirectory,
} from '../../support/a-directory.js';
import { ApiClient } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { itLong } from '../../support/long.js';
import { withOtherSettings } from '../../support/other-settings.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { within } from '../../support/until.js';

const SELF = '/ocs/v2.php/cloud/user?format=json';
const WORDS = 'the words of the directory';
const isThere = directoryIsThere();
const describeWithDirectory = isThere ? describe : describe.skip;

let directory: TestDirectory;
let app: TestApp;
let count = 0;
let uid: string;

const settings = (): Record<string, string> => ({
  GATEFOLD_LDAP_URL: directory.tlsUrl,
  GATEFOLD_LDAP_CA_FILE: directory.caFile,
  GATEFOLD_LDAP_BIND_DN: SERVICE.dn,
  GATEFOLD_LDAP_BIND_PASSWORD: SERVICE.password,
  GATEFOLD_LDAP_USER_BASE: PEOPLE,
});

/** While the running service has other settings of the directory. */
const withOther = <Result>(more: Record<string, string>, work: () => Promise<Result>) =>
  withOtherSettings(
    app.inside(LdapSettings),
    loadConfig({ ...settings(), ...more }).of(LdapSettings),
    work,
  );
const whileAway = (work: () => Promise<unknown>) =>
  withOther({ GATEFOLD_LDAP_URL: 'ldaps://localhost:9' }, work);

if (isThere) {
  beforeAll(async () => {
    directory = await startDirectory();
    app = await startApp({
      ...settings(),
      GATEFOLD_LDAP_GROUP_BASE: GROUPS,
      GATEFOLD_LDAP_ADMIN_GROUP: 'operators',
    });
  });
  afterAll(async () => {
    await app?.stop();
    await directory?.stop();
  });
  beforeEach(async () => {
    uid = `person-${count++}`;
    await directory.addPerson({ uid, password: WORDS });
  });
}

const login = (userId: string, password = WORDS) =>
  new Browser(app.url).login({ userId, password });
const basic = (userId: string, password = WORDS) =>
  new ApiClient(app.url, { userId, password }).get(SELF);
const users = () => app.inside(UsersService);

async function whoAmI(userId = uid, password = WORDS): Promise<Record<string, unknown>> {
  const { json } = await basic(userId, password);
  return (json as { ocs: { data: Record<string, unknown> } }).ocs.data;
}

describeWithDirectory('a login with a password of the directory', () => {
  it('creates the account, with name and address', async () => {
    await directory.changePerson(uid, { cn: 'Ada Lövelace', mail: 'ada@example.org' });
    const browser = new Browser(app.url);

    expect((await browser.login({ userId: uid, password: WORDS })).status).toBe(303);

    expect(((await browser.get(SELF)).json as { ocs: { data: object } }).ocs.data).toMatchObject({
      id: uid,
      displayname: 'Ada Lövelace',
      email: 'ada@example.org',
      groups: [],
    });
  });

  it('works for programs, and again', async () => {
    expect((await basic(uid)).status).toBe(200);
    expect((await basic(uid)).status).toBe(200);
    expect(await users().count({ text: uid })).toBe(1);
  });

  it('is taken while passwords of accounts are not', async () => {
    const local = `local-${uid}`;
    await users().add({ userId: local, password: WORDS });
    const off = loadConfig({
      ...settings(),
      GATEFOLD_PASSWORD_LOGIN: 'off',
    }).of(SignInSettings);
    await withOtherSettings(app.inside(SignInSettings), off, async () => {
      expect((await login(uid)).status).toBe(303);
      expect((await basic(uid)).status).toBe(200);
      expect((await login(local)).status).toBe(403);
      expect((await basic(local)).status).toBe(401);
    });
  });

  it('asks the directory again after 15 minutes, not at every poll of five', async () => {
    const clock = app.inside(Clock);
    const now = clock.now.bind(clock);
    const statusAfter = async (minutes: number) => {
      clock.now = () => new Date(now().getTime() + minutes * 60_000);
      return (await basic(uid)).status;
    };
    await basic(uid);
    await directory.changePerson(uid, { userPassword: 'another password' });
    try {
      expect(await statusAfter(6)).toBe(200);
      expect(await statusAfter(14)).toBe(200);
      expect(await statusAfter(16)).toBe(401);
    } finally {
      clock.now = now;
    }
  });

  it('asks the directory once for a burst of requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => basic(uid)));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await users().count({ text: uid })).toBe(1);
  });

  it.each([
    ['wrong', 'a wrong password'],
    ['empty', ''],
    ['one with a zero byte', `${WORDS}\0`],
    ['a zero byte', '\0'],
  ])('is refused with a password that is %s', async (_what, password) => {
    expect((await login(uid, password)).status).toBe(403);
    expect((await basic(uid, password)).status).toBe(401);
    expect(await users().count({ text: uid })).toBe(0);
  });

  it.each([
    ['*'],
    [`person-*`],
    ['*)(uid=*'],
    ['person-0)(objectClass=*'],
    ['\\2a'],
    ['x)(|(uid=*'],
    ['\0'],
    [''],
    ['('],
    ['dn'],
    ['{login}'],
    ['x'.repeat(200)],
  ])('is refused for the name %j, which matches nobody', async (name) => {
    expect([401, 403]).toContain((await login(name)).status);
    expect(await users().count({ text: 'person' })).toBeLessThan(count + 5);
    expect((await basic(name)).status).toBe(401);
  });

  it('finds names with signs of filters, and keeps their account', async () => {
    const odd = `${uid}.a_b@c-d`;
    await directory.addPerson({ uid: odd, password: WORDS });

    expect((await whoAmI(odd))['id']).toBe(odd);
  });

  it('is refused for a name that cannot be a user name', async () => {
    await directory.addPerson({ uid: `${uid} (x) *`, password: WORDS });

    expect((await login(`${uid} (x) *`)).status).toBe(403);
    expect(await users().count({ text: uid })).toBe(0);
  });

  it('is for the account of the directory, however the name is written', async () => {
    await login(uid);

    expect((await whoAmI(uid.toUpperCase()))['id']).toBe(uid);
    expect(await users().count({ text: uid })).toBe(1);
  });

  it('keeps the account when the user is renamed', async () => {
    await login(uid);
    await directory.renamePerson(uid, `${uid}-married`);

    expect((await whoAmI(`${uid}-married`))['id']).toBe(uid);
    expect((await basic(uid, 'another password')).status).toBe(401);
  });

  it('does not give the account to another entry of the same name', async () => {
    await login(uid);
    await directory.removePerson(uid);
    await directory.addPerson({ uid, password: 'of the successor' });

    expect((await login(uid, 'of the successor')).status).toBe(403);
  });

  it('does not take over local accounts, whose passwords are verified here', async () => {
    await directory.addPerson({ uid: 'admin', password: WORDS });
    await app.addUser(`local-${uid}`, 'the words of the local one');
    await directory.addPerson({ uid: `local-${uid}`, password: WORDS });

    expect((await login('admin')).status).toBe(403);
    expect((await login(`local-${uid}`)).status).toBe(403);
    expect((await login(`local-${uid}`, 'the words of the local one')).status).toBe(303);
    await directory.removePerson('admin');
  });

  it('does not take over a local account by another name of the entry', async () => {
    await app.addUser(`taken-${uid}`, 'the words of the local one');
    await directory.addPerson({ uid: `taken-${uid}`, password: WORDS });

    expect((await login(`TAKEN-${uid}`)).status).toBe(403);
  });

  it('ends with the account being disabled here, for any number of logins', async () => {
    await login(uid);
    await users().disable(uid);

    expect((await basic(uid)).status).toBe(401);
    expect((await login(uid)).status).toBe(403);
    expect((await users().show(uid)).disabled).toBe(true);
  });

  it('updates name and address, until they are changed here', async () => {
    await directory.changePerson(uid, { cn: 'Ada Lovelace', mail: 'ada@example.org' });
    await login(uid);
    await directory.changePerson(uid, { cn: 'Ada King' });
    await login(uid, `${WORDS} wrong`);
    expect((await users().show(uid)).displayName).toBe('Ada Lovelace');
    await users().changeEmail(uid, 'own@example.org');
    await directory.changePerson(uid, { userPassword: 'another word', mail: 'king@example.org' });
    await login(uid, 'another word');

    expect(await users().show(uid)).toMatchObject({
      displayName: 'Ada King',
      email: 'own@example.org',
    });
  });

  it('leaves names and addresses that cannot be as they are', async () => {
    await directory.changePerson(uid, { cn: '\u0007', mail: 'nowhere' });
    await login(uid);

    expect(await users().show(uid)).toMatchObject({ displayName: uid, email: null });
  });

  it('has a password that cannot be changed here', async () => {
    const own = await new ApiClient(app.url, { userId: uid, password: WORDS }).put(
      '/ocs/v2.php/core/password?format=json',
      { oldPassword: WORDS, newPassword: 'chosen in the wrong place' },
    );
    const byAdmin = await app
      .asAdmin()
      .put(`/ocs/v2.php/cloud/users/${uid}`, { key: 'password', value: 'chosen by the admin' });

    expect(own.status).toBe(409);
    expect(own.text).toContain('is that of the directory');
    expect(byAdmin.status).not.toBe(200);
    expect((await login(uid)).status).toBe(303);
  });

  it('can have app passwords, which need no directory', async () => {
    const person = new ApiClient(app.url, { userId: uid, password: WORDS });
    const { json } = await person.post('/ocs/v2.php/core/apppasswords?format=json', { name: 'P' });
    const { token } = (json as { ocs: { data: { token: string } } }).ocs.data;

    await whileAway(async () => {
      expect((await basic(uid, token)).status).toBe(200);
    });
  });
});

describeWithDirectory('while the directory is away', () => {
  it('local accounts log in, and others are told to try later', async () => {
    await app.addUser(`local-${uid}`, 'the words of the local one');
    await login(uid);
    await directory.addPerson({ uid: `late-${uid}`, password: WORDS });
    await directory.pause();
    try {
      expect((await login(`local-${uid}`, 'the words of the local one')).status).toBe(303);
      expect((await app.asAdmin().get(SELF)).status).toBe(200);
      const page = await login(`late-${uid}`);
      const program = await basic(`late-${uid}`);

      expect([page.status, program.status]).toEqual([503, 503]);
      expect(page.text).toContain('The directory of accounts cannot be reached');
      expect(program.headers['retry-after']).toBe('30');
    } finally {
      await directory.resume();
    }
    expect((await login(`late-${uid}`)).status).toBe(303);
  });

  it('logins are not counted as failures', async () => {
    await whileAway(async () => {
      const before = await app.database.query('select from security_event');
      await login(uid);
      expect(await app.database.query('select from security_event')).toHaveLength(before.length);
    });
  });

  it('the check of the installation says so, and nothing of the password', async () => {
    const examined = async () =>
      (await app.inside(InstallationChecks).run()).find(({ subject }) => subject === 'Directory');
    expect(await examined()).toMatchObject({
      findings: [{ state: 'ok', text: expect.stringMatching(/answers; it has \d+ users/) }],
    });
    await whileAway(async () => {
      const found = await examined();
      expect(found).toMatchObject({ findings: [{ state: 'error', advice: expect.any(String) }] });
      expect(JSON.stringify(found)).not.toContain(SERVICE.password);
    });
  });
});

describeWithDirectory('groups of the directory', () => {
  const groupsOf = async (userId: string) =>
    [...((await app.inside(GroupsService).groupsOf([userId])).get(userId) ?? [])].toSorted();
  /** A login that asks the directory. */
  const loginAgain = async () => {
    const words = `${WORDS} ${count++}`;
    await directory.changePerson(uid, { userPassword: words });
    expect((await login(uid, words)).status).toBe(303);
  };

  it('are followed at each login, and grant rights only by the setting', async () => {
    await directory.setGroup('readers', [uid]);
    await directory.setGroup('admin', [uid]);
    await directory.setGroup('others', ['somebody']);
    await login(uid);
    expect(await groupsOf(uid)).toEqual(['readers']);

    await directory.setGroup('readers', []);
    await directory.setGroup('operators', [uid]);
    await loginAgain();
    expect(await groupsOf(uid)).toEqual(['admin', 'operators']);

    await directory.setGroup('operators', []);
    await loginAgain();
    expect(await groupsOf(uid)).toEqual([]);
  });

  it('of the same name that were made here are not entered', async () => {
    await app.inside(GroupsService).add(`made-here-${uid}`, undefined);
    await directory.setGroup(`made-here-${uid}`, [uid]);

    await login(uid);

    expect(await groupsOf(uid)).toEqual([]);
  });
});

describeWithDirectory('users who leave the directory', () => {
  it('are disabled by the check, with their sessions', async () => {
    await directory.addPerson({ uid: `stays-${uid}`, password: WORDS });
    const browser = new Browser(app.url);
    await browser.login({ userId: uid, password: WORDS });
    await directory.changePerson(uid, { uid: uid.toUpperCase() });
    await app.inside(LdapCheck).run();
    expect((await users().show(uid)).disabled).toBe(false);

    await directory.removePerson(uid);
    await app.inside(LdapCheck).run();

    expect((await users().show(uid)).disabled).toBe(true);
    expect((await browser.get(SELF)).status).toBe(401);
    const [kept] = await app.database.query<{ entryId: string }>(
      'select entry_id as "entryId" from ldap_account where user_id = $1',
      [uid],
    );
    expect(kept?.entryId).toMatch(/^entryUUID:[0-9a-f-]{36}$/);
  });

  it('are enabled when the directory has them again', async () => {
    const other = `other-${uid}`;
    await directory.addPerson({ uid: other, password: WORDS });
    await login(uid);
    await login(other);
    await app.database.query(
      `update ldap_account set entry_id = entry_id || '-gone' where user_id = $1`,
      [uid],
    );
    await app.inside(LdapCheck).run();
    expect((await users().show(uid)).disabled).toBe(true);
    expect((await users().show(other)).disabled).toBe(false);
    await app.database.query(
      `update ldap_account set entry_id = replace(entry_id, '-gone', '') where user_id = $1`,
      [uid],
    );

    await app.inside(LdapCheck).run();

    expect((await users().show(uid)).disabled).toBe(false);
    expect((await basic(uid)).status).toBe(200);
  });

  it('are looked for when the check is due', async () => {
    await directory.addPerson({ uid: `stays-${uid}`, password: WORDS });
    await login(uid);
    const check = app.inside(LdapCheck);
    const clock = app.inside(Clock);
    const now = clock.now.bind(clock);
    const isDisabled = async () => (await users().show(uid)).disabled;
    try {
      await check.tick();
      await directory.removePerson(uid);
      await check.tick();
      expect(await isDisabled()).toBe(false);
      clock.now = () => new Date(now().getTime() + 61 * 60_000);
      await check.tick();
      expect(await isDisabled()).toBe(true);
    } finally {
      clock.now = now;
    }
  });

  it('are enabled by a login before the next check', async () => {
    await directory.addPerson({ uid: `stays-${uid}`, password: WORDS });
    await login(uid);
    await app.database.query(
      `update ldap_account set entry_id = entry_id || '-gone' where user_id = $1`,
      [uid],
    );
    await app.inside(LdapCheck).run();
    expect((await users().show(uid)).disabled).toBe(true);
    await app.database.query(
      `update ldap_account set entry_id = replace(entry_id, '-gone', '') where user_id = $1`,
      [uid],
    );

    expect((await login(uid)).status).toBe(303);
  });

  it('stay disabled when an administrator has disabled them', async () => {
    await login(uid);
    await users().disable(uid);

    await app.inside(LdapCheck).run();

    expect((await users().show(uid)).disabled).toBe(true);
  });

  it('are not disabled while the directory is away, or has no users at all', async () => {
    await login(uid);
    await whileAway(() => expect(app.inside(LdapCheck).run()).rejects.toThrow('cannot be reached'));
    expect((await users().show(uid)).disabled).toBe(false);

    await withOther({ GATEFOLD_LDAP_USER_FILTER: '(&(uid={login})(cn=nobody))' }, () =>
      app.inside(LdapCheck).run(),
    );
    expect((await users().show(uid)).disabled).toBe(false);
  });

  it('of other sources are never disabled', async () => {
    await login(uid);
    await app.addUser(`local-${uid}`, 'the words of the local one');

    await app.inside(LdapCheck).run();

    expect((await users().show(`local-${uid}`)).disabled).toBe(false);
  });
});

describeWithDirectory('with GATEFOLD_LDAP_LINK_ACCOUNTS', () => {
  const linking = (work: () => Promise<void>) =>
    withOther({ GATEFOLD_LDAP_LINK_ACCOUNTS: 'on' }, work);

  it('an account of the same name is linked, and then has the password of the directory', () =>
    linking(async () => {
      await app.addUser(`linked-${uid}`, 'the words of the local one');
      await directory.addPerson({ uid: `linked-${uid}`, password: WORDS });

      expect((await login(`linked-${uid}`)).status).toBe(303);

      expect((await login(`linked-${uid}`, 'the words of the local one')).status).toBe(403);
      expect(await users().count({ text: `linked-${uid}` })).toBe(1);
    }));

  it('accounts without an entry keep their passwords', () =>
    linking(async () => {
      await app.addUser(`local-${uid}`, 'the words of the local one');

      expect((await login(`local-${uid}`, 'the words of the local one')).status).toBe(303);
      expect((await login(`local-${uid}`, 'a wrong one')).status).toBe(403);
    }));
});

describeWithDirectory('the connection', () => {
  const statusWith = async (more: Record<string, string>) =>
    (await withOther(more, () => login(uid))).status;

  it('is encrypted by StartTLS', async () => {
    expect(await statusWith({ GATEFOLD_LDAP_URL: directory.url })).toBe(303);
  });

  it('may be in the clear if the setting says so', async () => {
    expect(
      await statusWith({ GATEFOLD_LDAP_URL: directory.url, GATEFOLD_LDAP_START_TLS: 'off' }),
    ).toBe(303);
  });

  it.each([
    ['an authority that is not known', () => ({ GATEFOLD_LDAP_CA_FILE: '' })],
    [
      'another name, by TLS',
      () => ({ GATEFOLD_LDAP_URL: directory.tlsUrl.replace('localhost', '127.0.0.1') }),
    ],
    [
      'another name, by StartTLS',
      () => ({ GATEFOLD_LDAP_URL: directory.url.replace('localhost', '127.0.0.1') }),
    ],
    ['a file that is not there', () => ({ GATEFOLD_LDAP_CA_FILE: '/nowhere.pem' })],
    ['a wrong password of the service', () => ({ GATEFOLD_LDAP_BIND_PASSWORD: 'wrong' })],
  ])('is refused with %s', async (_what, more) => {
    expect(await statusWith(more())).toBe(503);
  });

  itLong('is given up when the server does not answer', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;

    await withOther(
      { GATEFOLD_LDAP_URL: `ldap://127.0.0.1:${port}`, GATEFOLD_LDAP_START_TLS: 'off' },
      async () => {
        const answers = Promise.all([login(uid), app.asAdmin().get(SELF)]);
        // The service ends a login after 15 s.
        const [away, local] = await within('the end of a login', answers, 20);
        expect([away.status, local.status]).toEqual([503, 200]);
      },
    );
    silent.close();
  });

  it('is for one user: several that match log nobody in', async () => {
    await directory.addPerson({ uid: `${uid}-b`, password: WORDS });
    await directory.changePerson(uid, { mail: 'shared@example.org' });
    await directory.changePerson(`${uid}-b`, { mail: 'shared@example.org' });
    await withOther({ GATEFOLD_LDAP_USER_FILTER: '(|(uid={login})(mail={login}))' }, async () => {
      expect((await login('shared@example.org')).status).toBe(403);
      expect((await login(uid)).status).toBe(303);
    });
  });

  it('may find users by their address', async () => {
    await directory.changePerson(uid, { mail: `${uid}@example.org` });
    await withOther({ GATEFOLD_LDAP_USER_FILTER: '(|(uid={login})(mail={login}))' }, async () => {
      expect((await whoAmI(`${uid}@example.org`))['id']).toBe(uid);
      expect((await basic(`${uid}@example.org`)).status).toBe(200);
    });
  });
});

describeWithDirectory('guesses at passwords of the directory', () => {
  it('are slowed down, as those at others', () =>
    withOtherSettings(app.inside(Config), { rateLimits: true }, async () => {
      const statuses: number[] = [];
      for (let n = 0; n < 9; n++) {
        statuses.push((await login(uid, `guess ${n}`)).status);
      }

      expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 429, 429, 429]);
    }));
});

describe('the settings of the directory', () => {
  const faultsOf = (more: Record<string, string>) => {
    try {
      loadConfig({
        GATEFOLD_LDAP_URL: 'ldaps://ldap.example.org',
        GATEFOLD_LDAP_USER_BASE: 'ou=people,dc=example,dc=org',
        ...more,
      });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    [{ GATEFOLD_LDAP_URL: 'https://ldap.example.org' }, 'GATEFOLD_LDAP_URL must be an address'],
    [{ GATEFOLD_LDAP_URL: 'ldaps://a/dc=b' }, 'GATEFOLD_LDAP_URL must have a host'],
    [{ GATEFOLD_LDAP_USER_BASE: '' }, 'GATEFOLD_LDAP_URL needs GATEFOLD_LDAP_USER_BASE'],
    [{ GATEFOLD_LDAP_BIND_DN: 'cn=a' }, 'needs GATEFOLD_LDAP_BIND_PASSWORD'],
    [{ GATEFOLD_LDAP_ADMIN_GROUP: 'a' }, 'needs GATEFOLD_LDAP_GROUP_BASE'],
    [{ GATEFOLD_LDAP_USER_FILTER: '(uid=a)' }, 'must be a filter in parentheses'],
    [{ GATEFOLD_LDAP_USER_FILTER: '(uid={login}))' }, 'must be a filter in parentheses'],
    [{ GATEFOLD_LDAP_GROUP_FILTER: 'member={dn}' }, 'must be a filter in parentheses'],
    [{ GATEFOLD_LDAP_LOGIN_ATTRIBUTE: 'a=b' }, 'must be the name of an attribute'],
  ])('refuse %j', (more, fault) => {
    expect(faultsOf(more)).toContain(fault);
  });

  it('are enough with an address and a base', () => {
    expect(faultsOf({})).toBe('');
  });
});

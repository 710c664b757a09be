import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ManagedGroupsService } from '../../../src/platform/accounts/groups/managed-groups.service.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { ApiClient, type Answer } from '../../support/api-client.js';
import { knowApp, startExternalApp } from '../../support/external-app.js';
import { ADMIN, startApp, type TestApp } from '../../support/start-app.js';

const V1 = '/ocs/v1.php/cloud';
const V2 = '/ocs/v2.php/cloud';
const PASSWORD = 'a password of the tests';

let app: TestApp;
let admin: ApiClient;
let count = 0;
/** A new user for each test. */
let userId: string;

beforeAll(async () => {
  app = await startApp();
  admin = app.asAdmin();
});
afterAll(() => app?.stop());

beforeEach(async () => {
  userId = `person-${count++}`;
  await app.addUser(userId, PASSWORD);
});

const json = { headers: { accept: 'application/json', 'ocs-apirequest': 'true' } };

function call(client: ApiClient, method: string, path: string, body?: unknown): Promise<Answer> {
  return client.call(method, path, { ...json, json: body });
}

function as(id: string, password = PASSWORD): ApiClient {
  return new ApiClient(app.url, { userId: id, password });
}

function ocs(answer: Answer): { code: number; message: string; data: unknown } {
  const { meta, data } = (
    answer.json as { ocs: { meta: { statuscode: number; message: string }; data: unknown } }
  ).ocs;
  return { code: meta.statuscode, message: meta.message, data };
}

describe('a list of users', () => {
  it('has the ids, by part of id, display name or email, case-insensitively', async () => {
    await call(admin, 'PUT', `${V1}/users/${userId}`, {
      key: 'displayname',
      value: 'Ada Lovelace',
    });
    await call(admin, 'PUT', `${V1}/users/${userId}`, { key: 'email', value: 'ada@Example.org' });

    for (const search of [userId.toUpperCase(), 'LOVE', 'example.ORG']) {
      const found = await call(admin, 'GET', `${V1}/users?search=${search}`);

      expect(ocs(found)).toMatchObject({ code: 100, data: { users: [userId] } });
    }
    expect(ocs(await call(admin, 'GET', `${V1}/users?search=%25`)).data).toEqual({ users: [] });
  });

  it('is paged', async () => {
    const all = ocs(await call(admin, 'GET', `${V2}/users`)).data as { users: string[] };
    const page = await call(admin, 'GET', `${V2}/users?limit=1&offset=1`);
    const careless = await call(admin, 'GET', `${V2}/users?limit=&offset=&search=`);

    expect(ocs(page).data).toEqual({ users: all.users.slice(1, 2) });
    expect(ocs(careless).data).toEqual(all);
  });

  it('has a count, with and without search, for administrators only', async () => {
    const count = '/ocs/v2.php/apps/gatefold/api/v1/users/count';
    const all = ocs(await call(admin, 'GET', `${V2}/users`)).data as { users: string[] };
    await call(admin, 'PUT', `${V1}/users/${userId}/disable`);

    expect(ocs(await call(admin, 'GET', count)).data).toEqual({ count: all.users.length });
    expect(ocs(await call(admin, 'GET', `${count}?search=${userId.toUpperCase()}`)).data).toEqual({
      count: 1,
    });
    expect(ocs(await call(admin, 'GET', `${count}?search=%25`)).data).toEqual({ count: 0 });
    await call(admin, 'PUT', `${V1}/users/${userId}/enable`);
    expect((await call(as(userId), 'GET', count)).status).toBe(403);
    expect((await new ApiClient(app.url).get(count)).status).toBe(401);
  });

  it('is limited to a group, to a state or to administrators, and ordered by what is asked for', async () => {
    await call(admin, 'POST', `${V1}/groups`, { groupid: `crew-${userId}` });
    const others = ['b', 'c', 'd'].map((letter) => `${letter}-${userId}`);
    for (const [index, id] of others.entries()) {
      await app.addUser(id, PASSWORD);
      await call(admin, 'POST', `${V1}/users/${id}/groups?groupid=crew-${userId}`);
      const value = ['zoe', 'Émile', 'Ada'][index];
      await call(admin, 'PUT', `${V1}/users/${id}`, { key: 'displayname', value });
    }
    await call(as(`c-${userId}`), 'GET', `${V2}/user`);
    await call(admin, 'PUT', `${V1}/users/b-${userId}/disable`);
    await call(admin, 'POST', `${V1}/users/c-${userId}/groups?groupid=admin`);
    const crew = async (query: string) => {
      const path = `${V2}/users?group=crew-${userId}&${query}`;
      return (ocs(await call(admin, 'GET', path)).data as { users: string[] }).users.map(
        (id) => id[0],
      );
    };

    expect(await crew('')).toEqual(['b', 'c', 'd']);
    expect(await crew('order=name')).toEqual(['d', 'b', 'c']);
    expect((await crew('order=login'))[0]).toBe('c');
    expect(await crew('order=name&limit=1&offset=1')).toEqual(['b']);
    expect(await crew('state=enabled')).toEqual(['c', 'd']);
    expect(await crew('state=disabled')).toEqual(['b']);
    expect(await crew('state=administrators')).toEqual(['c']);
    const count = '/ocs/v2.php/apps/gatefold/api/v1/users/count';
    expect(
      ocs(await call(admin, 'GET', `${count}?group=crew-${userId}&state=enabled`)).data,
    ).toEqual({ count: 2 });
    const administrators = await call(admin, 'GET', `${V2}/users?group=admin&search=${userId}`);
    expect(ocs(administrators).data).toEqual({ users: [`c-${userId}`] });
    expect((await call(admin, 'GET', `${V2}/users?order=size`)).status).toBe(400);
    await call(admin, 'DELETE', `${V1}/users/c-${userId}/groups?groupid=admin`);
    await call(admin, 'DELETE', `${V1}/groups/crew-${userId}`);
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty'])('takes %s for a name', async (name) => {
    await app.addUser(name, PASSWORD);
    await call(admin, 'POST', `${V2}/groups`, { groupid: name });
    await call(admin, 'POST', `${V2}/users/${name}/groups`, { groupid: name });

    const { data } = ocs(await call(admin, 'GET', `${V2}/users/details?search=${name}`));

    const { users } = data as { users: Record<string, { id: string; groups: string[] }> };
    expect(Object.entries(users).map(([key, { id, groups }]) => [key, id, groups])).toEqual([
      [name, name, [name]],
    ]);
    expect((await call(as(name), 'GET', `${V2}/user`)).status).toBe(200);
    // Other tests list all groups.
    await call(admin, 'DELETE', `${V2}/groups/${name}`);
  });

  it('has details on request, disabled ones included', async () => {
    await call(admin, 'PUT', `${V1}/users/${userId}/disable`);

    const { data } = ocs(await call(admin, 'GET', `${V2}/users/details?search=${userId}`));

    expect(data).toMatchObject({
      users: { [userId]: { id: userId, enabled: false, email: null, groups: [] } },
    });
    expect(ocs(await call(admin, 'GET', `${V2}/users/${userId}`)).data).toMatchObject({
      enabled: false,
    });
  });
});

it('Text that cannot be stored is a client error on every route.', async () => {
  const answers = [
    await call(admin, 'GET', `${V2}/users?search=%00`),
    await call(as(userId), 'POST', '/ocs/v2.php/core/apppasswords', { name: 'a\0b' }),
    await call(as(userId), 'PUT', `${V2}/users/${userId}`, { key: 'displayname', value: 'a\0b' }),
    await call(as(userId), 'GET', '/avatar/%00/64'),
  ];

  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
});

describe('a new user', () => {
  const newUser = () => ({ userid: `new-${userId}`, password: PASSWORD });

  it('can log in at once, and has the given name and email', async () => {
    const { userid } = newUser();
    const added = await call(admin, 'POST', `${V1}/users`, {
      ...newUser(),
      displayName: 'Grace Hopper',
      email: 'grace@example.org',
    });

    expect(ocs(added)).toMatchObject({ code: 100, data: { id: userid } });
    expect(ocs(await call(as(userid), 'GET', `${V2}/user`)).data).toMatchObject({
      id: userid,
      displayname: 'Grace Hopper',
      email: 'grace@example.org',
      groups: [],
    });
  });

  it('may be sent as a form, and be an administrator', async () => {
    const added = await admin.call('POST', `${V2}/users`, {
      headers: { ...json.headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: `userid=form-${userId}&password=${PASSWORD}&groups[]=admin`,
    });

    expect(added.status).toBe(200);
    expect((await call(as(`form-${userId}`), 'GET', `${V2}/users`)).status).toBe(200);
  });

  it.each([
    [101, 'a name that cannot be', { userid: 'a b' }],
    [107, 'no password', { password: undefined }],
    [101, 'an address that is none', { email: 'nowhere' }],
    [101, 'too long a display name', { displayName: 'x'.repeat(201) }],
    [102, 'a name that is taken', { userid: ADMIN.userId }],
    [104, 'a group that is not there', { groups: ['friends'] }],
    [107, 'a password against the rules', { password: 'short' }],
  ])('is refused with code %i for %s', async (code, _what, fault) => {
    const body = { ...newUser(), ...fault };

    const v1 = await call(admin, 'POST', `${V1}/users`, body);
    const v2 = await call(admin, 'POST', `${V2}/users`, body);

    expect([v1.status, ocs(v1).code]).toEqual([200, code]);
    expect([v2.status, ocs(v2).code]).toEqual([400, code]);
    expect(ocs(v2).message).not.toBe('');
    expect(ocs(await call(admin, 'GET', `${V2}/users?search=new-${userId}`)).data).toEqual({
      users: [],
    });
  });
});

describe('the check of a new user', () => {
  const check = (fields: object, client = admin) =>
    call(client, 'POST', '/ocs/v2.php/apps/gatefold/api/v1/users/check', {
      userid: `checked-${userId}`,
      password: PASSWORD,
      ...fields,
    });

  it('says what would be refused, and adds nobody', async () => {
    const refused = [
      await check({ userid: 'a b' }),
      await check({ userid: ADMIN.userId.toUpperCase() }),
      await check({ password: 'short' }),
      await check({ email: 'nowhere' }),
    ];

    expect(refused.map(({ status }) => status)).toEqual([400, 409, 400, 400]);
    expect(ocs(refused[1] as Answer).message).toBe(`There is already a user "${ADMIN.userId}".`);
    expect((await check({})).status).toBe(200);
    expect((await check({ password: '' })).status).toBe(200);
    const found = await call(admin, 'GET', `${V2}/users?search=checked-${userId}`);
    expect(ocs(found).data).toEqual({ users: [] });
  });

  it('is for administrators alone', async () => {
    expect((await check({}, as(userId))).status).toBe(403);
    expect((await check({}, app.asStranger())).status).toBe(401);
  });
});

describe('a change of a user', () => {
  const edit = (client: ApiClient, id: string, key: string, value: string) =>
    call(client, 'PUT', `${V1}/users/${id}`, { key, value });

  it('by an administrator may set name, email and password', async () => {
    const answers = [
      await edit(admin, userId, 'display', 'Ada'),
      await edit(admin, userId, 'email', 'ada@example.org'),
      await edit(admin, userId, 'password', 'another password'),
    ];

    expect(answers.map((answer) => ocs(answer).code)).toEqual([100, 100, 100]);
    const self = await call(as(userId, 'another password'), 'GET', `${V2}/user`);
    expect(ocs(self).data).toMatchObject({ displayname: 'Ada', email: 'ada@example.org' });
    expect((await call(as(userId), 'GET', `${V2}/user`)).status).toBe(401);
  });

  it('removes the email if empty', async () => {
    await edit(admin, userId, 'email', 'ada@example.org');
    await edit(admin, userId, 'email', '');

    expect(ocs(await call(as(userId), 'GET', `${V2}/user`)).data).toMatchObject({ email: null });
  });

  it('of one’s own password requires the account password', async () => {
    const { token } = await app.inside(AppPasswordsService).add(userId, 'phone');

    const withAppPassword = await edit(as(userId, token), userId, 'password', 'taken over');
    const withPassword = await edit(as(userId), userId, 'password', 'changed by me');

    expect(ocs(withAppPassword).code).toBe(403);
    expect(ocs(withPassword).code).toBe(100);
    expect((await call(as(userId, 'changed by me'), 'GET', `${V2}/user`)).status).toBe(200);
  });

  it('by an external app cannot set the password', async () => {
    const external = await startExternalApp(app, { appId: 'tools' });
    await knowApp(app, external);

    const answer = await external.as(userId).call('PUT', `${V1}/users/${userId}`, {
      headers: { ...json.headers, authorization: `Basic ${btoa('any:thing')}` },
      json: { key: 'password', value: 'taken over' },
    });
    await external.close();

    expect(ocs(answer).code).toBe(403);
    expect((await call(as(userId), 'GET', `${V2}/user`)).status).toBe(200);
  });

  it('of one’s own name works with any credential', async () => {
    expect(ocs(await edit(as(userId), userId, 'displayname', 'Countess')).code).toBe(100);
    expect(ocs(await call(as(userId), 'GET', `${V2}/user`)).data).toMatchObject({
      displayname: 'Countess',
    });
  });

  it.each([
    [101, 'email', 'nowhere'],
    [101, 'displayname', '  '],
    [107, 'password', 'short'],
    [113, 'phone', '1'],
    [113, 'isAdmin', 'true'],
  ])('is refused with code %i for %s "%s"', async (code, key, value) => {
    expect(ocs(await edit(admin, userId, key, value)).code).toBe(code);
  });

  it('of another user is 404 unless by an administrator', async () => {
    const other = await edit(as(userId), ADMIN.userId, 'displayname', 'Pwned');
    const nobody = await edit(as(userId), 'nobody', 'displayname', 'Pwned');

    expect([ocs(other).code, ocs(nobody).code]).toEqual([998, 998]);
    expect(ocs(await call(admin, 'GET', `${V2}/user`)).data).toMatchObject({
      displayname: ADMIN.userId,
    });
  });
});

describe('a user', () => {
  it('is disabled and enabled', async () => {
    const disabled = await call(admin, 'PUT', `${V1}/users/${userId}/disable`);
    const out = await call(as(userId), 'GET', `${V2}/user`);
    const enabled = await call(admin, 'PUT', `${V1}/users/${userId}/enable`);
    const back = await call(as(userId), 'GET', `${V2}/user`);

    expect([ocs(disabled).code, ocs(enabled).code]).toEqual([100, 100]);
    expect([out.status, back.status]).toEqual([401, 200]);
  });

  it('is deleted', async () => {
    const deleted = await call(admin, 'DELETE', `${V1}/users/${userId}`);

    expect(ocs(deleted).code).toBe(100);
    expect((await call(admin, 'GET', `${V2}/users/${userId}`)).status).toBe(404);
    expect((await call(as(userId), 'GET', `${V2}/user`)).status).toBe(401);
  });

  it.each([
    ['PUT', '/disable', 101],
    ['PUT', '/enable', 101],
    ['DELETE', '', 998],
    ['GET', '/groups', 998],
  ])('who is not there cannot be called with %s users/nobody%s', async (method, path, code) => {
    expect(ocs(await call(admin, method, `${V1}/users/nobody${path}`)).code).toBe(code);
  });

  it.each([
    ['PUT', '/disable', 101],
    ['DELETE', '', 101],
    ['DELETE', '/groups?groupid=admin', 105],
  ])('does not lock himself out with %s users/…%s', async (method, path, code) => {
    await app.inside(UsersService).makeAdministrator(userId);

    expect(ocs(await call(as(userId), method, `${V1}/users/${userId}${path}`)).code).toBe(code);
    expect((await call(as(userId), 'GET', `${V2}/users`)).status).toBe(200);
  });
});

describe('the group of administrators', () => {
  it('always exists', async () => {
    const path = `${V1}/groups/admin`;
    const again = await call(admin, 'POST', `${V1}/groups`, { groupid: 'admin' });
    const renamed = await call(admin, 'PUT', path, { key: 'displayname', value: 'Crew' });
    const removed = await call(admin, 'DELETE', path);

    expect([ocs(again).code, ocs(renamed).code, ocs(removed).code]).toEqual([102, 101, 102]);
    expect(ocs(await call(admin, 'GET', `${V1}/groups?search=ADM`)).data).toEqual({
      groups: ['admin'],
    });
  });

  it('gives its members administrator rights', async () => {
    const path = `${V1}/users/${userId}/groups`;
    const entered = await call(admin, 'POST', path, { groupid: 'admin' });
    const inside = await call(as(userId), 'GET', `${V2}/users`);
    const members = await call(admin, 'GET', `${V1}/groups/admin/users?search=${userId}`);
    const groups = await call(as(userId), 'GET', path);
    const left = await call(admin, 'DELETE', path, { groupid: 'admin' });
    const outside = await call(as(userId), 'GET', `${V2}/users`);

    expect([ocs(entered).code, ocs(left).code]).toEqual([100, 100]);
    expect([inside.status, outside.status]).toEqual([200, 403]);
    expect(ocs(members).data).toEqual({ users: [userId] });
    expect(ocs(groups).data).toEqual({ groups: ['admin'] });
    expect(ocs(await call(as(userId), 'GET', path)).data).toEqual({ groups: [] });
  });

  it.each([
    [101, 'person', ''],
    [102, 'person', 'friends'],
    [103, 'nobody', 'admin'],
  ])('is refused with code %i for %s and "%s"', async (code, who, groupid) => {
    const path = `${V1}/users/${who === 'person' ? userId : who}/groups`;

    expect(ocs(await call(admin, 'POST', path, { groupid })).code).toBe(code);
    expect(ocs(await call(admin, 'DELETE', path, { groupid })).code).toBe(code);
  });
});

describe('the parts of the host', () => {
  it('are listed with the ids that programs look for, all enabled', async () => {
    const apps = async (query: string) =>
      (ocs(await call(admin, 'GET', `${V1}/apps${query}`)).data as { apps: string[] }).apps;

    expect(await apps('')).toEqual(expect.arrayContaining(['app_api', 'files', 'news', 'spreed']));
    expect(await apps('?filter=enabled')).toEqual(await apps(''));
    expect(await apps('?filter=disabled')).toEqual([]);
  });
});

describe('groups', () => {
  const groups = `${V1}/groups`;
  const add = (groupid: string, displayname?: string) =>
    call(admin, 'POST', groups, { groupid, displayname });
  const details = async (search: string) =>
    (ocs(await call(admin, 'GET', `${groups}/details?search=${search}`)).data as { groups: object })
      .groups;
  const members = async (groupId: string) =>
    ocs(await call(admin, 'GET', `${groups}/${groupId}`)).data;

  it('are created, listed in pages, renamed and deleted', async () => {
    await add('sailors', 'Sailors of the bay');
    await add('rowers');
    const page = (query: string) => call(admin, 'GET', `${groups}?${query}`);

    expect(ocs(await page('search=BAY')).data).toEqual({ groups: ['sailors'] });
    expect(ocs(await page('limit=1')).data).toEqual({ groups: ['admin'] });
    expect(ocs(await page('limit=2&offset=1')).data).toEqual({ groups: ['rowers', 'sailors'] });
    await call(admin, 'PUT', `${groups}/rowers?key=displayname&value=Rowing%20club`);
    expect(await details('rowers')).toEqual([
      {
        id: 'rowers',
        displayname: 'Rowing club',
        usercount: 0,
        disabled: 0,
        canAdd: true,
        canRemove: true,
        managedBy: null,
      },
    ]);
    expect(ocs(await call(admin, 'GET', `${groups}/rowers/subadmins`)).data).toEqual([]);
    const removed = [
      await call(admin, 'DELETE', `${groups}/rowers`),
      await call(admin, 'DELETE', `${groups}/sailors`),
      await call(admin, 'DELETE', `${groups}/sailors`),
    ];
    expect(removed.map((answer) => ocs(answer).code)).toEqual([100, 100, 101]);
    expect(ocs(await page('')).data).toEqual({ groups: ['admin'] });
  });

  it('of a directory say from where they come, and that members are not changed here', async () => {
    await add('rowers');
    await app.inside(ManagedGroupsService).follow('ldap', userId, ['fleet']);
    const page = (query: string) => call(admin, 'GET', `${groups}/details?${query}`);

    expect(await details('fleet')).toMatchObject([
      { managedBy: 'ldap', canAdd: false, canRemove: false, usercount: 1 },
    ]);
    expect(ocs(await page('limit=1&offset=1')).data).toMatchObject({
      groups: [{ id: 'fleet' }],
      total: 3,
    });
    await call(admin, 'DELETE', `${groups}/fleet`);
    await call(admin, 'DELETE', `${groups}/rowers`);
  });

  it('list their members, and users list their groups; they give no rights', async () => {
    await add('sailors');
    const account = `member-${userId}`;
    await call(admin, 'POST', `${V1}/users`, {
      userid: account,
      password: PASSWORD,
      groups: ['sailors'],
    });
    await call(admin, 'POST', `${V1}/users/${userId}/groups?groupid=sailors`);
    await call(admin, 'POST', `${V1}/users/${userId}/groups?groupid=sailors`);
    await call(admin, 'PUT', `${V1}/users/${account}/disable`);

    expect(await members('sailors')).toEqual({ users: [account, userId] });
    expect(await details('sailors')).toMatchObject([{ usercount: 2, disabled: 1 }]);
    expect(ocs(await call(as(userId), 'GET', `${V1}/user`)).data).toMatchObject({
      groups: ['sailors'],
    });
    expect((await call(as(userId), 'GET', `${V2}/users`)).status).toBe(403);
    await call(admin, 'DELETE', `${V1}/users/${userId}/groups?groupid=sailors`);
    await call(admin, 'DELETE', `${V1}/users/${account}`);
    expect(await members('sailors')).toEqual({ users: [] });
    await call(admin, 'DELETE', `${groups}/sailors`);
  });

  it.each([
    ['without a name', 'POST', '', { groupid: ' ' }, 101],
    ['with a slash', 'POST', '', { groupid: 'a/b' }, 101],
    ['with too long a name', 'POST', '', { groupid: 'n'.repeat(65) }, 101],
    ['renamed to nothing', 'PUT', '/nobody', { key: 'displayname', value: '' }, 101],
    ['renamed when it is not there', 'PUT', '/nobody', { key: 'displayname', value: 'x' }, 404],
    ['changed otherwise', 'PUT', '/nobody', { key: 'quota', value: 'x' }, 400],
    ['shown when it is not there', 'GET', '/nobody', undefined, 404],
    ['asked for administrators when not there', 'GET', '/nobody/subadmins', undefined, 101],
  ])('cannot be %s', async (_what, method, path, body, code) => {
    expect(ocs(await call(admin, method, groups + path, body)).code).toBe(code);
  });
});

describe('the last administrator who can log in', () => {
  const users = () => app.inside(UsersService);
  let second: string;

  beforeEach(async () => {
    second = `second-${userId}`;
    await app.addUser(second, PASSWORD);
    await users().makeAdministrator(userId);
    for (const other of await users().listAll()) {
      if (other.isAdmin && other.userId !== userId) {
        await users().unmakeAdministrator(other.userId);
      }
    }
  });
  afterEach(() => users().makeAdministrator(ADMIN.userId));

  it.each(['disable', 'delete', 'unmakeAdministrator'] as const)(
    'stays, no matter who tries to %s',
    async (change) => {
      await expect(users()[change](userId)).rejects.toThrow(
        `"${userId}" is the last administrator who can log in; make another user an administrator first.`,
      );
      expect((await call(as(userId), 'GET', `${V2}/users`)).status).toBe(200);
    },
  );

  it('can be demoted if there is another one that is not disabled', async () => {
    await users().makeAdministrator(second);
    await users().disable(second);
    await expect(users().delete(userId)).rejects.toThrow('is the last administrator');

    await users().enable(second);
    await users().delete(userId);

    expect((await call(as(userId), 'GET', `${V2}/users`)).status).toBe(401);
  });

  it('remains when two demote each other concurrently', async () => {
    await users().makeAdministrator(second);

    const both = await Promise.allSettled([users().disable(second), users().disable(userId)]);

    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('managing users', () => {
  it.each([
    ['GET', '/users'],
    ['GET', '/users/details'],
    ['POST', '/users'],
    ['PUT', `/users/${ADMIN.userId}/disable`],
    ['PUT', `/users/${ADMIN.userId}/enable`],
    ['DELETE', `/users/${ADMIN.userId}`],
    ['GET', '/groups'],
    ['GET', '/groups/admin'],
    ['GET', '/groups/admin/users'],
    ['GET', '/groups/admin/subadmins'],
    ['GET', '/groups/details'],
    ['GET', '/apps'],
    ['POST', '/groups'],
    ['PUT', '/groups/admin'],
    ['DELETE', '/groups/admin'],
    ['POST', '/users/admin/groups'],
    ['DELETE', '/users/admin/groups'],
  ])('with %s %s is for administrators alone', async (method, path) => {
    const stranger = await call(app.asStranger(), method, V2 + path, { groupid: 'admin' });
    const user = await call(as(userId), method, V2 + path, { groupid: 'admin' });

    expect([stranger.status, user.status]).toEqual([401, 403]);
  });

  it('does not show other users’ groups', async () => {
    const other = await call(as(userId), 'GET', `${V1}/users/admin/groups`);

    expect(ocs(other).code).toBe(998);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GroupsService } from '../../../src/platform/accounts/groups/groups.service.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { ScimSettings } from '../../../src/platform/sign-in/scim/scim.settings.js';
import { ApiClient, type Answer } from '../../support/api-client.js';
import { useOtherSettings, withOtherSettings } from '../../support/other-settings.js';
import { startApp, type TestApp } from '../../support/start-app.js';

/*
 * SCIM 2.0 (RFC 7643, RFC 7644) as provisioning services call it: Microsoft Entra ID with operations in
 * capitals and booleans as words, Okta with whole resources.
 */

const TOKEN = 'a token of the provisioning service';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const PASSWORD = 'a password of the tests';

interface Resource {
  readonly id: string;
  readonly meta: { readonly location: string; readonly lastModified: string };
  readonly [name: string]: unknown;
}

let app: TestApp;
let count = 0;
/** A new user name for each test. */
let userName: string;

beforeAll(async () => {
  app = await startApp({ GATEFOLD_SCIM_TOKEN: TOKEN });
});
afterAll(() => app?.stop());
beforeEach(() => {
  userName = `person-${count++}`;
});

async function scim(method: string, path: string, json?: unknown): Promise<Answer> {
  return app.asStranger().call(method, `/scim/v2${path}`, {
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
}

async function resourceOf(answer: Promise<Answer>, status = 200): Promise<Resource> {
  const { status: given, json, text } = await answer;
  expect([given, given === status ? '' : text]).toEqual([status, '']);
  return json as Resource;
}

const create = (more: object = {}) =>
  resourceOf(scim('POST', '/Users', { schemas: [USER], userName, ...more }), 201);

const patch = (path: string, ...Operations: object[]) =>
  scim('PATCH', path, { schemas: [PATCH], Operations });

/** Status, keyword and sentence of an error, whose form is checked. */
async function errorOf(answer: Promise<Answer>) {
  const { status, headers, json } = await answer;
  const error = json as { schemas: string[]; status: string; scimType?: string; detail: string };
  expect(headers['content-type']).toMatch(/^application\/scim\+json/);
  expect(error.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:Error']);
  expect(error.status).toBe(String(status));
  return { status, scimType: error.scimType, detail: error.detail };
}

async function idsFound(path: string): Promise<readonly string[]> {
  const { Resources } = (await resourceOf(scim('GET', path))) as unknown as {
    Resources: readonly Resource[];
  };
  return Resources.map(({ id }) => id);
}

const filtered = (type: string, filter: string) => `/${type}?filter=${encodeURIComponent(filter)}`;

const mayLogIn = async (password: string) =>
  (
    await new ApiClient(app.url, { userId: userName, password }).get(
      '/index.php/apps/news/api/v1-3/folders',
    )
  ).status === 200;

describe('Without the token', () => {
  it.each([
    ['no credentials', {}],
    ['another token', { authorization: 'Bearer of nothing' }],
    ['the password of an administrator', { authorization: 'Basic YWRtaW46eA==' }],
  ])('%s gets 401, before the body is read', async (_what, headers) => {
    const answer = app.asStranger().call('POST', '/scim/v2/Users', {
      headers: { ...headers, 'content-type': 'application/scim+json' },
      body: 'not JSON',
    });

    expect(await errorOf(answer)).toMatchObject({ status: 401 });
    expect((await answer).headers['www-authenticate']).toContain('Bearer');
  });

  it('and without the setting, there is no SCIM', () =>
    withOtherSettings(app.inside(ScimSettings), { token: undefined }, async () => {
      expect(await errorOf(scim('GET', '/Users'))).toMatchObject({ status: 404 });
    }));
});

describe('The service provider', () => {
  it('tells what it supports', async () => {
    expect(await resourceOf(scim('GET', '/ServiceProviderConfig'))).toMatchObject({
      patch: { supported: true },
      filter: { supported: true, maxResults: 200 },
      bulk: { supported: false },
      etag: { supported: false },
    });
  });

  it.each([
    ['ResourceTypes', ['User', 'Group']],
    ['Schemas', [USER, GROUP]],
  ])('lists its %s, and has each at its location', async (path, ids) => {
    expect(await idsFound(`/${path}`)).toEqual(ids);
    for (const id of ids) {
      const one = await resourceOf(scim('GET', `/${path}/${id}`));
      expect(one).toMatchObject({ id, meta: { location: `${app.url}/scim/v2/${path}/${id}` } });
    }
    expect(await errorOf(scim('GET', `/${path}/Other`))).toMatchObject({ status: 404 });
  });
});

describe('A user', () => {
  it('is created with an account, and found at its location', async () => {
    const created = await create({
      externalId: 'e-1',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [
        { value: 'home@example.org', type: 'home' },
        { value: 'ada@example.org', type: 'work', primary: true },
      ],
      title: 'Countess',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Engines' },
    });

    expect(created).toEqual({
      schemas: [USER],
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      externalId: 'e-1',
      userName,
      displayName: 'Ada Lovelace',
      name: { formatted: 'Ada Lovelace', givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: 'ada@example.org', type: 'work', primary: true }],
      active: true,
      groups: [],
      meta: {
        resourceType: 'User',
        created: expect.any(String),
        lastModified: expect.any(String),
        location: `${app.url}/scim/v2/Users/${created.id}`,
      },
    });
    expect(await resourceOf(scim('GET', `/Users/${created.id}`))).toEqual(created);
    expect(await app.inside(UsersService).show(userName)).toMatchObject({
      displayName: 'Ada Lovelace',
      email: 'ada@example.org',
      isAdmin: false,
      disabled: false,
    });
  });

  it('may log in with a password that was given, which is never returned', async () => {
    const created = await create({ password: PASSWORD });

    expect(await mayLogIn(PASSWORD)).toBe(true);
    expect(JSON.stringify(created)).not.toContain(PASSWORD);
    expect(
      await errorOf(
        patch(`/Users/${created.id}`, { op: 'replace', path: 'password', value: 'short' }),
      ),
    ).toMatchObject({
      status: 400,
      scimType: 'invalidValue',
    });
    await resourceOf(
      patch(`/Users/${created.id}`, { op: 'replace', path: 'password', value: `${PASSWORD} 2` }),
    );
    expect(await mayLogIn(PASSWORD)).toBe(false);
    expect(await mayLogIn(`${PASSWORD} 2`)).toBe(true);
  });

  it.each([
    ['a user name that is taken', () => create().then(() => ({})), 409, 'uniqueness'],
    ['a user name with spaces', () => ({ userName: 'not a name' }), 400, 'invalidValue'],
    ['no user name', () => ({ userName: undefined }), 400, 'invalidValue'],
    ['an address that is none', () => ({ emails: [{ value: 'nowhere' }] }), 400, 'invalidValue'],
    ['an active that is no boolean', () => ({ active: 'perhaps' }), 400, 'invalidValue'],
  ])('is refused with %s, and nothing is created', async (_what, fields, status, scimType) => {
    const more = await fields();
    const before = await resourceOf(scim('GET', '/Users?count=0'));

    const answer = scim('POST', '/Users', { schemas: [USER], userName, ...more });

    expect(await errorOf(answer)).toMatchObject({ status, scimType });
    expect(await resourceOf(scim('GET', '/Users?count=0'))).toEqual(before);
  });

  it('does not take over an account that was made here', async () => {
    await app.addUser(userName, PASSWORD);

    const answer = scim('POST', '/Users', { schemas: [USER], userName, active: false });

    expect(await errorOf(answer)).toMatchObject({ status: 409, scimType: 'uniqueness' });
    expect(await mayLogIn(PASSWORD)).toBe(true);
    expect(await idsFound(filtered('Users', `userName eq "${userName}"`))).toEqual([]);
  });

  it('is disabled and enabled, as Entra says it', async () => {
    const { id } = await create({ password: PASSWORD });

    const disabled = await resourceOf(
      patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' }),
    );
    expect(disabled['active']).toBe(false);
    expect(await mayLogIn(PASSWORD)).toBe(false);

    await resourceOf(patch(`/Users/${id}`, { op: 'Replace', value: { Active: true } }));
    expect(await mayLogIn(PASSWORD)).toBe(true);
  });

  it('changes by paths, and only what is named', async () => {
    const { id } = await create({
      displayName: 'Ada',
      emails: [{ value: 'a@example.org', type: 'work', primary: true }],
      externalId: 'e-2',
    });

    const changed = await resourceOf(
      patch(
        `/Users/${id}`,
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'b@example.org' },
        { op: 'Add', path: 'name.familyName', value: 'King' },
        { op: 'Replace', path: `${USER}:displayName`, value: 'Ada King' },
      ),
    );

    expect(changed).toMatchObject({
      displayName: 'Ada King',
      externalId: 'e-2',
      name: { familyName: 'King' },
      emails: [{ value: 'b@example.org' }],
    });
    const without = await resourceOf(patch(`/Users/${id}`, { op: 'remove', path: 'emails' }));
    expect(without['emails']).toEqual([]);
  });

  it('is replaced as Okta does it; what is left out stays', async () => {
    const { id, ...before } = await create({ displayName: 'Ada', active: false });

    const after = await resourceOf(
      scim('PUT', `/Users/${id}`, {
        ...before,
        displayName: 'Ada B.',
        emails: undefined,
        active: true,
      }),
    );

    expect(after).toMatchObject({ displayName: 'Ada B.', active: true });
  });

  it('keeps its user name', async () => {
    const { id } = await create();

    const answer = patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'another' });

    expect(await errorOf(answer)).toMatchObject({ status: 400, scimType: 'mutability' });
  });

  it.each([
    ['an unknown operation', { op: 'move', path: 'active', value: true }],
    ['a path that cannot be read', { op: 'replace', path: 'emails[', value: 'x' }],
    [
      'a place that is not there',
      { op: 'replace', path: 'emails[type eq "home" or].value', value: 'x' },
    ],
    ['what objects inherit', { op: 'add', path: '__proto__.polluted', value: 'yes' }],
    [
      'what objects inherit, as a value',
      { op: 'add', value: JSON.parse('{"__proto__": {"polluted": "yes"}}') as object },
    ],
    ['no path to remove', { op: 'remove' }],
  ])('is not changed by %s', async (_what, operation) => {
    const created = await create();

    const error = await errorOf(patch(`/Users/${created.id}`, operation));

    expect(error.status).toBe(400);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
    expect(await resourceOf(scim('GET', `/Users/${created.id}`))).toEqual(created);
  });

  it('is deleted with the account', async () => {
    const { id } = await create({ password: PASSWORD });

    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);

    expect(await errorOf(scim('GET', `/Users/${id}`))).toMatchObject({ status: 404 });
    expect(await errorOf(scim('DELETE', `/Users/${id}`))).toMatchObject({ status: 404 });
    await expect(app.inside(UsersService).show(userName)).rejects.toThrow('There is no user');
  });

  it('who became an administrator here is disabled, but not deleted', async () => {
    const { id } = await create({ password: PASSWORD });
    await app.inside(UsersService).makeAdministrator(userName);

    expect(await errorOf(scim('DELETE', `/Users/${id}`))).toMatchObject({ status: 403 });
    await resourceOf(patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }));
    expect(await app.inside(UsersService).show(userName)).toMatchObject({ disabled: true });
  });

  it('is not created beside an account whose name differs in case only', async () => {
    await app.addUser(userName, PASSWORD);

    const answer = scim('POST', '/Users', { userName: userName.toUpperCase() });

    expect(await errorOf(answer)).toMatchObject({
      status: 409,
      detail: `There is already a user "${userName}".`,
    });
  });

  it('who became an administrator here does not get a password from there', async () => {
    const { id } = await create({ password: PASSWORD });
    await app.inside(UsersService).makeAdministrator(userName);

    const answer = patch(`/Users/${id}`, {
      op: 'replace',
      path: 'password',
      value: 'another one of them',
    });

    expect(await errorOf(answer)).toMatchObject({ status: 403 });
    expect(await mayLogIn(PASSWORD)).toBe(true);
  });

  it.each(['no-uuid', '00000000-0000-0000-0000-000000000000', 'admin'])(
    'there is none with the id %s',
    async (id) => {
      expect(await errorOf(scim('GET', `/Users/${id}`))).toMatchObject({ status: 404 });
      expect(await errorOf(scim('PUT', `/Users/${id}`, { userName }))).toMatchObject({
        status: 404,
      });
    },
  );
});

describe('A list of users', () => {
  it.each([
    ['userName eq', (name: string) => `userName eq "${name.toUpperCase()}"`],
    ['externalId eq', (name: string) => `externalId eq "of ${name}"`],
    ['an address', (name: string) => `emails[type eq "work"].value eq "${name}@example.org"`],
    [
      'the form of Entra',
      (name: string) => `emails[type eq "work" and value eq "${name}@example.org"]`,
    ],
    [
      'and, not, co',
      (name: string) =>
        `not (active eq false) and userName co "${name.slice(2)}" and userName ew "${name}"`,
    ],
    ['or', (name: string) => `userName sw "nobody" or ${USER}:userName eq "${name}"`],
    [
      'pr and time',
      (name: string) =>
        `externalId pr and meta.created gt "2020-01-01T00:00:00Z" and userName eq "${name}"`,
    ],
  ])('is filtered by %s', async (_what, filterFor) => {
    const { id } = await create({
      externalId: `of ${userName}`,
      emails: [{ value: `${userName}@example.org` }],
    });

    expect(await idsFound(filtered('Users', filterFor(userName)))).toEqual([id]);
  });

  it.each([
    'userName eq',
    'password eq "x"',
    'userName eq "x" and (',
    'active co "t"',
    `${'not ('.repeat(30)}active eq true${')'.repeat(30)}`,
    "userName eq 'x'; drop table account",
  ])('refuses the filter %s', async (filter) => {
    expect(await errorOf(scim('GET', filtered('Users', filter)))).toMatchObject({
      status: 400,
      scimType: 'invalidFilter',
    });
  });

  it('takes values of a filter as values', async () => {
    expect(await idsFound(filtered('Users', `userName eq "x' or true --"`))).toEqual([]);
    expect(await idsFound(filtered('Users', `userName co "%"`))).toEqual([]);
  });

  it('is read in pages, counted from 1', async () => {
    const ids = [];
    for (const letter of ['a', 'b', 'c']) {
      ids.push((await create({ userName: `${userName}-${letter}` })).id);
    }
    const pages = filtered('Users', `userName sw "${userName}-"`);

    expect(await resourceOf(scim('GET', `${pages}&count=2&startIndex=2`))).toMatchObject({
      totalResults: 3,
      startIndex: 2,
      itemsPerPage: 2,
      Resources: [{ id: ids[1] }, { id: ids[2] }],
    });
    expect(await resourceOf(scim('GET', `${pages}&count=0`))).toMatchObject({
      totalResults: 3,
      Resources: [],
    });
    expect(await idsFound(`${pages}&startIndex=0&count=-1`)).toEqual([]);
    for (const large of ['1000', '9'.repeat(16), '9'.repeat(40)]) {
      expect(await idsFound(`${pages}&count=${large}`)).toEqual(ids);
      expect(await idsFound(`${pages}&startIndex=${large}`)).toEqual([]);
    }
  });

  it('has the attributes that are asked for', async () => {
    const { id } = await create();
    const only = filtered('Users', `id eq "${id}"`);

    expect(
      await resourceOf(scim('GET', `${only}&attributes=userName,name.formatted`)),
    ).toMatchObject({
      Resources: [{ schemas: [USER], id, userName, name: { formatted: userName } }],
    });
    const { Resources } = (await resourceOf(
      scim('GET', `${only}&excludedAttributes=emails,groups,meta`),
    )) as unknown as { Resources: Resource[] };
    expect(Object.keys(Resources[0] ?? {})).toEqual([
      'schemas',
      'id',
      'userName',
      'displayName',
      'name',
      'active',
    ]);
  });
});

describe('A group', () => {
  const createGroup = (members: readonly Resource[] = [], displayName = `of ${userName}`) =>
    resourceOf(
      scim('POST', '/Groups', {
        schemas: [GROUP],
        displayName,
        members: members.map(({ id }) => ({ value: id })),
      }),
      201,
    );
  const membersOf = (group: Resource) =>
    (group['members'] as readonly { value: string }[]).map(({ value }) => value);
  const groupsOf = async (userId: string) =>
    (await app.inside(GroupsService).groupsOf([userId])).get(userId) ?? [];

  it('is created with members, who are in it here', async () => {
    const ada = await create();
    const group = await createGroup([ada]);

    expect(group).toMatchObject({
      schemas: [GROUP],
      displayName: `of ${userName}`,
      members: [{ value: ada.id, display: userName, type: 'User' }],
      meta: { resourceType: 'Group', location: `${app.url}/scim/v2/Groups/${group.id}` },
    });
    expect(await groupsOf(userName)).toEqual([`of ${userName}`]);
    expect(await resourceOf(scim('GET', `/Users/${ada.id}`))).toMatchObject({
      groups: [{ value: group.id, display: `of ${userName}` }],
    });
  });

  it('gains and loses members by patches, as Entra and Okta send them', async () => {
    const [a, b, c] = [
      await create({ userName: `${userName}-a` }),
      await create({ userName: `${userName}-b` }),
      await create({ userName: `${userName}-c` }),
    ];
    const { id } = await createGroup([a]);
    const path = `/Groups/${id}`;
    const value = (...users: readonly Resource[]) => users.map((user) => ({ value: user.id }));
    const ofEntra = (user: Resource) => [{ $ref: null, value: user.id }];

    await resourceOf(patch(path, { op: 'Add', path: 'members', value: ofEntra(c) }));
    await resourceOf(patch(path, { op: 'Remove', path: 'members', value: ofEntra(c) }));
    expect(membersOf(await resourceOf(scim('GET', path)))).toEqual([a.id]);

    await resourceOf(patch(path, { op: 'Add', path: 'members', value: value(b, c) }));
    await resourceOf(patch(path, { op: 'Add', path: 'members', value: value(b) }));
    expect(membersOf(await resourceOf(scim('GET', path)))).toEqual([a.id, b.id, c.id]);

    await resourceOf(patch(path, { op: 'remove', path: `members[value eq "${b.id}"]` }));
    await resourceOf(patch(path, { op: 'Remove', path: 'members', value: value(c) }));
    expect(membersOf(await resourceOf(scim('GET', path)))).toEqual([a.id]);

    await resourceOf(patch(path, { op: 'remove', path: 'members' }));
    expect(membersOf(await resourceOf(scim('GET', path)))).toEqual([]);
    await resourceOf(
      scim('PUT', path, { schemas: [GROUP], displayName: 'x', members: value(c, a) }),
    );
    expect(await groupsOf(`${userName}-c`)).toEqual([`of ${userName}`]);
  });

  it('loses none of the members that are added at the same time', async () => {
    const users: Resource[] = [];
    for (let n = 0; n < 8; n++) {
      users.push(await create({ userName: `${userName}-${n}` }));
    }
    const { id } = await createGroup();

    await Promise.all(
      users.map((user) =>
        resourceOf(
          patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: user.id }] }),
        ),
      ),
    );

    expect(membersOf(await resourceOf(scim('GET', `/Groups/${id}`)))).toHaveLength(8);
  });

  it('is renamed, and keeps its id here', async () => {
    await create();
    const { id } = await createGroup();

    const renamed = await resourceOf(
      patch(`/Groups/${id}`, { op: 'replace', value: { id, displayName: 'Renamed' } }),
    );

    expect(renamed).toMatchObject({ id, displayName: 'Renamed' });
    expect(await app.inside(GroupsService).find(`of ${userName}`)).toMatchObject({
      displayName: 'Renamed',
    });
  });

  it.each([
    ['the administrators', 'admin', 409],
    ['what looks like the administrators', 'Admin', 409],
    ['what looks like them in wide letters', 'ＡＤＭＩＮ', 409],
    ['a name with a slash', 'a/b', 400],
    ['no name', '', 400],
  ])('cannot be %s', async (_what, displayName, status) => {
    expect(await errorOf(scim('POST', '/Groups', { displayName }))).toMatchObject({ status });
  });

  it('does not take over a group that was made here', async () => {
    await app.inside(GroupsService).add(`own ${userName}`, undefined);

    const answer = scim('POST', '/Groups', { displayName: `own ${userName}` });

    expect(await errorOf(answer)).toMatchObject({ status: 409, scimType: 'uniqueness' });
    expect(await idsFound(filtered('Groups', `displayName eq "own ${userName}"`))).toEqual([]);
  });

  it('has no members that SCIM does not manage, and keeps those that were added here', async () => {
    await app.addUser(userName, PASSWORD);
    const group = await createGroup();
    await app.inside(GroupsService).enter(`of ${userName}`, userName);

    const refused = patch(`/Groups/${group.id}`, {
      op: 'add',
      path: 'members',
      value: [{ value: '00000000-0000-0000-0000-000000000000' }],
    });

    expect(await errorOf(refused)).toMatchObject({ status: 400, scimType: 'invalidValue' });
    await resourceOf(patch(`/Groups/${group.id}`, { op: 'remove', path: 'members' }));
    expect(await groupsOf(userName)).toEqual([`of ${userName}`]);
  });

  it('is listed without members where they are not wanted, and deleted', async () => {
    const ada = await create();
    const { id } = await createGroup([ada]);
    const path = filtered('Groups', `displayName eq "of ${userName}"`);

    const listed = (await resourceOf(
      scim('GET', `${path}&excludedAttributes=members`),
    )) as unknown as { Resources: Resource[] };
    expect(listed.Resources[0]).not.toHaveProperty('members');
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204);
    expect(await idsFound(path)).toEqual([]);
    expect(await groupsOf(userName)).toEqual([]);
    expect(await resourceOf(scim('GET', `/Users/${ada.id}`))).toMatchObject({ groups: [] });
  });
});

it('changes are in the audit log, by SCIM', async () => {
  const { id } = await create();
  await resourceOf(patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }));

  const events = await app.database.query(
    `select kind, actor_id as "actorId", credential from security_event where user_id = $1 order by id`,
    [userName],
  );
  expect(events).toEqual([
    { kind: 'user_created', actorId: null, credential: 'scim' },
    { kind: 'user_disabled', actorId: null, credential: 'scim' },
  ]);
});

describe('With GATEFOLD_SCIM_LINK_ACCOUNTS=on', () => {
  useOtherSettings(
    () => app.inside(ScimSettings),
    () => ({ linkAccounts: true }),
  );

  it('an account that was made here is managed from then on', async () => {
    await app.addUser(userName, PASSWORD);

    const { id } = await create({ displayName: 'Ada' });

    expect(await resourceOf(scim('GET', `/Users/${id}`))).toMatchObject({
      displayName: 'Ada',
    });
    const again = scim('POST', '/Users', { userName });
    expect(await errorOf(again)).toMatchObject({ status: 409 });
  });

  it('but not that of an administrator', async () => {
    const answer = scim('POST', '/Users', { userName: 'admin', password: PASSWORD });

    expect(await errorOf(answer)).toMatchObject({ status: 403 });
    expect((await app.asAdmin().get('/ocs/v2.php/cloud/users?format=json')).status).toBe(200);
  });
});

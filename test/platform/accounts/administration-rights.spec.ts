import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RequestMethod } from '@nestjs/common';
import { GUARDS_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService } from '@nestjs/core';
import { AdminGuard } from '../../../src/common/auth/admin.guard.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { ApiClient, type Answer, type CallOptions } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { EVERY_PART } from '../../support/every-part.js';
import { knowApp, startExternalApp, toOcs, type ExternalApp } from '../../support/external-app.js';
import { ADMIN, startApp, type TestApp, type TestUser } from '../../support/start-app.js';

const OCS = '/ocs/v2.php';
const EVENTS = `${OCS}/apps/gatefold/api/v1/security/events`;
const REFUSAL = 'An app password or an external app cannot do this.';

let app: TestApp;
let external: ExternalApp;
let admin: TestUser;
/** Uses an app password of the administrator. */
let device: ApiClient;
/** Uses an app password with administrator rights. */
let tool: ApiClient;
let toolId: number;
let victims = 0;
let victim: string;

beforeAll(async () => {
  app = await startApp(EVERY_PART);
  external = await startExternalApp(app, { appId: 'a1' });
  await knowApp(app, external);
  admin = app.asAdmin();
  const passwords = app.inside(AppPasswordsService);
  const phone = await passwords.add('admin', 'phone');
  device = new ApiClient(app.url, { userId: 'admin', password: phone.token });
  const deployment = await passwords.add('admin', 'deployment', { mayAdminister: true });
  tool = new ApiClient(app.url, { userId: 'admin', password: deployment.token });
  toolId = deployment.id;
});
afterAll(async () => {
  await external?.close();
  await app?.stop();
});
beforeEach(async () => {
  victim = `victim-${(victims += 1)}`;
  await app.addUser(victim, `password of ${victim}`);
  await app.database.query('delete from security_event');
});

const asOcs = (options: CallOptions = {}): CallOptions => ({
  ...options,
  headers: { accept: 'application/json', ...options.headers },
});

/** Changes that would take over an installation. */
const CHANGES: [what: string, method: string, path: (userId: string) => string, json: object][] = [
  [
    'create an administrator',
    'POST',
    () => `${OCS}/cloud/users`,
    { userid: 'mallory', password: 'a password of mallory', groups: ['admin'] },
  ],
  ['promote a user', 'POST', (id) => `${OCS}/cloud/users/${id}/groups`, { groupid: 'admin' }],
  [
    'set the password of another user',
    'PUT',
    (id) => `${OCS}/cloud/users/${id}`,
    { key: 'password', value: 'a password of mallory' },
  ],
  [
    'change the address of another user',
    'PUT',
    (id) => `${OCS}/cloud/users/${id}`,
    { key: 'email', value: 'mallory@example.org' },
  ],
  ['disable a user', 'PUT', (id) => `${OCS}/cloud/users/${id}/disable`, {}],
  ['delete a user', 'DELETE', (id) => `${OCS}/cloud/users/${id}`, {}],
  ['create a group', 'POST', () => `${OCS}/cloud/groups`, { groupid: 'g' }],
  [
    'register a daemon',
    'POST',
    () => '/apps/app_api/daemons',
    {
      name: 'd',
      display_name: 'D',
      protocol: 'http',
      host: '127.0.0.1',
      accepts_deploy_id: 'manual-install',
    },
  ],
  [
    'register an app',
    'POST',
    () => '/apps/app_api/apps/register',
    { appId: 'evil', daemon: 'd', jsonInfo: {} },
  ],
  ['disable an app', 'PUT', () => `${OCS}/apps/app_api/ex-app/a1/enabled`, { enabled: 0 }],
];

const send = (client: ApiClient, [, method, path, json]: (typeof CHANGES)[number]) =>
  client.call(method, path(victim), asOcs({ json }));

const expectRefused = (answer: Answer) => {
  expect(answer.status).toBe(403);
  expect(answer.text).toContain(REFUSAL);
};

describe('an app password of an administrator', () => {
  it.each(CHANGES)('cannot %s', async (...change) => {
    expectRefused(await send(device, change));

    const users = await app.inside(UsersService).listAll();
    expect(users.map(({ userId }) => userId)).not.toContain('mallory');
    expect(users.find(({ userId }) => userId === victim)).toMatchObject({
      isAdmin: false,
      disabled: false,
      email: null,
    });
    const login = new ApiClient(app.url, { userId: victim, password: `password of ${victim}` });
    expect((await login.get(`${OCS}/cloud/user`)).status).toBe(200);
  });

  it('may read, update feeds, and change data of its user', async () => {
    const news = '/index.php/apps/news/api/v1-3';

    const answers = await Promise.all([
      device.get(`${OCS}/cloud/users`),
      device.get(EVENTS),
      device.get(`${news}/feeds/all`),
      device.get(`${news}/cleanup/before-update`),
      device.get(`${news}/cleanup/after-update`),
      device.get(`${news}/admin/due`),
      device.post(`${news}/folders`, { name: 'own' }),
      device.call('PUT', `${OCS}/cloud/users/admin`, {
        json: { key: 'displayname', value: 'Boss' },
      }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it('is rejected by every route with changes for administrators', async () => {
    const routes = administratorsChanges();
    expect(routes.length).toBeGreaterThan(15);

    for (const { method, path } of routes) {
      const answer = await device.call(method, path, asOcs({ json: {} }));

      expect([method, path, answer.text]).toEqual([method, path, expect.stringContaining(REFUSAL)]);
    }
  });

  it('may administer if created with administrator rights', async () => {
    const promoted = await send(tool, change('promote a user'));

    expect(promoted.status).toBe(200);
    expect(await app.inside(UsersService).find(victim)).toMatchObject({
      isAdmin: true,
    });
  });

  it('gets administrator rights only from an administrator with session or account password', async () => {
    const json = { name: 'tool', administration: true };
    const path = `${OCS}/core/apppasswords`;
    const owner = new ApiClient(app.url, { userId: victim, password: `password of ${victim}` });

    const made = toOcs(await admin.call('POST', path, asOcs({ json }))).data;
    const shown = toOcs(await admin.call('GET', path, asOcs())).data as { id: number }[];

    expect(made).toMatchObject({ administration: true, token: expect.any(String) });
    expect(shown.find(({ id }) => id === (made as { id: number }).id)).toMatchObject(json);
    expect((await owner.call('POST', path, asOcs({ json }))).status).toBe(403);
    expect((await tool.call('POST', path, asOcs({ json }))).status).toBe(403);
  });

  it('loses the right with its user', async () => {
    const passwords = app.inside(AppPasswordsService);
    const users = app.inside(UsersService);
    await users.makeAdministrator(victim);
    const { token } = await passwords.add(victim, 'tool', { mayAdminister: true });
    await users.unmakeAdministrator(victim);

    const former = new ApiClient(app.url, { userId: victim, password: token });

    expect((await send(former, change('promote a user'))).status).toBe(403);
  });
});

describe('an external app that acts for an administrator', () => {
  it.each(CHANGES)('cannot %s', async (_what, method, path, json) => {
    expectRefused(await external.as('admin').call(method, path(victim), asOcs({ json })));
  });

  it('may read like an administrator', async () => {
    const answer = await external.as('admin').call('GET', `${OCS}/cloud/users`);

    expect(answer.status).toBe(200);
  });
});

describe('a change by an administrator', () => {
  const events = async () =>
    toOcs(await admin.get(EVENTS, asOcs())).data as { kind: string; actor: string | null }[];

  it('is logged with actor, credential and client address', async () => {
    await send(admin, change('promote a user'));
    await send(tool, change('set the password of another user'));
    await send(admin, change('disable a user'));

    const common = { user: victim, actor: 'admin', address: '127.0.0.1' };
    expect(await events()).toMatchObject([
      { ...common, kind: 'user_disabled', credential: 'password' },
      { ...common, kind: 'password_changed', credential: `app password ${toolId}` },
      { ...common, kind: 'rights_granted', credential: 'password' },
    ]);
  });

  it('is logged for sessions, too', async () => {
    const browser = new Browser(app.url);
    await browser.login(ADMIN);
    const { token } = (await browser.get('/csrftoken')).json as { token: string };
    await browser.call('PUT', `${OCS}/cloud/users/${victim}/disable`, {
      headers: { requesttoken: token },
    });

    expect((await events())[0]).toMatchObject({
      kind: 'user_disabled',
      actor: 'admin',
      credential: 'session',
      address: '127.0.0.1',
    });
  });

  it('is logged as a generic event if it has no specific one', async () => {
    await admin.post('/apps/app_api/apps/check/a1');

    const common = { kind: 'administration', user: 'admin', actor: 'admin', address: '127.0.0.1' };
    expect(await events()).toMatchObject([
      { ...common, details: 'POST /apps/app_api/apps/check/a1' },
    ]);
  });

  it('is not logged if it fails', async () => {
    await admin.call('DELETE', '/apps/app_api/daemons/nothing', asOcs());

    expect(await events()).toEqual([]);
  });

  it('keeps the name of an administrator who is deleted, and is marked', async () => {
    const users = app.inside(UsersService);
    await users.makeAdministrator(victim);
    const actor = new ApiClient(app.url, { userId: victim, password: `password of ${victim}` });
    await actor.call('POST', `${OCS}/cloud/groups`, asOcs({ json: { groupid: `of-${victim}` } }));
    expect((await events()).map(({ actor: by }) => by)).toContain(victim);

    await users.delete(victim);

    const event = (await events()).find(({ actor: by }) => by === victim);
    expect(event).toMatchObject({ kind: 'group_created', actorDeleted: expect.any(Number) });
  });
});

function change(what: string): (typeof CHANGES)[number] {
  const found = CHANGES.find(([name]) => name === what);
  if (found === undefined) {
    throw new Error(`There is no change "${what}"`);
  }
  return found;
}

/** Every route behind `AdminGuard` that changes something, as the controllers declare them. */
function administratorsChanges(): { method: string; path: string }[] {
  const guarded = (target: object): boolean =>
    ((Reflect.getMetadata(GUARDS_METADATA, target) ?? []) as unknown[]).includes(AdminGuard);
  return app
    .inside(DiscoveryService)
    .getControllers()
    .flatMap(({ metatype, instance }) => {
      const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
      const roots = [Reflect.getMetadata(PATH_METADATA, metatype as object) as string].flat();
      return Object.getOwnPropertyNames(prototype).flatMap((name) => {
        const handler = Object.getOwnPropertyDescriptor(prototype, name)?.value as object;
        const verb = Reflect.getMetadata(METHOD_METADATA, handler ?? {}) as number | undefined;
        const method = verb === undefined ? undefined : RequestMethod[verb];
        const isGuarded = guarded(metatype as object) || guarded(handler);
        if (method === undefined || method === 'GET' || !isGuarded) {
          return [];
        }
        const [path = ''] = [Reflect.getMetadata(PATH_METADATA, handler) as string].flat();
        const [root = ''] = roots;
        // Scripts refresh feeds regularly.
        if (root.endsWith('/doctor') || (root.endsWith('/users') && path === 'check')) {
          return [];
        }
        return { method, path: `/${root}/${path}`.replace(/\/+/g, '/').replace(/:\w+/g, '1') };
      });
    });
}

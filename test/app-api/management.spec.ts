import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LifecyclePace } from '../../src/app-api/apps/lifecycle/lifecycle-pace.service.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import type { ApiClient } from '../support/api-client.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
  type OcsAnswer,
} from '../support/external-app.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

const OCS = '/ocs/v1.php/apps/app_api';
const PLAIN = '/index.php/apps/app_api';

let app: TestApp;
let admin: TestUser;
let user: TestUser;
let external: ExternalApp;
let appId: string;
let nextApp = 0;

beforeAll(async () => {
  app = await startApp();
  admin = app.asAdmin();
  user = await app.signIn();
  const pace = app.inside(LifecyclePace);
  pace.installHeartbeats = 2;
  pace.enableHeartbeats = 2;
  pace.pause = async () => {};
});

afterAll(async () => {
  await app?.stop();
});

beforeEach(async () => {
  appId = `managed-${nextApp++}`;
  external = await startExternalApp(app, { appId });
});

afterEach(async () => {
  await settled();
  await external.close();
});

function settled(): Promise<void> {
  return app.inside(LifecycleService).settled();
}

async function ocs(
  client: ApiClient,
  method: string,
  path: string,
  body?: object,
): Promise<OcsAnswer> {
  const answer = await client.call(method, `${OCS}${path}`, {
    query: { format: 'json' },
    ...(body && { json: body }),
  });
  return toOcs(answer);
}

describe.each(['/api/v1/ex-app', '/ex-app'])('%s/{list}', (root) => {
  it('[G120] lists all apps or the enabled ones for an administrator', async () => {
    const off = await startExternalApp(app, { appId: `${appId}-off` });
    await knowApp(app, external);
    await knowApp(app, off, false);

    const all = await ocs(admin, 'GET', `${root}/all`);
    const enabled = await ocs(admin, 'GET', `${root}/enabled`);

    await off.close();
    expect(all).toMatchObject({ statuscode: 100 });
    expect(all.data).toContainEqual({
      id: appId,
      name: `App ${appId}`,
      version: '1.0.0',
      enabled: true,
      status: { deploy: 100, init: 100, action: '', type: '', error: '' },
      last_check_time: 0,
      system: false,
    });
    expect(all.data).toContainEqual(expect.objectContaining({ id: off.appId, enabled: false }));
    expect(enabled.data).toContainEqual(expect.objectContaining({ id: appId }));
    expect(enabled.data).not.toContainEqual(expect.objectContaining({ id: off.appId }));
  });

  it('[G120] is not for users and anonymous requests', async () => {
    expect(await ocs(user, 'GET', `${root}/all`)).toMatchObject({ statuscode: 403 });
    expect(await ocs(app.asStranger(), 'GET', `${root}/all`)).toMatchObject({
      httpStatus: 401,
      statuscode: 997,
    });
  });

  it('contains no secret', async () => {
    await knowApp(app, external);

    const answer = await admin.get(`${OCS}${root}/all?format=json`);

    expect(answer.text).toContain(appId);
    expect(answer.text).not.toContain(external.secret);
  });

  it('is open to an app that acts for an administrator, not to one that acts for a user', async () => {
    await knowApp(app, external);

    expect(await external.as('admin').ocs('GET', `${root}/enabled`)).toMatchObject({
      statuscode: 100,
    });
    expect(await external.as(user.credentials.userId).ocs('GET', `${root}/enabled`)).toMatchObject({
      statuscode: 403,
    });
  });

  it('[G121] has no other lists', async () => {
    expect(await ocs(admin, 'GET', `${root}/foo`)).toMatchObject({
      statuscode: 400,
      message: expect.stringContaining('none "foo"'),
    });
  });

  it('[G18] leaves the state of the calling app to the other route', async () => {
    await knowApp(app, external);

    expect(await external.as().ocs('GET', `${root}/state`)).toMatchObject({
      statuscode: 100,
      data: 1,
    });
  });
});

describe('the bare path of the specification', () => {
  it('answers with the code of v1 and the HTTP status of the error', async () => {
    const list = await admin.get('/apps/app_api/api/v1/ex-app/all');
    const wrong = await admin.get('/apps/app_api/api/v1/ex-app/foo');

    expect(list).toMatchObject({ status: 200, json: { ocs: { meta: { statuscode: 100 } } } });
    expect(wrong).toMatchObject({ status: 400, json: { ocs: { meta: { statuscode: 400 } } } });
  });
});

describe('ex-app/info/{appId}', () => {
  it('shows one app', async () => {
    await knowApp(app, external);

    expect(await ocs(admin, 'GET', `/api/v1/ex-app/info/${appId}`)).toMatchObject({
      statuscode: 100,
      data: { id: appId, enabled: true },
    });
  });

  it('answers 404 for an unknown one, and 403 for a user', async () => {
    expect(await ocs(admin, 'GET', '/api/v1/ex-app/info/nobody')).toMatchObject({
      statuscode: 404,
      data: [],
    });
    expect(await ocs(user, 'GET', '/api/v1/ex-app/info/nobody')).toMatchObject({ statuscode: 403 });
  });
});

describe('ex-app/{appId}/enabled', () => {
  const put = (client: ApiClient, enabled: unknown, id = appId) =>
    ocs(client, 'PUT', `/api/v1/ex-app/${id}/enabled`, { enabled });

  it('enables and disables', async () => {
    await knowApp(app, external, false);

    const on = await put(admin, 1);
    const off = await put(admin, '0');

    expect([on, off]).toMatchObject([
      { statuscode: 100, data: [] },
      { statuscode: 100, data: [] },
    ]);
    expect(external.requests('/enabled').map(({ query }) => query.get('enabled'))).toEqual([
      '1',
      '0',
    ]);
  });

  it('[G122] reports when there is nothing to change', async () => {
    await knowApp(app, external);

    expect(await put(admin, 1)).toMatchObject({
      statuscode: 400,
      message: 'ExApp already enabled',
    });
    await put(admin, 0);
    expect(await put(admin, 0)).toMatchObject({
      statuscode: 400,
      message: 'ExApp already disabled',
    });
  });

  it('reports why an app could not be enabled', async () => {
    await knowApp(app, external, false);
    external.on('/enabled', json({ error: 'no licence' }));

    expect(await put(admin, 1)).toMatchObject({
      statuscode: 400,
      message: expect.stringMatching(/^Failed to enable ExApp: .*no licence$/),
    });
  });

  it('reports the error of an app that is disabled', async () => {
    await knowApp(app, external);
    external.on('/enabled', json({}, 500));

    expect(await put(admin, 0)).toMatchObject({
      statuscode: 400,
      message: expect.stringMatching(/^Failed to disable ExApp: .*answered 500/),
    });
  });

  it('answers 404 for an unknown app, 400 without a flag, 403 for a user, 401 without credentials', async () => {
    await knowApp(app, external);

    expect(await put(admin, 1, 'nobody')).toMatchObject({ statuscode: 404 });
    expect(await put(admin, 'perhaps')).toMatchObject({ statuscode: 400 });
    expect(await put(user, 0)).toMatchObject({ statuscode: 403 });
    expect(await put(app.asStranger(), 0)).toMatchObject({ httpStatus: 401 });
    expect(external.requests('/enabled')).toEqual([]);
  });
});

describe('info/host_url', () => {
  it.each(['host_url', 'nextcloud_url'])(
    '[G123] %s is the address without a trailing slash',
    async (name) => {
      expect(await ocs(admin, 'GET', `/api/v1/info/${name}`)).toMatchObject({
        statuscode: 100,
        data: { base_url: app.url },
      });
    },
  );
});

describe('plain JSON routes for administrators', () => {
  const register = (more: object = {}) =>
    admin.post(`${PLAIN}/apps/register`, {
      appId,
      jsonInfo: { version: '1.0.0', secret: external.secret, base_url: external.baseUrl, ...more },
    });

  it('register answers at once and continues in the background', async () => {
    const answer = await register();
    await settled();
    await external.as().ocs('PUT', '/ex-app/status', { json: { progress: 100 } });
    await settled();

    expect(answer).toMatchObject({
      status: 200,
      json: {
        app: { id: appId, enabled: false, base_url: external.baseUrl },
        secret: external.secret,
      },
    });
    expect((await admin.get(`${PLAIN}/apps/status/${appId}`)).json).toMatchObject({
      init: 100,
      error: '',
    });
    expect((await admin.get(`${PLAIN}/apps/list`)).json).toMatchObject({
      apps: expect.arrayContaining([expect.objectContaining({ id: appId, enabled: true })]),
    });
  });

  it('register generates a secret if none is given', async () => {
    external.on('/init', json({}, 404));

    const answer = await admin.post(`${PLAIN}/apps/register`, {
      appId,
      jsonInfo: JSON.stringify({ base_url: `${external.baseUrl}/` }),
    });

    const { secret } = answer.json as { secret: string };
    expect(secret).toMatch(/^[0-9a-f]{128}$/);
    const { headers } = await external.received('/init');
    expect(headers['authorization-app-api']).toBe(Buffer.from(`:${secret}`).toString('base64'));
  });

  it('register rejects invalid and existing apps', async () => {
    await register();

    expect(await register()).toMatchObject({ status: 409 });
    expect(
      await admin.post(`${PLAIN}/apps/register`, { appId: 'x', jsonInfo: { base_url: 'ftp://x' } }),
    ).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining('"base_url" must be an http or https address') },
    });
    expect(await admin.post(`${PLAIN}/apps/register`, { appId: 'x', jsonInfo: {} })).toMatchObject({
      status: 404,
      json: { message: expect.stringContaining('name a daemon') },
    });
  });

  it('the status has the failed heartbeat with address and response', async () => {
    external.on('/heartbeat', json({ status: 'no' }));

    await register();
    await settled();

    expect((await admin.get(`${PLAIN}/apps/status/${appId}`)).json).toMatchObject({
      error: expect.stringContaining(`GET ${external.baseUrl}/heartbeat answered 200`),
    });
  });

  it('enable, disable and uninstall', async () => {
    await knowApp(app, external, false);

    const enabled = await admin.post(`${PLAIN}/apps/enable/${appId}`);
    const disabled = await admin.post(`${PLAIN}/apps/disable/${appId}`);
    const removed = await admin.post(`${PLAIN}/apps/uninstall/${appId}`);

    expect([enabled, disabled, removed]).toMatchObject([
      { status: 200, json: { changed: true } },
      { status: 200, json: { changed: true, complaint: null } },
      { status: 200, json: {} },
    ]);
    expect((await admin.get(`${PLAIN}/apps/status/${appId}`)).status).toBe(404);
  });

  it('update continues after the response', async () => {
    await knowApp(app, external);
    external.on('/init', json({}, 501));
    const jsonInfo = { version: '3.1.4' };

    const begun = await admin.post(`${PLAIN}/apps/update/${appId}`, { jsonInfo });
    await settled();
    const again = await admin.post(`${PLAIN}/apps/update/${appId}`, { jsonInfo });

    expect([begun.json, again.json]).toEqual([{ updating: true }, { updating: false }]);
    expect(await ocs(admin, 'GET', `/api/v1/ex-app/info/${appId}`)).toMatchObject({
      data: { version: '3.1.4', name: `App ${appId}`, enabled: true },
    });
    expect(
      await app.database.query(
        'select details, actor_id from security_event where subject_id = $1 and kind = $2',
        [appId, 'app_updated'],
      ),
    ).toEqual([{ details: 'version 1.0.0 → 3.1.4', actor_id: 'admin' }]);
  });

  it('check shows the result of the connection check', async () => {
    await knowApp(app, external);
    external.on('/heartbeat', json('hm', 418));

    expect((await admin.post(`${PLAIN}/apps/check/${appId}`)).json).toMatchObject({
      app: { id: appId, enabled: true },
      init_timeout_minutes: 40,
      heartbeat: {
        alive: false,
        address: `${external.baseUrl}/heartbeat`,
        status: 418,
        body: '"hm"',
        error: expect.stringContaining('answered 418'),
      },
    });
  });

  it.each([
    ['GET', 'apps/list'],
    ['POST', 'apps/register'],
    ['POST', 'apps/enable/x'],
    ['POST', 'apps/disable/x'],
    ['GET', 'apps/status/x'],
    ['POST', 'apps/check/x'],
    ['POST', 'apps/update/x'],
    ['POST', 'apps/uninstall/x'],
    ['GET', 'daemons'],
    ['POST', 'daemons'],
    ['PUT', 'daemons/x'],
    ['DELETE', 'daemons/x'],
    ['POST', 'daemons/x/check'],
  ])('%s %s is for administrators only', async (method, path) => {
    expect((await user.call(method, `${PLAIN}/${path}`)).status).toBe(403);
    expect((await app.asStranger().call(method, `${PLAIN}/${path}`)).status).toBe(401);
  });
});

describe('/daemons', () => {
  const daemon = (name: string, more: object = {}) => ({
    name,
    display_name: 'Manual',
    accepts_deploy_id: 'manual-install',
    protocol: 'http',
    host: '127.0.0.1',
    ...more,
  });

  it('are registered, listed, changed and unregistered', async () => {
    const created = await admin.post(`${PLAIN}/daemons`, daemon('one', { is_default: true }));
    const twice = await admin.post(`${PLAIN}/daemons`, daemon('one'));
    const changed = await admin.put(`${PLAIN}/daemons/one`, daemon('one', { host: 'localhost' }));
    const list = await admin.get(`${PLAIN}/daemons`);
    const removed = await admin.delete(`${PLAIN}/daemons/one`);
    const missing = await admin.delete(`${PLAIN}/daemons/one`);

    expect(created).toMatchObject({ status: 200, json: { name: 'one', is_default: true } });
    expect(twice.status).toBe(409);
    expect(changed).toMatchObject({ status: 200, json: { host: 'localhost', is_default: false } });
    expect(list.json).toMatchObject({ daemons: [{ name: 'one', host: 'localhost' }] });
    expect([removed.status, missing.status]).toEqual([200, 404]);
  });

  it('one is the default', async () => {
    await admin.post(`${PLAIN}/daemons`, daemon('first', { is_default: true }));
    await admin.post(`${PLAIN}/daemons`, daemon('second', { is_default: true }));

    const { daemons } = (await admin.get(`${PLAIN}/daemons`)).json as {
      daemons: { name: string; is_default: boolean }[];
    };

    await admin.delete(`${PLAIN}/daemons/first`);
    await admin.delete(`${PLAIN}/daemons/second`);
    expect(daemons.filter(({ is_default }) => is_default)).toMatchObject([{ name: 'second' }]);
  });

  it.each([
    [{ accepts_deploy_id: 'docker-install' }, 'runs no containers'],
    [{ protocol: 'ftp' }, 'http or https'],
    [{ host: 'example.org/path' }, 'a name or an address'],
    [{ host: 'example.org:80' }, 'a name or an address'],
  ])('reject %p', async (more, message) => {
    expect(await admin.post(`${PLAIN}/daemons`, daemon('wrong', more))).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining(message) },
    });
  });

  it('complete the address of an app; check covers their apps; they stay while in use', async () => {
    await admin.post(`${PLAIN}/daemons`, daemon('here'));
    const port = Number(new URL(external.baseUrl).port);

    const registered = await admin.post(`${PLAIN}/apps/register`, {
      appId,
      daemonName: 'here',
      jsonInfo: { secret: external.secret, port },
    });
    await settled();
    const checked = await admin.post(`${PLAIN}/daemons/here/check`);
    const refused = await admin.delete(`${PLAIN}/daemons/here`);

    expect(registered.json).toMatchObject({ app: { base_url: external.baseUrl, daemon: 'here' } });
    expect(checked.json).toMatchObject({ success: true, apps: [{ id: appId, status: 200 }] });
    expect(refused).toMatchObject({
      status: 409,
      json: { message: expect.stringContaining(appId) },
    });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { knowApp, startExternalApp, toOcs, type ExternalApp } from '../support/external-app.js';
import { startApp, type TestApp } from '../support/start-app.js';

const V1 = '/ocs/v1.php/apps/app_api';
const V2 = '/ocs/v2.php/apps/app_api';
const BARE = '/apps/app_api';
const CAPABILITIES = '/ocs/v1.php/cloud/capabilities';

let app: TestApp;
let a1: ExternalApp;
let ada: string;

const logged: { readonly level: string; readonly line: string }[] = [];

beforeAll(async () => {
  const noting = (level: string) => (line: unknown) =>
    void logged.push({ level, line: String(line) });
  app = await startApp({}, (nest) =>
    nest.useLogger({
      debug: noting('debug'),
      log: noting('info'),
      warn: noting('warn'),
      error: noting('error'),
      fatal: noting('fatal'),
    }),
  );
  ada = (await app.signIn()).credentials.userId;
  a1 = await startExternalApp(app, { appId: 'a1' });
  await knowApp(app, a1);
});

afterAll(async () => {
  await a1?.close();
  await app?.stop();
});

beforeEach(() => {
  logged.length = 0;
});

describe('POST log', () => {
  it.each([
    [0, 'debug'],
    [1, 'info'],
    [2, 'warn'],
    [3, 'error'],
    [4, 'fatal'],
    ['2', 'warn'],
  ])("[G139] writes level %j into the host's log as %s, with the app's id", async (level, name) => {
    const answer = await a1.as().ocs('POST', '/api/v1/log', { json: { level, message: 'hello' } });

    expect(answer).toMatchObject({ statuscode: 100, data: [] });
    expect(logged).toContainEqual({ level: name, line: '[a1] hello' });
  });

  it('writes no line that looks like another entry, and no escape sequence', async () => {
    const message = 'one\n[12:00:00.000] INFO: forged\u001B[2J';
    await a1.as().ocs('POST', '/api/v1/log', { json: { level: 1, message } });

    expect(logged).toEqual([
      { level: 'info', line: '[a1] one\n    [12:00:00.000] INFO: forged\uFFFD[2J' },
    ]);
  });

  it.each([5, -1, 100])('[G139] rejects level %i', async (level) => {
    const answer = await a1.as().ocs('POST', '/api/v1/log', { json: { level, message: 'x' } });

    expect(answer).toMatchObject({ statuscode: 400, message: 'Invalid log level', data: [] });
    expect(logged).toEqual([]);
  });

  it('rejects an entry without a message or with an invalid level', async () => {
    const silent = await a1.as().ocs('POST', '/api/v1/log', { json: { level: 1 } });
    const odd = await a1.as().ocs('POST', '/api/v1/log', { json: { level: 'x', message: 'y' } });

    expect(silent).toMatchObject({
      statuscode: 400,
      message: 'The parameter "message" is missing.',
    });
    expect(odd.statuscode).toBe(400);
  });

  it('truncates long messages', async () => {
    await a1.as().ocs('POST', '/api/v1/log', { json: { level: 1, message: 'x'.repeat(100_000) } });

    expect(logged.find(({ line }) => line.startsWith('[a1]'))?.line).toHaveLength(10_005);
  });

  it('is not for users', async () => {
    const answer = await app.asAdmin().post(`${V1}/api/v1/log`, { level: 1, message: 'x' });

    expect(answer.status).toBe(401);
  });
});

describe('GET users', () => {
  it('[G138] lists the ids of all users who may log in', async () => {
    const gone = (await app.signIn()).credentials.userId;
    await app.inside(UsersService).disable(gone);
    const { data } = await a1.as(ada).ocs('GET', '/api/v1/users');

    expect(data).toEqual(expect.arrayContaining([ada, 'admin']));
    expect(data).not.toContain(gone);
  });
});

describe('GET info', () => {
  it.each(['host_url', 'nextcloud_url'])(
    '[G123] %s tells an administrator the address without a trailing slash',
    async (name) => {
      const answer = await app.asAdmin().get(`${V1}/api/v1/info/${name}?format=json`);

      expect(toOcs(answer)).toMatchObject({ statuscode: 100, data: { base_url: app.url } });
    },
  );

  it('[G123] host_url is available at the bare path, and to an app that acts for an administrator', async () => {
    const bare = await app.asAdmin().get(`${BARE}/api/v1/info/host_url`);
    const external = await a1.as('admin').ocs('GET', '/api/v1/info/host_url');

    expect(toOcs(bare).data).toEqual({ base_url: app.url });
    expect(external.data).toEqual({ base_url: app.url });
  });

  it('[G120] is for administrators only', async () => {
    const path = `${V2}/api/v1/info/host_url?format=json`;
    const user = await app.signIn();

    expect(toOcs(await user.get(path))).toMatchObject({ httpStatus: 403, statuscode: 403 });
    expect(toOcs(await app.asStranger().get(path))).toMatchObject({
      httpStatus: 401,
      statuscode: 997,
    });
  });

  it('[G123] uses the configured public address, path prefix included', async () => {
    const behind = await startApp({ GATEFOLD_BASE_URL: 'https://cloud.example/next/' });
    const answer = await behind.asAdmin().get(`${V1}/api/v1/info/host_url?format=json`);
    await behind.stop();

    expect(toOcs(answer).data).toEqual({ base_url: 'https://cloud.example/next' });
    // The host is of others too.
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
  });

  it.each(['/apps/files', 'apps/files'])(
    'nextcloud_url/absolute resolves the path "%s" for any app',
    async (url) => {
      const { data } = await a1
        .as()
        .ocs('GET', '/api/v1/info/nextcloud_url/absolute', { query: { url } });

      expect(data).toEqual({ absolute_url: `${app.url}/apps/files` });
    },
  );
});

describe('cloud/capabilities', () => {
  interface Shown {
    readonly version: Record<string, unknown>;
    readonly capabilities: Record<string, unknown>;
  }

  const shown = async (userId?: string) =>
    toOcs(
      userId === undefined
        ? await app.asStranger().get(`${CAPABILITIES}?format=json`)
        : await a1.as(userId).call('GET', `${CAPABILITIES}?format=json`),
    ).data as Shown;

  it('[G136] shows versions to everybody, and nothing else of the gateway', async () => {
    const { version, capabilities } = await shown();

    expect(version).toMatchObject({ major: 33, extendedSupport: false });
    expect(capabilities['app_api']).toEqual({ version: '2.6.0' });
    expect(capabilities['notifications']).toBeUndefined();
    expect(capabilities['theming']).toMatchObject({ name: 'Gatefold', url: app.url });
  });

  it('[G137] shows the features of the gateway to an app that acts for a user', async () => {
    const { capabilities } = await shown(ada);

    expect(capabilities).toMatchObject({
      app_api: {
        loglevel: 2,
        version: '2.6.0',
        text_processing: { task_types: ['free_prompt', 'headline', 'summary', 'topics'] },
      },
      notifications: { 'ocs-endpoints': expect.arrayContaining(['list', 'get', 'delete']) },
      theming: { color: expect.stringMatching(/^#[0-9a-f]{6}$/) },
    });
  });

  it('[G137] shows an app without a user only what everybody sees', async () => {
    expect(await shown('')).toEqual(await shown());
  });
});

describe('the envelope of the gateway', () => {
  const users = (root: string, headers: Record<string, string> = {}, query = '') =>
    a1.as().call('GET', `${root}/api/v1/users${query}`, { headers });

  const meta = async (root: string) =>
    ((await users(root)).json as { ocs: { meta: unknown } }).ocs.meta;

  it('[G24] [G25] [G36] has the success code of the requested root', async () => {
    const paging = { totalitems: '', itemsperpage: '' };

    expect(await meta(V1)).toEqual({ status: 'ok', statuscode: 100, message: 'OK', ...paging });
    expect(await meta(V2)).toEqual({ status: 'ok', statuscode: 200, message: 'OK' });
    expect(await meta(BARE)).toEqual({ status: 'ok', statuscode: 100, message: 'OK', ...paging });
  });

  it('[G28] [G31] is XML by default, with lists as elements', async () => {
    const answer = await users(V1, { accept: '' });

    expect(answer.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(answer.text).toMatch(/^<\?xml version="1.0"\?>\s*<ocs>\s*<meta>/);
    expect(answer.text).toContain(`<element>${ada}</element>`);
  });

  it('[G29] [G30] is JSON by Accept, and XML by format= with precedence', async () => {
    expect((await users(V1, { accept: 'application/json' })).json).toBeDefined();
    expect((await users(V1, { accept: 'application/json' }, '?format=xml')).text).toMatch(
      /^<\?xml/,
    );
  });

  it('[G32] is code 998 for an unknown path', async () => {
    const v1 = await a1.as().call('GET', `${V1}/api/v1/nothing`);
    const v2 = await a1.as().call('GET', `${V2}/api/v1/nothing`);

    expect(toOcs(v1)).toMatchObject({ httpStatus: 200, statuscode: 998, status: 'failure' });
    expect(toOcs(v2)).toMatchObject({ httpStatus: 404, statuscode: 998 });
  });

  it.each([V1, V2, BARE])(
    '[G33] is absent for a wrong verb below %s, with HTTP 405',
    async (root) => {
      const answer = await a1.as().call('PATCH', `${root}/api/v1/users`);

      expect([answer.status, answer.text]).toEqual([405, '']);
    },
  );
});

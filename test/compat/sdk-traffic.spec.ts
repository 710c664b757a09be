import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DaemonsService } from '../../src/app-api/apps/daemons/daemons.service.js';
import { LifecyclePace } from '../../src/app-api/apps/lifecycle/lifecycle-pace.service.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { readExAppManifest } from '../../src/app-api/apps/manifest/ex-app-manifest.js';
import { RegistrationsRepository } from '../../src/app-api/capabilities/registrations.repository.js';
import type { CallOptions } from '../support/api-client.js';
import { NAMESPACES, readMultistatus } from '../support/dav-client.js';
import {
  GatewayCaller,
  startExternalApp,
  toOcs,
  type ExternalApp,
  type OcsAnswer,
  type ReceivedRequest,
} from '../support/external-app.js';
import { startApp, type TestApp } from '../support/start-app.js';

/**
 * Requests of unmodified apps built with the common SDK, as recorded: three versions of it (0.15,
 * 0.22 and 0.30), and its example with a user interface.
 */

const ROOT = '/ocs/v1.php/apps/app_api';
const USER = 'ada';

let gateway: TestApp;
let app: ExternalApp;

beforeAll(async () => {
  gateway = await startApp();
  await gateway.signInOnce(USER);
  app = await startExternalApp(gateway, { appId: 'ui_example', secret: 's1', version: '1.0.0' });
  const pace = service(LifecyclePace);
  pace.pause = async (_milliseconds, signal) => signal?.throwIfAborted();
});
afterAll(async () => {
  await app.close();
  await gateway.stop();
});

const service = <Service>(token: abstract new (...args: never[]) => Service): Service =>
  gateway.inside(token);

/** One request with exactly the headers of the SDK. */
async function sdk(
  method: string,
  path: string,
  options: CallOptions = {},
  userId = '',
): Promise<OcsAnswer> {
  const query = { format: 'json', ...options.query };
  return toOcs(await caller(userId).call(method, path, { ...options, query }));
}

function caller(userId: string): GatewayCaller {
  return new GatewayCaller(gateway.url, {
    'AA-VERSION': '2.2.0',
    'EX-APP-ID': app.appId,
    'EX-APP-VERSION': app.version,
    'AUTHORIZATION-APP-API': Buffer.from(`${userId}:${app.secret}`).toString('base64'),
    'OCS-APIRequest': 'true',
    'AA-REQUEST-ID': 'b4c0ffee',
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'User-Agent': `ExApp/${app.appId}/${app.version} (niquests/3.14.0)`,
  });
}

const post = (path: string, json: unknown, userId?: string) =>
  sdk('POST', `${ROOT}${path}`, { json }, userId);
const accepted = { httpStatus: 200, statuscode: 100, status: 'ok' };

describe('manual registration, as in the SDK’s tests', () => {
  it('accepts their JSON, and calls heartbeat and init', async () => {
    const json = {
      appid: app.appId,
      name: 'UI Example',
      daemon_config_name: 'manual_install',
      version: app.version,
      secret: app.secret,
      scopes: ['ALL'],
      port: Number(new URL(app.baseUrl).port),
    };
    await service(DaemonsService).register({
      name: 'manual_install',
      displayName: 'Manual install',
      acceptsDeployId: 'manual-install',
      protocol: 'http',
      host: '127.0.0.1',
      deployConfig: { nextcloud_url: gateway.url },
      isDefault: false,
    });
    const info = readExAppManifest({ appId: app.appId, json });
    await service(LifecycleService).register(info);
    await service(LifecycleService).install(app.appId);

    expect(app.requests('/heartbeat')[0]?.headers['authorization-app-api']).toBeUndefined();
    expect(app.requests('/init')).toMatchObject([{ method: 'POST', userId: '' }]);
  });
});

describe('startup', () => {
  const capabilities = (userId?: string) =>
    sdk('GET', '/ocs/v1.php/cloud/capabilities', {}, userId);

  it('registers everything while /enabled is pending, files of a page before its menu entry', async () => {
    const answers: OcsAnswer[] = [];
    app.on('/enabled', async (request, response) => {
      if (request.query.get('enabled') === '1') {
        answers.push(await capabilities());
        for (const [path, body] of REGISTRATIONS) {
          answers.push(await post(path, body));
        }
      }
      response.setHeader('content-type', 'application/json');
      response.end('{"error":""}');
    });

    const report = await sdk('PUT', `${ROOT}/ex-app/status`, {
      json: { progress: 100, error: '' },
    });
    const enabled: ReceivedRequest = await app.received('/enabled');
    await service(LifecycleService).settled();

    expect(report).toMatchObject(accepted);
    expect(enabled).toMatchObject({ method: 'PUT', userId: '', authenticated: true });
    expect(enabled.body).toHaveLength(0);
    expect(answers.map(({ statuscode }) => statuscode)).toEqual(
      Array.from({ length: REGISTRATIONS.length + 1 }, () => 100),
    );
  });

  const REGISTRATIONS: [string, unknown][] = [
    [
      '/api/v1/ui/initial-state',
      { type: 'top_menu', name: 'first_menu', key: 'ui_example_state', value: { initial: 'x' } },
    ],
    [
      '/api/v1/ui/script',
      { type: 'top_menu', name: 'first_menu', path: 'js/ui_example-main', afterAppId: '' },
    ],
    [
      '/api/v1/ui/top-menu',
      { name: 'first_menu', displayName: 'UI example', icon: 'img/app.svg', adminRequired: 0 },
    ],
    ['/api/v1/ui/style', { type: 'top_menu', name: 'first_menu', path: 'css/main' }],
    [
      '/api/v2/ui/files-actions-menu',
      {
        name: 'test_file_action',
        displayName: 'Test',
        actionHandler: '/nextcloud_file',
        icon: 'img/app.svg',
        mime: 'image/png',
        permissions: 31,
        order: 0,
      },
    ],
    ['/api/v1/ui/settings', { formScheme: settingsForm() }],
    [
      '/api/v1/occ_command',
      {
        name: 'ui_example:ping',
        description: 'ping',
        hidden: 0,
        execute_handler: '/occ_ping',
      },
    ],
    // Version 0.15 and similar ones:
    [
      '/api/v1/events_listener',
      { eventType: 'node_event', actionHandler: '/event', eventSubtypes: ['NodeCreatedEvent'] },
    ],
    [
      '/api/v1/ai_provider/translation',
      {
        name: 'some',
        displayName: 'Some',
        fromLanguages: { de: 'German' },
        toLanguages: { en: 'English' },
        actionHandler: '/translate',
        actionDetectLang: '/detect',
      },
    ],
    [
      '/api/v1/ai_provider/text_processing',
      { name: 'some', displayName: 'Some', actionHandler: '/text', taskType: 'free_prompt' },
    ],
    [
      '/api/v1/ai_provider/speech_to_text',
      { name: 'some', displayName: 'Some', actionHandler: '/speech' },
    ],
  ];

  it('reads the version and the capabilities, more of them for a user', async () => {
    const [own, forUser] = [await capabilities(), await capabilities(USER)];

    expect(own.data).toMatchObject({
      version: {
        major: expect.any(Number),
        minor: expect.any(Number),
        micro: expect.any(Number),
        string: expect.any(String),
        extendedSupport: expect.any(Boolean),
      },
      capabilities: { app_api: { version: expect.any(String) } },
    });
    expect(forUser.data).toMatchObject({
      capabilities: { app_api: { loglevel: expect.any(Number) }, notifications: expect.anything() },
    });
    expect(forUser.data).not.toEqual(own.data);
  });

  it('reports its progress at the path of SDK 0.22 too', async () => {
    expect(
      await sdk('PUT', `${ROOT}/apps/status/${app.appId}`, { json: { progress: 100, error: '' } }),
    ).toMatchObject(accepted);
  });
});

describe('reading back', () => {
  it.each<[string, Record<string, string>]>([
    ['/api/v1/ui/top-menu', { name: 'first_menu' }],
    ['/api/v1/ui/initial-state', { type: 'top_menu', name: 'first_menu', key: 'ui_example_state' }],
    ['/api/v1/ui/script', { type: 'top_menu', name: 'first_menu', path: 'js/ui_example-main' }],
    ['/api/v1/ui/style', { type: 'top_menu', name: 'first_menu', path: 'css/main' }],
    ['/api/v1/ui/files-actions-menu', { name: 'test_file_action' }],
    ['/api/v1/occ_command', { name: 'ui_example:ping' }],
    ['/api/v1/events_listener', { eventType: 'node_event' }],
    ['/api/v1/ai_provider/translation', { name: 'some' }],
    ['/api/v1/ai_provider/text_processing', { name: 'some' }],
    ['/api/v1/ai_provider/speech_to_text', { name: 'some' }],
  ])('finds the registration at %s', async (path, query) => {
    const found = await sdk('GET', `${ROOT}${path}`, { query });

    expect(found).toMatchObject({ ...accepted, data: { appid: app.appId } });
  });

  it('finds the complete settings form, with a duplicate field id', async () => {
    const query = { formId: 'settings_example' };
    const found = await sdk('GET', `${ROOT}/api/v1/ui/settings`, { query });

    expect(found.data).toEqual({ ...settingsForm(), storage_type: 'external' });
  });

  it('answers 404 for another name, which the SDK expects', async () => {
    const query = { name: 'other' };

    expect(await sdk('GET', `${ROOT}/api/v1/ui/top-menu`, { query })).toMatchObject({
      httpStatus: 200,
      statuscode: 404,
      status: 'failure',
    });
  });
});

describe.each(['config', 'preference'])('values: %s', (place) => {
  const path = `/api/v1/ex-app/${place}`;

  it('are set with a boolean, read in the requested order, and deleted by a body', async () => {
    for (const configKey of ['test key', 'test key2']) {
      const body = { configKey, configValue: `value of ${configKey}`, sensitive: true };
      expect(await post(path, body, USER)).toMatchObject({
        ...accepted,
        data: { configkey: configKey, sensitive: 1 },
      });
    }

    const configKeys = ['test key2', 'test key', 'non-exist'];
    expect((await post(`${path}/get-values`, { configKeys }, USER)).data).toEqual([
      { configkey: 'test key2', configvalue: 'value of test key2' },
      { configkey: 'test key', configvalue: 'value of test key' },
    ]);
    const remove = () => sdk('DELETE', `${ROOT}${path}`, { json: { configKeys } }, USER);
    expect((await remove()).data).toBe(2);
    expect((await remove()).statuscode).toBe(404);
  });
});

describe('a notification', () => {
  it('has the id generated by the SDK', async () => {
    const objectId = 'a1b2'.repeat(14);
    const answer = await post(
      '/api/v1/notification',
      {
        params: {
          object: 'app_api',
          object_id: objectId,
          subject_type: 'app_api_ex_app',
          subject_params: {
            rich_subject: 'subject',
            rich_subject_params: {},
            rich_message: 'message',
            rich_message_params: {},
          },
        },
      },
      USER,
    );

    expect(answer).toMatchObject({ ...accepted, data: { object_id: objectId } });
  });
});

describe('files of the acting user', () => {
  const DAV = '/remote.php/dav';
  const dav = (method: string, path: string, options: CallOptions = {}) =>
    caller(USER).call(method, DAV + path, options);

  it('are uploaded as a stream, found by the returned id, and read', async () => {
    const upload = `/uploads/${USER}/nc-py-api-${'x'.repeat(56)}`;
    const headers = { destination: `${gateway.url}${DAV}/files/${USER}/a%23b.txt` };
    const piece = (from: string, to: string) => `${from.padStart(15, '0')}-${to.padStart(15, '0')}`;
    await dav('MKCOL', upload, { headers });
    await dav('PUT', `${upload}/${piece('0', '4')}`, { body: 'low ' });
    await dav('PUT', `${upload}/${piece('4', '8')}`, { body: 'tide' });
    const moved = await dav('MOVE', `${upload}/.file`, { headers });
    await dav('DELETE', upload);
    const found = readMultistatus(
      await dav('SEARCH', '/', {
        headers: { 'content-type': 'text/xml' },
        body:
          `<?xml version='1.0' encoding='us-ascii'?>\n<d:searchrequest ${NAMESPACES}>` +
          '<d:basicsearch><d:select><d:prop><oc:id /><oc:size /></d:prop></d:select><d:from>' +
          `<d:scope><d:href>/files/${USER}/</d:href><d:depth>infinity</d:depth></d:scope></d:from>` +
          '<d:where><d:eq><d:prop><oc:fileid /></d:prop>' +
          `<d:literal>${moved.headers['oc-fileid']}</d:literal></d:eq></d:where>` +
          '</d:basicsearch></d:searchrequest>',
      }),
    );

    expect(found).toMatchObject([
      {
        href: `${DAV}/files/${USER}/a%23b.txt`,
        found: { id: moved.headers['oc-fileid'], size: '8' },
      },
    ]);
    expect((await dav('GET', `/files/${USER}/a%23b.txt`)).text).toBe('low tide');
  });

  it('are closed to an app without a user or with another one', async () => {
    const path = `${DAV}/files/${USER}/a%23b.txt`;
    await gateway.signInOnce('bob');

    expect((await caller('').call('GET', path)).status).toBe(401);
    expect((await caller('bob').call('GET', path)).status).toBe(404);
  });
});

describe('a log line', () => {
  it('is accepted without a request for capabilities', async () => {
    expect(await post('/api/v1/log', { level: 2, message: 'hello' })).toMatchObject(accepted);
  });
});

describe('shutdown', () => {
  it('unregisters everything while it is being disabled, mostly by query', async () => {
    const answers: OcsAnswer[] = [];
    app.on('/enabled', async (_request, response) => {
      const remove = async (path: string, options: CallOptions) =>
        answers.push(await sdk('DELETE', `${ROOT}${path}`, options));
      await remove('/api/v1/ui/initial-state', {
        query: { type: 'top_menu', name: 'first_menu', key: 'ui_example_state' },
      });
      await remove('/api/v1/ui/script', {
        query: { type: 'top_menu', name: 'first_menu', path: 'js/ui_example-main' },
      });
      await remove('/api/v1/ui/top-menu', { query: { name: 'first_menu' } });
      await remove('/api/v1/ui/files-actions-menu', { json: { name: 'test_file_action' } });
      await remove('/api/v1/ui/settings', { query: { formId: 'settings_example' } });
      await remove('/api/v1/occ_command', { query: { name: 'ui_example:ping' } });
      await remove('/api/v1/events_listener', { query: { eventType: 'node_event' } });
      for (const kind of ['translation', 'text_processing', 'speech_to_text']) {
        await remove(`/api/v1/ai_provider/${kind}`, { query: { name: 'some' } });
      }
      response.setHeader('content-type', 'application/json');
      response.end('{"error":""}');
    });

    const { changed, complaint } = await service(LifecycleService).disable(app.appId);

    expect([changed, complaint]).toEqual([true, null]);
    expect(answers.map(({ statuscode }) => statuscode)).toEqual(
      Array.from({ length: answers.length }, () => 100),
    );
    const left = await gateway.database.query('select kind, key from ex_app_registration');
    expect(left).toEqual([]);
    expect(await service(RegistrationsRepository).ofApp(app.appId, { kind: 'style' })).toEqual([]);
  });

  it('reads the state of a disabled app afterwards', async () => {
    expect(await sdk('GET', `${ROOT}/ex-app/state`)).toMatchObject({ ...accepted, data: 0 });
    expect((await post('/api/v1/log', { level: 2, message: 'still there?' })).httpStatus).toBe(401);
  });
});

function settingsForm() {
  const field = {
    title: 'Text',
    description: 'A text',
    type: 'text',
    placeholder: '',
    label: '',
    default: '',
    notify: false,
    sensitive: false,
    options: [],
  };
  return {
    id: 'settings_example',
    priority: 10,
    section_type: 'admin',
    section_id: 'ai_integration_team',
    title: 'Example of declarative settings',
    description: 'These fields are rendered dynamically from declarative schema',
    doc_url: '',
    fields: [
      { ...field, id: 'field1' },
      { ...field, id: 'test_ex_app_field_3', type: 'select', options: ['foo', 'bar'] },
      {
        ...field,
        id: 'test_ex_app_field_3',
        type: 'multi-checkbox',
        default: { foo: true },
        options: [{ name: 'Foo', value: 'foo' }],
      },
    ],
  };
}

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppsService, type KnownApp } from '../../src/app-api/apps/lifecycle/ex-apps.service.js';
import { HeartbeatSchedule } from '../../src/app-api/apps/lifecycle/heartbeat.schedule.js';
import { LifecyclePace } from '../../src/app-api/apps/lifecycle/lifecycle-pace.service.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { readExAppManifest } from '../../src/app-api/apps/manifest/ex-app-manifest.js';
import { json, startExternalApp, toOcs, type ExternalApp } from '../support/external-app.js';
import { runGatefold } from '../support/gatefold-command.js';
import { ADMIN, startApp, type TestApp } from '../support/start-app.js';

const OCS = '/ocs/v1.php/apps/app_api';

let app: TestApp;
let lifecycle: LifecycleService;
let pace: LifecyclePace;
let external: ExternalApp;
let appId: string;
let nextApp = 0;

beforeAll(async () => {
  app = await startApp();
  lifecycle = app.inside(LifecycleService);
  pace = app.inside(LifecyclePace);
  pace.installHeartbeats = 2;
  pace.enableHeartbeats = 2;
  pace.pause = async (_milliseconds, signal) => signal?.throwIfAborted();
});

afterAll(() => app.stop());

beforeEach(async () => {
  appId = `app-${nextApp++}`;
  external = await startExternalApp(app, { appId });
});

afterEach(async () => {
  await lifecycle.settled();
  await external.close();
});

function infoOf(more: object = {}) {
  const { secret, version, baseUrl } = external;
  return readExAppManifest({ appId, json: { secret, version, base_url: baseUrl, ...more } });
}

const state = (): Promise<KnownApp> => app.inside(ExAppsService).find(appId);

const report = (progress: number, error = '') =>
  external.as().ocs('PUT', '/ex-app/status', { json: { progress, error } });

/** Registered and asked to initialise; the state shows a failure. */
async function install(): Promise<void> {
  await lifecycle.register(infoOf());
  await lifecycle.install(appId).catch(() => {});
}

async function installFully(): Promise<void> {
  await install();
  await report(100);
  await lifecycle.settled();
}

/** The responses to all kinds of requests of an app, by name. */
async function tryEverything(): Promise<Record<string, number>> {
  const asAdmin = external.as(ADMIN.userId);
  const ocsStatus = async (method: string, path: string, body?: object) =>
    toOcs(
      await asAdmin.call(method, path, {
        query: { format: 'json' },
        ...(body && { json: body }),
      }),
    ).httpStatus;
  return {
    state: await ocsStatus('GET', `${OCS}/ex-app/state`),
    status: await ocsStatus('PUT', `${OCS}/ex-app/status`, { progress: 1 }),
    statusOfOlderApps: await ocsStatus('PUT', `${OCS}/apps/status/${appId}`, { progress: 1 }),
    log: await ocsStatus('POST', `${OCS}/api/v1/log`, { level: 1, message: 'loading' }),
    capabilities: await ocsStatus('GET', '/ocs/v1.php/cloud/capabilities'),
    users: await ocsStatus('GET', `${OCS}/api/v1/users`),
    provisioning: await ocsStatus('GET', '/ocs/v1.php/cloud/users'),
    apps: await ocsStatus('GET', `${OCS}/api/v1/ex-app/all`),
    values: await ocsStatus('POST', `${OCS}/api/v1/ex-app/config`, {
      configKey: 'a',
      configValue: 'b',
    }),
    menu: await ocsStatus('POST', `${OCS}/api/v1/ui/top-menu`, { name: 'a', displayName: 'A' }),
    files: (await asAdmin.call('PROPFIND', `/remote.php/dav/files/${ADMIN.userId}/`)).status,
    feeds: (await asAdmin.call('GET', '/index.php/apps/news/api/v1-3/feeds')).status,
  };
}

const CLOSED = {
  users: 401,
  provisioning: 401,
  apps: 401,
  values: 401,
  menu: 401,
  files: 401,
  feeds: 401,
};
const WHILE_INSTALLING = {
  ...CLOSED,
  state: 200,
  status: 200,
  statusOfOlderApps: 200,
  log: 200,
  capabilities: 200,
};
const AFTER_A_FAILURE = {
  ...CLOSED,
  state: 200,
  status: 401,
  statusOfOlderApps: 401,
  log: 401,
  // Public information.
  capabilities: 200,
};

const FAILURES: [string, (broken: ExternalApp) => Promise<void>, string][] = [
  [
    'does not answer the heartbeat',
    async (broken) => {
      broken.on('/heartbeat', json({}, 503));
      await install();
    },
    'Heartbeat check failed',
  ],
  [
    'answers /init with 500',
    async (broken) => {
      broken.on('/init', json({ detail: 'no disk' }, 500));
      await install();
    },
    'no disk',
  ],
  [
    'does not answer /init in time',
    async (broken) => {
      const { initTimeoutSeconds } = pace;
      pace.initTimeoutSeconds = 0.1;
      broken.on('/init', () => {});
      await install();
      pace.initTimeoutSeconds = initTimeoutSeconds;
    },
    '/init',
  ],
  [
    'does not report 100 per cent in time',
    async () => {
      await install();
      await overdue();
    },
    'timed out',
  ],
  [
    'reports an error and then nothing more in time',
    async () => {
      await install();
      await report(30, 'the model is gone');
      await overdue();
    },
    'the model is gone',
  ],
  [
    'answers /enabled with 500',
    async (broken) => {
      broken.on('/enabled', json({ error: '' }, 500));
      await installFully();
    },
    'answered 500',
  ],
  [
    'answers /enabled with an error',
    async (broken) => {
      broken.on('/enabled', json({ error: 'bad' }));
      await installFully();
    },
    'bad',
  ],
];

async function overdue(): Promise<void> {
  await app.database.query(
    `update ex_app set status = status || '{"init_start_time": 0}' where app_id = $1`,
    [appId],
  );
  await app.inside(HeartbeatSchedule).runRound();
}

describe('an app that is being installed', () => {
  it('may report its state and write its log, and nothing else, whichever user it acts for', async () => {
    await install();

    expect(await tryEverything()).toEqual(WHILE_INSTALLING);
  });

  it('has the same access while it is being updated', async () => {
    await installFully();
    await lifecycle.update(appId, infoOf({ version: '2.0.0' }));

    expect(await tryEverything()).toEqual(WHILE_INSTALLING);
    expect((await state()).status.type).toBe('update');
  });

  it('has full access while /enabled is pending', async () => {
    let meanwhile: Record<string, number> = {};
    external.on('/enabled', async (request, response) => {
      meanwhile = await tryEverything();
      await json({ error: '' })(request, response);
    });

    await installFully();

    expect(meanwhile).toMatchObject({ users: 200, values: 200, menu: 200, files: 207 });
  });

  it('is listed as being installed, not as disabled', async () => {
    await install();

    expect(await listed()).toContain(`${appId} (${appId}): 1.0.0 [installing]`);
  });
});

describe.each(FAILURES)('an app that %s while it is installed', (_how, fail, reason) => {
  beforeEach(() => fail(external));

  it('loses all access, shows the reason, and is listed as failed', async () => {
    expect(await tryEverything()).toEqual(AFTER_A_FAILURE);
    expect(await state()).toMatchObject({
      enabled: false,
      status: { type: 'install failed', action: '', error: expect.stringContaining(reason) },
    });
    expect(await listed()).toContain(`${appId} (${appId}): 1.0.0 [install failed]`);
    const all = await app.asAdmin().get(`${OCS}/api/v1/ex-app/info/${appId}?format=json`);
    expect(toOcs(all).data).toMatchObject({
      enabled: false,
      status: { type: 'install failed', error: expect.stringContaining(reason) },
    });
  });

  it('is installed by app_api:app:enable once it is fixed', async () => {
    external.on('/heartbeat', json({ status: 'ok' }));
    external.on('/init', json({}, 404));
    external.on('/enabled', json({ error: '' }));

    const { printed, exitCode } = await gatefold('app_api:app:enable', appId);

    expect({ printed, exitCode }).toEqual({
      printed: `ExApp ${appId} is enabled.\n`,
      exitCode: 0,
    });
    expect(await state()).toMatchObject({
      enabled: true,
      status: { type: '', action: '', init: 100, error: '' },
    });
    expect(await tryEverything()).toMatchObject({ users: 200, files: 207 });
  });

  it('is merely disabled after app_api:app:disable', async () => {
    const { printed, exitCode } = await gatefold('app_api:app:disable', appId);

    expect({ printed, exitCode }).toEqual({
      printed: `ExApp ${appId} is disabled.\n`,
      exitCode: 0,
    });
    expect(await listed()).toContain(`${appId} (${appId}): 1.0.0 [disabled]`);
    expect(await tryEverything()).toEqual(AFTER_A_FAILURE);
  });

  it('is not retried by the service', async () => {
    const before = external.requests('/heartbeat').length;
    await app.database.query(`update ex_app set created_at = now() - interval '2 minutes'`);

    await app.inside(HeartbeatSchedule).runRound();
    await lifecycle.settled();

    expect(external.requests('/heartbeat')).toHaveLength(before);
  });
});

describe('a failed installation', () => {
  it('asks the app to initialise again when it is retried', async () => {
    external.on('/init', json({}, 500));
    await install();
    external.on('/init', json({}));

    const { printed } = await gatefold('app_api:app:enable', appId);

    expect(printed).toContain('is initialising (0 %)');
    expect((await state()).status).toMatchObject({ type: 'install', action: 'init', error: '' });
    expect(external.requests('/init')).toHaveLength(2);
    await report(100);
    await lifecycle.settled();
    expect((await state()).enabled).toBe(true);
  });

  it('of an update is shown as such, and retried with the new version', async () => {
    await installFully();
    external.on('/init', json({}, 500));
    await lifecycle.update(appId, infoOf({ version: '2.0.0' })).catch(() => {});

    expect((await state()).status.type).toBe('update failed');
    expect(await listed()).toContain(`${appId} (${appId}): 2.0.0 [update failed]`);
    expect(await tryEverything()).toEqual(AFTER_A_FAILURE);

    external.on('/init', json({}, 404));
    await lifecycle.enable(appId);
    expect(await state()).toMatchObject({ enabled: true, version: '2.0.0', status: { type: '' } });
  });

  it('ends for good if the response to /init arrives after app_api:app:disable', async () => {
    external.on('/init', async (request, response) => {
      await gatefold('app_api:app:disable', appId);
      await json({}, 404)(request, response);
    });

    await install();
    await lifecycle.settled();

    expect(external.requests('/enabled')).toEqual([]);
    expect(await state()).toMatchObject({ enabled: false, status: { type: '', action: '' } });
    expect(await tryEverything()).toEqual(AFTER_A_FAILURE);
  });

  it('ends while it waits for the heartbeat if the operator disables the app', async () => {
    pace.installHeartbeats = 600;
    let asked = 0;
    external.on('/heartbeat', async (request, response) => {
      asked += 1;
      if (asked === 2) {
        await gatefold('app_api:app:disable', appId);
      }
      await json({}, 503)(request, response);
    });

    await install();
    pace.installHeartbeats = 2;

    expect(asked).toBe(2);
    expect(await state()).toMatchObject({
      enabled: false,
      status: { type: '', action: '', error: '' },
    });
  });

  it('is retried from the page', async () => {
    external.on('/heartbeat', json({}, 503));
    await install();
    external.on('/heartbeat', json({ status: 'ok' }));
    external.on('/init', json({}, 404));

    const { json: answer } = await app
      .asAdmin()
      .post(`/index.php/apps/app_api/apps/enable/${appId}`);

    expect(answer).toEqual({ changed: true });
    expect((await state()).enabled).toBe(true);
  });
});

const gatefold = (...args: string[]) => runGatefold(app, ...args);
const listed = async () => (await gatefold('app_api:app:list')).printed;

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { AppLeases } from '../../src/app-api/apps/lifecycle/app-leases.service.js';
import { ExAppsService, type KnownApp } from '../../src/app-api/apps/lifecycle/ex-apps.service.js';
import { HeartbeatSchedule } from '../../src/app-api/apps/lifecycle/heartbeat.schedule.js';
import { LifecyclePace } from '../../src/app-api/apps/lifecycle/lifecycle-pace.service.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { readExAppManifest } from '../../src/app-api/apps/manifest/ex-app-manifest.js';
import { ValuesService } from '../../src/app-api/values/values.service.js';
import { Config } from '../../src/common/config/config.js';
import { json, startExternalApp, type ExternalApp, type Handler } from '../support/external-app.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { within } from '../support/until.js';

const SECRET_KEY = 'a key that both processes of the tests have';

let app: TestApp;
let lifecycle: LifecycleService;
let external: ExternalApp;
let appId: string;
let nextApp = 0;

beforeAll(async () => {
  app = await startApp({ GATEFOLD_SECRET_KEY: SECRET_KEY });
  lifecycle = serviceOf(app, LifecycleService);
  hurry(app);
});

afterAll(async () => {
  await app?.stop();
});

beforeEach(async () => {
  appId = `app-${nextApp++}`;
  external = await startExternalApp(app, { appId });
});

afterEach(async () => {
  await lifecycle.settled();
  await external.close();
});

function serviceOf<Service>(of: TestApp, token: abstract new (...args: never[]) => Service) {
  return of.inside(token);
}

/** The default numbers of attempts, without pauses. */
function hurry(of: TestApp): void {
  const pace = serviceOf(of, LifecyclePace);
  pace.installHeartbeats = 5;
  pace.enableHeartbeats = 3;
  pace.pause = async (_milliseconds, signal) => signal?.throwIfAborted();
}

function infoOf(more: object = {}) {
  const { secret, version, baseUrl } = external;
  return readExAppManifest({ appId, json: { secret, version, base_url: baseUrl, ...more } });
}

async function register(more: object = {}): Promise<void> {
  await lifecycle.register(infoOf(more));
  await lifecycle.install(appId);
}

/** Registered, initialised and enabled. */
async function registerFully(): Promise<void> {
  await register();
  await report(100);
  await lifecycle.settled();
}

function report(progress: number, error = '') {
  return external.as().ocs('PUT', '/ex-app/status', { json: { progress, error } });
}

function state(): Promise<KnownApp> {
  return serviceOf(app, ExAppsService).find(appId);
}

/** A handler that waits until it is released. */
function held(then: Handler): { handler: Handler; goOn: () => void } {
  let goOn = () => {};
  const permission = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  return {
    goOn: () => goOn(),
    handler: async (request, response) => {
      await permission;
      await then(request, response);
    },
  };
}

describe('registering and installing', () => {
  it('waits for the heartbeat, asks the app to initialise, and waits for its progress', async () => {
    await register();

    expect(external.requests('/heartbeat')).toHaveLength(1);
    expect(external.requests('/init')).toMatchObject([
      { method: 'POST', userId: '', authenticated: true },
    ]);
    expect(external.requests('/enabled')).toEqual([]);
    expect(await state()).toMatchObject({
      enabled: false,
      status: { deploy: 100, init: 0, action: 'init', type: 'install', error: '' },
    });
  });

  it('[G115] /heartbeat has no credentials, other requests have the five headers', async () => {
    await register();

    const [heartbeat] = external.requests('/heartbeat');
    const [init] = external.requests('/init');
    expect(Object.keys(heartbeat?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(ex-app|aa-|authorization)/)]),
    );
    expect(init?.headers).toMatchObject({
      'aa-version': expect.stringMatching(/^\d/),
      'ex-app-id': appId,
      'ex-app-version': '1.0.0',
      'authorization-app-api': Buffer.from(`:${external.secret}`).toString('base64'),
      'aa-request-id': expect.stringMatching(/./),
      'accept-language': expect.stringMatching(/./),
    });
  });

  it('waits for an app that is not started yet', async () => {
    let asked = 0;
    external.on('/heartbeat', (request, response) => {
      asked += 1;
      return json({ status: 'ok' }, asked < 3 ? 503 : 200)(request, response);
    });

    await register();

    expect((await state()).status).toMatchObject({ action: 'init', heartbeat_count: 3 });
  });

  it('keeps an app that never answers correctly, with address, status and body of the last attempt', async () => {
    external.on('/heartbeat', json({ status: 'starting' }));

    await expect(register()).rejects.toThrow('Heartbeat check failed');

    const { enabled, status } = await state();
    expect(enabled).toBe(false);
    expect(status.error).toBe(
      `Heartbeat check failed: GET ${external.baseUrl}/heartbeat answered 200: ` +
        `{"status":"starting"}. Expected 200 and {"status":"ok"}.`,
    );
    expect(external.requests('/heartbeat')).toHaveLength(5);
    expect(external.requests('/init')).toEqual([]);
  });

  it('names the address of an unreachable app', async () => {
    await external.close();

    await expect(register()).rejects.toThrow(
      `Heartbeat check failed: GET ${external.baseUrl}/heartbeat: The server at`,
    );
  });

  it.each([404, 501])(
    '[G114] accepts %i from /init of an app without initialisation',
    async (status) => {
      external.on('/init', json({}, status));

      await register();

      expect(external.requests('/enabled')).toHaveLength(1);
      expect(await state()).toMatchObject({ enabled: true, status: { init: 100, type: '' } });
    },
  );

  it('shows the response of a failed /init', async () => {
    external.on('/init', json({ detail: 'no disk' }, 500));

    await expect(register()).rejects.toThrow('/init answered 500: {"detail":"no disk"}');

    expect((await state()).status).toMatchObject({
      init: 0,
      error: expect.stringContaining('no disk'),
    });
  });

  it('accepts progress before /init is answered', async () => {
    external.on('/init', async (request, response) => {
      await report(100);
      await json({})(request, response);
    });

    await register();
    await lifecycle.settled();

    expect(await state()).toMatchObject({ enabled: true, status: { init: 100 } });
  });

  it('stores the secret of an app encrypted', async () => {
    await register();

    const rows = await app.database.query<{ row: string }>(
      'select ex_app::text as row from ex_app where app_id = $1',
      [appId],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(external.secret);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(external.secret).toString('hex'));
  });

  it('rejects an id that is taken', async () => {
    await register();

    await expect(register()).rejects.toThrow(`ExApp \`${appId}\` is already registered.`);
  });
});

describe('PUT ex-app/status', () => {
  it('[G19] is open to an app that is initialising and not enabled', async () => {
    await register();

    expect(await report(10)).toMatchObject({ statuscode: 100, data: [] });
  });

  it('is closed to a disabled app', async () => {
    await registerFully();
    await lifecycle.disable(appId);

    expect(await report(10)).toMatchObject({ httpStatus: 401, statuscode: 997 });
  });

  it('[G108] stores progress 50 without enabling', async () => {
    await register();

    await report(50);
    await lifecycle.settled();

    expect((await state()).status.init).toBe(50);
    expect(external.requests('/enabled')).toEqual([]);
  });

  it('[G109] enables at 100, once, and ignores further reports', async () => {
    await register();

    await Promise.all([report(100), report(100)]);
    await lifecycle.settled();
    await report(30);
    await report(100);
    await lifecycle.settled();

    const calls = external.requests('/enabled');
    expect(calls).toMatchObject([{ method: 'PUT', authenticated: true, userId: '' }]);
    expect(calls[0]?.query.get('enabled')).toBe('1');
    expect(calls[0]?.body).toHaveLength(0);
    expect(await state()).toMatchObject({
      enabled: true,
      status: { init: 100, action: '', type: '', error: '' },
    });
  });

  it('answers progress 100 before it calls the app', async () => {
    const { handler, goOn } = held(json({ error: '' }));
    external.on('/enabled', handler);
    await register();

    const answer = await report(100);
    await external.received('/enabled');
    goOn();

    expect(answer).toMatchObject({ statuscode: 100, data: [] });
  });

  it('[G110] stores an error without enabling', async () => {
    await register();
    await report(40);

    await report(67, 'x');
    await lifecycle.settled();

    expect(await state()).toMatchObject({ enabled: false, status: { init: 40, error: 'x' } });
  });

  it('clears an error when the app continues', async () => {
    await register();
    await report(40, 'no space');

    await report(60);

    expect((await state()).status).toMatchObject({ init: 60, error: '' });
  });

  it.each([101, -1, 'half', null])('[G111] rejects progress %p with 404', async (progress) => {
    await register();

    const answer = await external.as().ocs('PUT', '/ex-app/status', { json: { progress } });

    expect(answer).toMatchObject({ statuscode: 404, status: 'failure' });
    expect(answer.message).toContain('progress');
    expect((await state()).status.init).toBe(0);
  });

  it.each(['nobody', 'another app'])('[G112] reports another app as unknown: %s', async (whose) => {
    await register();
    const other = await startExternalApp(app, { appId: `${appId}-other` });
    await lifecycle.register(
      readExAppManifest({ appId: other.appId, json: { base_url: other.baseUrl } }),
    );
    const target = whose === 'nobody' ? 'nobody' : other.appId;

    const answer = await external
      .as()
      .ocs('PUT', `/apps/status/${target}`, { json: { progress: 50 } });

    await other.close();
    expect(answer).toMatchObject({ statuscode: 404 });
    expect((await serviceOf(app, ExAppsService).find(other.appId)).status.init).toBe(0);
  });

  it('[G113] is also available at apps/status/{appId}', async () => {
    await register();

    await external.as().ocs('PUT', `/apps/status/${appId}`, { json: { progress: 50, error: '' } });

    expect((await state()).status.init).toBe(50);
  });
});

describe('enabling', () => {
  it('[G116] an error of the app disables it again and is shown in the status', async () => {
    external.on('/enabled', json({ error: 'bad' }));

    await registerFully();

    expect(await state()).toMatchObject({
      enabled: false,
      status: { error: expect.stringContaining('bad') },
    });
  });

  it('any status but 2xx is an error', async () => {
    external.on('/enabled', json({ error: '' }, 500));

    await registerFully();

    expect((await state()).status.error).toContain('/enabled answered 500');
    expect((await state()).enabled).toBe(false);
  });

  it('disables an app that does not answer the heartbeat', async () => {
    await registerFully();
    await lifecycle.disable(appId);
    external.on('/heartbeat', json({}, 502));

    await expect(lifecycle.enable(appId)).rejects.toThrow('Heartbeat check failed');

    expect((await state()).enabled).toBe(false);
  });

  it('hides an app until it answers the heartbeat', async () => {
    await registerFully();
    await lifecycle.disable(appId);
    let enabledMeanwhile: boolean | undefined;
    external.on('/heartbeat', async (request, response) => {
      enabledMeanwhile = (await state()).enabled;
      await json({ status: 'ok' })(request, response);
    });

    await lifecycle.enable(appId);

    expect(enabledMeanwhile).toBe(false);
  });

  it('[G117] accepts requests of the app while /enabled is pending', async () => {
    const answers: unknown[] = [];
    external.on('/enabled', async (request, response) => {
      answers.push(await external.as().ocs('GET', '/ex-app/state'));
      answers.push(
        await external.as().ocs('POST', '/api/v1/ex-app/config', {
          json: { configKey: 'seen', configValue: '1' },
        }),
      );
      await json({ error: '' })(request, response);
    });

    await registerFully();

    expect(answers).toMatchObject([
      { statuscode: 100, data: 1 },
      { statuscode: 100, data: { configvalue: '1' } },
    ]);
    expect((await state()).enabled).toBe(true);
  });

  it('stores when the app was last reached', async () => {
    const before = Math.floor((await app.nowMicros()) / 1e6);

    await registerFully();

    expect((await state()).lastCheckSeconds).toBeGreaterThanOrEqual(before);
  });

  it('does nothing for an enabled app', async () => {
    await registerFully();

    expect(await lifecycle.enable(appId)).toBe(false);
    expect(external.requests('/enabled')).toHaveLength(1);
  });
});

describe('disabling', () => {
  it('tells the app while it may still send requests', async () => {
    await registerFully();
    let stateWhenTold: unknown;
    external.on('/enabled', async (request, response) => {
      stateWhenTold = await external.as().ocs('GET', '/ex-app/state');
      await json({ error: '' })(request, response);
    });

    expect(await lifecycle.disable(appId)).toEqual({ changed: true, complaint: null });

    expect(external.requests('/enabled').at(-1)?.query.get('enabled')).toBe('0');
    expect(stateWhenTold).toMatchObject({ data: 1 });
    expect((await state()).enabled).toBe(false);
  });

  it('disables the app, no matter what it answers', async () => {
    await registerFully();
    external.on('/enabled', json({ error: 'rather not' }));

    const { complaint } = await lifecycle.disable(appId);

    expect(complaint).toContain('rather not');
    expect((await state()).enabled).toBe(false);
  });
});

describe('exclusive changes', () => {
  it('a second change waits for the first, in any process', async () => {
    await registerFully();
    const second = await startApp({
      GATEFOLD_SECRET_KEY: SECRET_KEY,
      DATABASE_URL: serviceOf(app, Config).databaseUrl ?? '',
    });
    hurry(second);
    const { handler, goOn } = held(json({ error: '' }));
    external.on('/enabled', handler);

    const disabling = lifecycle.disable(appId);
    await external.received('/enabled', 2);
    const enabling = serviceOf(second, LifecycleService).enable(appId);
    goOn();
    await disabling;
    const enabled = await enabling;

    await second.stop();
    const told = external.requests('/enabled').map(({ query }) => query.get('enabled'));
    expect(told).toEqual(['1', '0', '1']);
    expect(enabled).toBe(true);
    expect((await state()).enabled).toBe(true);
  });

  it('interrupts work on an app whose lease was taken over', async () => {
    await registerFully();
    const leases = serviceOf(app, AppLeases);
    const pace = serviceOf(app, LifecyclePace);
    const usualSeconds = pace.leaseSeconds;
    pace.leaseSeconds = 0.06;
    const begun = Promise.withResolvers<void>();

    const first = leases.hold(appId, 'long work', async (signal) => {
      begun.resolve();
      await once(signal, 'abort');
      signal.throwIfAborted();
    });
    const outcome = first.catch((error: unknown) => error);
    await within('the work to begin', begun.promise);
    const ended = await leases.hold(appId, 'other work', () => outcome, { force: true });

    pace.leaseSeconds = usualSeconds;
    expect(ended).toMatchObject({
      message: 'Somebody else has taken over the work on the app.',
    });
  });

  it('takes over when the holder has crashed', async () => {
    await registerFully();
    await app.database.query(
      `update ex_app set busy_token = gen_random_uuid(), busy_until = now() - interval '1 second'
        where app_id = $1`,
      [appId],
    );

    expect((await lifecycle.disable(appId)).changed).toBe(true);
  });

  it('tells a caller that waited in vain what the app is busy with', async () => {
    await registerFully();
    const pace = serviceOf(app, LifecyclePace);
    const waitMs = pace.leaseWaitMs;
    pace.leaseWaitMs = 0;
    const { handler, goOn } = held(json({ error: '' }));
    external.on('/enabled', handler);

    const disabling = lifecycle.disable(appId);
    await external.received('/enabled', 2);
    await expect(lifecycle.disable(appId)).rejects.toThrow('busy: being disabled');
    goOn();
    await disabling;
    pace.leaseWaitMs = waitMs;
  });

  it('releases the lease after the work', async () => {
    await registerFully();

    const rows = await app.database.query(
      'select 1 from ex_app where app_id = $1 and busy_token is not null',
      [appId],
    );

    expect(rows).toEqual([]);
  });
});

describe('unregistering', () => {
  async function rowsOfApp(): Promise<number> {
    const tables = ['ex_app', 'ex_app_route', 'ex_app_registration', 'ex_app_value'];
    const counts = await Promise.all(
      tables.map((table) =>
        app.database.query<{ n: number }>(`select count(*) as n from ${table} where app_id = $1`, [
          appId,
        ]),
      ),
    );
    return counts.flat().reduce((sum, { n }) => sum + n, 0);
  }

  async function announce(): Promise<void> {
    const menu = { name: 'm', displayName: 'M' };
    await external.as().ocs('POST', '/api/v1/ui/top-menu', { json: menu });
    await app.database.query(
      `insert into ex_app_registration (app_id, kind, key, fields) values ($1, 'script', 'x', '{}')`,
      [appId],
    );
    await serviceOf(app, ValuesService).of(appId).set('k', 'v');
  }

  it('[G119] tells the app and deletes everything; a new registration starts clean', async () => {
    await registerFully();
    await announce();

    await lifecycle.unregister(appId);

    expect(external.requests('/enabled').at(-1)?.query.get('enabled')).toBe('0');
    expect(await rowsOfApp()).toBe(0);
    await registerFully();
    expect(await serviceOf(app, ValuesService).of(appId).list()).toEqual([]);
  });

  it('keeps values if requested', async () => {
    await registerFully();
    await announce();

    await lifecycle.unregister(appId, { keepData: true });

    expect(await rowsOfApp()).toBe(1);
    await registerFully();
    expect(await serviceOf(app, ValuesService).of(appId).get(['k'])).toMatchObject([
      { value: 'v' },
    ]);
  });

  it('works without the app', async () => {
    await registerFully();
    await external.close();

    await lifecycle.unregister(appId);

    await expect(state()).rejects.toThrow('not found');
  });

  it('interrupts a waiting installation if forced', async () => {
    const { handler, goOn } = held(json({}));
    external.on('/init', handler);
    const installing = register();
    await external.received('/init');

    await lifecycle.unregister(appId, { force: true });
    goOn();
    await installing.catch(() => {});

    await expect(state()).rejects.toThrow('not found');
  });
});

describe('updating', () => {
  it('disables the app, changes it, and enables it again', async () => {
    await registerFully();

    const updated = await lifecycle.update(
      appId,
      infoOf({
        version: '2.0.0',
        name: 'Anew',
        routes: [{ url: '.*', verb: 'get', access_level: 1 }],
      }),
    );
    const midway = await state();
    await report(100);
    await lifecycle.settled();

    expect(updated).toBe(true);
    expect(midway).toMatchObject({
      enabled: false,
      version: '2.0.0',
      name: 'Anew',
      status: { type: 'update', init: 0, action: 'init' },
    });
    const told = external.requests('/enabled').map(({ query }) => query.get('enabled'));
    expect(told).toEqual(['1', '0', '1']);
    expect((await state()).enabled).toBe(true);
    expect(external.requests('/init').at(-1)?.headers['ex-app-version']).toBe('2.0.0');
  });

  it('does nothing for the same version', async () => {
    await registerFully();

    expect(await lifecycle.update(appId, infoOf())).toBe(false);
    expect(external.requests('/enabled')).toHaveLength(1);
  });
});

describe('background checks', () => {
  let schedule: HeartbeatSchedule;

  beforeAll(() => {
    schedule = serviceOf(app, HeartbeatSchedule);
  });

  /** All other apps of this spec are stopped and would only cost attempts. */
  beforeEach(() => app.database.query('delete from ex_app'));

  it('[G118] an initialisation beyond its limit is an error', async () => {
    await register({ init_timeout: 5 });
    await report(30);
    await age(`init_start_time: 6`);

    await schedule.runRound();

    expect((await state()).status).toMatchObject({
      init: 30,
      error: expect.stringContaining('timed out: the app has not reported 100 % within 5 min'),
    });
  });

  it('leaves one with a longer limit alone', async () => {
    await register({ init_timeout: 60 });
    await age(`init_start_time: 59`);

    await schedule.runRound();

    expect((await state()).status.error).toBe('');
  });

  /** @param what the time to set back, and by how many minutes */
  async function age(what: `init_start_time: ${number}`): Promise<void> {
    const minutes = Number(what.split(' ')[1]);
    await app.database.query(
      `update ex_app set status = status || jsonb_build_object('init_start_time',
              (status->>'init_start_time')::bigint - $2::int * 60) where app_id = $1`,
      [appId, minutes],
    );
  }

  it('checks each enabled app once a minute, and stores when it was reached', async () => {
    await registerFully();
    await app.database.query('update ex_app set last_check_at = null');
    const before = external.requests('/heartbeat').length;

    await Promise.all([schedule.runRound(), schedule.runRound()]);
    await schedule.runRound();

    expect(external.requests('/heartbeat')).toHaveLength(before + 1);
    expect((await state()).lastCheckSeconds).toBeGreaterThan(0);
  });

  it('checks again after a minute', async () => {
    await registerFully();
    await schedule.runRound();
    await app.database.query(`update ex_app set check_began_at = now() - interval '61 seconds'`);
    const before = external.requests('/heartbeat').length;

    await schedule.runRound();

    expect(external.requests('/heartbeat')).toHaveLength(before + 1);
  });

  it('does not check disabled apps', async () => {
    await registerFully();
    await lifecycle.disable(appId);
    const before = external.requests('/heartbeat').length;

    await schedule.runRound();

    expect(external.requests('/heartbeat')).toHaveLength(before);
  });

  it('shows that an app does not answer, and leaves it enabled', async () => {
    await registerFully();
    const { lastCheckSeconds } = await state();
    external.on('/heartbeat', json({ status: 'tired' }, 503));

    await schedule.runRound();

    expect(await state()).toMatchObject({
      enabled: true,
      lastCheckSeconds,
      status: { error: '', heartbeat_error: expect.stringContaining('answered 503') },
    });
  });

  it('clears the failure as soon as the app answers again', async () => {
    await registerFully();
    await serviceOf(app, ExAppsRepository).changeStatus(appId, { heartbeat_error: 'away' });

    await schedule.runRound();

    expect((await state()).status.heartbeat_error).toBe('');
  });

  it.each([
    ['an installation', { init: 0, action: 'healthcheck', type: 'install' }],
    ['the enabling', { init: 100, action: '', type: 'install' }],
    ['the enabling by a command', { init: 100, action: 'healthcheck', type: '' }],
  ] as const)('goes on with %s whose process went away', async (_what, status) => {
    external.on('/init', json({}, 404));
    await lifecycle.register(infoOf());
    await serviceOf(app, ExAppsRepository).changeStatus(appId, status);
    await app.database.query(`update ex_app set created_at = now() - interval '2 minutes'`);

    await schedule.runRound();
    await lifecycle.settled();

    expect(await state()).toMatchObject({ enabled: true, status: { type: '', action: '' } });
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LifecyclePace } from '../../src/app-api/apps/lifecycle/lifecycle-pace.service.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { ExAppRoutesRepository } from '../../src/app-api/apps/routes/ex-app-routes.repository.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { runGatefold, type Outcome } from '../support/gatefold-command.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let app: TestApp;
let folder: string;
let external: ExternalApp;
let appId: string;
let nextApp = 0;

beforeAll(async () => {
  app = await startApp();
  folder = await temporaryFolder('info');
  const pace = app.inside(LifecyclePace);
  pace.installHeartbeats = 2;
  pace.enableHeartbeats = 2;
  pace.pause = async () => {};
  await gatefold(
    'app_api:daemon:register',
    'manual_install',
    'Manual',
    'manual-install',
    'http',
    '127.0.0.1',
    app.url,
  );
});

afterAll(async () => {
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  appId = `app${nextApp++}`;
  external = await startExternalApp(app, { appId });
});

afterEach(async () => {
  await app.inside(LifecycleService).settled();
  await external.close();
});

const gatefold = (...args: string[]) => runGatefold(app, ...args);

function portOf({ baseUrl }: ExternalApp): number {
  return Number(new URL(baseUrl).port);
}

/** Reports 100 per cent as soon as it is asked to initialise, as most apps do. */
function initialisesItself(): void {
  external.on('/init', async (request, response) => {
    await json({})(request, response);
    await external.as().ocs('PUT', '/ex-app/status', { json: { progress: 100, error: '' } });
  });
}

const listed = async () => (await gatefold('app_api:app:list')).printed;

describe('app_api:app:register', () => {
  it('accepts the registration of the SDK’s test suite', async () => {
    initialisesItself();
    const info = {
      appid: appId,
      name: 'Test app',
      daemon_config_name: 'manual_install',
      version: '1.0.0',
      secret: external.secret,
      scopes: ['ALL'],
      port: portOf(external),
    };

    const outcome = await gatefold(
      'app_api:app:register',
      appId,
      'manual_install',
      '--json-info',
      JSON.stringify(info),
      '--force-scopes',
      '--wait-finish',
    );

    expect(outcome).toMatchObject({ exitCode: 0, complaints: '' });
    expect(outcome.printed).toContain(`ExApp ${appId} 1.0.0 is enabled.`);
    expect(outcome.printed).not.toContain(external.secret);
    expect(await listed()).toContain(`${appId} (Test app): 1.0.0 [enabled]`);
  });

  it('needs only an address', async () => {
    external.on('/init', json({}, 404));

    const outcome = await gatefold(
      'app_api:app:register',
      appId,
      '--json-info',
      JSON.stringify({ base_url: external.baseUrl }),
    );

    expect(outcome.exitCode).toBe(0);
    expect(outcome.printed).toMatch(/^ {2}APP_SECRET=[0-9a-f]{128}$/m);
    expect(outcome.printed).toContain(`  APP_ID=${appId}\n`);
    expect(outcome.printed).toContain(`  APP_PORT=${portOf(external)}\n`);
    expect(outcome.printed).toContain(`  NEXTCLOUD_URL=${app.url}`);
    expect(outcome.printed).toContain('is enabled.');
  });

  it('without --wait-finish reports that the app is still initialising', async () => {
    const outcome = await register();

    expect(outcome.exitCode).toBe(0);
    expect(outcome.printed).toContain(`is initialising (0 %)`);
    expect(await listed()).toContain('[installing]');
  });

  it('reads routes and environment variables from an info.xml', async () => {
    external.on('/init', json({}, 404));
    const file = path.join(folder, `${appId}.xml`);
    await writeFile(
      file,
      `<?xml version="1.0"?>
       <info><id>${appId}</id><name lang="en">From XML</name><version>4.5.6</version>
         <external-app>
           <routes><route><url>^js/.*</url><verb>get, post</verb><access_level>ADMIN</access_level>
             <headers_to_exclude>["Cookie"]</headers_to_exclude>
             <bruteforce_protection>[401]</bruteforce_protection></route></routes>
           <environment-variables><variable><name>MODEL</name><default>small one</default></variable>
           </environment-variables>
         </external-app></info>`,
    );

    const outcome = await gatefold(
      'app_api:app:register',
      appId,
      '--info-xml',
      file,
      '--json-info',
      JSON.stringify({ base_url: external.baseUrl }),
    );

    expect(outcome.exitCode).toBe(0);
    expect(outcome.printed).toContain(`  MODEL='small one'`);
    expect(await listed()).toContain(`${appId} (From XML): 4.5.6 [enabled]`);
    const routes = app.inside(ExAppRoutesRepository);
    expect(await routes.ofApp(appId)).toEqual([
      {
        url: '^js/.*',
        verb: 'GET,POST',
        accessLevel: 2,
        headersToExclude: ['cookie'],
        bruteforceStatuses: [401],
      },
    ]);
  });

  it('reads an info.xml from an address', async () => {
    external.on('/init', json({}, 404));
    external.on('/info.xml', (_request, response) => {
      response.end(`<info><id>${appId}</id><name>Far</name><version>7.0.0</version></info>`);
    });

    await gatefold(
      'app_api:app:register',
      appId,
      '--info-xml',
      `${external.baseUrl}/info.xml`,
      '--json-info',
      JSON.stringify({ base_url: external.baseUrl }),
    );

    expect(await listed()).toContain(`${appId} (Far): 7.0.0 [enabled]`);
  });

  it('exits with 3 for a registered app', async () => {
    await register();

    expect(await register()).toMatchObject({
      exitCode: 3,
      complaints: expect.stringContaining('already registered'),
    });
  });

  it('exits with 2 for an unknown daemon', async () => {
    const outcome = await gatefold('app_api:app:register', appId, 'nowhere', '--json-info', '{}');

    expect(outcome).toMatchObject({
      exitCode: 2,
      complaints: 'There is no daemon "nowhere"; app_api:daemon:list shows all daemons.\n',
    });
  });

  it('exits with 1 and the reason if the app does not answer', async () => {
    external.on('/heartbeat', json({ status: 'no' }, 500));

    expect(await register()).toMatchObject({
      exitCode: 1,
      complaints: expect.stringContaining(`GET ${external.baseUrl}/heartbeat answered 500`),
    });
    expect(await listed()).toContain(appId);
  });

  it('--wait-finish exits with 1 and the error that the app reported', async () => {
    external.on('/init', async (request, response) => {
      await json({})(request, response);
      await external.as().ocs('PUT', '/ex-app/status', { json: { progress: 3, error: 'no GPU' } });
    });

    expect(await register('--wait-finish')).toMatchObject({ exitCode: 1, complaints: 'no GPU\n' });
  });

  it('--silent prints nothing and sets the exit code', async () => {
    external.on('/heartbeat', json({}, 500));

    expect(await register('--silent')).toEqual({ printed: '', complaints: '', exitCode: 1 });
  });

  it('rejects info that is not JSON', async () => {
    expect(await gatefold('app_api:app:register', appId, '--json-info', '{nonsense')).toEqual({
      printed: '',
      complaints: 'The JSON about the app cannot be read.\n',
      exitCode: 1,
    });
  });

  function register(...options: string[]): Promise<Outcome> {
    const info = { secret: external.secret, version: '1.0.0', base_url: external.baseUrl };
    return gatefold('app_api:app:register', appId, '--json-info', JSON.stringify(info), ...options);
  }
});

describe('app_api:app:enable and disable', () => {
  it('change the state, and report when nothing changes', async () => {
    await knowApp(app, external, false);

    const outcomes = [
      await gatefold('app_api:app:enable', appId),
      await gatefold('app_api:app:enable', appId),
      await gatefold('app_api:app:disable', appId),
      await gatefold('app_api:app:disable', appId),
    ];

    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    expect(outcomes.map(({ printed }) => printed)).toEqual([
      `ExApp ${appId} is enabled.\n`,
      `ExApp ${appId} was enabled already.\n`,
      `ExApp ${appId} is disabled.\n`,
      `ExApp ${appId} was disabled already.\n`,
    ]);
  });

  it('exit with 1 for an app that refuses, and for an unknown one', async () => {
    await knowApp(app, external, false);
    external.on('/enabled', json({ error: 'not today' }));

    expect(await gatefold('app_api:app:enable', appId)).toMatchObject({
      exitCode: 1,
      complaints: expect.stringContaining('not today'),
    });
    expect(await gatefold('app_api:app:disable', 'nobody')).toMatchObject({ exitCode: 1 });
  });
});

describe('app_api:app:unregister', () => {
  it('removes an app', async () => {
    await knowApp(app, external);

    expect(await gatefold('app_api:app:unregister', appId)).toEqual({
      printed: `ExApp ${appId} is unregistered.\n`,
      complaints: '',
      exitCode: 0,
    });
    expect(await listed()).not.toContain(`${appId} (`);
  });

  it('exits with 1 for an unknown app, and with 0 when silent', async () => {
    expect(await gatefold('app_api:app:unregister', 'nobody')).toMatchObject({ exitCode: 1 });
    expect(await gatefold('app_api:app:unregister', 'nobody', '--silent')).toEqual({
      printed: '',
      complaints: '',
      exitCode: 0,
    });
  });
});

describe('app_api:app:update', () => {
  it('updates an app to a new version', async () => {
    await knowApp(app, external);
    external.on('/init', json({}, 404));
    const info = ['--json-info', '{"version":"2.0.0"}'];

    const shown = await gatefold('app_api:app:update', appId, ...info, '--showonly');
    const done = await gatefold('app_api:app:update', appId, ...info, '--wait-finish');
    const again = await gatefold('app_api:app:update', appId, ...info);

    expect(shown.printed).toContain('would be updated to 2.0.0');
    expect(done.printed).toContain(`ExApp ${appId} 2.0.0 is enabled.`);
    expect(again).toMatchObject({
      exitCode: 0,
      printed: expect.stringContaining('already updated'),
    });
  });

  it('reports that there is no app store', async () => {
    await expect(gatefold('app_api:app:update', '--all')).rejects.toThrow('There is no app store');
  });
});

describe('app_api:app:config', () => {
  it('sets, gets, lists and deletes values, sensitive ones masked in lists', async () => {
    await knowApp(app, external);

    const set = await gatefold(
      'app_api:app:config:set',
      appId,
      'key',
      '--value',
      'hidden',
      '--sensitive',
    );
    const got = await gatefold('app_api:app:config:get', appId, 'key');
    const list = await gatefold('app_api:app:config:list', appId);
    const revealed = await gatefold('app_api:app:config:list', appId, '--private');
    await gatefold('app_api:app:config:delete', appId, 'key');
    const gone = await gatefold('app_api:app:config:get', appId, 'key', '--default-value', 'none');

    expect(set.printed).not.toContain('hidden');
    expect(got.printed).toBe('hidden\n');
    expect(list.printed).toMatch(/^key +\*\*\*REMOVED SENSITIVE VALUE\*\*\* +yes$/m);
    expect(list.printed).not.toContain('hidden');
    expect(revealed.printed).toMatch(/^key +hidden +yes$/m);
    expect(gone.printed).toBe('none\n');
  });

  it('an app reads the values set by the operator', async () => {
    await knowApp(app, external);
    await gatefold('app_api:app:config:set', appId, 'key', '--value', 'from outside');

    const answer = await external
      .as()
      .ocs('POST', '/api/v1/ex-app/config/get-values', { json: { configKeys: ['key'] } });

    expect(answer.data).toEqual([{ configkey: 'key', configvalue: 'from outside' }]);
  });

  it('refuses unknown apps and values', async () => {
    await knowApp(app, external);

    await expect(gatefold('app_api:app:config:get', appId, 'no')).rejects.toThrow(
      `ExApp ${appId} has no value no.`,
    );
    await expect(gatefold('app_api:app:config:delete', appId, 'no')).rejects.toThrow(
      'has no value',
    );
    await expect(
      gatefold('app_api:app:config:set', appId, 'no', '--value', '1', '--update-only'),
    ).rejects.toThrow('has no value');
    await expect(gatefold('app_api:app:config:list', 'nobody')).rejects.toThrow('not found');
  });
});

describe('app_api:daemon', () => {
  it('skips registration of an existing daemon', async () => {
    const again = await gatefold(
      'app_api:daemon:register',
      'manual_install',
      'X',
      'manual-install',
      'http',
      'elsewhere',
      'http://x',
    );

    expect(again).toMatchObject({
      exitCode: 0,
      printed: expect.stringContaining('Skip registration'),
    });
    expect((await gatefold('app_api:daemon:list')).printed).toMatch(
      /manual_install +Manual .*127\.0\.0\.1/,
    );
  });

  it('accepts the options of scripts, and is unregistered', async () => {
    await gatefold(
      'app_api:daemon:register',
      'second',
      'Second',
      'manual-install',
      'https',
      'example.org',
      'https://x',
      '--net',
      'host',
      '--haproxy_password',
      'p',
      '--compute_device',
      'cpu',
      '--set-default',
    );

    const list = await gatefold('app_api:daemon:list');
    const removed = await gatefold('app_api:daemon:unregister', 'second');

    expect(list.printed).toMatch(/^\* +second +Second +manual-install +https +example\.org$/m);
    expect(removed.printed).toBe('Unregistered the daemon "second".\n');
    await expect(gatefold('app_api:daemon:unregister', 'second')).rejects.toThrow('no daemon');
  });

  it('refuses a kind that needs containers', async () => {
    await expect(
      gatefold('app_api:daemon:register', 'd', 'D', 'docker-install', 'http', 'host', 'http://x'),
    ).rejects.toThrow('Gatefold runs no containers');
  });
});

describe('app_api:doctor', () => {
  it('shows address, status, body and error, and exits with 1', async () => {
    await knowApp(app, external);
    external.on('/heartbeat', json({ detail: 'out of order' }, 503));

    const { printed, exitCode } = await gatefold('app_api:doctor', appId);

    expect(exitCode).toBe(1);
    expect(printed).toMatch(new RegExp(`^Heartbeat +GET ${external.baseUrl}/heartbeat$`, 'm'));
    expect(printed).toMatch(/^ {2}status +503$/m);
    expect(printed).toMatch(/^ {2}body +\{"detail":"out of order"\}$/m);
    expect(printed).toMatch(/^ {2}error +GET .* answered 503: .*out of order/m);
    expect(printed).toContain(`${app.url} (answers)`);
  });

  it('describes the error if nothing listens', async () => {
    await knowApp(app, external);
    await external.close();

    const { printed } = await gatefold('app_api:doctor', appId);

    expect(printed).toMatch(/^ {2}status +no answer$/m);
    expect(printed).toMatch(/^ {2}error +GET .*refused the connection/m);
  });

  it('exits with 0 for a healthy app, and prints JSON for programs, without the secret', async () => {
    await knowApp(app, external);

    const { printed, exitCode } = await gatefold('app_api:doctor', appId, '--json');

    expect(exitCode).toBe(0);
    expect(JSON.parse(printed)).toMatchObject({
      app: { appId, enabled: true },
      heartbeat: { alive: true, status: 200 },
      service: { address: app.url, answers: true },
    });
    expect(printed).not.toContain(external.secret);
  });
});

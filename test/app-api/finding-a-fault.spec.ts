import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { LifecyclePace } from '../../src/app-api/apps/lifecycle/lifecycle-pace.service.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { ExAppLog } from '../../src/app-api/apps/log/ex-app-log.service.js';
import { json, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { runGatefold, type Outcome } from '../support/gatefold-command.js';
import { startApp, type TestApp } from '../support/start-app.js';

/**
 * An operator registers a misconfigured app with `app_api:app:register --wait-finish`, and runs the
 * doctor. Each test asserts the first lines of both.
 */

let app: TestApp;
let external: ExternalApp;
let appId: string;
let nextApp = 0;

beforeAll(async () => {
  app = await startApp();
  const pace = app.inside(LifecyclePace);
  pace.installHeartbeats = 3;
  pace.enableHeartbeats = 2;
  pace.pause = async (_milliseconds, signal) => signal?.throwIfAborted();
});

afterAll(() => app.stop());

beforeEach(async () => {
  appId = `app-${nextApp++}`;
  external = await startExternalApp(app, { appId });
  external.on('/init', async (request, response) => {
    await json({})(request, response);
    await external.as().ocs('PUT', '/ex-app/status', { json: { progress: 100 } });
  });
});

afterEach(async () => {
  await app.inside(LifecycleService).settled();
  await external.close();
});

const gatefold = (...args: string[]) => runGatefold(app, ...args);

/** @param info overrides of the correct manifest */
function register(info: object = {}): Promise<Outcome> {
  const { secret, version, baseUrl } = external;
  return gatefold(
    'app_api:app:register',
    appId,
    '--wait-finish',
    '--json-info',
    JSON.stringify({ secret, version, base_url: baseUrl, ...info }),
  );
}

/** The lines of the doctor's report by name. */
async function doctor(): Promise<Record<string, string>> {
  await app.inside(ExAppLog).written();
  const { printed } = await gatefold('app_api:doctor', appId);
  return Object.fromEntries(
    printed.split('\n').map((line) => {
      const [name = '', ...text] = line.split(/ {2,}/).filter(Boolean);
      return [name, text.join(' ')];
    }),
  );
}

async function logOfHost(): Promise<string[]> {
  await app.inside(ExAppLog).written();
  const lines = await app.database.query<{ message: string }>(
    `select message from ex_app_log_line where app_id = $1 and source = 'host' order by id`,
    [appId],
  );
  return lines.map(({ message }) => message);
}

/** The common result of all failures: exit code, state, and one line in the log. */
async function expectFailure(outcome: Outcome, sentence: RegExp): Promise<void> {
  expect(outcome.exitCode).toBe(1);
  expect(outcome.complaints.trim().split('\n').at(-1)).toMatch(sentence);
  const report = await doctor();
  expect(report['State']).toBe('install failed');
  expect(report['Error']).toMatch(sentence);
  expect(report['Under way']).toBe('nothing');
  const failures = (await logOfHost()).filter((line) => line.startsWith('failed: '));
  expect(failures).toEqual([expect.stringMatching(sentence)]);
}

describe('diagnosis of an app', () => {
  it('with another secret: names the two values that must match', async () => {
    external.on('/init', (request, response) =>
      json({ error: 'not our gateway' }, request.authenticated ? 200 : 401)(request, response),
    );

    const outcome = await register({ secret: 'another secret than that of the app' });

    await expectFailure(
      outcome,
      new RegExp(
        `POST ${external.baseUrl}/init answered 401: .*not our gateway.*` +
          `APP_ID must be "${appId}", and its APP_SECRET the secret it is registered with\\.$`,
      ),
    );
    expect(JSON.stringify(outcome)).not.toContain('another secret');
  });

  it('at another port, where a web server listens: names another program', async () => {
    external.on('/heartbeat', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Welcome');
    });

    const outcome = await register();

    const sentence =
      /heartbeat answered 200: <!doctype html><p>Welcome\. .*The response is a web page: another program may listen at this address\.$/;
    expect(waitingLines(outcome)).toEqual([expect.stringMatching(sentence)]);
    await expectFailure(outcome, sentence);
  });

  it('that is not running: nothing listens at the address', async () => {
    await external.close();

    const outcome = await register();

    const sentence = new RegExp(
      `GET ${external.baseUrl}/heartbeat: .*refused the connection\\. ` +
        'Check that the app runs, and that this is its address\\.$',
    );
    expect(waitingLines(outcome)).toEqual([expect.stringMatching(sentence)]);
    await expectFailure(outcome, sentence);
  });

  it('that hangs: names the timeout', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const pace = app.inside(LifecyclePace);
    const usualSeconds = pace.heartbeatTimeoutSeconds;
    pace.heartbeatTimeoutSeconds = 0.1;

    const outcome = await register({ base_url: `http://127.0.0.1:${port}` });

    pace.heartbeatTimeoutSeconds = usualSeconds;
    silent.close();
    const sentence = /heartbeat: The server at .* did not answer within 0\.1 s\./;
    expect(waitingLines(outcome)).toEqual([expect.stringMatching(sentence)]);
    await expectFailure(outcome, sentence);
  });

  it('that answers 500: shows the body', async () => {
    external.on('/enabled', json({ detail: 'no model' }, 500));

    await expectFailure(await register(), /enabled answered 500: \{"detail":"no model"\}\.$/);
  });

  it('that answers a page instead of JSON: names the content', async () => {
    external.on('/enabled', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>ok</html>');
    });

    await expectFailure(
      await register(),
      /enabled answered 200: <html>ok<\/html>\. The response is a web page: another program may/,
    );
  });

  it('with a higher version than registered: both versions, and that it is accepted', async () => {
    const outcome = await register({ version: '0.9.0' });

    const sentence =
      'The app says it has version 1.0.0, higher than 0.9.0, which it was registered with; 1.0.0 is accepted and stored.';
    expect(outcome).toMatchObject({ exitCode: 0, complaints: `${sentence}\n` });
    expect(await logOfHost()).toContain(sentence);
    expect((await doctor())['App']).toBe(`${appId} (${appId}) 1.0.0`);
  });

  it('with a lower version than registered: both versions, and that nothing changes', async () => {
    const outcome = await register({ version: '2.0.0' });

    const sentence =
      'The app says it has version 1.0.0, lower than 2.0.0, which it was registered with; it is accepted, and 2.0.0 stays stored.';
    expect(outcome).toMatchObject({ exitCode: 0, complaints: `${sentence}\n` });
    expect(await logOfHost()).toContain(sentence);
  });

  it('whose requests are refused: the reason and the address, once', async () => {
    await register();
    for (let tries = 0; tries < 3; tries += 1) {
      await external.as().ocs('GET', '/api/v1/users', {
        headers: { 'authorization-app-api': Buffer.from(':guess of a secret').toString('base64') },
      });
    }

    const refusal = 'refused a call of the app: wrong secret (from 127.0.0.1)';
    expect((await logOfHost()).filter((line) => line.startsWith('refused'))).toEqual([refusal]);
    expect((await doctor())['Calls refused']).toContain(
      refusal.replace('refused a call of the app: ', ''),
    );
    const { json: log } = await app.asAdmin().get(`/apps/app_api/apps/logs/${appId}`);
    expect(JSON.stringify(log)).toContain(refusal);
    expect(JSON.stringify(log)).not.toContain('guess of a secret');
  });

  it('whose calls have no version: the command fails each time, and the log says it once', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn');
    external.on('/enabled', async (request, response) => {
      for (let calls = 0; calls < 3; calls += 1) {
        await external.as().ocs('GET', '/api/v1/users', { headers: { 'ex-app-version': '' } });
      }
      await json({})(request, response);
    });

    const outcome = await register();
    await gatefold('app_api:app:disable', appId);
    const again = await gatefold('app_api:app:enable', appId);

    const complaints =
      'refused a call of the app: EX-APP-VERSION is missing (from 127.0.0.1)\n' +
      `ExApp ${appId} can register nothing while its calls are refused. Correct it, then disable and enable it.\n`;
    expect(outcome).toMatchObject({ exitCode: 1, complaints });
    expect(again).toMatchObject({ exitCode: 1, complaints });
    expect(outcome.printed).toContain(`ExApp ${appId} 1.0.0 is enabled.`);
    const lines = warned.mock.calls.filter(([line]) => String(line).startsWith('refused external'));
    expect(lines).toEqual([
      [`refused external app "${appId}" at 127.0.0.1: EX-APP-VERSION is missing`],
    ]);
    warned.mockRestore();
  });

  it('that acts for an unknown user: this reason beside others', async () => {
    await register();
    await external.as('nobody-here').ocs('GET', '/api/v1/users');
    await external.as().ocs('GET', '/api/v1/users', { headers: { 'ex-app-version': '' } });

    expect((await logOfHost()).filter((line) => line.startsWith('refused'))).toEqual([
      'refused a call of the app: the user it acts for is unknown or disabled (from 127.0.0.1)',
      'refused a call of the app: EX-APP-VERSION is missing (from 127.0.0.1)',
    ]);
  });

  it('that calls too early: it is still being installed', async () => {
    external.on('/init', async (request, response) => {
      await external.as().ocs('GET', '/api/v1/users');
      await json({}, 404)(request, response);
    });

    await register();

    expect((await logOfHost()).filter((line) => line.startsWith('refused'))).toEqual([
      expect.stringContaining('still being installed'),
    ]);
  });
});

describe('while it waits for the heartbeat', () => {
  it('prints each new error once, until the app answers', async () => {
    let asked = 0;
    external.on('/heartbeat', (request, response) => {
      asked += 1;
      const isStarting = asked < 3;
      return json(isStarting ? { status: `step ${Math.ceil(asked / 2)}` } : { status: 'ok' })(
        request,
        response,
      );
    });

    const outcome = await register();

    expect(outcome.exitCode).toBe(0);
    expect(waitingLines(outcome)).toEqual([expect.stringContaining('{"status":"step 1"}')]);
    expect(outcome.printed).toContain(`ExApp ${appId} 1.0.0 is enabled.`);
  });
});

/** The lines printed before the outcome. */
function waitingLines({ complaints }: Outcome): string[] {
  return complaints.split('\n').filter((line) => line.startsWith('not yet: '));
}

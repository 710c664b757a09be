import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LifecyclePace } from '../../src/app-api/apps/lifecycle/lifecycle-pace.service.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { TERMINAL } from '../../src/app-api/apps/trust/ask-for-trust.js';
import { json, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { runGatefold } from '../support/gatefold-command.js';
import { startApp, type TestApp } from '../support/start-app.js';

/** An administrator answers once for the installation that external apps are trusted. */

let app: TestApp;
let external: ExternalApp;
let nextApp = 0;
const terminal = { ...TERMINAL };
const asked: string[] = [];

beforeAll(async () => {
  app = await startApp();
  app.inside(LifecyclePace).pause = async () => {};
});

afterAll(() => app.stop());

beforeEach(async () => {
  external = await startExternalApp(app, { appId: `trusted-${nextApp++}` });
  external.on('/init', json({}, 404));
  await app.database.query('delete from app_trust_answer');
});

afterEach(async () => {
  Object.assign(TERMINAL, terminal);
  asked.length = 0;
  await app.inside(LifecycleService).settled();
  await external.close();
});

function atTerminal(answer: string): void {
  TERMINAL.isInteractive = () => true;
  TERMINAL.ask = async (question) => {
    asked.push(question);
    return answer;
  };
}

const register = (...options: string[]) =>
  runGatefold(
    app,
    'app_api:app:register',
    external.appId,
    ...options,
    '--json-info',
    JSON.stringify({ base_url: external.baseUrl, secret: external.secret }),
  );

const registerOnPage = (given: object) =>
  app.asAdmin().call('POST', '/apps/app_api/apps/register', {
    json: { appId: external.appId, baseUrl: external.baseUrl, ...given },
  });

async function listed(): Promise<{ apps: { id: string }[]; trust: unknown }> {
  const answer = await app.asAdmin().call('GET', '/apps/app_api/apps/list');
  return answer.json as { apps: { id: string }[]; trust: unknown };
}

describe('the page', () => {
  it('stores who confirmed it and when, once', async () => {
    expect((await listed()).trust).toBeNull();

    expect((await registerOnPage({ trustsApps: true })).status).toBe(200);

    const { trust } = await listed();
    const { userId } = app.asAdmin().credentials;
    expect(trust).toEqual({ user_id: userId, answered_at: expect.any(Number) });
    const events = await app.database.query(
      `select 1 from security_event where details = 'confirmed that external apps are trusted'`,
    );
    expect(events).toHaveLength(1);
  });

  it('may be a script that knows nothing of it', async () => {
    expect((await registerOnPage({})).status).toBe(200);

    expect((await listed()).trust).toBeNull();
  });

  it('does not tell other users', async () => {
    const ada = await app.signInOnce('ada');

    expect((await ada.call('GET', '/apps/app_api/apps/list')).status).toBe(403);
  });
});

describe('app_api:app:register', () => {
  it('says what apps may do, and asks nobody without a terminal', async () => {
    TERMINAL.isInteractive = () => false;
    const { printed, exitCode } = await register();

    expect(printed).toContain('read and change the files and settings of every user');
    expect(printed).toContain('with the rights of whoever looks at them');
    expect(exitCode).toBe(0);
    expect((await listed()).trust).toBeNull();
  });

  it('asks at a terminal, and not again after yes', async () => {
    atTerminal('y');

    await register();
    await runGatefold(app, 'app_api:app:unregister', external.appId);
    await register();

    expect(asked).toHaveLength(1);
    expect((await listed()).trust).toMatchObject({ user_id: null });
  });

  it.each(['n', '', 'why?'])('registers nothing after "%s"', async (answer) => {
    atTerminal(answer);

    const { complaints, exitCode } = await register();

    expect({ complaints, exitCode }).toEqual({
      complaints: 'Nothing was registered.\n',
      exitCode: 1,
    });

    const { apps, trust } = await listed();
    expect(apps.map(({ id }) => id)).not.toContain(external.appId);
    expect(trust).toBeNull();
  });

  it('--yes answers, --silent is never asked', async () => {
    atTerminal('n');

    expect((await register('--silent')).exitCode).toBe(0);
    expect((await listed()).trust).toBeNull();
    await runGatefold(app, 'app_api:app:unregister', external.appId);
    await register('--yes');

    expect(asked).toEqual([]);
    expect((await listed()).trust).not.toBeNull();
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { runGatefold } from '../support/gatefold-command.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

const ROUTES = [
  { url: '^js/.*', verb: 'GET', access_level: 'USER' },
  { url: '^api/.*', verb: 'GET,POST', access_level: 'ADMIN' },
];

let app: TestApp;
let ada: TestUser;
let external: ExternalApp;
let appId: string;
let nextApp = 0;

beforeAll(async () => {
  app = await startApp();
  ada = await app.signInOnce('ada');
});

afterAll(() => app.stop());

beforeEach(async () => {
  appId = `app${nextApp++}`;
  external = await startExternalApp(app, { appId });
  external.on('/js/page.js', json({}));
});

afterEach(() => external.close());

const gatefold = (...args: string[]) => runGatefold(app, ...args);
const script = () => ada.get(`/apps/app_api/proxy/${appId}/js/page.js`);

describe('app_api:app:routes', () => {
  beforeEach(() => knowApp(app, external));

  it('opens paths of an installed app to browsers, without a new version of it', async () => {
    expect((await script()).status).toBe(404);

    const { printed, exitCode } = await gatefold(
      'app_api:app:routes',
      appId,
      '--routes',
      JSON.stringify(ROUTES),
    );

    expect(exitCode).toBe(0);
    expect(printed).toMatch(/^users +GET +\^js\/\.\*$/m);
    expect(printed).toMatch(/^administrators +GET,POST +\^api\/\.\*$/m);
    expect((await script()).status).toBe(200);
  });

  it('shows the declared routes without changing them if none are given', async () => {
    await gatefold('app_api:app:routes', appId, '--routes', JSON.stringify(ROUTES));

    expect((await gatefold('app_api:app:routes', appId)).printed).toContain('^js/.*');
    expect((await script()).status).toBe(200);
  });

  it('closes an app with an empty list', async () => {
    await gatefold('app_api:app:routes', appId, '--routes', JSON.stringify(ROUTES));

    const { printed } = await gatefold('app_api:app:routes', appId, '--routes', '[]');

    expect(printed).toContain('Browsers reach nothing of this app.');
    expect((await script()).status).toBe(404);
  });

  it.each(['no json', '[{"url":"(a)\\\\1","verb":"GET","access_level":"USER"}]', '[{"url":".*"}]'])(
    'rejects %s and keeps the declared routes',
    async (routes) => {
      await gatefold('app_api:app:routes', appId, '--routes', JSON.stringify(ROUTES));

      const { complaints, exitCode } = await gatefold(
        'app_api:app:routes',
        appId,
        '--routes',
        routes,
      );

      expect(exitCode).toBe(1);
      expect(complaints).toContain('routes');
      expect((await script()).status).toBe(200);
    },
  );

  it('exits with 1 for an unknown app', async () => {
    const { complaints, exitCode } = await gatefold('app_api:app:routes', 'nobody');

    expect({ complaints, exitCode }).toEqual({
      complaints: 'ExApp `nobody` not found\n',
      exitCode: 1,
    });
  });
});

describe('app_api:app:register --routes', () => {
  it('overrides the routes of the info', async () => {
    external.on('/init', json({}, 404));

    await gatefold(
      'app_api:app:register',
      appId,
      '--routes',
      JSON.stringify(ROUTES),
      '--json-info',
      JSON.stringify({ secret: external.secret, base_url: external.baseUrl, routes: [] }),
    );

    expect((await script()).status).toBe(200);
  });
});

describe('registered files of pages', () => {
  beforeEach(async () => {
    await knowApp(app, external);
    const gateway = external.as();
    const page = { type: 'top_menu', name: 'page' };
    await gateway.ocs('POST', '/api/v1/ui/script', { json: { ...page, path: 'js/page' } });
    await gateway.ocs('POST', '/api/v1/ui/style', { json: { ...page, path: 'css/page' } });
    await gateway.ocs('POST', '/api/v1/ui/top-menu', {
      json: { name: 'page', displayName: 'Page', icon: 'img/page.svg?v=1' },
    });
  });

  it('are listed if no declared route covers them', async () => {
    await gatefold('app_api:app:routes', appId, '--routes', JSON.stringify(ROUTES));

    const { printed } = await gatefold('app_api:app:routes', appId);
    const { json: record } = await app.asAdmin().get(`/apps/app_api/apps/info/${appId}`);

    expect(printed).toContain(
      'Registered for pages, but closed to browsers: css/page.css, img/page.svg',
    );
    expect(record).toMatchObject({ closed_to_browsers: ['css/page.css', 'img/page.svg'] });
  });

  it('are listed by the doctor, which shows the paths open to browsers', async () => {
    expect((await gatefold('app_api:doctor', appId)).printed).toMatch(
      /^Browsers reach +nothing: the app declares no routes; not css\/page\.css, img\/page\.svg, js\/page\.js$/m,
    );

    await gatefold(
      'app_api:app:routes',
      appId,
      '--routes',
      '[{"url":"(js|css|img)/.*","verb":"GET","access_level":0}]',
    );

    expect((await gatefold('app_api:doctor', appId)).printed).toMatch(
      /^Browsers reach +the paths of 1 declared route$/m,
    );
  });
});

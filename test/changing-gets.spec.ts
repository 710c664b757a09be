import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { giveBelongings, type Belongings } from './support/belongings.js';
import { Browser } from './support/browser.js';
import { watchTables } from './support/changed-tables.js';
import { EVERY_PART } from './support/every-part.js';
import { routesOf, type Route } from './support/routes.js';
import { startApp, type TestApp } from './support/start-app.js';

let app: TestApp;
let belongings: Belongings;
let browser: Browser;
let requestToken: string;
beforeAll(async () => {
  app = await startApp(EVERY_PART);
  const bob = await app.signInOnce('bob');
  belongings = await giveBelongings(app, app.asAdmin(), bob);
  browser = new Browser(app.url);
  await browser.login(app.asAdmin().credentials);
  const { json } = await browser.get('/csrftoken');
  requestToken = (json as { token: string }).token;
});
afterAll(async () => {
  await belongings.close();
  await app.stop();
});

/** Parameters with which routes succeed. */
const QUERIES: Readonly<Record<string, string>> = {
  'ArchivesController.download': 'dir=/&files=tide.txt',
  'AutocompleteController.suggest': 'search=a',
  'DoctorController.examine': 'url=http://127.0.0.1:9/',
  'FileActionsController.offered': 'fileIds=1',
  'MessagesController.mentionable': 'search=b',
  'MessagesController.read': 'lookIntoFuture=1&timeout=0&lastKnownMessageId=0',
  'PicturesController.show': 'address=https://a.example/x.png',
  'PreviewsController.byId': 'fileId=:pictureId',
  'PreviewsController.byPath': 'file=/tide.png',
  'RowsV13Controller.listChanged': 'since=0',
  'SearchController.find': 'query=tide',
  'SearchController.rows': 'query=tide',
  'SearchLanguageController.reading': 'query=tide',
  'StatisticsV13Controller.fetches': 'from=0&to=3600&bucketSeconds=3600',
  'UpdaterController.updateFeed': 'userId=admin&feedId=1',
};

/** The only thing that they change: who read so much at once is an entry of the audit log. */
const RECORDED = new Map([['SecurityEventsController.export', 'public.security_event']]);

/** Endless responses. */
const STREAMS = new Set(['EventsV13Controller.listen']);

/** One route per handler that browsers can reach. */
const gets = () => {
  const routes = routesOf(app).filter(
    ({ method, path, guards, handler }) =>
      ['GET', 'ALL'].includes(method) &&
      !path.startsWith('/ocs/v1.php') &&
      !guards.includes('PutOrPostGuard') &&
      !guards.includes('GatewayAuthGuard') &&
      !guards.includes('TaskPollGuard') &&
      !guards.includes('GoogleLoginGuard') &&
      !guards.includes('ScimGuard') &&
      !STREAMS.has(handler),
  );
  return [...new Map(routes.map((route) => [route.handler, route])).values()];
};

const addressOf = ({ path, handler }: Route) => {
  const query = (QUERIES[handler] ?? '').replace(':pictureId', belongings.pictureId);
  return `${belongings.fill(path)}?${path.startsWith('/ocs') ? 'format=json&' : ''}${query}`;
};

describe('A GET with the session of an administrator', () => {
  it('changes nothing in the database on any route', async () => {
    const changing: string[] = [];
    const changedTables = await watchTables(app.database);
    for (const route of gets().filter(({ handler }) => handler !== 'LogoutController.byLink')) {
      const answer = await browser.get(addressOf(route));
      for (const table of await changedTables()) {
        if (RECORDED.get(route.handler) !== table) {
          changing.push(`${route.handler} (${answer.status}) changes ${table}`);
        }
      }
    }

    expect(changing).toEqual([]);
  });

  it('succeeds, so that the test above is meaningful', async () => {
    const missed: unknown[] = [];
    for (const route of gets().filter((one) => !one.changingGet && one.rule === undefined)) {
      const { status } = await browser.get(addressOf(route));
      if (status >= 300) {
        missed.push([route.handler, status]);
      }
    }

    expect(missed.toSorted()).toEqual(WITHOUT_AN_ANSWER);
  });

  /** Shows results of an external app; there is none here. */
  const WITHOUT_AN_ANSWER = [
    ['AssistanceV13Controller.find', 404],
    // None was made.
    ['ExportsController.download', 404],
    // Only with GATEFOLD_PICTURES=proxy.
    ['PicturesController.show', 404],
    ['SpeechToTextController.show', 404],
    ['TextProcessingController.show', 404],
  ];

  it('is rejected with 412 where it has side effects, and accepted with CSRF proof', async () => {
    const routes = gets().filter(({ changingGet }) => changingGet);
    expect([...new Set(routes.map(({ handler }) => handler))].toSorted()).toEqual([
      'DoctorController.examine',
      'MessagesController.read',
      'OwnAppPasswordController.swap',
      'UpdaterController.afterUpdate',
      'UpdaterController.beforeUpdate',
      'UpdaterController.updateFeed',
    ]);
    for (const route of routes) {
      const forged = await browser.get(addressOf(route), {
        headers: { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors' },
      });
      const meant = await browser.get(addressOf(route), {
        headers: { requesttoken: requestToken },
      });

      expect([route.handler, forged.status]).toEqual([route.handler, 412]);
      expect([route.handler, meant.status]).not.toEqual([route.handler, 412]);
    }
  });

  it('does not log out without the CSRF token', async () => {
    expect((await browser.get('/logout')).status).toBe(412);
    expect((await browser.get('/csrftoken')).status).toBe(200);
  });
});

describe('A GET with side effects and Basic credentials', () => {
  const path = '/apps/news/api/v1-3/cleanup/before-update';
  const from = async (mode: string, site: string) =>
    (await app.asAdmin().get(path, { headers: { 'sec-fetch-mode': mode, 'sec-fetch-site': site } }))
      .status;

  it('is accepted from programs, scripts and the address bar', async () => {
    expect((await app.asAdmin().get(path)).status).toBe(200);
    expect(await from('cors', 'cross-site')).toBe(200);
    expect(await from('navigate', 'none')).toBe(200);
  });

  it('is rejected from images and links, for which browsers send remembered credentials', async () => {
    expect(await from('no-cors', 'cross-site')).toBe(412);
    expect(await from('no-cors', 'same-origin')).toBe(412);
    expect(await from('navigate', 'cross-site')).toBe(412);
    expect(await from('navigate', 'same-origin')).toBe(412);
  });
});

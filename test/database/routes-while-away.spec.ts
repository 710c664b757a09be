import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { giveBelongings, type Belongings } from '../support/belongings.js';
import { Browser } from '../support/browser.js';
import { aDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.js';
import { EVERY_PART } from '../support/every-part.js';
import { startExternalApp, toOcs, type ExternalApp } from '../support/external-app.js';
import { feverKey } from '../support/fever-client.js';
import { GoogleReaderClient, logIn } from '../support/google-reader-client.js';
import { routesOf, type Route } from '../support/routes.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** Handlers that answer without the database, and with what. */
const WITHOUT_DATABASE: Readonly<Record<string, number>> = {
  // The same for everybody.
  'CompatibilityController.greet': 200,
  'HealthController.live': 200,
  // Needs a login in progress.
  'HalfLoginController.options': 403,
  'HalfLoginController.show': 303,
  'HalfLoginController.submit': 303,
  'IconsController.appIcon': 200,
  'LevelsController.levels': 200,
  // The address is an IP address.
  'PasskeyLoginController.options': 422,
  'PasskeyLoginController.submit': 422,
  'PasswordLinksController.showNewPassword': 200,
  'ScimServiceController.config': 200,
  'ScimServiceController.resourceTypes': 200,
  'ScimServiceController.schemas': 200,
  'StatusPhpController.show': 200,
  'WebAppController.manifest': 200,
  // Not configured here.
  'FramedPagesController.enter': 404,
  'FramedPagesController.page': 404,
  'MetricsController.show': 404,
  'NoticeButtonsController.press': 404,
  'OidcController.begin': 503,
  'OidcController.finish': 400,
  'OidcLogoutController.end': 503,
  'PasswordLinksController.ask': 404,
  'PasswordLinksController.showForgotten': 404,
  'SecurityTxtController.show': 404,
  // Refused for what this spec sends, before the database is asked.
  'BoardRefusalsController.refuse': 404,
  'BotAnswersController.react': 401,
  'BotAnswersController.send': 401,
  'BotAnswersController.takeBack': 401,
  'FeedIconsController.show': 404,
  'FeverController.byForm': 200,
  'FeverController.byQuery': 200,
  'GrantController.decide': 422,
  'LogInController.byForm': 401,
  'LogInController.byQuery': 401,
  'ScimGroupsController.create': 400,
  'ScimGroupsController.patch': 400,
  'ScimGroupsController.remove': 404,
  'ScimGroupsController.replace': 400,
  'ScimGroupsController.show': 404,
  'ScimServiceController.resourceType': 404,
  'ScimServiceController.schema': 404,
  'ScimUsersController.create': 400,
  'ScimUsersController.patch': 400,
  'ScimUsersController.remove': 404,
  'ScimUsersController.replace': 400,
  'ScimUsersController.show': 404,
  'WebSubController.verify': 422,
};

let database: TestDatabase;
let proxy: DatabaseProxy;
let app: TestApp;
let external: ExternalApp;
let belongings: Belongings;
let browser: Browser;
let requestToken: string;
let googleReader: GoogleReaderClient;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await aDatabaseProxy(database.url);
  app = await startApp({ DATABASE_URL: proxy.url, ...EVERY_PART });
  external = await startExternalApp(app, { appId: 'unknown-so-far' });
  belongings = await giveBelongings(app, app.asAdmin(), await app.signInOnce('bob'));
  browser = new Browser(app.url);
  await browser.login(app.asAdmin().credentials);
  requestToken = ((await browser.get('/csrftoken')).json as { token: string }).token;
  googleReader = await GoogleReaderClient.of(await app.signInOnce('bob'));
  proxy.refuse();
});
afterAll(async () => {
  await belongings.close();
  await external.close();
  await app.stop();
  await proxy.close();
  await database.drop();
});

/** Not below /ocs/v1.php, where the protocol has 200 for everything. */
function oneOfEachHandler(): readonly Route[] {
  const routes = routesOf(app).filter(
    ({ method, path, guards }) =>
      !path.startsWith('/ocs/v1.php') &&
      (guards.includes('PutOrPostGuard') ? method === 'PUT' : method !== 'CONNECT'),
  );
  return [...new Map(routes.toReversed().map((route) => [route.handler, route])).values()];
}

/** With the credentials that the route asks for. */
async function answerOf(route: Route) {
  const method = route.method === 'ALL' ? 'GET' : route.method;
  const path = `${belongings.fill(route.path)}${route.path.startsWith('/ocs') ? '?format=json' : ''}`;
  const json = ['GET', 'HEAD'].includes(method) ? {} : { json: {} };
  if (route.guards.includes('GatewayAuthGuard') || route.guards.includes('TaskPollGuard')) {
    return external.as('admin').call(method, path, json);
  }
  const headers = { requesttoken: requestToken, ...authorizationFor(route.guards) };
  return browser.call(method, path, { ...json, headers });
}

function authorizationFor(guards: readonly string[]): Readonly<Record<string, string>> {
  if (guards.includes('ScimGuard')) {
    return { authorization: `Bearer ${EVERY_PART.GATEFOLD_SCIM_TOKEN}` };
  }
  return guards.includes('GoogleLoginGuard')
    ? { authorization: `GoogleLogin auth=${googleReader.token}` }
    : {};
}

describe('While the database is away, every route', () => {
  it('answers 503 with Retry-After, unless it needs no database', async () => {
    const others: Record<string, number> = {};
    for (const route of oneOfEachHandler()) {
      const { status, headers } = await answerOf(route);
      if (status !== 503 || !(Number(headers['retry-after']) > 0)) {
        others[route.handler] = status;
      }
    }

    expect(others).toEqual(WITHOUT_DATABASE);
  });

  it('of the OCS API of version 1 answers 200, as its protocol wants, with the code 503', async () => {
    const answer = await app.asAdmin().get('/ocs/v1.php/cloud/users/admin?format=json');

    expect(answer.status).toBe(200);
    expect(answer.headers['retry-after']).toBe('5');
    expect(toOcs(answer).statuscode).toBe(503);
  });

  it('for log-ins answers 503, so that no client takes its credentials for wrong', async () => {
    const key = feverKey('bob', 'an app password');
    const fever = await app.asStranger().get(`/fever/?api&api_key=${key}&feeds`);
    const google = await logIn(app.asAdmin());

    expect([fever.status, google.status]).toEqual([503, 503]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from './support/api-client.js';
import { giveBelongings, type Belongings } from './support/belongings.js';
import { knowApp, startExternalApp, type ExternalApp } from './support/external-app.js';
import { routesOf, type Route } from './support/routes.js';
import { startApp, type TestApp, type TestUser } from './support/start-app.js';
import { tableContents } from './support/table-contents.js';

/*
 * Calls every route with every kind of caller that it must reject. The expectation follows from the
 * route's guards; guards and public handlers that are not listed here fail a test.
 */

let app: TestApp;
let belongings: Belongings;
let stranger: TestUser;
let other: ExternalApp;
beforeAll(async () => {
  app = await startApp();
  const [ada, bob] = [await app.signInOnce('ada'), await app.signInOnce('bob')];
  stranger = await app.signInOnce('mallory');
  belongings = await giveBelongings(app, ada, bob);
  other = await startExternalApp(app, { appId: 'other' });
  await knowApp(app, other);
});
afterAll(async () => {
  await Promise.all([belongings.close(), other.close()]);
  await app.stop();
});

/** Admitted callers by guards, in their order. */
const AUDIENCES: Readonly<
  Record<string, 'users' | 'administrators' | 'apps' | 'bots' | 'programs'>
> = {
  BasicAuthGuard: 'users',
  'BasicAuthGuard+AccountPasswordGuard': 'users',
  'BasicAuthGuard+PutOrPostGuard': 'users',
  'BasicAuthGuard+AdminGuard': 'administrators',
  GatewayAuthGuard: 'apps',
  TaskPollGuard: 'apps',
  'GatewayAuthGuard+ActingUserGuard': 'apps',
  SignedBotGuard: 'bots',
  GoogleLoginGuard: 'programs',
};

/**
 * Public handlers, with their status for a request without credentials. The reason of each is in
 * its room's README.
 */
const PUBLIC: Readonly<Record<string, readonly number[]>> = {
  'ApiDocsPagesController.index': [302],
  'ApiDocsPagesController.viewer': [302],
  'CapabilitiesController.show': [200],
  'CompatibilityController.greet': [200],
  'EmbeddedPagesController.page': [302],
  'FeedIconsController.show': [404],
  'FeverController.byForm': [200],
  'FeverController.byQuery': [200],
  'FramedPagesController.enter': [404],
  'FramedPagesController.page': [404],
  'GrantController.ask': [404],
  'GrantController.decide': [422],
  'HealthController.live': [200],
  'HealthController.ready': [200],
  'IconsController.appIcon': [200],
  'LevelsController.levels': [200],
  'LogInController.byForm': [401],
  'LogInController.byQuery': [401],
  'LoginController.show': [200],
  'LoginController.submit': [403],
  'LogoutController.byForm': [303],
  'LogoutController.byLink': [303],
  'LoginFlowController.begin': [200],
  'LoginFlowController.poll': [404],
  'OidcController.begin': [404],
  'OidcController.finish': [404],
  'OidcLogoutController.end': [404],
  'PagesController.shell': [302],
  'ProxyController.pass': [404],
  'StatusPhpController.show': [200],
  'TalkProxyController.receive': [404],
  'WebAppController.manifest': [200],
  'WebSubController.called': [404],
  'WebSubController.verify': [404, 422],
};

const isPublic = ({ rule, guards }: Route) => rule !== undefined || guards.length === 0;
/** Guards that every user passes. */
const FOR_EVERYBODY = new Set(['AppConsentGuard', 'DiskReserveGuard']);

const audienceOf = ({ guards }: Route) =>
  AUDIENCES[guards.filter((guard) => !FOR_EVERYBODY.has(guard)).join('+')];
const describeRoute = ({ method, path, handler }: Route) => `${method} ${path} (${handler})`;

/** Methods of a route. */
function routes(): readonly Route[] {
  const all = routesOf(app).map((route) =>
    route.guards.includes('PutOrPostGuard') ? { ...route, method: 'PUT' } : route,
  );
  const met = new Set<string>();
  return all.filter(({ method, path }) => {
    const isNew = !met.has(`${method} ${path}`);
    met.add(`${method} ${path}`);
    // The server itself rejects CONNECT.
    return isNew && method !== 'CONNECT';
  });
}

/** One route per handler, ignoring roots and API levels; preferably one with an owner. */
function handlers(): readonly Route[] {
  const preferred = routes()
    .filter(({ path }) => !path.startsWith('/ocs/v1.php'))
    .sort((a, b) => Number(a.path.includes(':userId')) - Number(b.path.includes(':userId')));
  return [...new Map(preferred.map((route) => [route.handler, route])).values()];
}

type Caller = (method: string, path: string) => Promise<Answer>;

const METHOD_OF_ALL = 'GET';

async function statusesOf(
  those: readonly Route[],
  call: Caller,
): Promise<readonly (readonly [string, number, Route])[]> {
  const found: (readonly [string, number, Route])[] = [];
  for (const route of those) {
    const method = route.method === 'ALL' ? METHOD_OF_ALL : route.method;
    const { status } = await call(method, belongings.fill(route.path));
    found.push([describeRoute(route), status, route]);
  }
  return found;
}

const unlike = (
  found: readonly (readonly [string, number, Route])[],
  isExpected: (status: number, route: Route) => boolean,
) =>
  found
    .filter(([, status, route]) => !isExpected(status, route))
    .map(([route, status]) => `${route}: ${status}`);

describe('Every route', () => {
  it('has known guards, or is a listed public one', () => {
    const unnamed = routes().filter((route) =>
      isPublic(route) ? PUBLIC[route.handler] === undefined : audienceOf(route) === undefined,
    );

    expect(routes().length).toBeGreaterThan(500);
    expect(unnamed.map(describeRoute)).toEqual([]);
  });

  it('all listed public handlers exist', () => {
    const there = new Set(
      routes()
        .filter(isPublic)
        .map(({ handler }) => handler),
    );

    expect(Object.keys(PUBLIC).filter((handler) => !there.has(handler))).toEqual([]);
  });
});

describe('Without credentials', () => {
  const anonymous: Caller = (method, path) => app.asStranger().call(method, path);

  it('every route at every root responds 401, unless public', async () => {
    const found = await statusesOf(
      routes().filter((route) => !isPublic(route)),
      anonymous,
    );

    expect(unlike(found, (status) => status === 401)).toEqual([]);
  });

  it('public ones respond as listed', async () => {
    const found = await statusesOf(handlers().filter(isPublic), anonymous);

    expect(
      unlike(found, (status, { handler }) => (PUBLIC[handler] ?? []).includes(status)),
    ).toEqual([]);
  });
});

describe('A user without administrator rights', () => {
  const asStranger: Caller = (method, path) => stranger.call(method, path);

  it('gets 403 on every route for administrators', async () => {
    const those = handlers().filter((route) => audienceOf(route) === 'administrators');
    const found = await statusesOf(those, asStranger);

    expect(found.length).toBeGreaterThan(30);
    expect(unlike(found, (status) => status === 403)).toEqual([]);
  });

  it('gets 401 on every route for external apps, bots and programs with a token', async () => {
    const those = handlers().filter((route) =>
      ['apps', 'bots', 'programs'].includes(audienceOf(route) ?? ''),
    );
    const found = await statusesOf(those, asStranger);

    expect(found.length).toBeGreaterThan(30);
    expect(unlike(found, (status) => status === 401)).toEqual([]);
  });

  it('reads and changes nothing of another user on any route', async () => {
    const those = handlers().filter(
      (route) => audienceOf(route) === 'users' && /[:*]/.test(route.path),
    );
    const before = await tableContents(app.database, 'ada');

    const found = await statusesOf(those, asStranger);

    expect(found.length).toBeGreaterThan(50);
    expect(unlike(found, (status) => status >= 400 && status < 500).toSorted()).toEqual(OPEN);
    expect(await tableContents(app.database, 'ada')).toEqual(before);
  });

  /** Data visible to other users, or without an owner. */
  const OPEN = [
    // Succeeds without effect, as the protocol wants.
    'DELETE /ocs/v2.php/taskprocessing/task/:id (OwnTasksController.remove): 200',
    // The same for everybody.
    'GET /api/docs/:document.json (ApiDocsController.document): 200',
    'GET /api/docs/viewer/:file (ApiDocsController.file): 200',
    'GET /apps/news/api/v1-3/favicon/:feedUrlHash (FaviconV13Controller.show): 200',
    'GET /avatar/:userId/:size (AvatarsController.show): 200',
    'GET /avatar/:userId/:size/dark (AvatarsController.showOnDark): 200',
    // Their own tasks that name the app.
    'GET /ocs/v2.php/speechtotext/tasks/app/:appId (SpeechToTextController.list): 200',
    'GET /ocs/v2.php/taskprocessing/tasks/app/:appId (OwnTasksController.list): 200',
    'GET /ocs/v2.php/textprocessing/tasks/app/:appId (TextProcessingController.list): 200',
    // Lists methods, also for missing files.
    'OPTIONS /remote.php/dav/files/:userId/*path (OtherVerbsController.describe): 200',
  ];
});

describe('An external app without a user', () => {
  const asOther: Caller = (method, path) => other.as('').call(method, path);

  it('gets 401 on every route for users, administrators and programs with a token', async () => {
    const those = handlers().filter(
      (route) =>
        !isPublic(route) &&
        ['users', 'administrators', 'programs'].includes(audienceOf(route) ?? ''),
    );
    const found = await statusesOf(those, asOther);

    expect(unlike(found, (status) => status === 401)).toEqual([]);
  });

  it('with the credentials of another app gets 401 on every route', async () => {
    const headers = {
      'ex-app-id': 'tools',
      'ex-app-version': '1.0.0',
      'authorization-app-api': Buffer.from(`ada:${other.secret}`).toString('base64'),
    };
    const forged: Caller = (method, path) => app.asStranger().call(method, path, { headers });
    const found = await statusesOf(
      handlers().filter((route) => !isPublic(route)),
      forged,
    );

    expect(unlike(found, (status) => status === 401)).toEqual([]);
  });

  it('changes nothing of another app', async () => {
    const those = handlers().filter((route) => audienceOf(route) === 'apps');
    const before = await tableContents(app.database, 'tools');

    await statusesOf(those, asOther);

    expect(await tableContents(app.database, 'tools')).toEqual(before);
  });
});

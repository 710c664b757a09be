import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, type Answer } from './support/api-client.js';
import { giveBelongings, type Belongings } from './support/belongings.js';
import { EVERY_PART } from './support/every-part.js';
import { knowApp, startExternalApp, type ExternalApp } from './support/external-app.js';
import { Groups } from './support/group-folders.js';
import { NewsClient, ok } from './support/news-client.js';
import { routesOf, type Route } from './support/routes.js';
import { startApp, type TestApp, type TestUser } from './support/start-app.js';
import { tableContents } from './support/table-contents.js';

/*
 * Calls every route with every kind of caller that it must reject. The expectation follows from the
 * route's guards; guards and public handlers that are not listed here fail a test.
 */

let app: TestApp;
let belongings: Belongings;
let ada: TestUser;
let stranger: TestUser;
let other: ExternalApp;
let disabled: ExternalApp;
/** Of the administrator, without the right to administer. */
let appPassword: string;
beforeAll(async () => {
  app = await startApp(EVERY_PART);
  ada = await app.signInOnce('ada');
  const bob = await app.signInOnce('bob');
  stranger = await app.signInOnce('mallory');
  belongings = await giveBelongings(app, ada, bob);
  other = await startExternalApp(app, { appId: 'other' });
  await knowApp(app, other);
  disabled = await startExternalApp(app, { appId: 'asleep' });
  await knowApp(app, disabled, false);
  const path = '/ocs/v2.php/core/apppasswords?format=json';
  const { json } = await app.asAdmin().post(path, { name: 'Phone' });
  appPassword = (json as { ocs: { data: { token: string } } }).ocs.data.token;
});
afterAll(async () => {
  await Promise.all([belongings.close(), other.close(), disabled.close()]);
  await app.stop();
});

type Audience = 'users' | 'administrators' | 'apps' | 'bots' | 'programs' | 'provisioning';

/** Admitted callers by guards, in their order. */
const AUDIENCES: Readonly<Record<string, Audience>> = {
  BasicAuthGuard: 'users',
  'BasicAuthGuard+AccountPasswordGuard': 'users',
  'BasicAuthGuard+OwnerGuard': 'users',
  'BasicAuthGuard+PutOrPostGuard': 'users',
  'BasicAuthGuard+AdminGuard': 'administrators',
  // With the default of GATEFOLD_FEEDS_OUT.
  ListVisitorGuard: 'users',
  GatewayAuthGuard: 'apps',
  TaskPollGuard: 'apps',
  'GatewayAuthGuard+ActingUserGuard': 'apps',
  SignedBotGuard: 'bots',
  GoogleLoginGuard: 'programs',
  ScimGuard: 'provisioning',
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
  'FileLinksController.lead': [302],
  'FramedPagesController.enter': [404],
  'FramedPagesController.page': [404],
  'GrantController.ask': [404],
  'GrantController.decide': [422],
  'HalfLoginController.options': [403],
  'HalfLoginController.show': [303],
  'HalfLoginController.submit': [303],
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
  'BoardRefusalsController.refuse': [404],
  'NoticeButtonsController.press': [404],
  'OidcController.begin': [503],
  'OidcController.finish': [400],
  'OidcLogoutController.end': [503],
  'PagesController.shell': [302],
  'PasskeyLoginController.options': [200, 422],
  'PasskeyLoginController.submit': [422],
  'PasswordLinksController.ask': [404],
  'PasswordLinksController.set': [404],
  'PasswordLinksController.showForgotten': [404],
  'PasswordLinksController.showNewPassword': [200],
  'ProxyController.pass': [404],
  'MetricsController.show': [404],
  'SecurityTxtController.show': [404],
  'StatusPhpController.show': [200],
  'TalkProxyController.receive': [404],
  'WebAppController.manifest': [200],
  'WebSubController.called': [404],
  'WebSubController.verify': [404, 422],
};

const isPublic = ({ rule, guards }: Route) => rule !== undefined || guards.length === 0;
/** Guards that every user passes. */
const FOR_EVERYBODY = new Set(['AppConsentGuard']);

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
): Promise<readonly (readonly [string, number, Route, text: string])[]> {
  const found: (readonly [string, number, Route, string])[] = [];
  const left = those.entries();
  // Several at a time: the database and the service work side by side.
  const ask = async () => {
    for (const [place, route] of left) {
      const method = route.method === 'ALL' ? METHOD_OF_ALL : route.method;
      const { status, text } = await call(method, belongings.fill(route.path));
      found[place] = [describeRoute(route), status, route, text];
    }
  };
  await Promise.all(Array.from({ length: 4 }, ask));
  return found;
}

const unlike = (
  found: readonly (readonly [string, number, Route, ...unknown[]])[],
  isExpected: (status: number, route: Route) => boolean,
) =>
  found
    .filter(([, status, route]) => !isExpected(status, route))
    .map(([route, status]) => `${route}: ${status}`);

/** Answers for an id of another that differ from those for an id of nobody, but for the id itself. */
async function differences(
  those: readonly Route[],
  caller: Pick<ApiClient, 'call'>,
): Promise<string[]> {
  const found: string[] = [];
  for (const route of those.filter(({ handler }) => !TOLD.has(handler))) {
    const method = route.method === 'ALL' ? METHOD_OF_ALL : route.method;
    const foreign = belongings.fill(route.path);
    const unknown = belongings.fillUnknown(route.path);
    if (foreign === unknown.path) {
      continue;
    }
    const body = READING.includes(method) ? {} : { json: FIELDS };
    // One after the other: a limit would answer the second of two.
    const ofOther = shown(await caller.call(method, foreign, body));
    const ofNobody = unknown.known(shown(await caller.call(method, unknown.path, body)));
    if (ofOther !== ofNobody) {
      found.push(`${describeRoute(route)}: ${ofOther} / ${ofNobody}`);
    }
  }
  return found;
}

/** Hashes of ids in messages are the sender's own. */
const shown = ({ status, text }: Answer) => `${status} ${text.replaceAll(/[0-9a-f]{32}/g, '…')}`;

/** Users see who has an account, as in searches, and whoever has the address of a list may read it. */
const TOLD = new Set([
  'AvatarsController.show',
  'AvatarsController.showOnDark',
  'PublishedListsController.atom',
  'PublishedListsController.json',
  'PublishedListsController.page',
]);

/** Fields with which routes get past their schema. */
const FIELDS = {
  name: 'x',
  title: 'x',
  message: 'x',
  reaction: '👍',
  output: {},
  progress: 0.5,
  status: 1,
  text: 'x',
  color: '#112233',
};

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

/**
 * What a caller gets on the routes for each audience: a status, or `admitted` for any but 401 and 403.
 * A missing one is called elsewhere, or is what the route is for.
 */
type Expectations = Readonly<Partial<Record<Audience, 401 | 403 | 'admitted'>>>;

interface MatrixCaller {
  readonly expected: Expectations;
  readonly call: Caller;
  /** Only routes with these methods; all by default. */
  readonly methods?: readonly string[];
}

const NOWHERE: Expectations = {
  users: 401,
  administrators: 401,
  apps: 401,
  bots: 401,
  programs: 401,
  provisioning: 401,
};
const ONLY_APPS: Expectations = { ...NOWHERE, apps: 'admitted' };

const ofApp = (appId: string, userId: string, secret: string) => ({
  'ex-app-id': appId,
  'ex-app-version': '1.0.0',
  'authorization-app-api': Buffer.from(`${userId}:${secret}`).toString('base64'),
});

const READING = ['GET', 'HEAD', 'PROPFIND', 'OPTIONS'];
const CHANGING = ['POST', 'PUT', 'PATCH', 'DELETE'];

const withAppPassword: Caller = (method, path) =>
  new ApiClient(app.url, { userId: 'admin', password: appPassword }).call(method, path);

/** Every kind of caller against every route. */
const MATRIX: Readonly<Record<string, MatrixCaller>> = {
  'a wrong password': {
    expected: NOWHERE,
    call: (method, path) =>
      new ApiClient(app.url, { userId: 'ada', password: 'wrong' }).call(method, path),
  },
  'a token of another kind': {
    expected: NOWHERE,
    call: (method, path) =>
      app.asStranger().call(method, path, { headers: { authorization: 'Bearer of nothing' } }),
  },
  'an ordinary user': {
    expected: { administrators: 403, apps: 401, bots: 401, programs: 401, provisioning: 401 },
    call: (method, path) => stranger.call(method, path),
  },
  'an app password of an administrator that may not administer, reading': {
    expected: {
      administrators: 'admitted',
      apps: 401,
      bots: 401,
      programs: 401,
      provisioning: 401,
    },
    methods: READING,
    call: withAppPassword,
  },
  'an app password of an administrator that may not administer, changing': {
    expected: { administrators: 403, apps: 401, bots: 401, programs: 401, provisioning: 401 },
    methods: CHANGING,
    call: withAppPassword,
  },
  'another app without a user': {
    expected: ONLY_APPS,
    call: (method, path) => other.as('').call(method, path),
  },
  'another app that acts for an ordinary user': {
    expected: { administrators: 403, bots: 401, programs: 401, provisioning: 401 },
    call: (method, path) => other.as('mallory').call(method, path),
  },
  'an app with the secret of another app': {
    expected: NOWHERE,
    call: (method, path) =>
      app.asStranger().call(method, path, { headers: ofApp('tools', 'ada', other.secret) }),
  },
  'a disabled app': {
    expected: NOWHERE,
    call: (method, path) => disabled.as('').call(method, path),
  },
  'a disabled app that acts for a user': {
    expected: NOWHERE,
    call: (method, path) => disabled.as('ada').call(method, path),
  },
};

/** Routes that differ from the matrix, by handler and caller: the statuses, and why. */
const EXCEPTIONS: Readonly<Record<string, readonly [callers: RegExp, readonly number[], string]>> =
  {
    'HostController.state': [/^a disabled app/, [200], 'An app asks here whether it is enabled.'],
    'DoctorController.retry': [
      /^an app password/,
      [422],
      'Scripts of administrators may fetch a feed again (@ProgramsToo).',
    ],
    'AccountListController.check': [
      /^an app password/,
      [400],
      'Changes nothing, and forms are checked without a proof (@ProgramsToo).',
    ],
    'AppNotificationsController.notify': [/without a user$/, [401], 'Needs a user to notify.'],
    'OwnConsentController.show': [/without a user$/, [401], 'Is about a user.'],
    'OwnConsentController.ask': [/without a user$/, [401], 'Is about a user.'],
    'PreferencesController.set': [/without a user$/, [401], 'Values of a user.'],
    'PreferencesController.get': [/without a user$/, [401], 'Values of a user.'],
    'PreferencesController.remove': [/without a user$/, [401], 'Values of a user.'],
  };

const isLike = (status: number, expected: number | 'admitted') =>
  expected === 'admitted' ? status !== 401 && status !== 403 : status === expected;

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

describe('On every route that is not public', () => {
  it.each(Object.entries(MATRIX))('%s gets what the guards promise', async (name, caller) => {
    const those = handlers().filter((route) => {
      const audience = isPublic(route) ? undefined : audienceOf(route);
      const method = route.method === 'ALL' ? METHOD_OF_ALL : route.method;
      return (
        audience !== undefined &&
        caller.expected[audience] !== undefined &&
        (caller.methods?.includes(method) ?? true)
      );
    });

    const found = await statusesOf(those, caller.call);

    expect(found.length).toBeGreaterThan(20);
    const odd = unlike(found, (status, route) => {
      const [callers, statuses] = EXCEPTIONS[route.handler] ?? [];
      if (callers?.test(name) === true && statuses !== undefined) {
        return statuses.includes(status);
      }
      const audience = audienceOf(route);
      return audience !== undefined && isLike(status, caller.expected[audience] ?? 'admitted');
    });
    expect(odd).toEqual([]);
  });

  it('all exceptions are of handlers and callers that exist', () => {
    const there = new Set(handlers().map(({ handler }) => handler));
    const unused = Object.entries(EXCEPTIONS).filter(
      ([handler, [callers]]) =>
        !there.has(handler) || !Object.keys(MATRIX).some((name) => callers.test(name)),
    );

    expect(unused).toEqual([]);
  });
});

describe('A user without administrator rights', () => {
  const asStranger: Caller = (method, path) => stranger.call(method, path);

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

  it('learns from no answer whether an id is of another user or of nobody', async () => {
    const those = handlers().filter(
      (route) => audienceOf(route) === 'users' && /[:*]/.test(route.path),
    );

    expect(await differences(those, stranger)).toEqual([]);
  });

  /** Data visible to other users, or without an owner. */
  const OPEN = [
    // Succeeds without effect, as the protocol wants.
    'DELETE /ocs/v2.php/taskprocessing/task/:id (OwnTasksController.remove): 200',
    // The same for everybody.
    'GET /api/docs/:document.json (ApiDocsController.document): 200',
    'GET /api/docs/viewer/:file (ApiDocsController.file): 200',
    'GET /apps/news/api/v1-3/favicon/:feedUrlHash (FaviconV13Controller.show): 200',
    // For whoever has the address.
    'GET /apps/news/out/:token (PublishedListsController.page): 200',
    'GET /apps/news/out/:token/feed.atom (PublishedListsController.atom): 200',
    'GET /apps/news/out/:token/feed.json (PublishedListsController.json): 200',
    // The same for everybody.
    'GET /avatar/:userId/:size (AvatarsController.show): 200',
    'GET /avatar/:userId/:size/dark (AvatarsController.showOnDark): 200',
    // Their own tasks that name the app.
    'GET /ocs/v2.php/speechtotext/tasks/app/:appId (SpeechToTextController.list): 200',
    'GET /ocs/v2.php/taskprocessing/tasks/app/:appId (OwnTasksController.list): 200',
    'GET /ocs/v2.php/textprocessing/tasks/app/:appId (TextProcessingController.list): 200',
    // Lists methods, also for missing files.
    'OPTIONS /remote.php/dav/files/:userId/*path (PropertiesController.describe): 200',
  ];
});

/** Rooms whose routes are about groups. */
const OF_GROUPS = /^(?:GroupFolders|Boards|FeedsOut)Module$/;

const EVERYBODY = /^(?!nobody)/;
const OWNER = /^the editor of the group$/;
const EDITORS = /^the (?:editor of the group|administrator)$/;
const MEMBERS = /of the group$/;

/** Whom each handler of these rooms admits, with the group's ids. To all others they are those of nobody. */
const ADMITTED: Readonly<Record<string, RegExp>> = {
  // Public: its token is of a board and a member, and the one that is tried of none.
  'BoardRefusalsController.refuse': /^$/,
  'BoardTellingV13Controller.add': EDITORS,
  'BoardTellingV13Controller.chooseDigest': MEMBERS,
  'BoardTellingV13Controller.list': EDITORS,
  'BoardTellingV13Controller.remove': EDITORS,
  'BoardTellingV13Controller.setDigest': EDITORS,
  'BoardTellingV13Controller.switch': EDITORS,
  'BoardTellingV13Controller.test': EDITORS,
  'BoardsV13Controller.add': MEMBERS,
  'BoardsV13Controller.create': EDITORS,
  'BoardsV13Controller.list': EVERYBODY,
  'BoardsV13Controller.listEntries': /of the group$|^the administrator$/,
  'BoardsV13Controller.remove': EDITORS,
  'BoardsV13Controller.removeEntry': EDITORS,
  'FeedsOutV13Controller.list': EVERYBODY,
  'FeedsOutV13Controller.publish': EVERYBODY,
  'FeedsOutV13Controller.renew': OWNER,
  'FeedsOutV13Controller.withdraw': OWNER,
  'GroupFoldersAdministrationV13Controller.create': /^the administrator$/,
  'GroupFoldersAdministrationV13Controller.remove': /^the administrator$/,
  'GroupFoldersAdministrationV13Controller.setEditors': /^the administrator$/,
  'GroupFoldersV13Controller.addFeed': EDITORS,
  'GroupFoldersV13Controller.editFeed': EDITORS,
  'GroupFoldersV13Controller.given': EVERYBODY,
  'GroupFoldersV13Controller.import': EDITORS,
  'GroupFoldersV13Controller.list': EVERYBODY,
  'GroupFoldersV13Controller.removeFeed': EDITORS,
  'GroupFoldersV13Controller.rename': EDITORS,
  'GroupRulesV13Controller.create': EDITORS,
  'GroupRulesV13Controller.list': EDITORS,
  'GroupRulesV13Controller.remove': EDITORS,
  'GroupRulesV13Controller.replace': EDITORS,
  'PublishedListsController.atom': EVERYBODY,
  'PublishedListsController.json': EVERYBODY,
  'PublishedListsController.page': EVERYBODY,
};

/** Words of the group's folder, feed, rule and board, of what is on it, and why. */
const WORDS_OF_THE_GROUP = /Storms|Gusts|Harbour board|Gale|before noon/;

describe('With two groups', () => {
  const callers = new Map<string, ApiClient>();
  const itemOf = new Map<string, number>();
  beforeAll(async () => {
    const groups = new Groups(app);
    await groups.enter('harbour', (await app.signInOnce('mate')).credentials.userId);
    await groups.create('lighthouse');
    const folder = await groups.createFolder('lighthouse', 'Lamps');
    const people = {
      'a member of the group': await app.signInOnce('mate'),
      'the editor of the group': ada,
      'a member of the other group': await app.signInOnce('keeper'),
      'an editor of the other group': await app.signInOnce('warden'),
      'a stranger': stranger,
      'the administrator': app.asAdmin(),
    };
    for (const [name, user] of Object.entries(people)) {
      const { userId } = user.credentials;
      await (name.endsWith('other group') && groups.enter('lighthouse', userId));
      const news = new NewsClient(user, 'v1-3');
      await ok(news.post('/items', { title: 'Mine', url: 'https://a.example/', body: 'x' }));
      callers.set(name, user);
      itemOf.set(name, (await news.items()).at(-1)?.id ?? 0);
    }
    const editors = { editors: ['warden'] };
    await ok(groups.news.put(`/admin/group-folders/${folder}/editors`, editors));
    callers.set('nobody', app.asStranger());
  });

  const those = () => handlers().filter(({ subject }) => OF_GROUPS.test(subject ?? ''));

  const answerTo = (name: string, { method, path }: Route) =>
    callers.get(name)?.call(method, belongings.fill(path), {
      ...(!READING.includes(method) && {
        json: {
          ...FIELDS,
          groupId: 'harbour',
          groupFolderId: Number(belongings.fill(':groupFolderId')),
          editors: ['ada'],
          url: 'http://127.0.0.1:9/none.xml',
          query: 'x',
          actions: [{ type: 'read' }],
          itemId: itemOf.get(name),
          kind: 'starred',
          form: 'slack',
          address: 'http://127.0.0.1:9/hook',
          at: null,
          wanted: true,
          enabled: true,
        },
      }),
    });

  const contents = async () =>
    Object.entries(await tableContents(app.database)).filter(([table]) =>
      /group|board|feed_out/.test(table),
    );

  it('every route about groups is listed with those whom it admits', () => {
    expect(
      those()
        .map(({ handler }) => handler)
        .toSorted(),
    ).toEqual(Object.keys(ADMITTED));
  });

  it('nobody else sees or changes what is of a group', async () => {
    const before = await contents();
    const odd: string[] = [];
    for (const name of callers.keys()) {
      for (const route of those().filter(({ handler }) => !ADMITTED[handler]?.test(name))) {
        const answer = await answerTo(name, route);
        const isOnBoard = route.handler === 'BoardsV13Controller.removeEntry';
        const expected =
          name === 'nobody' && route.guards.length > 0
            ? 401
            : route.guards.includes('AdminGuard') || (isOnBoard && MEMBERS.test(name))
              ? 403
              : 404;
        if (answer?.status !== expected || WORDS_OF_THE_GROUP.test(answer.text)) {
          odd.push(`${name}, ${describeRoute(route)}: ${answer?.status} ${answer?.text}`);
        }
      }
    }

    expect(odd).toEqual([]);
    expect(await contents()).toEqual(before);
  });

  it('no route shows anything of a group to others, and many do to its members', async () => {
    const reading = handlers().filter(
      (route) =>
        ['GET', 'ALL'].includes(route.method) &&
        audienceOf(route) === 'users' &&
        // Does not end.
        route.handler !== 'EventsV13Controller.listen',
    );
    const shownTo = async (name: string) => {
      const call: Caller = async (method, path) =>
        (await callers.get(name)?.call(method, path)) as Answer;
      const found = await statusesOf(reading, call);
      return found.flatMap(([route, , , text]) => (WORDS_OF_THE_GROUP.test(text) ? [route] : []));
    };

    for (const name of [...callers.keys()].filter((one) => !/of the group|admin/.test(one))) {
      expect([name, await shownTo(name)]).toEqual([name, []]);
    }
    expect((await shownTo('a member of the group')).length).toBeGreaterThan(5);
  });

  it('those who are admitted get further: what is of the group is there for them', async () => {
    // What is removed is removed after all else: entries before their board, and the folder last.
    const place = ({ method, path }: Route) =>
      READING.includes(method) ? 0 : method !== 'DELETE' ? 1 : path.includes('/admin/') ? 3 : 2;
    const inOrder = those().toSorted(
      (a, b) => place(a) - place(b) || b.path.length - a.path.length,
    );
    const odd: string[] = [];
    for (const route of inOrder) {
      const admitted = [...callers.keys()].filter((name) => ADMITTED[route.handler]?.test(name));
      // What is gone is gone for the others.
      for (const name of route.method === 'DELETE' ? admitted.slice(0, 1) : admitted) {
        const answer = await answerTo(name, route);
        if (answer === undefined || [401, 404].includes(answer.status) || answer.status >= 500) {
          odd.push(`${name}, ${describeRoute(route)}: ${answer?.status} ${answer?.text}`);
        }
      }
    }

    expect(odd).toEqual([]);
  });
});

describe('An external app without a user', () => {
  const asOther: Caller = (method, path) => other.as('').call(method, path);

  it('changes nothing of another app', async () => {
    const those = handlers().filter((route) => audienceOf(route) === 'apps');
    const before = await tableContents(app.database, 'tools');

    await statusesOf(those, asOther);

    expect(await tableContents(app.database, 'tools')).toEqual(before);
  });

  it('learns from no answer whether an id is of another app or of nobody', async () => {
    const those = handlers().filter(
      (route) => audienceOf(route) === 'apps' && /:/.test(route.path),
    );

    expect(await differences(those, other.as(''))).toEqual([]);
  });
});

describe('A number in a path', () => {
  const plain = (digits: string) => digits;
  const WRITINGS: readonly ((digits: string) => string)[] = [
    (digits) => ` ${digits}`,
    (digits) => `${digits} `,
    (digits) => `+${digits}`,
    (digits) => `0${digits}`,
    (digits) => `0x${Number(digits).toString(16)}`,
    (digits) => `${digits}e0`,
    (digits) => `${digits}.0`,
  ];

  /** Whose parameter is a name, or which succeed whatever it is. */
  const NAMES =
    /^(?:FaviconV13Controller\.show|FileLinksController\.lead|PiecewiseUploadsController\.\w+)$/;

  it('is written in one way: others are answered like a word, on every route', async () => {
    const those = handlers().filter(
      ({ path, guards, handler }) =>
        !NAMES.test(handler) &&
        belongings.fillNumbers(path, plain) !== belongings.fillNumbers(path, () => 'x') &&
        !guards.includes('ScimGuard'),
    );
    const admin = app.asAdmin();
    const odd: string[] = [];
    for (const route of those) {
      const audience = audienceOf(route);
      const caller =
        audience === 'apps' ? other.as('ada') : audience === 'administrators' ? admin : ada;
      const method = route.method === 'ALL' ? METHOD_OF_ALL : route.method;
      const body = READING.includes(method) ? {} : { json: { ...FIELDS, folderId: null } };
      const answer = (write: (digits: string) => string) =>
        caller.call(method, belongings.fillNumbers(route.path, write), body);
      const { status } = await answer(() => 'x');
      const unknown = await answer(() => '987654321');
      const large = await answer(() => '9'.repeat(30));
      if (large.status >= 500 || large.status !== unknown.status) {
        odd.push(`${describeRoute(route)}: ${unknown.status}, too large ${large.status}`);
      }
      for (const write of WRITINGS) {
        const other = await answer(write);
        if (other.status !== status || status < 400) {
          odd.push(`${describeRoute(route)}: ${write('1')} ${other.status}, x ${status}`);
        }
      }
    }

    expect(those.length).toBeGreaterThan(60);
    expect(odd).toEqual([]);
  });
});

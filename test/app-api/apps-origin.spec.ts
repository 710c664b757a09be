import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';
import { ExAppRoutesRepository } from '../../src/app-api/apps/routes/ex-app-routes.repository.js';
import { PASS_SECONDS } from '../../src/common/auth/app-passes.js';
import { Clock } from '../../src/common/clock.js';
import { Sessions } from '../../src/common/ports/sessions.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { basic, type Answer, type CallOptions } from '../support/api-client.js';
import { Browser } from '../support/browser.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { once } from '../support/until.js';

const HOST = 'reader.example';
const APPS = 'apps.example';
const PAGE = '/index.php/apps/app_api/embedded/board/wall';
const PROXY = '/index.php/apps/app_api/proxy';

let app: TestApp;
let ada: TestUser;
let external: ExternalApp;
let sockets: WebSocketServer;
let browser: Browser;

beforeAll(async () => {
  app = await startApp({
    GATEFOLD_BASE_URL: `https://${HOST}`,
    GATEFOLD_APPS_ORIGIN: `https://${APPS}`,
    GATEFOLD_TRUSTED_PROXIES: '127.0.0.0/8',
    GATEFOLD_TRUSTED_LOGIN_HEADER: 'x-remote-user',
  });
  ada = await app.signInOnce('ada');
  external = await appWithPage(app, 'board');
  sockets = new WebSocketServer({ server: external.server });
  sockets.on('connection', (socket) => socket.send('hello'));
});
afterAll(async () => {
  sockets?.close();
  await external?.close();
  await app?.stop();
});
beforeEach(async () => {
  browser = await loggedIn(app, ada);
});

async function loggedIn(service: TestApp, { credentials }: TestUser): Promise<Browser> {
  const visitor = new Browser(service.url);
  await visitor.login(credentials);
  return visitor;
}

/** An app with a page, an icon, and routes for users, administrators and everybody. */
async function appWithPage(service: TestApp, appId: string): Promise<ExternalApp> {
  const started = await startExternalApp(service, { appId });
  await knowApp(service, started);
  const route = { verb: 'GET,POST', headersToExclude: [], bruteforceStatuses: [] };
  await service.inside(ExAppRoutesRepository).replace(appId, [
    { ...route, url: 'admins', accessLevel: 2 },
    { ...route, url: '(users|img/.*|js/.*)', accessLevel: 1 },
    { ...route, url: 'all', accessLevel: 0 },
  ]);
  for (const path of ['/users', '/admins', '/all', '/img/wall.svg']) {
    started.on(path, json({}));
  }
  const wall = { name: 'wall', displayName: 'Wall', icon: 'img/wall.svg' };
  await started.as().ocs('POST', '/api/v1/ui/top-menu', { json: wall });
  const script = { type: 'top_menu', name: 'wall', path: 'js/wall' };
  await started.as().ocs('POST', '/api/v1/ui/script', { json: script });
  return started;
}

/** The frame of a browser: requests to the origin of apps, with cookies of its own. */
class Frame {
  readonly browser = new Browser(app.url);

  constructor(private readonly host = APPS) {}

  call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const headers = { host: this.host, ...options.headers };
    return this.browser.call(method, path, { ...options, headers });
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call('GET', path, { headers });
  }

  post(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call('POST', path, { headers: { origin: `https://${this.host}`, ...headers } });
  }

  enter(fields: Readonly<Record<string, string>>, appId = 'board'): Promise<Answer> {
    return this.browser.submit(`/apps/app_api/enter/${appId}`, fields, {
      host: this.host,
      // Forms of pages with our referrer policy.
      origin: 'null',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
    });
  }
}

async function ticketOf(visitor: Browser, page = 'board/wall'): Promise<string> {
  const answer = await visitor.call('POST', `/apps/app_api/tickets/${page}`, {
    headers: { requesttoken: await requestTokenOf(visitor) },
  });
  return (answer.json as { ticket: string }).ticket;
}

const sessionOf = (visitor: Browser) =>
  app.inside(Sessions).identify({ headers: { cookie: cookieOf(visitor) }, ip: '127.0.0.1' });

async function requestTokenOf(visitor: Browser): Promise<string> {
  return (await sessionOf(visitor))?.requestToken ?? '';
}

const cookieOf = (visitor: Browser) =>
  [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

async function enteredFrame(visitor = browser): Promise<Frame> {
  const frame = new Frame();
  const { status } = await frame.enter({ ticket: await ticketOf(visitor) });
  expect(status).toBe(200);
  return frame;
}

const policyOf = ({ headers }: Answer) => String(headers['content-security-policy']);

describe('the origin of apps', () => {
  it.each([
    '/',
    '/login',
    '/apps/news/',
    '/apps/news/api/v1-3/folders',
    '/ocs/v2.php/cloud/user',
    '/ocs/v2.php/cloud/capabilities',
    '/settings/user/profile',
    '/apps/app_api/apps/list',
    '/remote.php/dav/files/ada/',
    '/status.php',
    '/health/live',
    '/sw.js',
    '/manifest.webmanifest',
    '/csrftoken',
  ])('has nothing else: %s is 404, with any credentials', async (path) => {
    const headers = {
      host: APPS,
      cookie: cookieOf(browser),
      authorization: basic(ada.credentials),
    };

    const answer = await app.asStranger().get(path, { headers });

    expect(answer.status).toBe(404);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.text).not.toContain('ada');
  });

  it('accepts neither a session, nor a password, nor the name that a proxy sends', async () => {
    const anonymous = new Frame();
    for (const headers of [
      { cookie: cookieOf(browser) },
      { authorization: basic(ada.credentials) },
      { 'x-remote-user': 'ada' },
    ]) {
      const answer = await anonymous.get(`${PROXY}/board/users`, headers);
      expect(answer.status).toBe(404);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }

    expect((await anonymous.get(`${PROXY}/board/all`, { cookie: cookieOf(browser) })).status).toBe(
      200,
    );
    expect(external.requests('/all').at(-1)).toMatchObject({ userId: '' });
    expect(external.requests('/all').at(-1)?.headers).not.toHaveProperty('cookie');
  });

  it('is recognised behind a proxy, by any port', async () => {
    const headers = { host: '127.0.0.1:8080', 'x-forwarded-host': `${APPS}:8443` };

    expect((await app.asStranger().get('/health/live', { headers })).status).toBe(404);
    expect((await app.asStranger().get('/health/live', { headers: { host: HOST } })).status).toBe(
      200,
    );
  });

  it('has the page of an app for the holder of a pass, to be shown by our pages only', async () => {
    const frame = await enteredFrame();

    const answer = await frame.get(`${PAGE}/sub?x=1`, {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
    });

    expect(answer.status).toBe(200);
    expect(answer.text).toContain('data-user="ada"');
    expect(answer.text).toContain('data-requesttoken=""');
    expect(answer.text).toContain(`<script defer src="${PROXY}/board/js/wall.js"></script>`);
    expect(policyOf(answer)).toContain(`frame-ancestors https://${HOST}`);
    expect(answer.headers['x-frame-options']).toBeUndefined();
  });

  it('shows nothing of the user without a pass', async () => {
    const answer = await new Frame().get(PAGE, { cookie: cookieOf(browser) });

    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain('ada');
    expect(answer.text).not.toContain('wall.js');
  });
});

describe('a ticket', () => {
  it('is for those with a session, and for pages that they may see', async () => {
    const post = (visitor: Browser, page: string, headers = {}) =>
      visitor.call('POST', `/apps/app_api/tickets/${page}`, { headers });
    const requesttoken = await requestTokenOf(browser);

    expect((await post(browser, 'board/wall', { requesttoken })).json).toEqual({
      origin: `https://${APPS}`,
      ticket: expect.any(String),
      title: 'Wall',
    });
    expect((await post(browser, 'board/wall')).status).toBe(412);
    expect((await post(browser, 'board/cellar', { requesttoken })).status).toBe(404);
    expect((await post(browser, 'nobody/wall', { requesttoken })).status).toBe(404);
    expect((await post(new Browser(app.url), 'board/wall')).status).toBe(401);
    expect((await ada.post('/apps/app_api/tickets/board/wall')).status).toBe(404);
  });

  it('is exchanged for a cookie of the browser’s frame in our pages, and nowhere else', async () => {
    const { headers } = await new Frame().enter({ ticket: await ticketOf(browser) });

    const cookie = String(headers['set-cookie']);
    expect(cookie).toMatch(/^__Host-gatefold_app_[0-9a-f]{16}=/);
    for (const attribute of ['HttpOnly', 'Secure', 'SameSite=None', 'Partitioned', 'Path=/']) {
      expect(cookie.split('; ')).toContain(attribute);
    }
    expect(cookie).not.toContain('Domain');
  });

  it('leads to a page of its app only', async () => {
    const placeOf = async (place: string) => {
      const { headers } = await new Frame().enter({ ticket: await ticketOf(browser), place });
      return headers.location;
    };

    expect(await placeOf('wall/sub?x=1#top')).toBe('/apps/app_api/embedded/board/wall/sub?x=1#top');
    expect(await placeOf('//evil.example')).toBe('/apps/app_api/embedded/board///evil.example');
  });

  it('is refused when it has expired, is forged, or is for another app or another use', async () => {
    const other = await appWithPage(app, 'chess');
    const ticket = await ticketOf(browser);
    const pass = [...(await enteredFrame()).browser.cookies.values()][0] ?? '';
    const enter = async (given: string, appId = 'board') => {
      const frame = new Frame();
      const { status } = await frame.enter({ ticket: given }, appId);
      return [status, frame.browser.cookies.size];
    };

    expect(await enter(ticket)).toEqual([200, 1]);
    expect(await enter(ticket, 'chess')).toEqual([403, 0]);
    expect(await enter(pass)).toEqual([403, 0]);
    expect(await enter(`${ticket.slice(0, -4)}AAAA`)).toEqual([403, 0]);
    const clock = app.inside(Clock);
    const now = clock.now();
    clock.now = () => new Date(now.getTime() + 61_000);
    expect(await enter(ticket)).toEqual([403, 0]);
    Reflect.deleteProperty(clock, 'now');
    // On our origin there is no such thing.
    expect((await browser.submit('/apps/app_api/enter/board', { ticket })).status).toBe(404);
    await other.close();
  });
});

describe('a pass', () => {
  it('lets its page act as its user, at the paths that the app opened', async () => {
    const frame = await enteredFrame();

    expect((await frame.get(`${PROXY}/board/users`)).status).toBe(200);
    expect((await frame.post('/exapps/board/users')).status).toBe(200);
    const seen = external.requests('/users').at(-1);
    expect(seen).toMatchObject({ method: 'POST', userId: 'ada' });
    expect(seen?.headers).not.toHaveProperty('cookie');
    expect((await frame.get(`${PROXY}/board/admins`)).status).toBe(404);
    expect((await frame.get(`${PROXY}/board/enabled`)).status).toBe(404);
  });

  it('is nothing at the paths of another app', async () => {
    const other = await appWithPage(app, 'chess');
    const frame = await enteredFrame();
    const [, pass] = [...frame.browser.cookies][0] ?? [];
    const [nameOfOther] = [...(await otherCookies())][0] ?? [];

    expect((await frame.get(`${PROXY}/chess/users`)).status).toBe(404);
    const renamed = await app
      .asStranger()
      .get(`${PROXY}/chess/users`, { headers: { host: APPS, cookie: `${nameOfOther}=${pass}` } });
    expect(renamed.status).toBe(404);
    expect(other.requests('/users')).toEqual([]);
    await other.close();

    async function otherCookies() {
      const entered = new Frame();
      await entered.enter({ ticket: await ticketOf(browser, 'chess/wall') }, 'chess');
      return entered.browser.cookies;
    }
  });

  it('is nothing on our own origin', async () => {
    const cookie = cookieOf((await enteredFrame()).browser);
    for (const path of [
      '/apps/news/api/v1-3/folders',
      '/ocs/v2.php/cloud/user',
      `${PROXY}/board/users`,
    ]) {
      const { status } = await app.asStranger().get(path, { headers: { cookie } });
      expect([401, 403]).toContain(status);
    }
    const page = await app.asStranger().get(PAGE, { headers: { cookie } });
    expect(page.status).toBe(302);
  });

  it('is ignored in requests of other origins, and changes need the word of the browser', async () => {
    const frame = await enteredFrame();
    const get = async (headers: Record<string, string>) =>
      (await frame.get(`${PROXY}/board/users`, headers)).status;

    expect(await get({ origin: `https://${HOST}` })).toBe(404);
    expect(await get({ origin: 'https://evil.example' })).toBe(404);
    expect(await get({ origin: 'null' })).toBe(404);
    expect(await get({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(404);
    expect(await get({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' })).toBe(404);
    expect(await get({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' })).toBe(200);
    expect((await frame.call('POST', `${PROXY}/board/users`)).status).toBe(412);
  });

  it('gives apps no say over the whole origin, and their own policies hold besides ours', async () => {
    external.on('/users', (_request, response) => {
      response
        .writeHead(200, {
          'clear-site-data': '"*"',
          'strict-transport-security': 'max-age=0',
          'content-security-policy': "img-src 'none'",
          'set-cookie': ['__Host-gatefold_session=forged', 'mine=1'],
        })
        .end('{}');
    });
    const { headers } = await (await enteredFrame()).get(`${PROXY}/board/users`);

    expect(headers).not.toHaveProperty('clear-site-data');
    expect(headers['strict-transport-security']).toMatch(/^max-age=\d{8}; includeSubDomains$/);
    expect(headers['content-security-policy']).toBe(
      `img-src 'none', frame-ancestors 'self' https://${HOST}`,
    );
    expect(headers['set-cookie']).toEqual(['mine=1; Path=/index.php/apps/app_api/proxy/board']);
    external.on('/users', json({}));
  });

  it('ends with its time, and with the session', async () => {
    const statusOf = async (frame: Frame) => (await frame.get(`${PROXY}/board/users`)).status;
    const frame = await enteredFrame();
    expect(await statusOf(frame)).toBe(200);
    const clock = app.inside(Clock);
    const now = clock.now();
    clock.now = () => new Date(now.getTime() + (PASS_SECONDS + 1) * 1000);
    expect(await statusOf(frame)).toBe(404);
    Reflect.deleteProperty(clock, 'now');
    expect(await statusOf(frame)).toBe(200);

    const kept = await ticketOf(browser);
    await browser.submit('/logout', { requesttoken: await requestTokenOf(browser) });

    expect(await statusOf(frame)).toBe(404);
    expect((await new Frame().enter({ ticket: kept })).status).toBe(403);
    expect((await frame.get(PAGE)).status).toBe(401);
  });

  it('ends with a disabled account and a disabled app', async () => {
    const bob = await app.signInOnce('bob');
    const frame = await enteredFrame(await loggedIn(app, bob));
    const statusOf = async () => (await frame.get(`${PROXY}/board/users`)).status;
    expect(await statusOf()).toBe(200);
    const { update } = await disabling();

    await update(false);
    expect([await statusOf(), (await frame.get(PAGE)).status]).toEqual([404, 404]);
    await update(true);
    expect(await statusOf()).toBe(200);

    await app.inside(UsersService).disable('bob');
    expect(await statusOf()).toBe(404);

    async function disabling() {
      const { ExAppsRepository } = await import('../../src/app-api/apps/ex-apps.repository.js');
      return { update: (on: boolean) => app.inside(ExAppsRepository).setEnabled('board', on) };
    }
  });

  it('names the user that it was issued for, not another one who is logged in', async () => {
    const eve = await loggedIn(app, await app.signInOnce('eve'));
    const frame = await enteredFrame(eve);

    await frame.get(`${PROXY}/board/users`, {
      cookie: `${cookieOf(browser)}; ${cookieOf(frame.browser)}`,
    });

    expect(external.requests('/users').at(-1)?.userId).toBe('eve');
  });

  it('opens WebSockets of its pages, which end with the session', async () => {
    const frame = await enteredFrame();
    const address = `${app.url.replace('http', 'ws')}${PROXY}/board/users`;
    const open = (origin: string) =>
      new WebSocket(address, {
        headers: { host: APPS, cookie: cookieOf(frame.browser) },
        origin,
      });

    const own = open(`https://${APPS}`);
    const [hello] = (await once(own, 'message')) as [Buffer];
    expect(String(hello)).toBe('hello');
    for (const origin of [`https://${HOST}`, 'https://evil.example']) {
      const [, refused] = (await once(open(origin), 'unexpected-response')) as [
        unknown,
        IncomingMessage,
      ];
      expect(refused.statusCode).toBe(404);
    }

    const closed = once(own, 'close');
    await browser.submit('/logout', { requesttoken: await requestTokenOf(browser) });
    await closed;
  });
});

describe('our own origin, when apps have another one', () => {
  it('shows the page of an app in a frame of a page of ours', async () => {
    const answer = await browser.get(PAGE);

    expect(answer.status).toBe(200);
    expect(answer.text).toContain('<div id="app">');
    expect(answer.text).not.toContain('wall.js');
    expect(policyOf(answer)).toContain(`frame-src 'self' https: https://${APPS}`);
    expect(policyOf(answer)).toContain(`form-action 'self' https://${APPS}`);
    expect(policyOf(await browser.get('/apps/news/'))).not.toContain(APPS);
    expect((await browser.get('/index.php/apps/app_api/embedded/board/cellar')).status).toBe(404);
  });

  it.each([
    ['a session', () => ({ cookie: cookieOf(browser) })],
    ['a page', () => ({ origin: `https://${HOST}` })],
    ['a link', () => ({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' })],
    [
      'a remembered password',
      () => ({ authorization: basic(ada.credentials), 'sec-fetch-mode': 'navigate' }),
    ],
  ])('refuses requests of browsers to apps, by %s', async (_what, headers) => {
    for (const path of ['/users', '/all', '/unknown', '/js/wall.js']) {
      const answer = await app
        .asStranger()
        .get(`${PROXY}/board${path}`, { headers: { host: HOST, ...headers() } });

      expect(answer.status).toBe(403);
      expect(answer.json).toEqual({
        message: `Pages of this external app are at https://${APPS}. Open the app in the menu of Gatefold.`,
      });
    }
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}${PROXY}/board/users`, {
      headers: { host: HOST, ...headers() },
    });
    const [, refused] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(refused.statusCode).toBe(403);
  });

  it('shows the registered icons', async () => {
    const image = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors' };
    const get = (path: string, dest: string) =>
      browser.get(`${PROXY}/board${path}`, { headers: { ...image, 'sec-fetch-dest': dest } });

    const icon = await get('/img/wall.svg', 'image');

    expect(icon.status).toBe(200);
    expect(policyOf(icon)).toContain("sandbox; default-src 'none'");
    expect((await get('/img/wall.svg', 'script')).status).toBe(403);
    expect((await get('/img/wall.svg', 'document')).status).toBe(403);
    expect((await get('/users', 'image')).status).toBe(403);
  });

  it('serves programs and webhooks, whose answers no browser would run', async () => {
    const known = await ada.get(`${PROXY}/board/users`);
    const guest = await app.asStranger().post(`${PROXY}/board/all`, {});

    expect([known.status, guest.status]).toEqual([200, 200]);
    expect(external.requests('/users').at(-1)?.userId).toBe('ada');
    expect(policyOf(known)).toContain("sandbox; default-src 'none'");
  });

  it('has sessions that no page of another origin can set, also below the same domain', async () => {
    const { headers } = await new Browser(app.url).login(ada.credentials);
    const cookie = String(headers['set-cookie']);

    expect(cookie).toMatch(/^__Host-gatefold_session=[^;]+; .*Path=\//);
    expect(cookie).not.toContain('Domain');
    // As a script on the origin of apps could set it.
    const token = [...browser.cookies.values()][0] ?? '';
    const forged = { cookie: `gatefold_session=${token}` };
    const { status } = await app.asStranger().get('/ocs/v2.php/cloud/user', { headers: forged });
    expect(status).toBe(401);
  });

  it('does not believe pages on the origin of apps', async () => {
    const headers = { host: HOST, origin: `https://${APPS}`, cookie: cookieOf(browser) };

    for (const path of ['/apps/news/api/v1-3/folders', '/ocs/v2.php/cloud/user?format=json']) {
      expect((await app.asStranger().get(path, { headers })).status).toBe(401);
    }
  });
});

describe('an origin for each app', () => {
  let each: TestApp;
  let first: ExternalApp;
  let second: ExternalApp;
  beforeAll(async () => {
    each = await startApp({
      GATEFOLD_BASE_URL: 'https://reader.example',
      GATEFOLD_APPS_ORIGIN: 'https://*.apps.example',
    });
    first = await appWithPage(each, 'board');
    second = await appWithPage(each, 'Talk_Bot.2');
  });
  afterAll(async () => {
    await first?.close();
    await second?.close();
    await each?.stop();
  });

  it('keeps apps apart, also those whose ids are no names of hosts', async () => {
    const visitor = await loggedIn(each, await each.signInOnce('ada'));
    const session = await each
      .inside(Sessions)
      .identify({ headers: { cookie: cookieOf(visitor) }, ip: '127.0.0.1' });
    const originOf = async (appId: string) => {
      const answer = await visitor.call('POST', `/apps/app_api/tickets/${appId}/wall`, {
        headers: { requesttoken: session?.requestToken ?? '' },
      });
      return (answer.json as { origin: string }).origin;
    };
    const own = await originOf('board');
    const other = await originOf('Talk_Bot.2');

    expect(own).toBe('https://board.apps.example');
    expect(other).toMatch(/^https:\/\/app-[0-9a-f]{32}\.apps\.example$/);
    const statusAt = async (origin: string, path: string) =>
      (await each.asStranger().get(path, { headers: { host: new URL(origin).host } })).status;
    expect(await statusAt(own, `${PROXY}/board/all`)).toBe(200);
    expect(await statusAt(own, `${PROXY}/Talk_Bot.2/all`)).toBe(404);
    expect(await statusAt(other, `${PROXY}/Talk_Bot.2/all`)).toBe(200);
    expect(await statusAt(other, `${PROXY}/board/all`)).toBe(404);
    expect(await statusAt('https://chess.apps.example', `${PROXY}/board/all`)).toBe(404);
    expect(await statusAt('https://chess.apps.example', '/health/live')).toBe(404);
    expect(await statusAt(other, PAGE)).toBe(404);
    expect(await statusAt(own, PAGE)).toBe(401);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';
import { ExAppRoutesRepository } from '../../src/app-api/apps/routes/ex-app-routes.repository.js';
import { Sessions } from '../../src/common/ports/sessions.js';
import { Browser } from '../support/browser.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { once } from '../support/until.js';

const PROXY = '/index.php/apps/app_api/proxy/board';

let app: TestApp;
let ada: TestUser;
let external: ExternalApp;
let sockets: WebSocketServer;
let browser: Browser;

beforeAll(async () => {
  app = await startApp();
  ada = await app.signInOnce('ada');
  external = await startExternalApp(app, { appId: 'board' });
  await knowApp(app, external);
  const route = { verb: 'GET,POST', headersToExclude: [], bruteforceStatuses: [] };
  await app.inside(ExAppRoutesRepository).replace('board', [
    { ...route, url: 'admins', accessLevel: 2 },
    { ...route, url: 'users', accessLevel: 1 },
    { ...route, url: 'all', accessLevel: 0 },
  ]);
  for (const path of ['/users', '/admins', '/all']) {
    external.on(path, json({}));
  }
  sockets = new WebSocketServer({ server: external.server });
  sockets.on('connection', (socket) => socket.send('hello'));
});

afterAll(async () => {
  sockets?.close();
  await external?.close();
  await app?.stop();
});

beforeEach(async () => {
  browser = new Browser(app.url);
  await browser.login(ada.credentials);
});

const cookie = () => `gatefold_session=${browser.cookies.get('gatefold_session')}`;

async function requestToken(): Promise<string> {
  const session = await app
    .inside(Sessions)
    .identify({ headers: { cookie: cookie() }, ip: '127.0.0.1' });
  return session?.requestToken ?? '';
}

describe('the browser proxy, with a session', () => {
  it('tells the app the user, and withholds the cookie and the request token', async () => {
    const headers = { requesttoken: await requestToken() };

    const answer = await browser.get(`${PROXY}/users`, { headers });

    const seen = external.requests('/users').at(-1);
    expect(answer.status).toBe(200);
    expect(seen?.userId).toBe('ada');
    expect(seen?.headers).not.toHaveProperty('cookie');
    expect(seen?.headers).not.toHaveProperty('requesttoken');
  });

  it('applies the routes of the app', async () => {
    const administrator = new Browser(app.url);
    await administrator.login(app.asAdmin().credentials);

    expect((await browser.get(`${PROXY}/admins`)).status).toBe(404);
    expect((await administrator.get(`${PROXY}/admins`)).status).toBe(200);
    expect((await new Browser(app.url).get(`${PROXY}/users`)).status).toBe(404);
  });

  it('takes precedence over credentials that a page of the app sends', async () => {
    const headers = { authorization: 'Bearer of the app' };

    expect((await browser.get(`${PROXY}/users`, { headers })).status).toBe(200);
    expect(external.requests('/users').at(-1)?.headers.authorization).toBe('Bearer of the app');
  });

  it('allows writes with the request token or same-site headers', async () => {
    const post = async (headers: Record<string, string>) =>
      (await browser.call('POST', `${PROXY}/users`, { headers })).status;

    expect(await post({ origin: app.url })).toBe(200);
    expect(await post({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await post({ requesttoken: await requestToken() })).toBe(200);
  });

  it('refuses writes without CSRF protection', async () => {
    const before = external.requests('/users').length;

    const bare = await browser.call('POST', `${PROXY}/users`);
    const sameSite = await browser.call('POST', `${PROXY}/users`, {
      headers: { 'sec-fetch-site': 'same-site' },
    });

    expect([bare.status, sameSite.status]).toEqual([412, 412]);
    expect(bare.json).toEqual({ message: 'CSRF check failed' });
    expect(external.requests('/users')).toHaveLength(before);
  });

  it('treats requests of other sites as anonymous', async () => {
    const headers = { origin: 'https://evil.example', requesttoken: await requestToken() };

    expect((await browser.call('POST', `${PROXY}/users`, { headers })).status).toBe(404);
    expect((await browser.call('POST', `${PROXY}/all`, { headers })).status).toBe(200);
    expect(external.requests('/all').at(-1)?.userId).toBe('');
  });

  it('opens WebSockets for pages of the host only', async () => {
    const address = `${app.url.replace('http', 'ws')}${PROXY}/users`;
    const ours = new WebSocket(address, { headers: { cookie: cookie() }, origin: app.url });
    await once(ours, 'message');
    const foreign = new WebSocket(address, {
      headers: { cookie: cookie() },
      origin: 'https://evil.example',
    });
    const [, refused] = (await once(foreign, 'unexpected-response')) as [unknown, IncomingMessage];
    refused.resume();

    expect(ours.readyState).toBe(WebSocket.OPEN);
    expect(refused.statusCode).toBe(404);
    ours.terminate();
  });
});

describe('the feed reader API, with a session', () => {
  const FOLDERS = '/apps/news/api/v1-3/folders';

  it('accepts pages of the host, with the request token for writes', async () => {
    const body = { json: { name: 'Science' } };
    const headers = { requesttoken: await requestToken() };

    expect((await browser.get(FOLDERS)).status).toBe(200);
    expect((await browser.call('POST', FOLDERS, body)).status).toBe(412);
    expect((await browser.call('POST', FOLDERS, { ...body, headers })).status).toBe(200);
  });

  it('ignores the session for pages of other sites', async () => {
    const headers = { origin: 'https://reader.example' };

    const answer = await browser.get(FOLDERS, { headers });

    expect(answer.status).toBe(401);
    expect(answer.headers['access-control-allow-origin']).toBe('https://reader.example');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });
});

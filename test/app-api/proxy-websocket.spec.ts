import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import http, { type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { WebSocket, WebSocketServer, type ClientOptions } from 'ws';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { ExAppRoutesRepository } from '../../src/app-api/apps/routes/ex-app-routes.repository.js';
import { GuessTurns, type Guess } from '../../src/app-api/proxy/guess-turns.service.js';
import { ProxyGate } from '../../src/app-api/proxy/proxy-gate.service.js';
import { DEFAULT_LIMITS } from '../../src/common/config/limits.js';
import { Shares } from '../../src/common/http/shares.js';
import { DatabaseNotices } from '../../src/database/notices/notices.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { basic } from '../support/api-client.js';
import { knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { RawSender } from '../support/raw-sender.js';
import { responseTo } from '../support/response-to.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { once, until } from '../support/until.js';

let app: TestApp;
let ada: TestUser;
let external: ExternalApp;
let sockets: WebSocketServer;
const opened: IncomingMessage[] = [];
beforeAll(async () => {
  app = await startApp();
  ada = await app.signInOnce('ada');
  external = await startExternalApp(app, { appId: 'board' });
  await knowApp(app, external);
  await declare('board', { admins: 2, users: 1, all: 0 });
  sockets = new WebSocketServer({ server: external.server, handleProtocols: () => 'drawing' });
  sockets.on('connection', (socket, request) => {
    opened.push(request);
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    // At once, so that it arrives together with the response to the upgrade.
    socket.send('hello');
  });
});
afterAll(async () => {
  await external.close();
  await app.stop();
});

/** Declares routes of an app with their access level: 0 everybody, 1 users, 2 administrators. */
async function declare(appId: string, accessLevels: Readonly<Record<string, 0 | 1 | 2>>) {
  const routes = Object.entries(accessLevels).map(([url, accessLevel]) => ({
    url,
    accessLevel,
    verb: 'GET',
    headersToExclude: [],
    bruteforceStatuses: [],
  }));
  await app.inside(ExAppRoutesRepository).replace(appId, routes);
}

const ROOTS = ['/index.php/apps/app_api/proxy', '/exapps'] as const;

function open(path: string, options: ClientOptions = {}): WebSocket {
  return new WebSocket(`${app.url.replace('http', 'ws')}${path}`, ['drawing'], options);
}

const asUser = ({ credentials }: TestUser) => ({ headers: { authorization: basic(credentials) } });

/** The status of a refused upgrade. */
async function refusal(path: string, options?: ClientOptions): Promise<number> {
  const socket = open(path, options);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode ?? 0;
}

describe('the browser proxy, for WebSockets', () => {
  it.each(ROOTS)('passes messages in both directions below %s', async (root) => {
    const socket = open(`${root}/board/users?room=1`, asUser(ada));
    const [hello] = (await once(socket, 'message')) as [Buffer];
    const large = Buffer.alloc(300_000, 7);
    socket.send(large);
    const [echoed, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];

    expect(String(hello)).toBe('hello');
    expect([isBinary, large.equals(echoed)]).toEqual([true, true]);
    expect(socket.protocol).toBe('drawing');
    expect(opened.at(-1)?.url).toBe('/users?room=1');
    socket.close();
    await once(socket, 'close');
  });

  it('tells the app the user, and never the password', async () => {
    const socket = open('/exapps/board/users', {
      // No proxy is trusted here.
      headers: {
        ...asUser(ada).headers,
        'ex-app-id': 'forged',
        'x-origin-ip': '6.6.6.6',
        'x-forwarded-for': '6.6.6.6',
      },
    });
    await once(socket, 'message');

    const headers = opened.at(-1)?.headers ?? {};
    const credentials = Buffer.from(String(headers['authorization-app-api']), 'base64').toString();
    expect(credentials).toBe(`ada:${external.secret}`);
    expect(headers).toMatchObject({ 'ex-app-id': 'board', 'x-origin-ip': '127.0.0.1' });
    expect(headers).not.toHaveProperty('authorization');
    socket.terminate();
  });

  it('accepts guests if the route does', async () => {
    const socket = open('/exapps/board/all');

    await once(socket, 'message');

    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  });

  it('limits concurrent ones per user and guest address', async () => {
    const shares = app.inside(Shares);
    const most = DEFAULT_LIMITS['websockets-per-user'];
    const bob = await app.signInOnce('bob');
    const held = Array.from({ length: most - 1 }, () => shares.take('websockets', 'bob'));
    const last = open('/exapps/board/users', asUser(bob));
    await once(last, 'message');

    expect(await refusal('/exapps/board/users', asUser(bob))).toBe(429);
    const guest = open('/exapps/board/all');
    await once(guest, 'message');
    guest.terminate();

    held.pop()?.();
    const next = open('/exapps/board/users', asUser(bob));
    await once(next, 'message');
    held.forEach((done) => done());
    last.terminate();
    next.terminate();
  });

  it('counts an open one no longer as a request', async () => {
    const shares = app.inside(Shares);
    const socket = open('/exapps/board/users', asUser(ada));
    await once(socket, 'message');

    await until('no requests', () =>
      (['requests', 'requests of strangers'] as const).every((kind) => shares.count(kind) === 0),
    );

    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  });

  it('applies the routes of the app', async () => {
    expect(await refusal('/exapps/board/users')).toBe(404);
    expect(await refusal('/exapps/board/admins', asUser(ada))).toBe(404);
    expect(await refusal('/exapps/board/other', asUser(ada))).toBe(404);
    expect(await refusal('/exapps/nobody/all', asUser(ada))).toBe(404);
    expect(await refusal('/elsewhere', asUser(ada))).toBe(404);
  });

  it('logs no refusal as an error, but what it did not expect', async () => {
    const errors = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    await refusal('/exapps/board/other', asUser(ada));
    expect(errors).not.toHaveBeenCalled();

    const admit = jest.spyOn(app.inside(ProxyGate), 'admit').mockRejectedValue(new Error('broken'));
    expect(await refusal('/exapps/board/users', asUser(ada))).toBe(500);

    expect(errors.mock.calls).toEqual([['WebSocket failed: Error: broken']]);
    admit.mockRestore();
    errors.mockRestore();
  });

  it('refuses a wrong password', async () => {
    const wrong = { userId: 'ada', password: 'wrong' };

    expect(await refusal('/exapps/board/all', { headers: { authorization: basic(wrong) } })).toBe(
      401,
    );
  });

  it('treats a page of another site as a guest, no matter what the browser sends', async () => {
    const elsewhere = { ...asUser(ada), origin: 'https://evil.example' };

    expect(await refusal('/exapps/board/users', elsewhere)).toBe(404);
    const here = open('/exapps/board/users', { ...asUser(ada), origin: app.url });
    await once(here, 'message');
    here.terminate();
  });

  it('forwards a refusal of the app', async () => {
    const picky = await startExternalApp(app, { appId: 'picky' });
    await knowApp(app, picky);
    await declare('picky', { x: 1 });

    expect(await refusal('/exapps/picky/x', asUser(ada))).toBe(404);
    expect(picky.requests('/x')).toHaveLength(1);
    await picky.close();
  });

  it('answers 502 if the app is down', async () => {
    const down = await startExternalApp(app, { appId: 'down' });
    await knowApp(app, down);
    await declare('down', { x: 1 });
    await down.close();

    expect(await refusal('/exapps/down/x', asUser(ada))).toBe(502);
  });

  it('closes the app’s side when the browser disconnects, and vice versa', async () => {
    const left = open('/exapps/board/all');
    await once(left, 'message');
    const [onApp] = [...sockets.clients].slice(-1);
    left.terminate();
    await once(onApp ?? left, 'close');

    const ended = open('/exapps/board/all');
    await once(ended, 'message');
    const [other] = [...sockets.clients].slice(-1);
    other?.close(4000, 'enough');
    const [code, reason] = (await once(ended, 'close')) as [number, Buffer];

    expect([code, String(reason)]).toEqual([4000, 'enough']);
  });

  it.each([
    ['the browser disconnects', 'left', (socket: WebSocket) => socket.terminate()],
    ['the user loses access', 'ben', () => app.inside(UsersService).disable('ben')],
  ])('gives up asking the app when %s', async (_what, name, end) => {
    const slow = await startExternalApp(app, { appId: `slow-for-${name}` });
    await knowApp(app, slow);
    await declare(`slow-for-${name}`, { x: 1 });
    const asked = open(`/exapps/slow-for-${name}/x`, asUser(await app.signInOnce(name)));
    asked.on('error', () => {}); // It is never opened.
    const [, onApp] = (await once(slow.server, 'upgrade')) as [unknown, Socket];
    onApp.resume();

    const ended = once(onApp, 'end');
    await end(asked);
    await ended;

    onApp.destroy();
    await slow.close();
    expect(asked.readyState).not.toBe(WebSocket.OPEN);
  });

  it('passes what the browser sent with its request, and before the app answered', async () => {
    const slow = await startExternalApp(app, { appId: 'early' });
    await knowApp(app, slow);
    await declare('early', { x: 0 });
    const upgraded = once(slow.server, 'upgrade');
    const switching = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const browser = new RawSender(app.url).send(
      `GET /exapps/early/x HTTP/1.1\r\nHost: reader.example\r\n${switching}with it, `,
    );
    const [, onApp] = (await upgraded) as [unknown, Socket];
    let received = '';
    onApp.on('data', (data) => (received += String(data)));

    browser.send('before');
    onApp.write(`HTTP/1.1 101 Switching Protocols\r\n${switching}`);
    await until('the last of it', () => received.endsWith('before'));

    expect(received).toBe('with it, before');
    expect(await browser.status()).toBe(101);
    browser.close();
    onApp.destroy();
    await slow.close();
  });

  it('ends when the user loses access', async () => {
    const eve = await app.signInOnce('eve');
    const [hers, adas] = [eve, ada].map((user) => open('/exapps/board/users', asUser(user)));
    if (hers === undefined || adas === undefined) {
      throw new Error('not opened');
    }
    await Promise.all([once(hers, 'message'), once(adas, 'message')]);

    const closed = once(hers, 'close');
    await app.inside(UsersService).disable('eve');
    await closed;

    expect(adas.readyState).toBe(WebSocket.OPEN);
    adas.terminate();
  });

  it('ends when it may have been missed that access was lost, for guests too', async () => {
    const both = [open('/exapps/board/users', asUser(ada)), open('/exapps/board/all')];
    await Promise.all(both.map((socket) => once(socket, 'message')));

    const closed = Promise.all(both.map((socket) => once(socket, 'close')));
    await app.inside(DatabaseNotices).reconnect();
    await closed;

    expect(both.map(({ readyState }) => readyState)).toEqual([WebSocket.CLOSED, WebSocket.CLOSED]);
  });

  it('is refused when the user loses access while it waits for its turn, as a request is', async () => {
    const guarded = await startExternalApp(app, { appId: 'guarded' });
    await knowApp(app, guarded);
    await app
      .inside(ExAppRoutesRepository)
      .replace('guarded', [
        { verb: 'GET', url: 'x', accessLevel: 1, headersToExclude: [], bruteforceStatuses: [401] },
      ]);
    const finn = await app.signInOnce('finn');
    const witness = open('/exapps/board/users', asUser(finn));
    await once(witness, 'message');
    const turn = Promise.withResolvers<Guess>();
    const begin = jest.spyOn(app.inside(GuessTurns), 'begin').mockReturnValue(turn.promise);
    const socket = refusal('/exapps/guarded/x', asUser(finn));
    const request = fetch(`${app.url}/exapps/guarded/x`, asUser(finn));
    await until('both to wait', () => begin.mock.calls.length === 2);

    const heard = once(witness, 'close');
    await app.inside(UsersService).disable('finn');
    await heard;
    turn.resolve({ end() {} });

    expect([await socket, (await request).status]).toEqual([403, 403]);
    expect(guarded.requests('/x')).toEqual([]);
    begin.mockRestore();
    await guarded.close();
  });

  it('waits for no other guess where limits are off', async () => {
    const turns = app.inside(GuessTurns);
    const claim = { clientAddress: '192.0.2.1', claimed: 'board' };

    const guesses = await Promise.all(Array.from({ length: 12 }, () => turns.begin(claim)));

    guesses.forEach((guess) => guess.end());
    expect(guesses).toHaveLength(12);
  });

  it('ends when the app is disabled, for guests too', async () => {
    const other = await startExternalApp(app, { appId: 'closing' });
    await knowApp(app, other);
    await app
      .inside(ExAppRoutesRepository)
      .replace('closing', [
        { verb: 'GET', url: '.*', accessLevel: 0, headersToExclude: [], bruteforceStatuses: [] },
      ]);
    new WebSocketServer({ server: other.server }).on('connection', (one) => one.send('hello'));
    const [closing, staying] = [open('/exapps/closing/x', {}), open('/exapps/board/all')];
    if (closing === undefined || staying === undefined) {
      throw new Error('not opened');
    }
    await Promise.all([once(closing, 'message'), once(staying, 'message')]);

    const closed = once(closing, 'close');
    await app.inside(LifecycleService).disable('closing');
    await closed;

    expect(staying.readyState).toBe(WebSocket.OPEN);
    staying.terminate();
    await other.close();
  });

  it('ignores ordinary requests that offer another protocol', async () => {
    const request = http.request(`${app.url}/health/live`, {
      headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'x' },
      agent: false,
    });
    request.end();

    const response = await responseTo(request);

    expect(response.statusCode).toBe(200);
    expect(await text(response)).toContain('{');
  });
});

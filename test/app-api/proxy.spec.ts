import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { ExAppRoutesRepository } from '../../src/app-api/apps/routes/ex-app-routes.repository.js';
import { Config } from '../../src/common/config/config.js';
import { EdgeRules } from '../../src/common/config/edge-rules.js';
import { OutgoingStream } from '../../src/common/http/outgoing-stream.js';
import { Pause } from '../../src/common/pause.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { SessionsService } from '../../src/platform/sign-in/sessions/sessions.service.js';
import { basic } from '../support/api-client.js';
import { Browser } from '../support/browser.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { withOtherSettings } from '../support/other-settings.js';
import { responseTo } from '../support/response-to.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { once, within } from '../support/until.js';

let app: TestApp;
let ada: TestUser;
const externals: ExternalApp[] = [];
beforeAll(async () => {
  app = await startApp({ GATEFOLD_RATE_LIMITS: 'on', GATEFOLD_TRUSTED_PROXIES: '127.0.0.1/32' });
  ada = await app.signInOnce('ada');
});
afterEach(() => app.database.query('delete from gateway_failure'));
afterAll(async () => {
  await Promise.all(externals.map((external) => external.close()));
  await app.stop();
});

interface Declared {
  readonly url: string;
  readonly verb?: string;
  readonly accessLevel?: 0 | 1 | 2;
  readonly headersToExclude?: readonly string[];
  readonly bruteforceStatuses?: readonly number[];
}

/** A separate app for each test, with its declared routes. */
async function anApp(declared: readonly Declared[], enabled = true): Promise<ExternalApp> {
  const external = await startExternalApp(app, { appId: `app-${externals.length}` });
  externals.push(external);
  await knowApp(app, external, enabled);
  await declare(external, declared);
  return external;
}

async function declare({ appId }: ExternalApp, declared: readonly Declared[]): Promise<void> {
  await app.inside(ExAppRoutesRepository).replace(
    appId,
    declared.map((route) => ({
      verb: 'GET',
      accessLevel: 1,
      headersToExclude: [],
      bruteforceStatuses: [],
      ...route,
    })),
  );
}

const users = () => app.inside(UsersService);

const at = ({ appId }: ExternalApp, path: string) =>
  `/index.php/apps/app_api/proxy/${appId}${path}`;

const PUBLIC: Declared = { url: '.*', verb: 'GET,POST,PUT,DELETE', accessLevel: 0 };

/** A request that is sent and answered in pieces. */
async function send(
  external: ExternalApp,
  path: string,
  options: http.RequestOptions = {},
  body?: string,
): Promise<IncomingMessage> {
  const request = http.request(app.url + at(external, path), { agent: false, ...options });
  request.end(body);
  return responseTo(request);
}

/** Paths built from parts that parsers interpret differently; the same in each run. */
function nastyPaths(count: number): string[] {
  const pieces = ['admin', 'open', '/', '/', '//', '..', '.', ';', '#', '%2e', '%2f', '%5c', '%25'];
  const more = [
    '%61dmin',
    '%09',
    '%00',
    '\\',
    'x',
    'A',
    '%c3%a9',
    '%ff',
    '%',
    '?',
    '%23',
    '%3b',
    '~',
  ];
  const all = [...pieces, ...more];
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  return Array.from({ length: count }, () => {
    const rest = Array.from({ length: 1 + next(4) }, () => all[next(all.length)]).join('');
    return `/${next(3) === 0 ? 'open/' : ''}${rest}`;
  });
}

describe('the browser proxy', () => {
  describe('forwards what the app declares', () => {
    it('[G128] answers 404 for an undeclared route', async () => {
      const external = await anApp([{ url: '^/open$' }]);
      external.on('/open', json({}));
      external.on('/other', json({}));

      expect((await ada.get(at(external, '/open'))).status).toBe(200);
      expect((await ada.get(at(external, '/other'))).status).toBe(404);
      expect((await ada.get(at(external, '/open/more'))).status).toBe(404);
      expect(external.requests('/other')).toEqual([]);
    });

    it('[G128] answers 404 for a disabled app, an unknown one, and an undeclared verb', async () => {
      const disabled = await anApp([PUBLIC], false);
      const external = await anApp([{ url: '.*', verb: 'GET' }]);

      expect((await ada.get(at(disabled, '/x'))).status).toBe(404);
      expect((await ada.get('/apps/app_api/proxy/nobody/x')).status).toBe(404);
      expect((await ada.post(at(external, '/x'))).status).toBe(404);
      expect(external.requests('/x')).toEqual([]);
    });

    it('opens none of new routes when one of them cannot be stored, and goes on with the former', async () => {
      const external = await anApp([{ url: '^/open$' }]);
      external.on('/open', json({}));
      external.on('/new', json({}));

      const replacing = declare(external, [{ url: '^/new$' }, { url: '\0' }]);

      await expect(replacing).rejects.toThrow('invalid byte sequence');
      expect((await ada.get(at(external, '/new'))).status).toBe(404);
      expect((await ada.get(at(external, '/open'))).status).toBe(200);
    });

    it('[G128] answers 404 to a guest on a route for users', async () => {
      const external = await anApp([
        { url: 'users', accessLevel: 1 },
        { ...PUBLIC, url: 'all' },
      ]);
      external.on('/users', json({}));
      external.on('/all', json({}));

      const refused = await app.asStranger().get(at(external, '/users'));

      expect(refused.status).toBe(404);
      expect(refused.headers).not.toHaveProperty('www-authenticate');
      expect((await app.asStranger().get(at(external, '/all'))).status).toBe(200);
      expect(external.requests('/users')).toEqual([]);
    });

    it('refuses a wrong password even on public routes', async () => {
      const external = await anApp([PUBLIC]);

      const { status, headers } = await app.asStranger().call('GET', at(external, '/x'), {
        headers: { authorization: basic({ userId: 'ada', password: 'wrong' }) },
      });

      expect(status).toBe(401);
      expect(headers['www-authenticate']).toContain('Basic');
    });

    it('[G129] decides by the first route that matches path and verb', async () => {
      const external = await anApp([
        { url: 'secret/.*', verb: 'GET', accessLevel: 2 },
        { url: '.*', verb: 'GET,POST', accessLevel: 0 },
      ]);
      external.on('/secret/x', json({}));

      expect((await ada.get(at(external, '/secret/x'))).status).toBe(404);
      expect((await app.asAdmin().get(at(external, '/secret/x'))).status).toBe(200);
      expect((await ada.post(at(external, '/secret/x'))).status).toBe(200);
    });

    it.each(['^/api/x$', '^api\\/x$', 'API/X', '/api/[w-z]'])('written as %s', async (url) => {
      const external = await anApp([{ url }]);
      external.on('/api/x', json({}));

      expect((await ada.get(at(external, '/api/x'))).status).toBe(200);
      expect((await ada.get(at(external, '/not/api/x'))).status).toBe(404);
    });

    it('forwards HEAD wherever GET is allowed', async () => {
      const external = await anApp([{ url: '.*', verb: 'GET' }]);
      external.on('/x', (_request, response) => {
        response.writeHead(200, { 'content-length': '7', 'content-type': 'text/plain' }).end();
      });

      const { status, headers, text: body } = await ada.call('HEAD', at(external, '/x'));

      expect([status, headers['content-length'], body]).toEqual([200, '7', '']);
      expect((await external.received('/x')).method).toBe('HEAD');
    });

    it('is also available at /exapps and without a path', async () => {
      const external = await anApp([{ url: '.*' }]);
      external.on('/', json({ root: true }));

      expect((await ada.get(`/exapps/${external.appId}/`)).json).toEqual({ root: true });
      expect((await ada.get(at(external, ''))).json).toEqual({ root: true });
    });
  });

  describe('never leaves the app', () => {
    // As bytes: URL parsers would normalise them.
    const raw = async (path: string): Promise<number> => {
      const { port } = new URL(app.url);
      const socket = net.connect(Number(port), '127.0.0.1');
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(ada.credentials)}\r\nconnection: close\r\n\r\n`,
      );
      return Number((await text(socket)).split(' ')[1]);
    };

    it.each(['/a/../b', '/..', '/%2e%2e/b', '/a/%2E./b', '/./b', '/%2e/b'])(
      '[G130] %s is 404',
      async (path) => {
        const external = await anApp([{ url: '(.|\\n)*' }]);

        expect(await raw(at(external, path))).toBe(404);
      },
    );

    it.each([
      '/admin#',
      '/a%2f..%2fb',
      '/a%2Fb',
      '/a%5c..%5cb',
      '/a\\b',
      '/%252e%252e/b',
      '/%2561dmin',
      '/%25252e%25252e%25252fb',
      '/..;x/b',
      '/a;b/c',
      '/a%00b',
      '/a%0ab',
      '/%ff%',
    ])('%s, which an app could read differently, is 400', async (path) => {
      const external = await anApp([{ url: '(.|\\n)*' }]);

      expect(await raw(at(external, path))).toBe(400);
    });

    it('an absolute URL must name this host, else 400', async () => {
      const external = await anApp([{ url: '.*' }]);
      external.on('/a', json({}));

      expect(await raw(`http://x${at(external, '/a')}`)).toBe(200);
      expect(await raw(`http://y${at(external, '/a')}`)).toBe(400);
    });

    it('forwards names that contain dots, percent signs and semicolons', async () => {
      const external = await anApp([{ url: 'files/.*' }]);
      external.on('/files/a..b%3Bc%20100%25', json({}));

      expect(await raw(at(external, '/files/a..b%3Bc%20100%25'))).toBe(200);
    });

    it('any bytes: an app receives, unchanged, only paths that its routes allow', async () => {
      const seen: string[] = [];
      const echo = createServer((request, response) => {
        seen.push(request.url ?? '');
        response.end();
      });
      const external = await anAppAt(echo, [
        { url: 'admin(/.*)?', accessLevel: 2 },
        { url: 'open/.*' },
        { url: '[a-z]*' },
      ]);
      const sent = nastyPaths(400);

      const statuses = await Promise.all(sent.map((path) => raw(at(external, path))));

      const passed = sent.filter((_path, index) => statuses[index] === 200);
      expect(passed.length).toBeGreaterThan(10);
      const merged = (path: string) => path.replace(/\/{2,}/g, '/');
      expect(seen.map(merged).toSorted()).toEqual(passed.map(merged).toSorted());
      expect(seen.filter((path) => !passed.includes(path) && path !== merged(path))).toEqual([]);
      expect(seen.some((path) => path !== merged(path))).toBe(true);
      for (const path of seen) {
        // As the strictest and the most lenient servers would read it.
        const { pathname } = new URL(`http://app.example${path}`);
        const { pathname: afterHost } = new URL(path, 'http://app.example');
        expect(pathname).toBe(path.split('?')[0]);
        for (const read of [pathname, merged(pathname), afterHost]) {
          expect(decodeURIComponent(read)).toMatch(/^\/(?:open\/.*|(?!admin$)[a-z]*)$/i);
        }
      }
      echo.close();
    });

    it('forwards doubled slashes as they were sent, below each address of the proxy', async () => {
      const external = await anApp([{ url: '.*' }]);
      for (const path of ['//x', '/x//y', '/x//']) {
        external.on(path, json({}));
        expect([path, await raw(at(external, path))]).toEqual([path, 200]);
      }
      external.on('//z', json({}));
      expect(await raw(`//exapps//${external.appId}//z`)).toBe(200);
    });

    it('merges slashes where a server could take the path for one of another route', async () => {
      const external = await anApp([
        { url: 'admin', accessLevel: 2 },
        { url: 'a/admin', accessLevel: 2 },
        { url: 'api/.*' },
        { url: '[a-z/]*' },
      ]);
      external.on('/x/admin', json({}));
      external.on('/api/x', json({}));
      external.on('/x/heartbeat', json({}));

      // Some read `//x/admin` as the path /admin of the host x.
      expect(await raw(at(external, '//x/admin'))).toBe(200);
      expect(await raw(at(external, '//x/heartbeat'))).toBe(200);
      expect(await raw(at(external, '//api/x'))).toBe(200);
      expect(await raw(at(external, '/a//admin'))).toBe(404);
      expect(await raw(at(external, '//heartbeat'))).toBe(404);
    });

    it('applies a route with or without its leading slash', async () => {
      const external = await anApp([{ url: 'admin', accessLevel: 2 }, { url: '.*' }]);

      expect(await raw(at(external, '/%2Fadmin'))).toBe(400);
      expect(await raw(at(external, '//admin'))).toBe(404);
      expect(await raw(at(external, '/%61dmin'))).toBe(404);
    });
  });

  describe('names the user', () => {
    it('[G131] replaces headers that a browser forges', async () => {
      const external = await anApp([PUBLIC]);
      external.on('/x', json({}));

      await app.asStranger().call('GET', at(external, '/x'), {
        headers: {
          'AUTHORIZATION-APP-API': Buffer.from('admin:guess').toString('base64'),
          'EX-APP-ID': 'other',
          'EX-APP-VERSION': '9',
          AUTHORIZATION_APP_API: 'sneaked',
          'X-Origin-IP': '6.6.6.6',
          'X-Real-IP': '6.6.6.6',
        },
      });

      const { headers, userId, authenticated } = await external.received('/x');
      expect({ userId, authenticated }).toEqual({ userId: '', authenticated: true });
      expect(headers).toMatchObject({ 'ex-app-id': external.appId, 'ex-app-version': '1.0.0' });
      expect(headers).not.toHaveProperty('authorization_app_api');
      expect(headers).not.toHaveProperty('x-real-ip');
    });

    it('with the user of the session, without the password', async () => {
      const external = await anApp([{ url: '.*' }]);
      external.on('/x', json({}));

      await ada.get(at(external, '/x'));

      const { headers, userId, authenticated } = await external.received('/x');
      expect({ userId, authenticated }).toEqual({ userId: 'ada', authenticated: true });
      expect(headers).not.toHaveProperty('authorization');
    });

    it('forwards a token that is for the app', async () => {
      const external = await anApp([PUBLIC]);
      external.on('/x', json({}));

      await app
        .asStranger()
        .call('GET', at(external, '/x'), { headers: { authorization: 'Bearer token-of-the-app' } });

      expect((await external.received('/x')).headers.authorization).toBe('Bearer token-of-the-app');
    });

    it('[G134] adds the client address, as far as the proxies in front are trusted', async () => {
      const external = await anApp([PUBLIC]);
      external.on('/x', json({}));

      await app.asStranger().call('GET', at(external, '/x'), {
        headers: { 'x-forwarded-for': '1.1.1.1, 203.0.113.7' },
      });

      expect((await external.received('/x')).headers).toMatchObject({
        'x-origin-ip': '203.0.113.7',
        'x-forwarded-for': '203.0.113.7',
      });
    });

    it('withholds the host’s cookies and excluded headers', async () => {
      const external = await anApp([{ ...PUBLIC, headersToExclude: ['X-Unwanted'] }]);
      external.on('/x', json({}));

      await app.asStranger().call('GET', at(external, '/x'), {
        headers: {
          cookie: 'a=1; gatefold_session=s; __Host-gatefold-login=l; b=2',
          'x-unwanted': '1',
          'x-wanted': '2',
        },
      });

      const { headers } = await external.received('/x');
      expect(headers.cookie).toBe('a=1; b=2');
      expect(headers).toMatchObject({ 'x-wanted': '2' });
      expect(headers).not.toHaveProperty('x-unwanted');
    });
  });

  describe('forwards unchanged', () => {
    it('[G132] query, cookies and a body of any kind', async () => {
      const external = await anApp([PUBLIC]);
      external.on('/x', json({}));
      const body = '{"not": json, \u0000 ä';

      await app.asStranger().call('POST', `${at(external, '/x')}?a=%20b&a=c&&d[]=1`, {
        body,
        headers: { 'content-type': 'application/json', cookie: 'a=1; b="2"' },
      });

      const received = await external.received('/x');
      expect(received.query.toString()).toBe(new URLSearchParams('a=%20b&a=c&&d[]=1').toString());
      expect(received.body.toString()).toBe(body);
      expect(received.headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        cookie: 'a=1; b="2"',
      });
    });

    it('[G132] a multipart form', async () => {
      const external = await anApp([PUBLIC]);
      external.on('/x', json({}));
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array([0, 255, 13, 10])]), 'a.bin');

      await fetch(app.url + at(external, '/x'), { method: 'POST', body: form });

      const { headers, body } = await external.received('/x');
      const parsed = await new Response(new Uint8Array(body), {
        headers: { 'content-type': headers['content-type'] ?? '' },
      }).formData();
      const bytes = await (parsed.get('file') as File).bytes();
      expect([...bytes]).toEqual([0, 255, 13, 10]);
    });

    it('a body for as long as it takes, unlike other routes', () => {
      const mayTake = (path: string) => app.inside(EdgeRules).maySendSlowly('POST', path);

      expect(['/exapps/x', '/apps/app_api/proxy/x', '/apps/x'].map(mayTake)).toEqual([
        true,
        true,
        false,
      ]);
    });

    it('[G132] a response while it is being written, and a body while it is being sent', async () => {
      // An app that answers each chunk as it arrives.
      const echo = createServer((request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.flushHeaders();
        request.pipe(response);
      });
      const external = await anAppAt(echo);
      const request = http.request(app.url + at(external, '/x'), { method: 'POST', agent: false });
      request.flushHeaders();

      const response = await responseTo(request);
      for (const piece of ['one', 'two']) {
        request.write(piece);
        expect(String(await once(response, 'data'))).toBe(piece);
      }
      request.end();
      await once(response, 'end');

      expect(response.headers).not.toHaveProperty('cache-control');
      echo.close();
    });

    describe('closes a connection unless', () => {
      /** A response that stops in the middle. */
      async function aStream(external: ExternalApp, user?: TestUser): Promise<IncomingMessage> {
        external.on('/x', (_request, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write('first');
        });
        const headers = user ? { authorization: basic(user.credentials) } : {};
        const response = await send(external, '/x', { headers });
        await once(response, 'data');
        return response;
      }

      const brokenOff = (response: IncomingMessage) =>
        once(response, 'end').then(
          () => 'ended',
          (error: Error) => error.message,
        );

      it.each<[string, (user: TestUser) => Promise<unknown>]>([
        ['the account is enabled', ({ credentials }) => users().disable(credentials.userId)],
        [
          'the password stays the same',
          ({ credentials }) => users().changePassword(credentials.userId, 'another password'),
        ],
        [
          'the user stays an administrator',
          async ({ credentials }) => {
            await users().makeAdministrator(credentials.userId);
            await users().unmakeAdministrator(credentials.userId);
          },
        ],
      ])('%s', async (_what, change) => {
        const external = await anApp([PUBLIC]);
        const eve = await app.signIn();
        const [hers, adas] = [await aStream(external, eve), await aStream(external, ada)];

        const outcome = brokenOff(hers);
        await change(eve);

        expect(await outcome).toBe('aborted');
        expect(adas.readableEnded || adas.destroyed).toBe(false);
        adas.destroy();
      });

      it('its session is still valid', async () => {
        const external = await anApp([PUBLIC]);
        const { userId, password } = (await app.signIn()).credentials;
        const browser = new Browser(app.url);
        await browser.login({ userId, password });
        external.on('/x', (_request, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write('first');
        });
        const stream = await send(external, '/x', {
          headers: { cookie: `gatefold_session=${browser.cookies.get('gatefold_session')}` },
        });
        await once(stream, 'data');

        const outcome = brokenOff(stream);
        await app.inside(SessionsService).revokeAll(userId);

        expect(await outcome).toBe('aborted');
      });

      it('the app is enabled, for guests too', async () => {
        const external = await anApp([PUBLIC]);
        const other = await anApp([PUBLIC]);
        const [open, elsewhere] = [await aStream(external), await aStream(other)];

        const outcome = brokenOff(open);
        await app.inside(LifecycleService).disable(external.appId);

        expect(await outcome).toBe('aborted');
        expect(elsewhere.readableEnded || elsewhere.destroyed).toBe(false);
        elsewhere.destroy();
      });

      it('the app is enabled, before the response has begun', async () => {
        const external = await anApp([PUBLIC]);
        external.on('/slow', () => {});
        const outcome = send(external, '/slow').then(
          () => 'answered',
          (error: Error) => error.message,
        );
        await external.received('/slow');

        await app.inside(LifecycleService).disable(external.appId);

        expect(await outcome).toMatch('hang up');
      });
    });

    it('reads no faster than the receiver', async () => {
      const piece = Buffer.alloc(1024 * 1024);
      let writtenMib = 0;
      const endless = createServer((_request, response) => {
        const write = () => {
          if (!response.destroyed) {
            writtenMib += 1;
            response.write(piece, write);
          }
        };
        write();
      });
      const external = await anAppAt(endless);
      const other = await anApp([PUBLIC]);

      const response = await send(external, '/x');
      response.pause();
      for (let turns = 0; turns < 100; turns += 1) {
        await app.asStranger().get(at(other, '/x'));
      }

      // The socket buffers; all data of the transfer would be hundreds.
      expect(writtenMib).toBeLessThan(32);
      response.destroy();
      endless.closeAllConnections();
      endless.close();
    });

    it('statuses, cookies, and headers except those of the gateway', async () => {
      const external = await anApp([PUBLIC]);
      external.on('/x', (_request, response) => {
        response
          .writeHead(418, {
            'set-cookie': [
              'a=1',
              'b=2; Domain=example.org; path=/; HttpOnly',
              `c=3; Path=/exapps/${external.appId}/deep`,
              'd=4; Path=/deep',
              `e=5; Path=/exapps/${external.appId}-other`,
              '__Host-f=6; Path=/; Secure',
              'gatefold_session=fixed',
              '=gatefold_session=fixed',
            ],
            'x-app': 'yes',
            'authorization-app-api': 'leak',
            'ex-app-id': 'leak',
            connection: 'x-hop',
            'x-hop': '1',
            'content-security-policy': 'mine',
          })
          .end('teapot');
      });

      const { status, headers, text: body } = await app.asStranger().get(at(external, '/x'));

      expect([status, body]).toEqual([418, 'teapot']);
      const root = at(external, '');
      expect(headers['set-cookie']).toEqual([
        `a=1; Path=${root}`,
        `b=2; HttpOnly; Path=${root}`,
        `c=3; Path=/exapps/${external.appId}/deep`,
        `d=4; Path=${root}/deep`,
        `e=5; Path=${root}/exapps/${external.appId}-other`,
      ]);
      expect(headers).toMatchObject({
        'x-app': 'yes',
        'content-security-policy': "mine, frame-ancestors 'self'",
      });
      for (const name of ['authorization-app-api', 'ex-app-id', 'x-hop']) {
        expect(headers).not.toHaveProperty(name);
      }
    });
  });

  it('passes on nothing that an app says about the origin of the host, or to a proxy in front', async () => {
    const external = await anApp([PUBLIC]);
    const dropped = {
      'alt-svc': 'h3=":443"',
      'clear-site-data': '"*"',
      nel: '{"report_to":"x","max_age":1}',
      refresh: '0; url=https://elsewhere.example/',
      'report-to': '{"group":"x","max_age":1,"endpoints":[]}',
      'reporting-endpoints': 'x="https://elsewhere.example/"',
      link: '</style.css>; rel=stylesheet, </logout>; title=x; rel="next prefetch"',
      'service-worker-allowed': '/',
      'strict-transport-security': 'max-age=1',
      'www-authenticate': 'Bearer realm="x", Basic realm="Your password, please"',
      'x-accel-redirect': '/etc/passwd',
      'x-gatefold-error': 'proof-required',
      'x-sendfile': '/etc/passwd',
      unheard: 'of',
    };
    const kept = {
      'access-control-allow-origin': '*',
      'content-disposition': 'inline',
      etag: '"1"',
      'mcp-session-id': '1',
      'x-accel-buffering': 'no',
      'x-frame-options': 'DENY',
    };
    external.on('/x', (_request, response) => {
      response.writeHead(200, { ...dropped, ...kept }).end();
    });

    const { headers } = await app.asStranger().get(at(external, '/x'));

    expect(headers).toMatchObject(kept);
    for (const name of Object.keys(dropped)) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  it('passes on no header that takes back what the host says about a page', async () => {
    const external = await anApp([PUBLIC]);
    const tried = {
      'content-security-policy': '',
      'origin-agent-cluster': '?0',
      'x-content-type-options': 'sniff',
      'x-frame-options': 'ALLOWALL',
      'referrer-policy': '',
    };
    external.on('/x', (_request, response) => {
      response.writeHead(200, tried).end();
    });

    const { headers } = await app.asStranger().get(at(external, '/x'));

    expect(headers).toMatchObject({
      'content-security-policy': "frame-ancestors 'self'",
      'origin-agent-cluster': '?1',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'same-origin',
    });
  });

  it.each([
    ['link', '</js/x.js>; rel="preload"; as=script, <?page=2>; rel=next'],
    ['www-authenticate', 'Bearer resource_metadata="https://example.org/basic"'],
  ])('passes on %s that only pages and programs of the app read', async (name, value) => {
    const external = await anApp([PUBLIC]);
    external.on('/x', (_request, response) => {
      response.writeHead(401, { [name]: value }).end();
    });

    const { headers } = await app.asStranger().get(at(external, '/x'));

    expect(headers[name]).toBe(value);
  });

  it('[G133] sends no body with a GET', async () => {
    const external = await anApp([PUBLIC]);
    external.on('/x', json({}));

    await app.asStranger().call('GET', at(external, '/x'), {
      headers: { 'content-length': '0', 'content-type': '' },
    });

    const { headers } = await external.received('/x');
    expect(headers).not.toHaveProperty('content-length');
    expect(headers).not.toHaveProperty('content-type');
    expect(headers).not.toHaveProperty('transfer-encoding');
  });

  describe('adds defaults', () => {
    const bare =
      (headers: Record<string, string> = {}) =>
      (_request: unknown, response: ServerResponse) => {
        response.writeHead(200, headers).end('x');
      };

    it('a content type by the extension', async () => {
      const external = await anApp([PUBLIC]);
      external.on('/a.svg', bare());
      external.on('/a.js', bare({ 'content-type': 'text/plain' }));

      const guessed = await app.asStranger().get(at(external, '/a.svg'));
      const known = await app.asStranger().get(at(external, '/a.js'));

      expect(guessed.headers['content-type']).toBe('image/svg+xml');
      expect(known.headers['content-type']).toBe('text/plain');
    });

    it('an hour of caching for files, but not for pages, data or responses that differ per user', async () => {
      const external = await anApp([{ url: 'p/.*', accessLevel: 0 }, { url: '.*' }]);
      external.on('/p/a.css', bare());
      external.on('/a.css', bare());
      external.on('/p/b.css', bare({ 'cache-control': 'no-cache' }));
      external.on('/p/page', bare({ 'content-type': 'text/html; charset=utf-8' }));
      external.on('/p/data', bare({ 'content-type': 'application/json' }));
      const cacheOf = async (path: string, client = app.asStranger()) =>
        (await client.get(at(external, path))).headers['cache-control'];

      expect(await cacheOf('/p/a.css')).toBe('public, max-age=3600');
      expect(await cacheOf('/a.css', ada)).toBe('private, max-age=3600');
      expect(await cacheOf('/p/b.css')).toBe('no-cache');
      expect(await cacheOf('/p/page')).toBeUndefined();
      expect(await cacheOf('/p/data')).toBeUndefined();
    });

    it.each([
      [undefined, 'private, max-age=3600'],
      ['public, max-age=60, s-maxage=600', 'private, max-age=60'],
      ['no-store', 'private, no-store'],
      ['Private', 'private'],
    ])('to %s that caches share no response for a user', async (given, expected) => {
      const external = await anApp([PUBLIC]);
      external.on('/a.css', bare(given === undefined ? {} : { 'cache-control': given }));

      const { headers } = await ada.get(at(external, '/a.css'));

      expect(headers['cache-control']).toBe(expected);
    });

    it('frames only in pages of the host', async () => {
      const external = await anApp([PUBLIC]);
      external.on('/x', bare());

      const { headers } = await app.asStranger().get(at(external, '/x'));

      expect(headers['content-security-policy']).toBe("frame-ancestors 'self'");
    });

    it('redirects within the app rewritten to the proxy', async () => {
      const external = await anApp([PUBLIC]);
      const proxied = `/apps/app_api/proxy/${external.appId}`;
      const locationOf = async (location: string) => {
        external.on('/x', (_request, response) => {
          response.writeHead(307, { location }).end();
        });
        return (await app.asStranger().get(at(external, '/x'))).headers.location;
      };

      expect(await locationOf(`${external.baseUrl}/y?z=1`)).toBe(`${proxied}/y?z=1`);
      expect(await locationOf('/y')).toBe(`${proxied}/y`);
      expect(await locationOf('y')).toBe('y');
      expect(await locationOf('/index.php/apps/app_api/embedded/a/b')).toBe(
        '/index.php/apps/app_api/embedded/a/b',
      );
      expect(await locationOf('https://example.org/')).toBe('https://example.org/');
    });

    it('redirects of a request below /exapps rewritten to /exapps', async () => {
      const external = await anApp([PUBLIC]);
      const proxied = `/exapps/${external.appId}`;
      const locationOf = async (location: string) => {
        external.on('/x', (_request, response) => {
          response.writeHead(307, { location }).end();
        });
        return (await app.asStranger().get(`${proxied}/x`)).headers.location;
      };

      expect(await locationOf(`${external.baseUrl}/y?z=1`)).toBe(`${proxied}/y?z=1`);
      expect(await locationOf('/y')).toBe(`${proxied}/y`);
      expect(await locationOf(`${proxied}/y`)).toBe(`${proxied}/y`);
    });

    it('headers of up to 64 KiB; beyond that it is 502', async () => {
      const external = await anApp([PUBLIC]);
      const statusWith = async (kibibytes: number) => {
        external.on('/x', (_request, response) => {
          response.setHeader('Content-Security-Policy', 'x'.repeat(kibibytes * 1024)).end();
        });
        return (await send(external, '/x', { maxHeaderSize: 128 * 1024 })).statusCode;
      };

      expect(await statusWith(30)).toBe(200);
      expect(await statusWith(63)).toBe(200);
      expect(await statusWith(70)).toBe(502);
    });
  });

  describe('on errors', () => {
    it('[G135] answers an empty 502 if the app is down, and logs why', async () => {
      const external = await anApp([PUBLIC]);
      await external.close();
      const lines: string[] = [];
      const ignore = () => {};
      app.app.useLogger({ log: ignore, error: ignore, warn: (line) => void lines.push(line) });

      const { status, text: body } = await app.asStranger().get(`${at(external, '/x')}?secret=1`);

      expect([status, body]).toEqual([502, '']);
      expect(lines.join()).toContain(`${external.appId}: /x: `);
      expect(lines.join()).toContain('refused the connection');
      expect(lines.join()).not.toContain('secret');
    });

    it('answers 500 for a fault of the host, which is none of the app', async () => {
      const external = await anApp([PUBLIC]);
      const fault = jest.spyOn(app.inside(OutgoingStream), 'open');
      fault.mockRejectedValueOnce(new TypeError('a mistake'));

      const { status } = await app.asStranger().get(at(external, '/x'));
      fault.mockRestore();

      expect(status).toBe(500);
    });

    it('closes the connection if the app closes it in the middle', async () => {
      const external = await anApp([PUBLIC]);
      external.on('/x', (_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => response.destroy());
      });

      const response = await send(external, '/x');

      await expect(text(response)).rejects.toThrow('aborted');
    });

    it('tells the app when the browser has disconnected', async () => {
      const external = await anApp([PUBLIC]);
      let appSawClose: Promise<unknown> = Promise.resolve();
      external.on('/x', (_request, response) => {
        appSawClose = once(response, 'close');
        response.writeHead(200);
        response.write('and so on');
      });

      const response = await send(external, '/x');
      await once(response, 'data');
      response.destroy();

      await expect(appSawClose).resolves.toBeDefined();
    });

    it('has no time limit for uploads', () => {
      expect(app.app.getHttpServer()).toMatchObject({ requestTimeout: 0, timeout: 0 });
    });

    it('delivers a response that arrives before the body was read', async () => {
      const early = createServer((_request, response) => {
        response.writeHead(413).end('too much');
      });
      const external = await anAppAt(early);

      const agent = new http.Agent({ keepAlive: true });

      const response = await send(
        external,
        '/x',
        { method: 'POST', agent },
        'x'.repeat(4 * 1024 * 1024),
      );

      expect(response.statusCode).toBe(413);
      expect(await text(response)).toBe('too much');
      agent.destroy();
      early.close();
    });
  });

  it('delays clients whose requests the app reports as guesses', async () => {
    const external = await anApp([
      { ...PUBLIC, url: 'pin', bruteforceStatuses: [403] },
      { ...PUBLIC, url: 'other' },
    ]);
    external.on('/pin', json({}, 403));
    external.on('/other', json({}, 403));
    const pauses: number[] = [];
    const pause = app.inside(Pause);
    pause.forSeconds = async (seconds) => void pauses.push(seconds);

    await app.asStranger().get(at(external, '/other'));
    await app.asStranger().get(at(external, '/pin'));
    await app.asStranger().get(at(external, '/pin'));
    await app.asStranger().get(at(external, '/other'));
    external.on('/pin', json({}));
    await app.asStranger().get(at(external, '/pin'));
    await app.asStranger().get(at(external, '/pin'));

    expect(pauses).toEqual([0.2, 0.4]);
  });

  describe('concurrent guesses', () => {
    const PIN = { ...PUBLIC, url: 'pin', bruteforceStatuses: [403] };
    let original: Pause['forSeconds'];
    beforeAll(() => {
      const pause = app.inside(Pause);
      original = pause.forSeconds;
      pause.forSeconds = async () => {};
    });
    afterAll(() => {
      app.inside(Pause).forSeconds = original;
    });

    const guess = async (external: ExternalApp, times: number) =>
      Promise.all(
        Array.from({ length: times }, async () => {
          const { status } = await app.asStranger().get(at(external, '/pin'));
          return status;
        }),
      );

    it('reach the app only as many as may fail', async () => {
      const external = await anApp([PIN]);
      external.on('/pin', json({}, 403));

      const statuses = await guess(external, 100);

      expect(external.requests('/pin')).toHaveLength(11);
      expect(statuses.filter((status) => status === 403)).toHaveLength(11);
      expect(statuses.filter((status) => status === 429)).toHaveLength(89);
    });

    it('all reach it without rate limits', async () => {
      const external = await anApp([PIN]);
      external.on('/pin', json({}, 403));

      const statuses = await withOtherSettings(app.inside(Config), { rateLimits: false }, () =>
        guess(external, 30),
      );

      expect(new Set(statuses)).toEqual(new Set([403]));
    });

    it('all reach it if none fails', async () => {
      const external = await anApp([PIN]);
      external.on('/pin', json({}));

      expect(new Set(await guess(external, 60))).toEqual(new Set([200]));
    });

    it('that the app never answered are not counted', async () => {
      const external = await anApp([PIN]);
      external.on('/pin', (_request, response) => void response.destroy());

      expect(new Set(await guess(external, 60))).toEqual(new Set([502]));
    });

    it('beyond a hundred waiting ones are refused at once', async () => {
      const external = await anApp([PIN]);
      const held: ServerResponse[] = [];
      const allReachIt = Promise.withResolvers<void>();
      external.on('/pin', (_request, response) => {
        held.push(response);
        if (held.length === 11) {
          allReachIt.resolve();
        }
      });
      const admitted = guess(external, 11);
      await allReachIt.promise;
      let refused = 0;
      const restRefused = Promise.withResolvers<void>();
      const others = Promise.all(
        Array.from({ length: 119 }, async () => {
          const [status] = await guess(external, 1);
          refused += status === 429 ? 1 : 0;
          if (refused === 19) {
            restRefused.resolve();
          }
          return status;
        }),
      );

      await within('19 refusals', restRefused.promise);
      external.on('/pin', json({}));
      for (const response of held) {
        response.writeHead(200).end();
      }

      expect(await admitted).toEqual(Array.from({ length: 11 }, () => 200));
      expect((await others).filter((status) => status === 200)).toHaveLength(100);
    });
  });

  /** An app whose process behaves unusually. */
  async function anAppAt(server: http.Server, declared = [PUBLIC]): Promise<ExternalApp> {
    const external = await anApp(declared);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await app.database.query('update ex_app set base_url = $2 where app_id = $1', [
      external.appId,
      `http://127.0.0.1:${port}`,
    ]);
    return external;
  }
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppRoutesRepository } from '../../../src/app-api/apps/routes/ex-app-routes.repository.js';
import type { AppPasswordScope } from '../../../src/common/ports/app-password-scope.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { SignInSettings } from '../../../src/platform/sign-in/sign-in.settings.js';
import { ApiClient, type Answer, type CallOptions } from '../../support/api-client.js';
import { json, knowApp, startExternalApp } from '../../support/external-app.js';
import { feverKey } from '../../support/fever-client.js';
import { useOtherSettings } from '../../support/other-settings.js';
import { routesOf, type Route } from '../../support/routes.js';
import { startApp, type TestApp } from '../../support/start-app.js';

/* App passwords that are limited to a part of the service, to reading, or in time. */

const OWN = '/ocs/v2.php/core/apppasswords?format=json';
const SENTENCE =
  /This app password (?:is for the feed reader only|is for files only|can read, but change nothing)\./;
const LIMITED = ['reader', 'reader-read', 'files', 'files-read'] as const;

let app: TestApp;
const tokens = new Map<AppPasswordScope, string>();
beforeAll(async () => {
  app = await startApp();
  await app.signInOnce('ada');
  for (const scope of ['everything', ...LIMITED] as const) {
    tokens.set(scope, (await make({ name: scope, scope })).token);
  }
});
afterAll(() => app.stop());

interface Made {
  readonly id: number;
  readonly token: string;
  readonly expires: number | null;
}

async function make(wanted: object): Promise<Made> {
  const answer = await (await app.signInOnce('ada')).call('POST', OWN, { json: wanted });
  return (answer.json as { ocs: { data: Made } }).ocs.data;
}

const withToken = (token: string) => new ApiClient(app.url, { userId: 'ada', password: token });
const withScope = (scope: AppPasswordScope) => withToken(tokens.get(scope) ?? '');
const isRefused = ({ status, text }: Answer) => status === 403 && SENTENCE.test(text);

/** The rules by path, without a look at what the routes say about themselves. */
function isAllowed({ path, method, handler }: Route, scope: (typeof LIMITED)[number]): boolean {
  if (/^\/ocs\/v[12]\.php\/cloud\/(?:user|capabilities)$|^\/avatar\/:userId\/:size/.test(path)) {
    return method === 'GET';
  }
  const room = /^\/(?:apps\/news|reader\/api|reader\/atom)\//.test(path)
    ? 'reader'
    : /^\/(?:remote\.php\/|core\/preview|apps\/files\/ajax\/)/.test(path)
      ? 'files'
      : undefined;
  const reads =
    ['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT', 'SEARCH'].includes(method) ||
    handler === 'StreamsController.named';
  return room !== undefined && scope.startsWith(room) && (reads || !scope.endsWith('-read'));
}

/** Routes that accept app passwords, one per handler and method. */
function routes(): readonly Route[] {
  const all = routesOf(app)
    .map((route) => (route.guards.includes('PutOrPostGuard') ? { ...route, method: 'PUT' } : route))
    .filter(
      ({ rule, method, guards, handler, path }) =>
        rule !== 'public' &&
        // Node's server refuses it; an open stream is no answer.
        method !== 'CONNECT' &&
        handler !== 'EventsV13Controller.listen' &&
        /^(?:BasicAuthGuard|GoogleLoginGuard)$/.test(guards[0] ?? '') &&
        !guards.includes('AccountPasswordGuard') &&
        !guards.includes('AdminGuard') &&
        // Below, since it ends or changes the password.
        !handler.startsWith('OwnAppPasswordController') &&
        !path.startsWith('/ocs/v1.php') &&
        !path.startsWith('/api/greader.php'),
    );
  return [...new Map(all.map((route) => [`${route.method} ${route.handler}`, route])).values()];
}

async function callRoute(route: Route, scope: AppPasswordScope): Promise<Answer> {
  const path = route.path.replaceAll(/[:*]\w+/g, '1').replaceAll(/[{}]/g, '');
  return route.guards.includes('GoogleLoginGuard')
    ? app.asStranger().call(route.method, path, {
        headers: { authorization: `GoogleLogin auth=${tokens.get(scope)}` },
      })
    : withScope(scope).call(route.method, path);
}

describe('Every route that accepts app passwords', () => {
  it.each(LIMITED)('is open to "%s" as its room and method say', async (scope) => {
    const odd: string[] = [];
    let allowed = 0;

    for (const route of routes()) {
      const answer = await callRoute(route, scope);
      allowed += Number(isAllowed(route, scope));
      const refused = route.method === 'HEAD' ? answer.status === 403 : isRefused(answer);
      if (refused === isAllowed(route, scope)) {
        odd.push(`${route.method} ${route.path} (${route.handler}): ${answer.status}`);
      }
    }

    expect(odd).toEqual([]);
    expect(routes().length).toBeGreaterThan(150);
    expect(allowed).toBeGreaterThan(10);
  });

  it('refuses administration, also in the room of the scope, for an administrator', async () => {
    const { token } = await app
      .inside(AppPasswordsService)
      .add('admin', 'Phone', { scope: 'reader' });
    const admin = new ApiClient(app.url, { userId: 'admin', password: token });

    expect(isRefused(await admin.get('/apps/news/api/v1-3/feeds/all'))).toBe(true);
    expect(isRefused(await admin.get('/ocs/v2.php/cloud/users?format=json'))).toBe(true);
  });

  it('of an external app needs an app password for everything', async () => {
    const external = await startExternalApp(app, { appId: 'tools' });
    await knowApp(app, external);
    const route = { verb: 'GET', url: 'page', accessLevel: 1 as const, headersToExclude: [] };
    await app
      .inside(ExAppRoutesRepository)
      .replace('tools', [{ ...route, bruteforceStatuses: [] }]);
    external.on('/page', json({}));
    const path = '/apps/app_api/proxy/tools/page';

    expect(isRefused(await withScope('reader').get(path))).toBe(true);
    expect(isRefused(await withScope('everything').get(path))).toBe(false);
    await external.close();
  });
});

describe('The Google Reader API', () => {
  const logIn = (scope: AppPasswordScope) =>
    app.asStranger().call('POST', '/accounts/ClientLogin', {
      body: new URLSearchParams({ Email: 'ada', Passwd: tokens.get(scope) ?? '' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  it('refuses the login with an app password for files, with a sentence', async () => {
    expect(isRefused(await logIn('files'))).toBe(true);
    expect((await logIn('reader-read')).status).toBe(200);
  });
});

describe('The Fever API', () => {
  const call = (key: string, fields: string, options: CallOptions = {}) =>
    app.asStranger().call('POST', `/fever/?api&${fields}`, {
      body: `api_key=${key}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      ...options,
    });

  it('lists with an app password that reads only, and refuses its marks', async () => {
    const { token } = await make({ name: 'Fever', scope: 'reader-read', fever: true });
    const key = feverKey('ada', token);

    expect((await call(key, 'items')).json).toMatchObject({ auth: 1 });
    expect(isRefused(await call(key, 'mark=item&as=read&id=1'))).toBe(true);
  });

  it('gets no key from an app password for files, nor administration from a limited one', async () => {
    const ada = await app.signInOnce('ada');

    const ofFiles = await ada.call('POST', OWN, {
      json: { name: 'x', scope: 'files', fever: true },
    });
    const ofAdmin = await app.asAdmin().call('POST', OWN, {
      json: { name: 'x', scope: 'reader', administration: true },
    });

    expect([ofFiles.status, ofAdmin.status]).toEqual([400, 400]);
    expect(ofFiles.text).toContain('must be for everything');
  });
});

describe('The own app password', () => {
  it('is replaced and returned by the program with any scope', async () => {
    const { token } = await make({ name: 'Phone', scope: 'files-read' });
    const path = '/ocs/v2.php/core/apppassword';

    const rotated = await withToken(token).call('POST', `${path}/rotate?format=json`);
    const { apppassword } = (rotated.json as { ocs: { data: { apppassword: string } } }).ocs.data;
    expect(isRefused(await withToken(apppassword).get('/apps/news/api/v1-3/folders'))).toBe(true);
    const returned = await withToken(apppassword).call('DELETE', path);

    expect([rotated.status, returned.status]).toEqual([200, 200]);
  });
});

describe('An app password that ends', () => {
  const soon = () => Math.floor(Date.now() / 1000) + 3600;
  const end = (id: number) =>
    app.database.query(
      "update app_password set expires_at = now() - interval '1 second' where id = $1",
      [id],
    );

  it('shows its scope and end in the list', async () => {
    const expires = soon();
    const made = await make({ name: 'Guest', scope: 'reader', expires });
    const listed = (await (await app.signInOnce('ada')).get(OWN)).json as {
      ocs: { data: { id: number }[] };
    };

    expect(made.expires).toBe(expires);
    expect(listed.ocs.data.find(({ id }) => id === made.id)).toMatchObject({
      scope: 'reader',
      expires,
    });
  });

  it('is refused with 401 at every API after its end, then removed, with an event', async () => {
    const { id, token } = await make({ name: 'Guest 2', expires: soon(), fever: true });
    const key = feverKey('ada', token);
    const path = '/apps/news/api/v1-3/folders';
    expect((await withToken(token).get(path)).status).toBe(200);

    await end(id);

    const statuses = [
      (await withToken(token).get('/ocs/v2.php/cloud/user')).status,
      (await withToken(token).call('PROPFIND', '/remote.php/dav/files/ada')).status,
      (
        await app.asStranger().get('/reader/api/0/user-info', {
          headers: { authorization: `GoogleLogin auth=${token}` },
        } as never)
      ).status,
    ];
    expect(statuses).toEqual([401, 401, 401]);
    expect((await app.asStranger().call('GET', `/fever/?api&api_key=${key}`)).json).toMatchObject({
      auth: 0,
    });
    await app.inside(AppPasswordsService).removeExpired();
    const rows = await app.database.query('select 1 from app_password where id = $1', [id]);
    const events = await app.database.query<{ details: string }>(
      "select details from security_event where kind = 'app_password_expired'",
    );
    expect(rows).toEqual([]);
    expect(events).toEqual([{ details: 'Guest 2' }]);
  });

  it('cannot end in the past', async () => {
    const ada = await app.signInOnce('ada');
    const answer = await ada.call('POST', OWN, { json: { name: 'x', expires: 1000 } });

    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('An app password must end in the future.'),
    ]);
  });
});

describe('GATEFOLD_LONGEST_APP_PASSWORD_DAYS', () => {
  let user: string;
  useOtherSettings(
    () => app.inside(SignInSettings),
    () => ({ longestAppPasswordDays: 30 }),
  );
  beforeEach(async () => {
    user = (await app.signIn()).credentials.userId;
  });

  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

  it('ends every new app password, those of login flows and of programs too', async () => {
    const service = app.inside(AppPasswordsService);

    await service.add(user, 'one');
    await service.tokenOfProgram(user, 'Reeder/1', '192.0.2.1');

    const ends = (await service.list(user)).map(({ expiresAt }) => Number(expiresAt));
    expect(ends.length).toBe(2);
    expect(Math.min(...ends)).toBeGreaterThan(Number(inDays(29)));
    expect(Math.max(...ends)).toBeLessThanOrEqual(Number(inDays(30)));
  });

  it('gives a program a new one when the old one has ended', async () => {
    const service = app.inside(AppPasswordsService);
    const former = await service.tokenOfProgram(user, 'NetNewsWire/1', '192.0.2.1');
    await app.database.query(
      "update app_password set expires_at = now() where name like 'NetNewsWire%'",
    );

    const token = await service.tokenOfProgram(user, 'NetNewsWire/1', '192.0.2.1');

    expect(token).not.toBe(former);
    expect(await service.ownerOf(token)).toMatchObject({ userId: user });
  });

  it('refuses a later end', async () => {
    await expect(
      app.inside(AppPasswordsService).add(user, 'long', { expiresAt: inDays(31) }),
    ).rejects.toThrow('within 30 days');
  });
});

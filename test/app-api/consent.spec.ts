import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { ExAppsService } from '../../src/app-api/apps/lifecycle/ex-apps.service.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { EventListener } from '../support/event-listener.js';
import { knowApp, startExternalApp, toOcs, type ExternalApp } from '../support/external-app.js';
import { rss } from '../support/feed-server.js';
import { NewsClient, ok } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';
import { statementsDuring } from '../support/statements.js';

/** What a user must allow before an app uses the feed reader for them. */

const { app: gateway, publisher } = await serviceAndPublisher();

const NEWS = '/index.php/apps/news/api/v1-3';
const CONSENTS = '/ocs/v2.php/apps/app_api/api/v1/consents';
const NOTIFICATIONS = '/ocs/v2.php/apps/notifications/api/v2/notifications';
const EVENTS = '/ocs/v2.php/apps/gatefold/api/v1/security/events';

let tools: ExternalApp;
let other: ExternalApp;
let ada: TestUser;
let bob: TestUser;
let ids: { readonly feedId: number; readonly itemId: number };

beforeAll(async () => {
  tools = await startExternalApp(gateway, { appId: 'tools' });
  other = await startExternalApp(gateway, { appId: 'other' });
});
afterAll(() => Promise.all([tools.close(), other.close()]));

beforeEach(async () => {
  await gateway.database.query('delete from ex_app');
  await Promise.all([knowApp(gateway, tools), knowApp(gateway, other)]);
  [ada, bob] = [await gateway.signIn(), await gateway.signIn()];
  publisher.publish('/feed.xml', rss({ title: 'Tides', items: [{ title: 'Low tide' }] }));
  const news = new NewsClient(ada, 'v1-3');
  const feed = await news.subscribe(publisher.url('/feed.xml'));
  const [item] = await news.items();
  ids = { feedId: feed.id, itemId: item?.id ?? 0 };
});

const nameOf = ({ credentials }: TestUser) => credentials.userId;
const call = (
  method: string,
  path: string,
  {
    user = ada,
    external = tools,
    json,
  }: { user?: TestUser; external?: ExternalApp; json?: unknown } = {},
): Promise<Answer> =>
  external.as(nameOf(user)).call(method, NEWS + path, json === undefined ? {} : { json });
const statusOf = async (...given: Parameters<typeof call>) => (await call(...given)).status;

const decide = (state: string, { user = ada, appId = 'tools' } = {}) =>
  user.call('PUT', `${CONSENTS}/${appId}?format=json`, { json: { state } });
const listOf = async (user = ada) =>
  toOcs(await user.get(`${CONSENTS}?format=json`)).data as readonly Record<string, unknown>[];
const stateOf = async (external = tools, user = ada) =>
  (await external.as(nameOf(user)).ocs('GET', '/api/v1/consent/news')).data;
const notified = async (user = ada, language = 'en') => {
  const headers = { accept: 'application/json', 'accept-language': language };
  return toOcs(await user.get(NOTIFICATIONS, { headers })).data as readonly {
    readonly subject: string;
    readonly link: string;
  }[];
};

describe('an app without consent', () => {
  it.each(['v1-2', 'v1-3'])('is refused by every route of level %s', async (level) => {
    const path = (rest: string) => `/index.php/apps/news/api/${level}${rest}`;
    const caller = tools.as(nameOf(ada));

    for (const [method, rest] of [
      ['GET', '/feeds'],
      ['GET', '/items?type=3'],
      ['PUT', '/items/read/multiple'],
      ['POST', '/folders'],
      ['GET', '/version'],
    ] as const) {
      expect([rest, (await caller.call(method, path(rest))).status]).toEqual([rest, 403]);
    }
    expect((await ada.get(path('/feeds'))).status).toBe(200);
  });

  it('is told what helps', async () => {
    const { json } = await call('GET', '/feeds');

    expect(json).toMatchObject({
      message: expect.stringContaining('The user has not yet allowed the app "tools"'),
    });
  });

  it('asks the user once, with a link to the settings', async () => {
    await Promise.all([call('GET', '/feeds'), call('GET', '/folders'), call('GET', '/items')]);
    await call('GET', '/feeds');

    expect(await notified()).toEqual([
      expect.objectContaining({
        subject: 'The app App tools asks to use your feed reader.',
        link: expect.stringMatching(/\/settings\/user\/apps$/),
      }),
    ]);
    expect((await notified(ada, 'de'))[0]?.subject).toBe(
      'Die App App tools möchte deinen Feedreader benutzen.',
    );
    expect(await listOf()).toEqual([
      {
        appId: 'tools',
        name: 'App tools',
        state: 'asked',
        asked: expect.any(Number),
        decided: null,
        lastUsed: null,
      },
    ]);
    expect([await notified(bob), await listOf(bob)]).toEqual([[], []]);
  });

  it('learns its state without asking, and can ask', async () => {
    expect([await stateOf(), await notified()]).toEqual([{ state: 'none' }, []]);

    const asked = await tools.as(nameOf(ada)).ocs('POST', '/api/v1/consent/news');

    expect([asked.data, await stateOf()]).toEqual([{ state: 'asked' }, { state: 'asked' }]);
    expect(await notified()).toHaveLength(1);
    expect(await stateOf(other)).toEqual({ state: 'none' });
    expect((await tools.as('').ocs('GET', '/api/v1/consent/news')).httpStatus).toBe(401);
  });

  it('keeps the routes of the platform, files and chat', async () => {
    const caller = tools.as(nameOf(ada));
    const files = `/remote.php/dav/files/${nameOf(ada)}/`;

    expect((await caller.call('GET', '/ocs/v2.php/cloud/user')).status).toBe(200);
    expect((await caller.call('PROPFIND', files)).status).toBe(207);
    expect((await caller.call('GET', '/ocs/v2.php/apps/spreed/api/v4/room')).status).toBe(200);
  });
});

describe('an app with consent', () => {
  beforeEach(async () => {
    await call('GET', '/feeds');
    await decide('granted');
  });

  it('reads, marks, stars, labels, and changes feeds', async () => {
    const { feedId, itemId } = ids;

    expect((await call('GET', '/feeds')).json).toMatchObject({ feeds: [{ title: 'Tides' }] });
    for (const [method, path, json] of [
      ['POST', `/items/${itemId}/read`, {}],
      ['POST', `/items/${itemId}/star`, {}],
      ['POST', `/items/${itemId}/labels`, { add: ['Sea'] }],
      ['POST', `/feeds/${feedId}/rename`, { feedTitle: 'High tides' }],
    ] as const) {
      expect([path, await statusOf(method, path, { json })]).toEqual([path, 200]);
    }

    expect(await new NewsClient(ada, 'v1-3').items()).toMatchObject([
      { id: itemId, unread: false, starred: true, labels: ['Sea'] },
    ]);
  });

  it('has none for other users, and other apps have none', async () => {
    expect(await statusOf('GET', '/feeds', { user: bob })).toBe(403);
    expect(await statusOf('GET', '/feeds', { external: other })).toBe(403);
  });

  it('is listed with the time of its use, and its question is answered', async () => {
    await call('GET', '/feeds');

    expect(await listOf()).toMatchObject([
      { state: 'granted', decided: expect.any(Number), lastUsed: expect.any(Number) },
    ]);
    expect(await notified()).toEqual([]);
  });

  it('loses it at once when it is revoked, and does not ask again', async () => {
    await decide('refused');

    const { status, json } = await call('GET', '/feeds');

    expect([status, json]).toEqual([
      403,
      { message: expect.stringContaining('The user has refused the app "tools"') },
    ]);
    expect([await notified(), await stateOf()]).toEqual([[], { state: 'refused' }]);
    expect((await tools.as(nameOf(ada)).ocs('POST', '/api/v1/consent/news')).data).toEqual({
      state: 'refused',
    });
    expect(await notified()).toEqual([]);
  });

  it('loses its open streams when it is revoked', async () => {
    const response = await fetch(`${gateway.url}${NEWS}/events`, {
      headers: {
        'ex-app-id': tools.appId,
        'ex-app-version': tools.version,
        'authorization-app-api': btoa(`${nameOf(ada)}:${tools.secret}`),
      },
    });
    expect(response.status).toBe(200);

    await decide('refused');

    await expect(response.text()).resolves.toEqual(expect.any(String));
  });

  it('cannot act, and is not listed, while it is disabled', async () => {
    await gateway.inside(ExAppsRepository).setEnabled('tools', false);

    expect(await statusOf('GET', '/feeds')).toBe(401);
    expect([await listOf(), (await decide('granted')).status]).toEqual([[], 404]);
  });

  it('loses it when it is unregistered', async () => {
    await gateway.inside(LifecycleService).unregister('tools');
    await knowApp(gateway, tools);

    expect(await statusOf('GET', '/feeds')).toBe(403);
  });

  it('loses it with the account', async () => {
    const userId = nameOf(ada);
    await gateway.inside(UsersService).delete(userId);

    const rows = await gateway.database.query('select 1 from app_consent where user_id = $1', [
      userId,
    ]);
    expect(rows).toEqual([]);
  });

  it('leaves security events of allowing and revoking', async () => {
    await decide('granted');
    await decide('refused');
    await decide('refused');

    const admin = gateway.asAdmin();
    const events = toOcs(await admin.get(EVENTS, { query: { format: 'json', user: nameOf(ada) } }))
      .data as readonly Record<string, unknown>[];
    const ofApps = events.filter(({ kind }) => String(kind).startsWith('app_'));

    expect(ofApps).toMatchObject([
      { kind: 'app_revoked', details: 'tools', actor: nameOf(ada), credential: 'password' },
      { kind: 'app_allowed', details: 'tools', actor: nameOf(ada), credential: 'password' },
    ]);
  });
});

describe('a decision', () => {
  it('is possible before the app asks, and silences its question', async () => {
    await decide('refused');

    expect(await statusOf('GET', '/feeds')).toBe(403);
    expect(await notified()).toEqual([]);

    await decide('granted');
    expect(await statusOf('GET', '/feeds')).toBe(200);
  });

  it('is refused to apps and app passwords, which could allow apps to themselves', async () => {
    const path = `${CONSENTS}/tools?format=json`;
    const json = { state: 'granted' };
    const created = await ada.call('POST', '/ocs/v2.php/core/apppasswords?format=json', {
      json: { name: 'phone' },
    });
    const { token } = toOcs(created).data as { readonly token: string };
    const phone = new ApiClient(gateway.url, { userId: nameOf(ada), password: token });

    const byApp = await tools.as(nameOf(ada)).call('PUT', path, { json });
    const byProgram = await phone.call('PUT', path, { json });

    expect([byApp.status, byProgram.status]).toEqual([403, 403]);
    expect(await stateOf()).toEqual({ state: 'none' });
  });

  it('is checked', async () => {
    expect((await decide('maybe')).status).toBe(400);
    expect((await decide('granted', { appId: 'nobody' })).status).toBe(404);
  });
});

describe('the check', () => {
  const ofConsent = (statements: readonly string[]) =>
    statements.filter((sql) => sql.includes('app_consent'));

  it('costs users nothing, and apps one statement', async () => {
    await decide('granted');

    const ofUser = await statementsDuring(gateway.database, async () =>
      ok(ada.get(`${NEWS}/folders`)),
    );
    const ofApp = await statementsDuring(gateway.database, async () => ok(call('GET', '/folders')));

    expect([ofConsent(ofUser).length, ofConsent(ofApp).length]).toEqual([0, 1]);
  });
});

describe('a live update of an app that acts for a user', () => {
  const listen = () =>
    EventListener.open(`${gateway.url}${NEWS}/events`, undefined, tools.as(nameOf(ada)).headers);

  it.each([
    ['is disabled', () => gateway.inside(LifecycleService).disable('tools')],
    ['gets another secret at once', () => gateway.inside(ExAppsService).rotateSecret('tools', 0)],
  ] as [string, () => Promise<unknown>][])('ends when the app %s', async (_what, change) => {
    await decide('granted');
    const listener = await listen();
    expect(listener.response.statusCode).toBe(200);

    await change();

    await listener.ended();
  });
});

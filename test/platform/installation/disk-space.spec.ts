import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import { DiskSpace } from '../../../src/common/disk/disk-space.js';
import { FreeSpaceProbe } from '../../../src/common/disk/free-space-probe.js';
import { UpdateCycle } from '../../../src/news/updater/update-cycle.service.js';
import { basic } from '../../support/api-client.js';
import { DavClient } from '../../support/dav-client.js';
import { addDueSources } from '../../support/due-sources.js';
import { EVERY_PART } from '../../support/every-part.js';
import { knowApp, startExternalApp } from '../../support/external-app.js';
import { rss } from '../../support/feed-server.js';
import { GoogleReaderClient } from '../../support/google-reader-client.js';
import { responseTo } from '../../support/response-to.js';
import { routesOf } from '../../support/routes.js';
import { serviceAndPublisher } from '../../support/service-and-publisher.js';
import { type TestUser } from '../../support/start-app.js';

const MIB = 1024 * 1024;

/** Routes that work on a full disk, besides reading methods and DELETE: handlers by controller. */
const ACCEPTED: Readonly<Record<string, string>> = {
  AppTicketsController: 'issue',
  AppsAdminController: 'disable uninstall',
  BoardRefusalsController: 'refuse',
  ConfigValuesController: 'get',
  ConsentsController: 'decide',
  FeedsController: 'markRead',
  FeverController: 'byForm',
  FoldersController: 'markRead',
  FramedPagesController: 'enter',
  GoogleItemsController: 'editTag markAllRead',
  GoogleSubscriptionsController: 'edit',
  GrantController: 'decide',
  HalfLoginController: 'options submit',
  ItemsController:
    'markAllRead markManyRead markManyUnread markRead markUnread starMany unstarMany',
  ItemsV12Controller: 'setStarredByGuid star unstar',
  ItemsV13Controller: 'star unstar',
  LeavingController: 'ask',
  LocksController: 'unlock',
  LogInController: 'byForm',
  LoginController: 'submit',
  LoginFlowController: 'begin poll',
  LogoutController: 'byForm',
  MessagesController: 'markRead',
  NoticeButtonsController: 'press',
  NotificationsController: 'exists',
  OidcLogoutController: 'end',
  OverviewController: 'sendTestMail',
  OwnAppPasswordController: 'renew',
  OwnPasswordController: 'change',
  ParticipantsController: 'enter',
  PasskeyLoginController: 'options submit',
  PasswordLinksController: 'ask set',
  PicturesController: 'sign',
  PreferencesController: 'get',
  ProofController: 'askForPasskey prove',
  ProxyController: 'pass',
  RowsV13Controller: 'markRead undo',
  ScimGroupsController: 'patch replace',
  ScimUsersController: 'patch replace',
  StreamsController: 'named',
  TagsController: 'remove',
  TalkProxyController: 'receive',
  UsersController: 'disable',
  WebSubController: 'called',
};

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_DISK_RESERVE_MIB: '100',
  ...EVERY_PART,
});
let user: TestUser;
let ada: DavClient;
let freeMebibytes: number;
beforeAll(async () => {
  app.inside(DiskSpace).cachedMs = 0;
  app.inside(FreeSpaceProbe).measure = async () => ({
    freeBytes: freeMebibytes * MIB,
    totalBytes: 10_000 * MIB,
  });
});
beforeEach(async () => {
  freeMebibytes = 5000;
  user = await app.signIn();
  ada = new DavClient(user);
  await ada.put('/old.txt', 'old');
});

const ready = () => app.asStranger().get('/health/ready');

describe('While the free space is below the reserve', () => {
  it('uploads of every kind are rejected with 507 before they are read', async () => {
    const uploads = `/remote.php/dav/uploads/${user.credentials.userId}`;
    await user.call('MKCOL', `${uploads}/one`);
    freeMebibytes = 99;

    const answers = [
      await ada.put('/new.txt', 'new'),
      await ada.put('/old.txt', 'new'),
      await user.call('MKCOL', `${uploads}/two`),
      await user.call('PUT', `${uploads}/one/1`, { body: 'x' }),
      await user.call('PUT', '/avatar', { body: Buffer.from('89504e470d0a1a0a', 'hex') }),
      await user.call('POST', '/ocs/v2.php/speechtotext/schedule?filename=a.mp3', { body: 'x' }),
      await user.call('POST', '/index.php/apps/news/api/v1-3/opml/import', {
        headers: { 'content-type': 'text/x-opml' },
        body: '<opml/>',
      }),
      await user.post('/index.php/apps/news/api/v1-3/feeds', { url: publisher.url('/a.xml') }),
    ];

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(507));
    expect(answers[0]?.text).toMatch(/nearly full/);
    expect((await ada.get('/old.txt')).text).toBe('old');
  });

  it('users can still read and delete, and the service is ready', async () => {
    freeMebibytes = 99;

    expect(await ada.names('/')).toEqual(['old.txt']);
    expect((await ada.remove('/old.txt')).status).toBe(204);
    expect((await ready()).status).toBe(200);
  });

  it('every route that may store something responds 507, except the listed ones', async () => {
    const tools = await startExternalApp(app, { appId: 'tools' });
    await knowApp(app, tools);
    const program = await GoogleReaderClient.of(app.asAdmin());
    freeMebibytes = 99;
    const accepted: string[] = [];
    const routes = routesOf(app).filter(
      ({ method, path, guards }) =>
        !['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT', 'SEARCH', 'DELETE'].includes(method) &&
        !path.startsWith('/ocs/v1.php') &&
        !guards.includes('SignedBotGuard'),
    );
    const routeOfHandler = new Map(routes.map((route) => [route.handler, route]));
    for (const { handler, guards, method, path } of routeOfHandler.values()) {
      const isOfApps = guards.some((guard) => /^(GatewayAuth|TaskPoll)Guard$/.test(guard));
      const { status } = await (isOfApps ? tools.as('admin') : app.asAdmin()).call(
        guards.includes('PutOrPostGuard') ? 'PUT' : method === 'UNSUBSCRIBE' ? 'POST' : method,
        path.replaceAll(/[:*]\w+/g, 'none'),
        {
          headers: guards.includes('ScimGuard')
            ? { authorization: `Bearer ${EVERY_PART.GATEFOLD_SCIM_TOKEN}` }
            : guards.includes('GoogleLoginGuard')
              ? { authorization: `GoogleLogin auth=${program.token}` }
              : {},
        },
      );
      if (status !== 507) {
        accepted.push(handler);
      }
    }
    await tools.close();

    expect(accepted.toSorted()).toEqual(
      Object.entries(ACCEPTED).flatMap(([controller, names]) =>
        names.split(' ').map((name) => `${controller}.${name}`),
      ),
    );
  });

  it('no feed is fetched; due ones are fetched once there is space', async () => {
    publisher.publish('/tides.xml', rss({ title: 'Tides', link: publisher.url('/'), items: [] }));
    await addDueSources(app, user.credentials.userId, [publisher.url('/tides.xml')]);
    const schedule = app.inside(UpdateCycle);
    const fetches = () => publisher.requests('/tides.xml').length;
    freeMebibytes = 99;

    await schedule.fetchDue();
    expect(fetches()).toBe(0);

    freeMebibytes = 101;
    await schedule.fetchDue();
    expect(fetches()).toBe(1);
  });
});

it('A change that PostgreSQL has no room for responds 507.', async () => {
  await app.database.query(`
    create function no_room() returns trigger language plpgsql as
      $$ begin raise 'no space left' using errcode = 'disk_full'; end $$;
    create trigger no_room before insert on user_preference
      for each row execute function no_room()`);
  const path = '/ocs/v2.php/apps/gatefold/api/v1/preferences/pages';

  const { status, text } = await user.call('PATCH', path, { json: { values: { theme: 'dark' } } });

  expect([status, text]).toEqual([507, expect.stringContaining('nearly full')]);
});

it('A file that would use the reserve is rejected by its Content-Length.', async () => {
  freeMebibytes = 101;

  const headers = {
    authorization: basic(user.credentials),
    'content-length': String(2 * MIB),
    expect: '100-continue',
  };
  const request = http.request(`${app.url}${ada.root}/large.bin`, { method: 'PUT', headers });
  request.flushHeaders();
  const { statusCode } = await responseTo(request);
  request.destroy();

  expect(statusCode).toBe(507);
});

it('An upload is aborted and removed if the disk fills up meanwhile.', async () => {
  const headers = { authorization: basic(user.credentials) };
  const request = http.request(`${app.url}${ada.root}/large.bin`, { method: 'PUT', headers });
  request.write('a'.repeat(1000));
  freeMebibytes = 50;
  const more = setInterval(() => request.write('a'.repeat(1000)), 1);
  try {
    expect((await responseTo(request)).resume().statusCode).toBe(507);
  } finally {
    clearInterval(more);
    request.end();
  }
  expect((await ada.get('/large.bin')).status).toBe(404);
});

it('Below a quarter of the reserve the service is not ready because of the disk.', async () => {
  freeMebibytes = 24;
  const full = await ready();
  freeMebibytes = 26;

  expect(full.status).toBe(503);
  expect(full.text).toContain('disk space');
  expect((await ready()).status).toBe(200);
});

it('On a small disk the reserve is five per cent.', async () => {
  const probe = app.inside(FreeSpaceProbe);
  const { measure } = probe;
  probe.measure = async () => ({ freeBytes: 6 * MIB, totalBytes: 100 * MIB });
  try {
    expect((await ada.put('/new.txt', 'new')).status).toBe(201);
  } finally {
    probe.measure = measure;
  }
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LifecyclePace } from '../../../src/app-api/apps/lifecycle/lifecycle-pace.service.js';
import { LifecycleService } from '../../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { EVERY_PART } from '../../support/every-part.js';
import {
  json as answers,
  startExternalApp,
  toOcs,
  type ExternalApp,
} from '../../support/external-app.js';
import { rss, startFeedServer, type FeedServer } from '../../support/feed-server.js';
import { routesOf } from '../../support/routes.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';

/*
 * Each change by an administrator is an event with its subject. The table below is compared with the
 * router, so that a new route has to say what it records.
 */

const CLOUD = '/ocs/v2.php/cloud';
const APPS = '/apps/app_api';

interface Event {
  readonly kind: string;
  readonly user: string | null;
  readonly subject: { readonly kind: string; readonly id: string } | null;
  readonly details: string | null;
  readonly actor: string;
  readonly address: string;
}

/** What a handler records, in the order of the calls. */
interface Change {
  readonly handler: string;
  readonly call: () => readonly [method: string, path: string, json?: object];
  readonly event: () => Partial<Event>;
}

let app: TestApp;
let admin: TestUser;
let external: ExternalApp;
let publisher: FeedServer;
let sourceId: number;

beforeAll(async () => {
  app = await startApp(EVERY_PART);
  admin = app.asAdmin();
  const pace = app.inside(LifecyclePace);
  pace.pause = async () => {};
  external = await startExternalApp(app, { appId: 'gulls' });
  // It has nothing to initialise.
  external.on('/init', answers({}, 501));
  publisher = await startFeedServer();
  publisher.publish('/feed', rss({ title: 'Tides', items: [] }));
  const reader = await app.signIn();
  await reader.post('/index.php/apps/news/api/v1-3/feeds', { url: publisher.url('/feed') });
  const [source] = await app.database.query<{ id: number }>('select id from source');
  sourceId = Number(source?.id);
});
afterAll(async () => {
  await Promise.all([external.close(), publisher.close()]);
  await app.stop();
});

const daemon = {
  name: 'harbour',
  display_name: 'Harbour',
  protocol: 'http',
  host: '127.0.0.1',
  accepts_deploy_id: 'manual-install',
};

const group = { kind: 'group', id: 'readers' };
const gulls = { kind: 'app', id: 'gulls' };
const harbour = { kind: 'daemon', id: 'harbour' };

const CHANGES: readonly Change[] = [
  {
    handler: 'UsersController.add',
    call: () => ['POST', `${CLOUD}/users`, { userid: 'eve', password: 'the words of eve' }],
    event: () => ({ kind: 'user_created', user: 'eve' }),
  },
  {
    handler: 'UsersController.edit',
    call: () => ['PUT', `${CLOUD}/users/eve`, { key: 'displayname', value: 'Eve' }],
    event: () => ({ kind: 'user_changed', user: 'eve', details: 'display name: Eve' }),
  },
  {
    handler: 'UsersController.edit',
    call: () => ['PUT', `${CLOUD}/users/eve`, { key: 'email', value: 'eve@example.org' }],
    event: () => ({ kind: 'user_changed', user: 'eve', details: 'mail address' }),
  },
  {
    handler: 'UsersController.edit',
    call: () => ['PUT', `${CLOUD}/users/eve`, { key: 'quota', value: '1.5 gb' }],
    event: () => ({ kind: 'user_changed', user: 'eve', details: 'storage quota: 1.5 GB' }),
  },
  {
    handler: 'UsersController.disable',
    call: () => ['PUT', `${CLOUD}/users/eve/disable`],
    event: () => ({ kind: 'user_disabled', user: 'eve' }),
  },
  {
    handler: 'UsersController.enable',
    call: () => ['PUT', `${CLOUD}/users/eve/enable`],
    event: () => ({ kind: 'user_enabled', user: 'eve' }),
  },
  {
    handler: 'GroupsController.add',
    call: () => ['POST', `${CLOUD}/groups`, { groupid: 'readers' }],
    event: () => ({ kind: 'group_created', subject: group }),
  },
  {
    handler: 'GroupsController.edit',
    call: () => ['PUT', `${CLOUD}/groups/readers`, { key: 'displayname', value: 'All readers' }],
    event: () => ({ kind: 'group_changed', subject: group, details: 'name: All readers' }),
  },
  {
    handler: 'GroupsController.enter',
    call: () => ['POST', `${CLOUD}/users/eve/groups`, { groupid: 'readers' }],
    event: () => ({ kind: 'group_joined', user: 'eve', subject: group }),
  },
  {
    handler: 'GroupsController.leave',
    call: () => ['DELETE', `${CLOUD}/users/eve/groups`, { groupid: 'readers' }],
    event: () => ({ kind: 'group_left', user: 'eve', subject: group }),
  },
  {
    handler: 'GroupsController.remove',
    call: () => ['DELETE', `${CLOUD}/groups/readers`],
    event: () => ({ kind: 'group_deleted', subject: group }),
  },
  {
    handler: 'UsersController.remove',
    call: () => ['DELETE', `${CLOUD}/users/eve`],
    event: () => ({ kind: 'user_deleted', user: 'eve' }),
  },
  {
    handler: 'DoctorController.retry',
    call: () => ['POST', '/index.php/apps/news/api/v1-3/doctor/retry', { sourceId }],
    event: () => ({ kind: 'feed_changed', subject: { kind: 'source', id: String(sourceId) } }),
  },
  {
    handler: 'DaemonsController.register',
    call: () => ['POST', `${APPS}/daemons`, daemon],
    event: () => ({ kind: 'daemon_created', subject: harbour }),
  },
  {
    handler: 'DaemonsController.change',
    call: () => ['PUT', `${APPS}/daemons/harbour`, { ...daemon, host: 'localhost' }],
    event: () => ({ kind: 'daemon_changed', subject: harbour, details: 'at localhost' }),
  },
  {
    handler: 'DaemonsController.unregister',
    call: () => ['DELETE', `${APPS}/daemons/harbour`],
    event: () => ({ kind: 'daemon_removed', subject: harbour }),
  },
  {
    handler: 'AppsAdminController.register',
    call: () => [
      'POST',
      `${APPS}/apps/register`,
      {
        appId: 'gulls',
        jsonInfo: { id: 'gulls', name: 'Gulls', version: '1.0.0' },
        baseUrl: external.baseUrl,
        secret: external.secret,
        trusted: true,
      },
    ],
    event: () => ({ kind: 'app_registered', subject: gulls }),
  },
  {
    handler: 'ExAppManagementController.setEnabled',
    call: () => ['PUT', '/ocs/v2.php/apps/app_api/ex-app/gulls/enabled', { enabled: 0 }],
    event: () => ({ kind: 'app_disabled', subject: gulls }),
  },
  {
    handler: 'AppsAdminController.enable',
    call: () => ['POST', `${APPS}/apps/enable/gulls`],
    event: () => ({ kind: 'app_enabled', subject: gulls }),
  },
  {
    handler: 'AppsAdminController.disable',
    call: () => ['POST', `${APPS}/apps/disable/gulls`],
    event: () => ({ kind: 'app_disabled', subject: gulls }),
  },
  {
    handler: 'AppsAdminController.rotateSecret',
    call: () => ['POST', `${APPS}/apps/rotate-secret/gulls`, { graceSeconds: 60 }],
    event: () => ({ kind: 'app_changed', subject: gulls }),
  },
  {
    handler: 'AppsAdminController.uninstall',
    call: () => ['POST', `${APPS}/apps/uninstall/gulls`],
    event: () => ({ kind: 'app_removed', subject: gulls }),
  },
];

/** Recorded as well; tested where there is something to do it with. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'AccountListController.logOut': 'test/platform/sign-in/sessions.spec.ts',
  'AnnouncementsController.announce': 'test/platform/overview.spec.ts',
  'AnnouncementsController.withdraw': 'test/platform/overview.spec.ts',
  'AppsAdminController.update': 'test/app-api/management.spec.ts',
  'DeadLettersController.retry': 'test/app-api/administration.spec.ts',
  'GroupFoldersAdministrationV13Controller.create': 'test/news/group-folders.spec.ts',
  'GroupFoldersAdministrationV13Controller.remove': 'test/news/group-folders.spec.ts',
  'GroupFoldersAdministrationV13Controller.setEditors': 'test/news/group-folders.spec.ts',
  'LeavingAdminController.decide': 'test/platform/sign-in/leaving.spec.ts',
  'QueuesController.drop': 'test/app-api/administration.spec.ts',
  'QueuesController.retry': 'test/app-api/administration.spec.ts',
  'SecondFactorAdminController.reset': 'test/platform/sign-in/second-factor-administration.spec.ts',
  'TaskAdministrationController.cancel': 'test/app-api/task-processing/administration.spec.ts',
  'TaskAdministrationController.cancelScheduled':
    'test/app-api/task-processing/administration.spec.ts',
  'TaskAdministrationController.change': 'test/app-api/task-processing/administration.spec.ts',
  'UsersController.invite': 'test/platform/sign-in/invitations.spec.ts',
};

/** Change nothing of ours, and get the generic event with method and path. */
const GENERIC: Readonly<Record<string, string>> = {
  'AccountListController.check': 'reads the form of a new account',
  'AppsAdminController.check': 'examines the connection to an app',
  'DaemonsController.check': 'examines the connection to a daemon',
  'OverviewController.sendTestMail': 'sends a mail to the administrator who asks',
  'ExAppRequestsController.send': 'passes a request to an app, which knows what it changes',
};

/** Checked for another user than the administrator, without a guard of its own. */
const GUARDED_INSIDE = ['UsersController.edit'];

describe('the audit log', () => {
  it('knows every route by which administrators change something', () => {
    const changing = routesOf(app)
      .filter(({ guards, method }) => guards.includes('AdminGuard') && method !== 'GET')
      .map(({ handler }) => handler);
    const told = [
      ...CHANGES.map(({ handler }) => handler),
      ...Object.keys(ELSEWHERE),
      ...Object.keys(GENERIC),
    ];

    expect([...new Set(told)].toSorted()).toEqual(
      [...new Set([...changing, ...GUARDED_INSIDE])].toSorted(),
    );
  });

  it('has who did what to whom, for each of them', async () => {
    for (const { handler, call, event } of CHANGES) {
      await app.inside(LifecycleService).settled();
      await app.database.query('delete from security_event');
      const [method, path, json] = call();

      const answer = await admin.call(method, path, {
        headers: { accept: 'application/json' },
        ...(json && { json }),
      });
      await app.inside(LifecycleService).settled();

      expect([handler, answer.status, answer.text]).toEqual([handler, 200, expect.any(String)]);
      const expected = {
        handler,
        actor: 'admin',
        credential: 'password',
        address: '127.0.0.1',
        ...event(),
      };
      expect((await events()).map((found) => ({ handler, ...found }))).toContainEqual(
        expect.objectContaining(expected),
      );
    }
  });
});

async function events(): Promise<Event[]> {
  const answer = await admin.get('/ocs/v2.php/apps/gatefold/api/v1/security/events', {
    headers: { accept: 'application/json' },
  });
  return toOcs(answer).data as Event[];
}

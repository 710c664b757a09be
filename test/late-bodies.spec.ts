import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { ExAppsRepository } from '../src/app-api/apps/ex-apps.repository.js';
import { ExAppsService } from '../src/app-api/apps/lifecycle/ex-apps.service.js';
import { Shares } from '../src/common/http/shares.js';
import { AccessChanges } from '../src/common/ports/access-changes.js';
import { UsersService } from '../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { SessionsService } from '../src/platform/sign-in/sessions/sessions.service.js';
import { basic } from './support/api-client.js';
import { giveBelongings, type Belongings } from './support/belongings.js';
import { handlersOf } from './support/contracts/documented.js';
import { EVERY_PART } from './support/every-part.js';
import { knowApp, startExternalApp, type ExternalApp } from './support/external-app.js';
import { bodyOf } from './support/one-against-all/hostile-requests.js';
import { targetRoutes, targetsOf, type TargetRoute } from './support/one-against-all/targets.js';
import { RawSender } from './support/raw-sender.js';
import { startApp, type TestApp } from './support/start-app.js';
import { tableContents } from './support/table-contents.js';
import { until } from './support/until.js';

/*
 * Every changing route that reads a body, and every way to lose the right to it: the head and half of the body are
 * sent, the right ends, and the rest follows. Nothing is changed then.
 */

type Headers = Readonly<Record<string, string>>;

/** Credentials of a person, and how they end. */
interface Way {
  readonly guards: RegExp;
  /** @returns the headers of a request of the user */
  readonly begin: (userId: string) => Promise<Headers>;
  readonly end: (userId: string) => Promise<unknown>;
}

let app: TestApp;
let routes: readonly TargetRoute[];
let external: ExternalApp;
let belongings: Belongings;

beforeAll(async () => {
  app = await startApp({
    ...EVERY_PART,
    GATEFOLD_DATABASE_CONNECTIONS: '10',
    GATEFOLD_LIMITS: 'uploads-at-once=1000 imports-at-once=1000',
  });
  belongings = await giveBelongings(app, await app.signInOnce('ada'), await app.signInOnce('bob'));
  external = await startExternalApp(app, { appId: 'harbour' });
  await knowApp(app, external);
  routes = targetRoutes(handlersOf(app.app)).filter(({ method }) => !READING.has(method));
});
afterAll(async () => {
  await Promise.all([belongings.close(), external.close()]);
  await app.stop();
});

const READING = new Set(['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT', 'SEARCH']);

const users = () => app.inside(UsersService);
const sessions = () => app.inside(SessionsService);
const passwordOf = (userId: string) => `password of ${userId}`;

const BY_PASSWORD = async (userId: string) => ({
  authorization: basic({ userId, password: passwordOf(userId) }),
});

async function bySession(userId: string): Promise<Headers> {
  const beginning = { userId, provider: 'password', userAgent: '', address: '' } as const;
  const { token } = await sessions().begin(beginning);
  const requesttoken = createHmac('sha256', token)
    .update('gatefold request token')
    .digest('base64url');
  return { cookie: `gatefold_session=${token}`, requesttoken };
}

async function byAppPassword(userId: string): Promise<Headers> {
  const { token } = await app.inside(AppPasswordsService).add(userId, 'phone');
  return { authorization: basic({ userId, password: token }) };
}

async function byGoogleToken(userId: string): Promise<Headers> {
  const { token } = await app.inside(AppPasswordsService).add(userId, 'reader');
  return { authorization: `GoogleLogin auth=${token}` };
}

async function revokeAppPasswords(userId: string): Promise<void> {
  for (const { id } of await app.inside(AppPasswordsService).list(userId)) {
    await app.inside(AppPasswordsService).revoke(userId, id);
  }
}

const asAdministrator = (begin: Way['begin']) => async (userId: string) => {
  await users().makeAdministrator(userId);
  return begin(userId);
};

const PEOPLE = /^BasicAuthGuard/;
const ADMINISTRATION = /AdminGuard/;
const PROGRAMS = /^GoogleLoginGuard/;
const APPS = /^(?:GatewayAuthGuard|TaskPollGuard)/;
const BASIC_OR_SESSION = /^BasicAuthGuard(?!.*AdminGuard)/;

const changePassword = (userId: string) => users().changePassword(userId, 'another of the tests');
const disable = (userId: string) => users().disable(userId);
const byApp = async (userId: string) => external.as(userId).headers;

const WAYS: Readonly<Record<string, Way>> = {
  'a session, which is ended elsewhere': {
    guards: BASIC_OR_SESSION,
    begin: bySession,
    end: (userId) => sessions().revokeAll(userId),
  },
  'a session of an administrator, whose password is changed': {
    guards: PEOPLE,
    begin: asAdministrator(bySession),
    end: changePassword,
  },
  'a session of an administrator, who is one no more': {
    guards: ADMINISTRATION,
    begin: asAdministrator(bySession),
    end: (userId) => users().unmakeAdministrator(userId),
  },
  'a password, which is changed': {
    guards: BASIC_OR_SESSION,
    begin: BY_PASSWORD,
    end: changePassword,
  },
  'the password of an account that is disabled': {
    guards: PEOPLE,
    begin: asAdministrator(BY_PASSWORD),
    end: disable,
  },
  'an app password, which is revoked': {
    guards: BASIC_OR_SESSION,
    begin: byAppPassword,
    end: revokeAppPasswords,
  },
  'a token of a program, which is revoked': {
    guards: PROGRAMS,
    begin: byGoogleToken,
    end: revokeAppPasswords,
  },
  'an app that is disabled': {
    guards: APPS,
    begin: byApp,
    async end() {
      await app.inside(ExAppsRepository).setEnabled(external.appId, false);
      await app.inside(AccessChanges).announceApp(external.appId);
      return () => app.inside(ExAppsRepository).setEnabled(external.appId, true);
    },
  },
  'an app whose user is disabled': { guards: APPS, begin: byApp, end: disable },
  'an app with another secret': {
    guards: APPS,
    begin: byApp,
    async end() {
      await app.inside(ExAppsService).rotateSecret(external.appId, 0);
      return () => app.inside(ExAppsService).rotateSecret(external.appId, 0, external.secret);
    },
  },
};

/** Requests of users, and of apps. */
const underWay = () =>
  app.inside(Shares).count('requests') + app.inside(Shares).count('requests of an app');

const QUIET_LOOKS = 20;

/** What is still under way when nobody uses the database any more waits for the rest of its body. */
function quietness(): () => boolean {
  let looks = 0;
  return () => {
    const { used, waiting } = app.database.connections();
    looks = used + waiting === 0 ? looks + 1 : 0;
    return looks >= QUIET_LOOKS;
  };
}

/** What routes answer before the end of the body, or without reading it, is done while there is the right. */
const isAnswered = (sender: RawSender) => sender.received !== '' || sender.isClosed;

/** Without the log of refused log-ins. */
async function contentsOf(userId: string): Promise<object> {
  const { 'public.security_event': _refusals, ...contents } = await tableContents(
    app.database,
    userId,
  );
  return contents;
}

let people = 0;

describe('A body of which the rest comes when the right has ended', () => {
  it.each(Object.entries(WAYS))('changes nothing, sent with %s', async (_name, way) => {
    const userId = `person-${people++}`;
    await app.addUser(userId, passwordOf(userId));
    const headers = await way.begin(userId);
    const those = routes.filter(({ guards }) => way.guards.test(guards.join('+')));
    const targets = targetsOf(those, { userId, appId: external.appId }, () => headers);
    const began = targets.map((target, place) => {
      const sender = new RawSender(app.url);
      const [, body] = bodyOf(target);
      const bytes = body?.bytes ?? Buffer.from('{"message":"late"}');
      const path = those[place]?.pattern.includes(':userId')
        ? target.path
        : belongings.fill(those[place]?.pattern ?? '');
      sender.begin(target.method, path, bytes.length, {
        'content-type': body?.type ?? 'application/json',
        ...target.headers,
      });
      sender.send(bytes.subarray(0, bytes.length / 2));
      return { name: target.name, sender, rest: bytes.subarray(bytes.length / 2) };
    });
    const isQuiet = quietness();
    await until('the decisions at the heads', () => {
      const answered = began.filter(({ sender }) => isAnswered(sender)).length;
      return underWay() + answered >= began.length && isQuiet();
    });
    const waiting = began.filter(({ sender }) => !isAnswered(sender));

    const restore = await way.end(userId);
    const before = await contentsOf(userId);
    const statuses = await Promise.all(
      waiting.map(async ({ name, sender, rest }) => {
        const status = await sender.send(rest).status();
        sender.close();
        return [name, status] as const;
      }),
    );

    began.forEach(({ sender }) => sender.close());
    expect(waiting.length).toBeGreaterThan(those.length / 3);
    // Some say first that there is nothing at the address.
    expect(statuses.filter(([, status]) => status < 400 || status >= 500)).toEqual([]);
    expect(
      statuses.filter(([, status]) => status === 401 || status === 403).length,
    ).toBeGreaterThan((waiting.length * 9) / 10);
    expect(await contentsOf(userId)).toEqual(before);
    await (restore as (() => Promise<unknown>) | undefined)?.();
  });
});

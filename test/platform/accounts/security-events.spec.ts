import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { onBehalfOf } from '../../../src/common/auth/request-actor.js';
import type { SecurityEventKind } from '../../../src/platform/accounts/security/security-event.js';
import {
  ExportRequest,
  toFilter,
} from '../../../src/platform/accounts/security/security-events.input.js';
import { eventsStatement } from '../../../src/platform/accounts/security/security-events.repository.js';
import { SecurityEventsService } from '../../../src/platform/accounts/security/security-events.service.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { SessionsService } from '../../../src/platform/sign-in/sessions/sessions.service.js';
import { basic } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { toOcs } from '../../support/external-app.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

const EVENTS = '/ocs/v2.php/apps/gatefold/api/v1/security/events';
const ADMIN = { userId: 'admin', password: 'of the administrator' };

interface EventJson {
  readonly id: number;
  readonly time: number;
  readonly kind: string;
  readonly user: string | null;
  readonly userDeleted: number | null;
  readonly address: string | null;
  readonly details: string | null;
}

let clock: TestClock;
let platform: Platform;
let users: UsersService;
let nextUser = 0;
let ada: { userId: string; password: string };

beforeAll(async () => {
  clock = new TestClock();
  platform = await startPlatform({
    clock,
    settings: { GATEFOLD_ADMIN_PASSWORD: ADMIN.password },
  });
  users = platform.get(UsersService);
});

afterAll(() => platform?.stop());

beforeEach(async () => {
  ada = { userId: `ada-${nextUser++}`, password: 'the password of ada' };
  await users.add(ada);
  await platform.database.query('delete from security_event');
});

async function events(query: Record<string, number | string> = {}): Promise<EventJson[]> {
  const answer = await platform.as(ADMIN).get(EVENTS, {
    query,
    headers: { accept: 'application/json' },
  });
  return toOcs(answer).data as EventJson[];
}

async function kinds(): Promise<string[]> {
  return (await events()).map(({ kind }) => kind).reverse();
}

describe('an event', () => {
  it('is recorded for login and logout, with address and method', async () => {
    const browser = new Browser(platform.url);
    await browser.login(ada);
    const session = await platform.get(SessionsService).identify({
      headers: { cookie: `gatefold_session=${browser.cookies.get('gatefold_session')}` },
      ip: '127.0.0.1',
    });
    await browser.submit('/logout', { requesttoken: session?.requestToken ?? '' });

    const common = {
      id: expect.any(Number),
      time: clock.nowSeconds(),
      user: ada.userId,
      // Both routes are public: the event contains the user.
      actor: null,
      actorDeleted: null,
      userDeleted: null,
      credential: null,
      subject: null,
    };
    expect(await events()).toEqual([
      { ...common, kind: 'logout', address: '127.0.0.1', details: null },
      { ...common, kind: 'login', address: '127.0.0.1', details: 'by password' },
    ]);
  });

  it('is recorded for a wrong password, and for a block', async () => {
    for (let count = 0; count < 7; count++) {
      await platform.as({ ...ada, password: `guess ${count}` }).get('/ocs/v2.php/cloud/user');
    }

    expect(await kinds()).toEqual([...Array<string>(6).fill('login_failed'), 'login_throttled']);
    expect((await events())[0]).toMatchObject({ user: ada.userId, address: '127.0.0.1' });
  });

  it('never contains an unknown user name, which may be a password', async () => {
    const typed = { userId: 'hunter2-my-password', password: 'another secret' };
    await new Browser(platform.url).login(typed);
    const { text } = await platform.as(ADMIN).get(EVENTS);

    expect(await events()).toEqual([
      expect.objectContaining({
        kind: 'login_failed',
        user: null,
        details: 'no such user, or disabled',
      }),
    ]);
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain('another secret');
  });

  it('is recorded for changes to passwords and sessions', async () => {
    const appPasswords = platform.get(AppPasswordsService);
    const { id, token } = await appPasswords.add(ada.userId, 'phone');
    await appPasswords.revoke(ada.userId, id);
    await users.changePassword(ada.userId, 'another password');
    await platform.get(SessionsService).revokeAll(ada.userId);
    const noted = await events();

    expect(noted.map(({ kind, details }) => [kind, details]).reverse()).toEqual([
      ['app_password_created', 'phone'],
      ['app_password_revoked', 'phone'],
      ['password_changed', null],
      ['session_revoked', 'all'],
    ]);
    expect(JSON.stringify(noted)).not.toContain(token);
  });

  it('is recorded for changes to accounts, and outlives a deleted one with its name', async () => {
    const eve = { userId: `eve-${nextUser}`, password: 'the password of eve' };
    await users.add(eve);
    await users.disable(eve.userId);
    await users.enable(eve.userId);
    const before = await events();
    await users.delete(eve.userId);
    const after = await events({ user: eve.userId });

    expect(before.map(({ userDeleted }) => userDeleted)).toEqual([null, null, null]);
    const deleted = { user: eve.userId, userDeleted: clock.nowSeconds() };
    expect(after).toMatchObject([
      { kind: 'user_deleted', ...deleted },
      // A deletion begins so.
      { kind: 'user_disabled', ...deleted },
      { kind: 'user_enabled', ...deleted },
      { kind: 'user_disabled', ...deleted },
      { kind: 'user_created', ...deleted },
    ]);
  });

  it('of a deleted account is told from those of a later account with its name', async () => {
    const eve = { userId: `eve-${nextUser}`, password: 'the password of eve' };
    await users.add(eve);
    await platform.as(eve).post('/ocs/v2.php/core/apppasswords', { name: 'phone of eve' });
    await users.delete(eve.userId);
    const deleted = clock.nowSeconds();
    clock.advanceSeconds(60);
    await users.add(eve);
    const between = await events({ user: eve.userId });
    clock.advanceSeconds(60);
    await users.delete(eve.userId);

    const found = await events({ user: eve.userId });
    const ofActor = await events({ actor: eve.userId });
    const { text } = await platform.as(ADMIN).get(`${EVENTS}/export`, {
      query: { user: eve.userId },
    });

    expect(between.map(({ kind, userDeleted }) => [kind, userDeleted])).toEqual([
      ['user_created', null],
      ['user_deleted', deleted],
      ['user_disabled', deleted],
      ['app_password_created', deleted],
      ['user_created', deleted],
    ]);
    expect(found.map(({ userDeleted }) => userDeleted)).toEqual(
      [120, 120, 120, 0, 0, 0, 0].map((later) => deleted + later),
    );
    expect(ofActor).toEqual([
      expect.objectContaining({ kind: 'app_password_created', actorDeleted: deleted }),
    ]);
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).userDeleted),
    ).toEqual([0, 0, 0, 0, 120, 120, 120].map((later) => deleted + later));
  });

  it('of a deleted account is removed when it is old', async () => {
    const eve = { userId: `eve-${nextUser}`, password: 'the password of eve' };
    await users.add(eve);
    await users.delete(eve.userId);
    clock.advanceSeconds(90 * 86_400 + 3600);
    await users.disable(ada.userId);

    expect(await events({ user: eve.userId })).toEqual([]);
  });

  it('is kept for 90 days', async () => {
    await users.disable(ada.userId);
    clock.advanceSeconds(90 * 86_400);
    await users.enable(ada.userId);
    const before = await kinds();
    clock.advanceSeconds(3600);
    await users.disable(ada.userId);

    expect(before).toEqual(['user_disabled', 'user_enabled']);
    expect(await kinds()).toEqual(['user_enabled', 'user_disabled']);
  });
});

describe('the list', () => {
  it('is paged, newest first', async () => {
    for (let count = 0; count < 3; count++) {
      await users.disable(ada.userId);
      await users.enable(ada.userId);
    }
    const all = await events();

    const first = await events({ limit: 4 });
    const second = await events({ limit: 4, before: first.at(-1)?.id ?? 0 });

    expect(all).toHaveLength(6);
    expect([...first, ...second]).toEqual(all);
  });

  it('is filtered by user, address, kind, and all of them', async () => {
    const note = (kind: SecurityEventKind, userId: string | undefined, address: string) =>
      platform.get(SecurityEventsService).record({ kind, userId, address });
    await note('login', 'Ada', '10.1.2.3');
    await note('login_failed', 'ada_b', '10.1.20.3');
    await note('login_failed', 'bob', '2001:DB8::7');
    await note('login_failed', undefined, '10.1.2.3');
    const found = async (query: Record<string, string>) =>
      (await events(query)).map(({ kind, user, address }) => `${kind} ${user} ${address}`);

    expect(await found({ kind: 'login' })).toEqual(['login Ada 10.1.2.3']);
    expect(await found({ user: 'aDA' })).toEqual([
      'login_failed ada_b 10.1.20.3',
      'login Ada 10.1.2.3',
    ]);
    // No wildcards.
    expect(await found({ user: 'ada_' })).toEqual(['login_failed ada_b 10.1.20.3']);
    expect(await found({ user: '%' })).toEqual([]);
    expect(await found({ address: '10.1.2.' })).toEqual([
      'login_failed null 10.1.2.3',
      'login Ada 10.1.2.3',
    ]);
    expect(await found({ address: '2001:db8:' })).toEqual(['login_failed bob 2001:DB8::7']);
    expect(await found({ kind: 'login_failed', user: 'ada', address: '10.' })).toEqual([
      'login_failed ada_b 10.1.20.3',
    ]);
    expect(await found({ kind: '', user: ' ', address: '' })).toHaveLength(4);
  });

  it('is filtered by kinds, actor, subject, details and time', async () => {
    const log = platform.get(SecurityEventsService);
    const begunSeconds = clock.nowSeconds();
    await onBehalfOf({ userId: 'Chief', credential: 'session', address: '10.1.1.1' }, async () => {
      await log.record({ kind: 'group_created', subject: { kind: 'group', id: 'Readers' } });
      clock.advanceSeconds(60);
      await log.record({ kind: 'app_enabled', subject: { kind: 'app', id: 'reader_bot' } });
    });
    clock.advanceSeconds(60);
    await log.record({ kind: 'user_changed', userId: 'bob', details: 'Display name: 100 %' });
    const found = async (query: Record<string, string | number>) =>
      (await events(query)).map(({ kind }) => kind).reverse();

    expect(await found({ kind: 'group_created,user_changed' })).toEqual([
      'group_created',
      'user_changed',
    ]);
    expect(await found({ actor: 'chi' })).toEqual(['group_created', 'app_enabled']);
    expect(await found({ subject: 'reader' })).toEqual(['group_created', 'app_enabled']);
    expect(await found({ subject: 'reader_' })).toEqual(['app_enabled']);
    expect(await found({ text: 'NAME: 100 %' })).toEqual(['user_changed']);
    expect(await found({ from: begunSeconds + 60 })).toEqual(['app_enabled', 'user_changed']);
    expect(await found({ to: begunSeconds + 60 })).toEqual(['group_created']);
    expect(await found({ from: begunSeconds + 60, to: begunSeconds + 61, kind: '' })).toEqual([
      'app_enabled',
    ]);
    expect((await events({ actor: 'chief' }))[0]).toMatchObject({
      kind: 'app_enabled',
      user: null,
      subject: { kind: 'app', id: 'reader_bot' },
      actor: 'Chief',
      credential: 'session',
      address: '10.1.1.1',
    });
  });

  it('is also paged with a filter', async () => {
    for (let count = 0; count < 3; count++) {
      await users.disable(ada.userId);
      await users.enable(ada.userId);
    }
    const query = { kind: 'user_enabled', user: ada.userId, limit: 2 };

    const first = await events(query);
    const second = await events({ ...query, before: first.at(-1)?.id ?? 0 });

    expect([first.length, second.length]).toEqual([2, 1]);
    expect(new Set([...first, ...second].map(({ kind }) => kind))).toEqual(
      new Set(['user_enabled']),
    );
  });

  it.each([
    [{ kind: 'login_throttled' }, 'security_event_kind_index'],
    [{ actor: 'actor-77' }, 'security_event_actor_id_begins_index'],
    [{ subject: 'thing-77' }, 'security_event_subject_id_begins_index'],
    [{ user: 'somebody-77' }, 'security_event_user_id_begins_index'],
    [{ address: '10.0.77.' }, 'security_event_address_begins_index'],
  ] as const)('of %o rides on %s', async (wanted, index) => {
    await platform.database.query(
      `insert into security_event (happened_at, kind, user_id, address, actor_id, subject_kind, subject_id)
       select now(), case when n % 500 = 0 then 'login_throttled' else 'login' end,
              'somebody-' || n, '10.0.' || n % 250 || '.' || n / 250, 'actor-' || n, 'group', 'thing-' || n
         from generate_series(1, 5000) n`,
    );
    await platform.database.query('vacuum analyze security_event');
    const { sql, params } = eventsStatement(toFilter(ExportRequest.parse(wanted)), 50, null);

    const plan = await platform.database.query(`explain (format json) ${sql}`, params);

    expect(JSON.stringify(plan)).toContain(index);
  });

  it.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'before=0',
    'kind=rumour',
    'kind=login,rumour',
    'from=yesterday',
    'to=-1',
  ])('refuses %s', async (query) => {
    expect((await platform.as(ADMIN).get(`${EVENTS}?${query}`)).status).toBe(400);
  });

  it('rejects overlong filters', async () => {
    for (const name of ['user', 'actor', 'subject', 'address', 'text']) {
      const query = { [name]: 'x'.repeat(201) };
      expect((await platform.as(ADMIN).get(EVENTS, { query })).status).toBe(400);
    }
  });

  it('is for administrators only', async () => {
    expect((await platform.as(ada).get(EVENTS)).status).toBe(403);
    expect((await platform.as().get(EVENTS)).status).toBe(401);
  });
});

describe('the export', () => {
  const lines = async (query: Record<string, string | number> = {}) => {
    const answer = await platform.as(ADMIN).get(`${EVENTS}/export`, { query });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.headers['content-disposition']).toContain('gatefold-audit.jsonl');
    return answer.text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as EventJson);
  };

  it('has every event that matches, oldest first, in the shape of the list', async () => {
    await platform.database.query(
      `insert into security_event (happened_at, kind, user_id)
       select now(), 'login', 'somebody-' || n from generate_series(1, 1201) n`,
    );
    await users.disable(ada.userId);

    const exported = await lines({ kind: 'login,user_disabled' });

    expect(exported).toHaveLength(1202);
    expect(exported.at(-1)).toEqual((await events({ kind: 'user_disabled' }))[0]);
    expect(exported[0]).toMatchObject({ kind: 'login', user: 'somebody-1' });
  });

  it('leaves the connection open for the next request', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { authorization: basic(ADMIN) };
    const reused = async () => {
      const request = http.get(`${platform.url}${EVENTS}/export`, { agent, headers });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      await text(response);
      return request.reusedSocket;
    };

    expect([await reused(), await reused(), await reused()]).toEqual([false, true, true]);
    agent.destroy();
  });

  it('is an event itself', async () => {
    await lines();

    expect(await events()).toEqual([
      expect.objectContaining({
        kind: 'events_exported',
        actor: 'admin',
        credential: 'password',
        address: '127.0.0.1',
      }),
    ]);
  });

  it('is for administrators only, and refuses what the list refuses', async () => {
    expect((await platform.as(ada).get(`${EVENTS}/export`)).status).toBe(403);
    expect((await platform.as().get(`${EVENTS}/export`)).status).toBe(401);
    expect((await platform.as(ADMIN).get(`${EVENTS}/export?kind=rumour`)).status).toBe(400);
  });
});

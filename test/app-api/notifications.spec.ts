import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { OldNotifications } from '../../src/platform/notifications/old-notifications.task.js';
import { knowApp, startExternalApp, toOcs, type ExternalApp } from '../support/external-app.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

const LIST = '/ocs/v2.php/apps/notifications/api/v2/notifications';

let gateway: TestApp;
let app: ExternalApp;
let ada: TestUser;
let bob: TestUser;

beforeAll(async () => {
  gateway = await startApp();
  app = await startExternalApp(gateway, { appId: 'a1' });
  await knowApp(gateway, app);
  ada = await gateway.signInOnce('ada');
  bob = await gateway.signInOnce('bob');
});
afterAll(async () => {
  await app?.close();
  await gateway?.stop();
});
beforeEach(async () => {
  await gateway.database.query('delete from notification');
});

interface Shown {
  readonly notification_id: number;
  readonly object_id: string;
  readonly subject: string;
}

const minimal = (object_id: string, subject_params: object = {}) => ({
  object: 'app_api',
  object_id,
  subject_type: 'app_api_ex_app',
  subject_params,
});

const post = (params: unknown, userId = 'ada') =>
  app.as(userId).ocs('POST', '/api/v1/notification', { json: { params } });

const call = async (user: TestUser, method: string, path = '', json?: unknown) =>
  toOcs(
    await user.call(method, LIST + path, {
      query: { format: 'json' },
      ...(json === undefined ? {} : { json }),
    }),
  );

const listOf = async (user: TestUser) => (await call(user, 'GET')).data as Shown[];

describe('POST notification', () => {
  it('[G103] answers with a summary that has the id given by the app', async () => {
    const answer = await post(minimal('o-1', { rich_subject: 'Hello', link: 'https://a.example' }));

    expect(answer.statuscode).toBe(100);
    expect(answer.data).toEqual({
      app: 'a1',
      user: 'ada',
      datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      object_type: 'app_api',
      object_id: 'o-1',
      subject: '',
      message: '',
      link: '',
      icon: '',
    });
  });

  it('requires an acting user', async () => {
    const answer = await post(minimal('nobody'), '');

    expect(answer).toMatchObject({ httpStatus: 401, statuscode: 997 });
    expect(await gateway.database.query('select 1 from notification')).toEqual([]);
  });

  it.each([
    [undefined, '"params" is missing'],
    ['text', '"params" must be an object'],
    [
      minimal('x', { link: 'javascript:alert(1)' }),
      '"params.subject_params.link" must be an http or https address',
    ],
    [
      minimal('x', { rich_subject_params: { a: { name: 'x'.repeat(65_536) } } }),
      'must have at most 65536 characters',
    ],
    [
      minimal('x', { rich_subject_params: { a: 'text' } }),
      '"params.subject_params.rich_subject_params.a" must be',
    ],
    [
      { ...minimal('x'), object_id: 'x'.repeat(65) },
      '"params.object_id" must have at most 64 characters',
    ],
    [minimal('a\u0000b'), '"params.object_id" must not contain control characters'],
    [
      minimal('x', { rich_subject_params: { a: { b: '\0' } } }),
      '"params.subject_params.rich_subject_params" must not contain zero bytes',
    ],
  ])('rejects %j', async (params, message) => {
    const answer = await post(params);

    expect(answer.statuscode).toBe(400);
    expect(answer.message).toContain(message);
    expect(await listOf(ada)).toEqual([]);
  });
});

describe('notifications of users', () => {
  it('[G104] have names instead of placeholders, the link, and an icon that can be loaded', async () => {
    const file = { type: 'file', id: '7', name: 'cat.png', path: 'Photos/cat.png' };
    const rich = {
      rich_subject: '{file} is ready, {unknown} is not',
      rich_subject_params: { file },
      rich_message: 'Look at {file}!',
      rich_message_params: { file },
      link: 'https://some.link/gg',
    };
    await post(minimal('o-2', rich));

    const [shown] = await listOf(ada);

    expect(shown).toEqual({
      notification_id: expect.any(Number),
      app: 'a1',
      user: 'ada',
      datetime: expect.stringMatching(/\+00:00$/),
      object_type: 'app_api',
      object_id: 'o-2',
      subject: 'cat.png is ready, {unknown} is not',
      subjectRich: rich.rich_subject,
      subjectRichParameters: { file },
      message: 'Look at cat.png!',
      messageRich: rich.rich_message,
      messageRichParameters: { file },
      link: 'https://some.link/gg',
      icon: `${gateway.url}/core/img/app.svg`,
      shouldNotify: true,
      actions: [],
    });
    const icon = await gateway.asStranger().get('/core/img/app.svg');
    expect([icon.status, icon.headers['content-type']]).toEqual([
      200,
      expect.stringMatching('image/svg'),
    ]);
  });

  it('are plain text without parameters', async () => {
    await post(minimal('o-3', { rich_subject: 'subject0123', rich_message: 'message456' }));

    expect(await listOf(ada)).toMatchObject([
      { subject: 'subject0123', message: 'message456', link: '' },
    ]);
  });

  it('have a default text', async () => {
    await post(minimal('o-4'));

    expect(await listOf(ada)).toMatchObject([{ object_id: 'o-4', subject: 'a1' }]);
  });

  it('are listed newest first, for the acting user only', async () => {
    await post(minimal('first'));
    await post(minimal('second'));
    await post(minimal('for bob'), 'bob');

    expect((await listOf(ada)).map(({ object_id }) => object_id)).toEqual(['second', 'first']);
    expect((await listOf(bob)).map(({ object_id }) => object_id)).toEqual(['for bob']);
  });

  it('can be read, listed and dismissed one by one', async () => {
    await post(minimal('one'));
    await post(minimal('two'));
    const [two, one] = await listOf(ada);
    const ids = [one?.notification_id, two?.notification_id, 999_999];

    expect((await call(ada, 'GET', `/${one?.notification_id}`)).data).toEqual(one);
    expect((await call(ada, 'POST', '/exists', { ids })).data).toEqual(ids.slice(0, 2));
    expect((await call(ada, 'DELETE', `/${one?.notification_id}`)).statuscode).toBe(200);

    expect(await listOf(ada)).toEqual([two]);
    expect((await call(ada, 'GET', `/${one?.notification_id}`)).statuscode).toBe(404);
    expect((await call(ada, 'DELETE', `/${one?.notification_id}`)).statuscode).toBe(404);
    expect((await call(ada, 'POST', '/exists', { ids })).data).toEqual([two?.notification_id]);
  });

  it('can be dismissed all at once, by their user only', async () => {
    await post(minimal('ada-1'));
    await post(minimal('bob-1'), 'bob');
    const [ofBob] = await listOf(bob);

    expect((await call(ada, 'DELETE', `/${ofBob?.notification_id}`)).statuscode).toBe(404);
    expect((await call(ada, 'GET', `/${ofBob?.notification_id}`)).statuscode).toBe(404);
    const ids = [ofBob?.notification_id];
    expect((await call(ada, 'POST', '/exists', { ids })).data).toEqual([]);
    expect((await call(ada, 'DELETE')).statuscode).toBe(200);

    expect(await listOf(ada)).toEqual([]);
    expect(await listOf(bob)).toEqual([ofBob]);
  });

  it('stay for others when one user dismisses all', async () => {
    const aboutBob = {
      rich_subject: '{user} is here',
      rich_subject_params: { user: { type: 'user', id: 'bob', name: 'Bob' } },
    };
    await post(minimal('about bob', aboutBob), 'ada');
    await post(minimal('for bob', aboutBob), 'bob');

    expect((await call(bob, 'DELETE')).statuscode).toBe(200);

    expect(await listOf(bob)).toEqual([]);
    expect(await listOf(ada)).toMatchObject([{ object_id: 'about bob' }]);
  });

  it('[G105] are hidden while the app is disabled', async () => {
    const apps = gateway.inside(ExAppsRepository);
    await post(minimal('hidden'));
    const [shown] = await listOf(ada);

    await apps.setEnabled('a1', false);
    const whileDisabled = [
      await listOf(ada),
      (await call(ada, 'GET', `/${shown?.notification_id}`)).statuscode,
    ];
    await apps.setEnabled('a1', true);

    expect(whileDisabled).toEqual([[], 404]);
    expect(await listOf(ada)).toEqual([shown]);
  });

  it('are not sent again to a client with the current ETag', async () => {
    await post(minimal('one'));
    const ask = (tag?: string) =>
      ada.get(LIST, { query: { format: 'json' }, headers: tag ? { 'if-none-match': tag } : {} });
    const first = await ask();
    const tag = String(first.headers.etag);

    const unchanged = await ask(tag);
    await post(minimal('two'));
    const changed = await ask(tag);
    await call(ada, 'DELETE');
    const emptied = await ask(String(changed.headers.etag));

    expect(tag).toMatch(/^"\w+"$/);
    expect([unchanged.status, unchanged.text, unchanged.headers.etag]).toEqual([304, '', tag]);
    expect([changed.status, toOcs(changed).data]).toEqual([
      200,
      [
        expect.objectContaining({ object_id: 'two' }),
        expect.objectContaining({ object_id: 'one' }),
      ],
    ]);
    expect([emptied.status, toOcs(emptied).data]).toEqual([200, []]);
  });

  it('change the ETag when the app is disabled', async () => {
    await post(minimal('one'));
    const tag = String((await ada.get(LIST)).headers.etag);
    const apps = gateway.inside(ExAppsRepository);

    await apps.setEnabled('a1', false);
    const whileDisabled = await ada.get(LIST, { headers: { 'if-none-match': tag } });
    await apps.setEnabled('a1', true);

    expect(whileDisabled.status).toBe(200);
  });

  it('are deleted after 90 days', async () => {
    await post(minimal('old'));
    await gateway.database.query(`update notification set created_at = now() - interval '91 days'`);
    await post(minimal('new'));

    await gateway.inside(OldNotifications).remove();

    expect((await listOf(ada)).map(({ object_id }) => object_id)).toEqual(['new']);
  });

  it('replace the oldest one of the same app and user beyond 200', async () => {
    const other = await startExternalApp(gateway, { appId: 'other' });
    await knowApp(gateway, other);
    await other.as('ada').ocs('POST', '/api/v1/notification', { json: { params: minimal('x') } });
    await post(minimal('of bob'), 'bob');
    await post(minimal('first'));
    await gateway.database.query(
      `insert into notification (user_id, app_id, object_type, object_id, subject, message, link)
       select user_id, app_id, object_type, 'n' || n, subject, message, link
         from notification, generate_series(1, 199) n where object_id = 'first'`,
    );

    await post(minimal('last'));
    await other.close();

    const rows = await gateway.database.query<{ who: string; first: string; count: number }>(
      `select user_id || ' ' || app_id as who, count(*)::int as count,
              (array_agg(object_id order by id))[1] as first
         from notification group by 1 order by 1`,
    );
    expect(rows).toEqual([
      { who: 'ada a1', count: 200, first: 'n1' },
      { who: 'ada other', count: 1, first: 'x' },
      { who: 'bob a1', count: 1, first: 'of bob' },
    ]);
  });

  it('are deleted when the app is unregistered', async () => {
    const gone = await startExternalApp(gateway, { appId: 'gone' });
    await knowApp(gateway, gone);
    await gone.as('ada').ocs('POST', '/api/v1/notification', { json: { params: minimal('g') } });
    const before = await listOf(ada);

    await gateway.inside(LifecycleService).unregister('gone');
    await knowApp(gateway, gone);
    await gone.close();

    expect(before).toHaveLength(1);
    expect(await listOf(ada)).toEqual([]);
  });

  it('are deleted with the account', async () => {
    const eve = await gateway.signInOnce('eve');
    await post(minimal('for eve'), 'eve');
    expect(await listOf(eve)).toHaveLength(1);

    await gateway.inside(UsersService).delete('eve');

    expect(await gateway.database.query('select 1 from notification')).toEqual([]);
  });

  it('can be read by an app on behalf of its user', async () => {
    await post(minimal('via app'));

    const answer = await app.as('ada').call('GET', LIST);

    expect(toOcs(answer).data).toMatchObject([{ object_id: 'via app' }]);
  });

  it('are a capability for logged-in users', async () => {
    const capabilities = async (user: TestUser) => {
      const answer = await user.get('/ocs/v2.php/cloud/capabilities', {
        query: { format: 'json' },
      });
      return (toOcs(answer).data as { capabilities: object }).capabilities;
    };

    expect(await capabilities(ada)).toMatchObject({
      notifications: { 'ocs-endpoints': expect.arrayContaining(['list', 'delete']) },
    });
  });

  it('that are large leave the list to the newest, until these are dismissed', async () => {
    const rich_message_params = { a: { name: 'x'.repeat(60_000) } };
    for (let number = 0; number < 20; number += 1) {
      await post(minimal(`large ${number}`, { rich_message: 'Look', rich_message_params }));
    }

    const shown = await listOf(ada);

    expect(JSON.stringify(shown).length).toBeLessThan(1_100_000);
    const names = Array.from({ length: 17 }, (_, place) => `large ${19 - place}`);
    expect(shown.map(({ object_id }) => object_id)).toEqual(names);
    await call(ada, 'DELETE', `/${shown[0]?.notification_id}`);
    expect((await listOf(ada)).map(({ object_id }) => object_id)).toEqual([
      ...names.slice(1),
      'large 2',
    ]);
  });

  it('do not become longer by repeated names', async () => {
    const rich_message = '{a}'.repeat(3000);
    await post(
      minimal('echo', { rich_message, rich_message_params: { a: { name: 'x'.repeat(900) } } }),
    );

    const [shown] = (await call(ada, 'GET')).data as { readonly message: string }[];

    expect(shown?.message).toBe(`${'x'.repeat(1800)}${'{a}'.repeat(2998)}`);
  });

  it('require credentials', async () => {
    expect((await gateway.asStranger().get(LIST)).status).toBe(401);
  });
});

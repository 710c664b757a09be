import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ValuesService } from '../../src/app-api/values/values.service.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { startApp, type TestApp } from '../support/start-app.js';

const PREFERENCE = '/api/v1/ex-app/preference';
const CONFIG = '/api/v1/ex-app/config';

let app: TestApp;
let a1: ExternalApp;
let a2: ExternalApp;
let u1: string;
let u2: string;

beforeAll(async () => {
  app = await startApp();
  a1 = await startExternalApp(app, { appId: 'a1' });
  a2 = await startExternalApp(app, { appId: 'a2' });
  await knowApp(app, a1);
  await knowApp(app, a2);
});

afterAll(async () => {
  await a1?.close();
  await a2?.close();
  await app?.stop();
});

beforeEach(async () => {
  await app.database.query('truncate ex_app_value');
  u1 = (await app.signIn()).credentials.userId;
  u2 = (await app.signIn()).credentials.userId;
});

const set = (userId: string, configKey: string, configValue: unknown, more: object = {}) =>
  a1.as(userId).ocs('POST', PREFERENCE, { json: { configKey, configValue, ...more } });

const get = (userId: string, configKeys: readonly string[], external = a1) =>
  external.as(userId).ocs('POST', `${PREFERENCE}/get-values`, { json: { configKeys } });

const remove = (userId: string, configKeys: readonly string[], external = a1) =>
  external.as(userId).ocs('DELETE', PREFERENCE, { json: { configKeys } });

describe('POST ex-app/preference', () => {
  it('[G52] answers with the stored value and its user', async () => {
    expect(await set(u1, 'k', 'v')).toMatchObject({
      httpStatus: 200,
      statuscode: 100,
      data: {
        id: expect.any(Number),
        user_id: u1,
        appid: 'a1',
        configkey: 'k',
        configvalue: 'v',
        sensitive: 0,
      },
    });
  });

  it('overwrites the value of a key and keeps id and flag', async () => {
    const first = await set(u1, 'k', 'old', { sensitive: true });
    const second = await set(u1, 'k', 'new');

    expect(second.data).toEqual({ ...(first.data as object), configvalue: 'new', sensitive: 1 });
  });

  it('takes a value of two megabytes', async () => {
    const value = 'v'.repeat(2_000_000);

    expect((await set(u1, 'k', value)).statuscode).toBe(100);
    expect((await get(u1, ['k'])).data).toEqual([{ configkey: 'k', configvalue: value }]);
  });

  it('rejects an empty key', async () => {
    expect(await set(u1, '', 'v')).toMatchObject({
      statuscode: 400,
      message: 'Config key cannot be empty',
    });
  });

  it('encrypts a sensitive value', async () => {
    await set(u1, 'k', 'not in plain sight', { sensitive: true });
    const [row] = await app.database.query<{ text: string }>(
      'select v::text as text from ex_app_value v',
    );

    expect(row?.text).not.toContain('plain sight');
    expect((await get(u1, ['k'])).data).toEqual([
      { configkey: 'k', configvalue: 'not in plain sight' },
    ]);
  });
});

describe('POST ex-app/preference/get-values', () => {
  it('answers with the existing ones, each once, in the requested order', async () => {
    await set(u1, 'a', 1);
    await set(u1, 'b', 2);

    expect((await get(u1, ['b', 'missing', 'a', 'b'])).data).toEqual([
      { configkey: 'b', configvalue: '2' },
      { configkey: 'a', configvalue: '1' },
    ]);
    expect(await get(u1, ['missing'])).toMatchObject({ statuscode: 100, data: [] });
  });
});

describe('DELETE ex-app/preference', () => {
  it('answers with the number of deleted values, and with 404 for none', async () => {
    await set(u1, 'a', '1');
    await set(u1, 'b', '2');

    expect(await remove(u1, ['a', 'b', 'missing'])).toMatchObject({ statuscode: 100, data: 2 });
    expect(await remove(u1, ['a'])).toMatchObject({
      statuscode: 404,
      message: 'No user config values deleted',
    });
  });
});

describe('the preferences of a user', () => {
  it('[G51] cannot be read by other users, other apps, and the app itself', async () => {
    await set(u1, 'k', 'of the first');
    await set(u2, 'k', 'of the second');

    expect((await get(u1, ['k'])).data).toEqual([{ configkey: 'k', configvalue: 'of the first' }]);
    expect((await get(u2, ['k'])).data).toEqual([{ configkey: 'k', configvalue: 'of the second' }]);
    expect((await get(u1, ['k'], a2)).data).toEqual([]);
    expect((await remove(u1, ['k'], a2)).statuscode).toBe(404);
    expect(
      (await a1.as(u1).ocs('POST', `${CONFIG}/get-values`, { json: { configKeys: ['k'] } })).data,
    ).toEqual([]);
  });

  it('are those of the user in the credentials, no matter what the request says', async () => {
    expect((await set(u1, 'k', 'v', { userId: u2, user_id: u2 })).data).toMatchObject({
      user_id: u1,
    });
  });

  it.each(['POST', 'DELETE'])('[G14] require a user for %s', async (method) => {
    const answer = await a1
      .as('')
      .ocs(method, PREFERENCE, { json: { configKey: 'k', configValue: 'v', configKeys: ['k'] } });

    expect(answer).toMatchObject({ httpStatus: 401, statuscode: 997, data: [] });
  });

  it('are deleted with their user, without those of others', async () => {
    await set(u1, 'k', 'v');
    await set(u2, 'k', 'v');
    await a1.as('').ocs('POST', CONFIG, { json: { configKey: 'k', configValue: 'v' } });
    await app.inside(UsersService).delete(u1);

    expect(await app.database.query('select user_id from ex_app_value order by user_id')).toEqual([
      { user_id: '' },
      { user_id: u2 },
    ]);
  });

  it('are listed for the operator, sensitive ones masked', async () => {
    await set(u1, 'k', 'v', { sensitive: true });
    const preferences = app.inside(ValuesService);

    expect(await preferences.of('a1', u1).list()).toMatchObject([
      { key: 'k', value: '***REMOVED SENSITIVE VALUE***' },
    ]);
    expect(await preferences.of('a1', u1).list({ reveal: true })).toMatchObject([{ value: 'v' }]);
  });
});

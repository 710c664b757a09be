import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppNotFound } from '../../src/app-api/app-api.errors.js';
import { ValuesService } from '../../src/app-api/values/values.service.js';
import {
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
  type OcsAnswer,
} from '../support/external-app.js';
import { startApp, type TestApp } from '../support/start-app.js';

const CONFIG = '/api/v1/ex-app/config';

let app: TestApp;
let a1: ExternalApp;
let a2: ExternalApp;

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

beforeEach(() => app.database.query('truncate ex_app_value'));

function set(configKey: unknown, configValue: unknown, more: object = {}): Promise<OcsAnswer> {
  return a1.as().ocs('POST', CONFIG, { json: { configKey, configValue, ...more } });
}

function get(configKeys: readonly string[], external = a1): Promise<OcsAnswer> {
  return external.as().ocs('POST', `${CONFIG}/get-values`, { json: { configKeys } });
}

function remove(configKeys: readonly string[], external = a1): Promise<OcsAnswer> {
  return external.as().ocs('DELETE', CONFIG, { json: { configKeys } });
}

describe('POST ex-app/config', () => {
  it('[G37] answers with the stored value', async () => {
    expect(await set('k', 'v')).toEqual({
      httpStatus: 200,
      status: 'ok',
      statuscode: 100,
      message: 'OK',
      totalitems: '',
      itemsperpage: '',
      data: { id: expect.any(Number), appid: 'a1', configkey: 'k', configvalue: 'v', sensitive: 0 },
    });
  });

  it('replaces the value of a key and keeps its id', async () => {
    const first = await set('k', 'old');
    const second = await set('k', 'new');

    expect(second.data).toEqual({ ...(first.data as object), configvalue: 'new' });
  });

  it.each([true, 1, '1', 'true'])('[G38] accepts sensitive: %j as sensitive', async (sensitive) => {
    expect((await set('k', 'v', { sensitive })).data).toMatchObject({
      configvalue: 'v',
      sensitive: 1,
    });
  });

  it.each([0, 1])('[G39] keeps the flag %i if an update does not name it', async (sensitive) => {
    await set('k', 'v', { sensitive });

    expect((await set('k', 'w')).data).toMatchObject({ configvalue: 'w', sensitive });
    expect((await set('k', 'x', { sensitive: null })).data).toMatchObject({ sensitive });
    expect((await get(['k'])).data).toEqual([{ configkey: 'k', configvalue: 'x' }]);
  });

  it.each([false, 0, '0', 'false'])('[G40] clears the flag with %j', async (sensitive) => {
    await set('k', 'v', { sensitive: true });

    expect((await set('k', 'w', { sensitive })).data).toMatchObject({
      configvalue: 'w',
      sensitive: 0,
    });
  });

  it('[G41] rejects an empty key', async () => {
    expect(await set('', 'v')).toMatchObject({
      httpStatus: 200,
      status: 'failure',
      statuscode: 400,
      message: 'Config key cannot be empty',
      data: [],
    });
    expect(await set(null, 'v')).toMatchObject({ statuscode: 400 });
  });

  it.each([
    [5, '5'],
    [1.5, '1.5'],
    [true, '1'],
    [false, '0'],
    [null, ''],
    ['', ''],
    [{ a: [1] }, '{"a":[1]}'],
    ['ünï 🔑 \u0007', 'ünï 🔑 \u0007'],
  ])('[G42] stores %j as the text "%s"', async (value, text) => {
    expect((await set('k', value)).data).toMatchObject({ configvalue: text });
    expect((await get(['k'])).data).toEqual([{ configkey: 'k', configvalue: text }]);
  });

  it('rejects invalid keys and values with the reason', async () => {
    expect(await set('k'.repeat(256), 'v')).toMatchObject({
      statuscode: 400,
      message: 'A config key has at most 255 characters',
    });
    const refusal = {
      statuscode: 400,
      message: 'Config keys and values cannot hold the character NUL',
    };
    expect(await set('k\0', 'v')).toMatchObject(refusal);
    expect(await set('k', '\0')).toMatchObject(refusal);
    expect(await set('k', 'v', { sensitive: 'perhaps' })).toMatchObject({
      statuscode: 400,
      message: 'The parameter "sensitive" must be 0 or 1.',
    });
    expect(await a1.as().ocs('POST', CONFIG, { json: { configKey: 'k' } })).toMatchObject({
      statuscode: 400,
      message: 'The parameter "configValue" is missing.',
    });
  });

  it('stores one value when two requests create the same key concurrently', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, number) => set('k', `v${number}`)),
    );

    expect(new Set(answers.map(({ statuscode }) => statuscode))).toEqual(new Set([100]));
    expect(new Set(answers.map(({ data }) => (data as { id: number }).id)).size).toBe(1);
  });

  it('accepts the path of the specification, and names in snake case', async () => {
    const answer = await a1.as().call('POST', `/apps/app_api${CONFIG}`, {
      json: { config_key: 'k', config_value: 'v' },
    });

    expect(toOcs(answer)).toMatchObject({ statuscode: 100, data: { configkey: 'k' } });
  });
});

describe('POST ex-app/config/get-values', () => {
  it('[G43] answers with the existing ones', async () => {
    await set('k', 'v');

    expect((await get(['k', 'missing'])).data).toEqual([{ configkey: 'k', configvalue: 'v' }]);
  });

  it('[G44] answers in the requested order', async () => {
    await set('a', '1');
    await set('b', '2');

    expect((await get(['b', 'a'])).data).toEqual([
      { configkey: 'b', configvalue: '2' },
      { configkey: 'a', configvalue: '1' },
    ]);
  });

  it('[G45] answers once for a repeated key', async () => {
    await set('a', '1');
    await set('b', '2');

    expect((await get(['a', 'b', 'a'])).data).toEqual([
      { configkey: 'a', configvalue: '1' },
      { configkey: 'b', configvalue: '2' },
    ]);
  });

  it('[G46] answers with an empty list if there are none', async () => {
    expect(await get(['missing', '\0'])).toMatchObject({ statuscode: 100, data: [] });
    expect(await get([])).toMatchObject({ statuscode: 100, data: [] });
  });

  it('rejects a request without valid keys', async () => {
    const answer = await a1.as().ocs('POST', `${CONFIG}/get-values`, { json: {} });

    expect(answer).toMatchObject({
      statuscode: 400,
      message: 'The parameter "configKeys" is missing.',
    });
  });
});

describe('DELETE ex-app/config', () => {
  it('[G47] answers with the number of deleted values', async () => {
    await set('a', '1');
    await set('b', '2');

    expect(await remove(['a', 'b', 'missing'])).toMatchObject({ statuscode: 100, data: 2 });
    expect((await get(['a', 'b'])).data).toEqual([]);
  });

  it('[G48] is code 404 if there were none', async () => {
    expect(await remove(['missing'])).toMatchObject({
      httpStatus: 200,
      statuscode: 404,
      message: 'No app config values deleted',
      data: [],
    });
    const v2 = await a1
      .as()
      .call('DELETE', `/ocs/v2.php/apps/app_api${CONFIG}`, { json: { configKeys: [] } });
    expect(toOcs(v2)).toMatchObject({ httpStatus: 404, statuscode: 404 });
  });

  it('[G34] [G35] accepts the keys in the query or in the body', async () => {
    await set('a', '1');
    await set('b', '2');

    expect((await a1.as().ocs('DELETE', CONFIG, { query: { 'configKeys[]': 'a' } })).data).toBe(1);
    expect((await remove(['b'])).data).toBe(1);
  });
});

describe('the values of an app', () => {
  it('[G49] cannot be read by other apps', async () => {
    await set('k', 'v');

    expect((await get(['k'], a2)).data).toEqual([]);
    expect((await remove(['k'], a2)).statuscode).toBe(404);
    const forged = { configKey: 'k', configValue: 'forged', appId: 'a1', appid: 'a1' };
    expect((await a2.as().ocs('POST', CONFIG, { json: forged })).data).toMatchObject({
      appid: 'a2',
    });
    expect((await get(['k'])).data).toEqual([{ configkey: 'k', configvalue: 'v' }]);
  });

  it.each([
    ['new', []],
    ['that was plain before', [{ sensitive: false }]],
    ['whose flag is not named again', [{ sensitive: true }]],
  ])('[G50] are encrypted at rest when sensitive: one %s', async (_which, before) => {
    for (const more of before) {
      await set('k', 'older than plain sight', more);
    }
    const flags = before.some(({ sensitive }) => sensitive) ? {} : { sensitive: true };
    const answer = await set('k', 'not in plain sight', flags);
    const [row] = await app.database.query<{ text: string; bytes: Buffer }>(
      'select v::text as text, value_sealed as bytes from ex_app_value v',
    );

    expect(answer.data).toMatchObject({ configvalue: 'not in plain sight', sensitive: 1 });
    expect(row?.text).not.toContain('plain sight');
    expect(row?.bytes.toString('latin1')).not.toContain('plain sight');
    expect((await get(['k'])).data).toEqual([
      { configkey: 'k', configvalue: 'not in plain sight' },
    ]);
  });

  it('cannot be decrypted if moved to another row', async () => {
    await set('k', 'v', { sensitive: true });
    await app.database.query(`update ex_app_value set key = 'moved'`);

    expect((await get(['moved'])).statuscode).toBe(996);
  });

  it('are listed for the operator by key, sensitive ones masked by default', async () => {
    await set('b', 'secret', { sensitive: true });
    await set('a', 'plain');
    await a2.as('').ocs('POST', CONFIG, { json: { configKey: 'c', configValue: 'other' } });
    const values = app.inside(ValuesService);

    expect(await values.of('a1').list()).toMatchObject([
      { key: 'a', value: 'plain', sensitive: false },
      { key: 'b', value: '***REMOVED SENSITIVE VALUE***', sensitive: true },
    ]);
    expect(await values.of('a1').list({ reveal: true })).toMatchObject([
      { value: 'plain' },
      { value: 'secret' },
    ]);
  });

  it('require a registered app', async () => {
    const values = app.inside(ValuesService);

    await expect(values.of('nobody').set('k', 'v')).rejects.toBeInstanceOf(ExAppNotFound);
  });
});

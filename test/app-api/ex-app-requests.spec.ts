import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
} from '../support/external-app.js';
import { startApp, type TestApp } from '../support/start-app.js';

let app: TestApp;
let external: ExternalApp;
beforeAll(async () => {
  app = await startApp();
  external = await startExternalApp(app, { appId: 'sums' });
  await knowApp(app, external);
});
afterAll(async () => {
  await external.close();
  await app.stop();
});

const ask = async (path: string, body: unknown, root = '/ocs/v1.php/apps/app_api/api/v1') =>
  toOcs(
    await app
      .asAdmin()
      .call('POST', `${root}/ex-app/request/${path}`, { json: body, query: { format: 'json' } }),
  );

describe('POST ex-app/request/{appid}', () => {
  it('[G124] returns status, headers as lists, and the body as text', async () => {
    external.on('/sum', (_request, response) => {
      response.writeHead(201, { 'content-type': 'text/plain', 'x-sum': 'yes' }).end('säum');
    });

    const { statuscode, data } = await ask('sums', { route: '/sum', method: 'POST', params: {} });

    expect(statuscode).toBe(100);
    expect(data).toMatchObject({
      status_code: 201,
      headers: { 'content-type': ['text/plain'], 'x-sum': ['yes'] },
      body: 'säum',
    });
  });

  it('[G124] sends params as the query of a GET, nested ones too', async () => {
    external.on('/get', json({}));

    await ask('sums', {
      route: 'get',
      method: 'GET',
      params: { a: 1, list: ['x', 'y'], on: true },
    });

    const { query, body, headers } = await external.received('/get');
    expect(Object.fromEntries(query)).toEqual({ a: '1', 'list[0]': 'x', 'list[1]': 'y', on: '1' });
    expect(body).toHaveLength(0);
    expect(headers).not.toHaveProperty('content-length');
  });

  it.each(['POST', 'PUT', 'DELETE'])('sends params of a %s as JSON', async (method) => {
    external.on(`/json-${method}`, json({}));

    await ask('sums', { route: `json-${method}`, method, params: { a: [1, { b: null }] } });

    const received = await external.received(`/json-${method}`);
    expect(received.method).toBe(method);
    expect(JSON.parse(received.body.toString())).toEqual({ a: [1, { b: null }] });
  });

  it('is a POST without a user by default', async () => {
    external.on('/plain', json({}));

    await ask('sums', { route: 'plain' });

    const received = await external.received('/plain');
    expect(received).toMatchObject({ method: 'POST', userId: '', authenticated: true });
    expect(received.body).toHaveLength(0);
  });

  it('accepts headers, but never those that authenticate the gateway', async () => {
    external.on('/headers', json({}));

    await ask('sums', {
      route: 'headers',
      options: {
        headers: { 'X-Mine': '1', 'EX-APP-ID': 'other', 'AUTHORIZATION-APP-API': 'x', Host: 'y' },
      },
    });

    const { headers, authenticated } = await external.received('/headers');
    expect(headers).toMatchObject({ 'x-mine': '1', 'ex-app-id': 'sums' });
    expect(`http://${headers.host}`).toBe(external.baseUrl);
    expect(authenticated).toBe(true);
  });

  it('accepts a separate query and JSON body', async () => {
    external.on('/both', json({}));

    await ask('sums', { route: 'both?x=1', options: { query: { y: 2 }, json: [1, 2] } });

    const { query, body } = await external.received('/both');
    expect(Object.fromEntries(query)).toEqual({ x: '1', y: '2' });
    expect(JSON.parse(body.toString())).toEqual([1, 2]);
  });

  it('accepts a multipart form instead of params', async () => {
    external.on('/form', json({}));

    await ask('sums', {
      route: 'form',
      params: { ignored: 1 },
      options: {
        multipart: [
          { name: 'field', contents: 'välue' },
          {
            name: 'file',
            contents: 'bytes',
            filename: 'a.txt',
            headers: { 'Content-Type': 'a/b' },
          },
        ],
      },
    });

    const { headers, body } = await external.received('/form');
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData();
    const file = form.get('file') as File;
    expect(form.get('field')).toBe('välue');
    expect([file.name, file.type, await file.text()]).toEqual(['a.txt', 'a/b', 'bytes']);
    expect([...form.keys()]).toEqual(['field', 'file']);
  });

  it('observes the timeout', async () => {
    external.on('/never', () => {});

    const { statuscode, data } = await ask('sums', { route: 'never', options: { timeout: 0.2 } });

    expect(statuscode).toBe(400);
    expect(data).toEqual({ error: expect.stringContaining('did not answer within 0.2 s') });
  });

  it('[G125] returns a response with status 500 as a result', async () => {
    external.on('/broken', json({ oh: 'no' }, 500));

    const { statuscode, data } = await ask('sums', { route: 'broken', method: 'GET' });

    expect(statuscode).toBe(100);
    expect(data).toMatchObject({ status_code: 500, body: '{"oh":"no"}' });
  });

  it('[G126] reports an unknown app in the data of a successful response', async () => {
    const { statuscode, data } = await ask('nobody', { route: 'x' });

    expect(statuscode).toBe(100);
    expect(data).toEqual({ error: 'ExApp `nobody` not found' });
  });

  it('[G126] returns only an error for an unsupported method', async () => {
    const { statuscode, message, data } = await ask('sums', { route: 'x', method: 'PATCH' });

    expect([statuscode, message]).toEqual([400, '']);
    expect(data).toEqual({ error: expect.stringContaining('"PATCH"') });
  });

  it('[G126] returns only an error if the app is stopped', async () => {
    const stopped = await startExternalApp(app, { appId: 'stopped' });
    await knowApp(app, stopped);
    await stopped.close();

    const { httpStatus, statuscode, data } = await ask('stopped', { route: 'x' });

    expect([httpStatus, statuscode]).toEqual([200, 400]);
    expect(data).toEqual({ error: expect.stringContaining('refused the connection') });
  });

  it('sends nothing to a disabled app', async () => {
    const disabled = await startExternalApp(app, { appId: 'disabled' });
    await knowApp(app, disabled, false);

    const { data } = await ask('disabled', { route: 'x' });

    expect(data).toEqual({ error: 'The external app "disabled" is disabled.' });
    expect(disabled.requests('/x')).toEqual([]);
    await disabled.close();
  });

  it('rejects a route that leaves the app', async () => {
    const { data } = await ask('sums', { route: '../heartbeat' });

    expect(data).toEqual({ error: expect.stringContaining('leads out of the app') });
    expect(external.requests('/heartbeat')).toEqual([]);
  });

  it('[G127] acts for the user named in the path', async () => {
    await app.signInOnce('ada');
    external.on('/as', json({}));

    await ask('sums/ada', { route: 'as' });

    expect(await external.received('/as')).toMatchObject({ userId: 'ada', authenticated: true });
  });

  it('rejects an unknown user', async () => {
    const { statuscode, data } = await ask('sums/nobody', { route: 'as-nobody' });

    expect(statuscode).toBe(400);
    expect(data).toEqual({ error: 'There is no user "nobody".' });
    expect(external.requests('/as-nobody')).toEqual([]);
  });

  it.each([
    '/apps/app_api/api/v1',
    '/ocs/v1.php/apps/app_api',
    '/ocs/v2.php/apps/app_api',
    '/apps/app_api',
  ])('answers below %s as well', async (root) => {
    external.on('/twice', json({ ok: 1 }));

    const { data } = await ask('sums', { route: 'twice' }, root);

    expect(data).toMatchObject({ status_code: 200, body: '{"ok":1}' });
  });

  it('is for administrators only', async () => {
    const path = '/ocs/v2.php/apps/app_api/api/v1/ex-app/request/sums?format=json';
    const user = await app.signIn();

    expect((await user.post(path, { route: 'x' })).status).toBe(403);
    expect((await app.asStranger().post(path, { route: 'x' })).status).toBe(401);
    expect(external.requests('/x')).toEqual([]);
  });

  it('names an invalid parameter', async () => {
    const { statuscode, message } = await ask('sums', { method: 'GET' });

    expect(statuscode).toBe(400);
    expect(message).toContain('"route"');
  });
});

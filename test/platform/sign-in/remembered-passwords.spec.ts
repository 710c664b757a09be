import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExAppRoutesRepository } from '../../../src/app-api/apps/routes/ex-app-routes.repository.js';
import type { CallOptions } from '../../support/api-client.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../../support/external-app.js';
import { ADMIN, startApp, type TestApp } from '../../support/start-app.js';

const EVIL = 'https://evil.example';
const USERS = '/ocs/v2.php/cloud/users?format=json';
const FOLDERS = '/index.php/apps/news/api/v1-3/folders';
const FORM = 'application/x-www-form-urlencoded';

let app: TestApp;
let external: ExternalApp;
beforeAll(async () => {
  app = await startApp();
  external = await startExternalApp(app, { appId: 'board' });
  await knowApp(app, external);
  await app
    .inside(ExAppRoutesRepository)
    .replace('board', [
      { verb: 'GET,POST', url: '.*', accessLevel: 1, headersToExclude: [], bruteforceStatuses: [] },
    ]);
  external.on('/x', json({}));
});
afterAll(async () => {
  await external.close();
  await app.stop();
});

/** With Basic credentials that the browser remembers. */
const post = async (path: string, options: CallOptions) =>
  (await app.asAdmin().call('POST', path, options)).status;

const aForm = (body: string, headers: Readonly<Record<string, string>>): CallOptions => ({
  body,
  headers: { 'content-type': FORM, ...headers },
});

describe('a form of another site, sent with remembered Basic credentials', () => {
  it.each([
    ['of a visitor who opens a page', { origin: EVIL, 'sec-fetch-mode': 'navigate' }],
    ['of a page that hides where it is', { origin: 'null', 'sec-fetch-mode': 'navigate' }],
    ['of an old browser', { origin: EVIL }],
    ['sent by a script', { origin: EVIL, 'sec-fetch-mode': 'no-cors' }],
  ])('changes nothing: %s', async (_what, headers) => {
    const newUser = 'userid=mallory&password=a+long+password&groups%5B%5D=admin';

    expect(await post(USERS, aForm(newUser, headers))).toBe(412);
    expect(await post(FOLDERS, aForm('name=Mine', headers))).toBe(412);
    expect(await post('/exapps/board/x', aForm('a=b', headers))).toBe(412);

    expect(await app.database.query(`select 1 from account where user_id = 'mallory'`)).toEqual([]);
    expect(external.requests('/x')).toEqual([]);
  });

  it.each(['text/plain', 'multipart/form-data; boundary=x'])(
    'changes nothing as %s',
    async (type) => {
      const headers = { origin: EVIL, 'content-type': type };

      expect(await post(USERS, { body: '{}', headers })).toBe(412);
    },
  );

  it('is accepted from our pages', async () => {
    const headers = { origin: app.url, 'sec-fetch-site': 'same-origin' };

    expect(await post(FOLDERS, aForm('name=Ours', headers))).toBe(200);
    expect(await post('/exapps/board/x', aForm('a=b', headers))).toBe(200);
  });
});

describe('with explicit credentials', () => {
  it('programs send forms', async () => {
    expect(await post(FOLDERS, aForm('name=By+a+program', {}))).toBe(200);
  });

  it('scripts of other sites use the API by CORS', async () => {
    const headers = { origin: 'https://reader.example', 'sec-fetch-mode': 'cors' };

    expect(await post(FOLDERS, aForm('name=By+a+script', headers))).toBe(200);
    expect(
      await post(FOLDERS, { json: { name: 'By an old browser' }, headers: { origin: EVIL } }),
    ).toBe(200);
  });

  it('browser-based programs identify as API clients', async () => {
    const headers = { origin: 'app://talk', 'sec-fetch-mode': 'cors', 'ocs-apirequest': 'true' };
    const newUser = `userid=client-made&password=${encodeURIComponent(ADMIN.password)}`;

    expect(await post(USERS, aForm(newUser, headers))).toBe(200);
  });

  it('without credentials all are 401', async () => {
    const answer = await app.asStranger().call('POST', FOLDERS, aForm('name=x', { origin: EVIL }));

    expect(answer.status).toBe(401);
  });
});

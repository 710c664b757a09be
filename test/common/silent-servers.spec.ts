import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { ExAppRoutesRepository } from '../../src/app-api/apps/routes/ex-app-routes.repository.js';
import { ApiClient } from '../support/api-client.js';
import { knowApp, startExternalApp, toOcs, type ExternalApp } from '../support/external-app.js';
import { itLong } from '../support/long.js';
import { startApp, type TestApp } from '../support/start-app.js';

/*
 * Servers that accept connections and never answer. Each is asked by three requests, which wait for as
 * long as it is given; the next one is refused at once, and others are answered.
 */

const AT_ONCE_MS = 1500;

const LOGIN = '/index.php/apps/news/api/v1-3/folders';

let silent: Server;
let port: number;
let app: TestApp;
let external: ExternalApp;
beforeAll(async () => {
  silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  ({ port } = silent.address() as AddressInfo);
  app = await startApp({
    GATEFOLD_FILES_STORE: `s3://files?endpoint=http://127.0.0.1:${port}&path-style=true`,
    GATEFOLD_S3_ACCESS_KEY_ID: 'id',
    GATEFOLD_S3_SECRET_ACCESS_KEY: 'secret',
    GATEFOLD_S3_SECONDS: '1',
    GATEFOLD_LDAP_URL: `ldap://localhost:${port}`,
    GATEFOLD_LDAP_START_TLS: 'off',
    GATEFOLD_LDAP_USER_BASE: 'dc=example,dc=org',
  });
  external = await startExternalApp(app, { appId: 'hanging' });
  await knowApp(app, external);
  const page = { url: 'page', verb: 'GET', accessLevel: 1 } as const;
  await app
    .inside(ExAppRoutesRepository)
    .replace('hanging', [{ ...page, headersToExclude: [], bruteforceStatuses: [] }]);
});
afterAll(async () => {
  await external.close();
  await app.stop();
  silent.close();
});

/** @returns the status of a fourth request, asked after three that wait until they are given up */
async function statusOfFourth(ask: () => Promise<{ readonly status: number }>): Promise<number> {
  await Promise.all([ask(), ask(), ask()]);
  const began = performance.now();
  const { status } = await ask();
  expect(performance.now() - began).toBeLessThan(AT_ONCE_MS);
  expect((await app.asAdmin().get(LOGIN)).status).toBe(200);
  return status;
}

describe('A server that accepts connections and never answers is refused at once after three tries', () => {
  it('as an object store', async () => {
    const put = () => app.asAdmin().call('PUT', '/remote.php/dav/files/admin/a.txt', { body: 'a' });

    expect(await statusOfFourth(put)).toBe(503);
  });

  it('as an external app', async () => {
    external.on('/never', () => {});
    const ask = () =>
      app.asAdmin().call('POST', '/ocs/v1.php/apps/app_api/api/v1/ex-app/request/hanging', {
        json: { route: 'never', options: { timeout: 2.1 } },
        query: { format: 'json' },
      });
    await Promise.all([ask(), ask(), ask()]);

    const { data } = toOcs(await ask());

    expect(data).toEqual({ error: expect.stringContaining('has not answered for a while') });
    expect((await app.asAdmin().get('/index.php/apps/app_api/proxy/hanging/page')).status).toBe(
      502,
    );
    expect(external.requests('/page')).toEqual([]);
  });

  itLong('as a directory', async () => {
    let people = 0;
    // The same login at the same time would be one request.
    const login = () =>
      new ApiClient(app.url, { userId: `ada-${people++}`, password: 'a good password' }).get(LOGIN);

    expect(await statusOfFourth(login)).toBe(503);
  });
});

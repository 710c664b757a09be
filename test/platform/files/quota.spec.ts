import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import { QuotaClaims } from '../../../src/platform/files/content/quota-claims.service.js';
import { StoreSettings } from '../../../src/platform/files/stores/stores.settings.js';
import { basic, type ApiClient } from '../../support/api-client.js';
import { DavClient, readDavError } from '../../support/dav-client.js';
import { toOcs } from '../../support/external-app.js';
import { responseTo } from '../../support/response-to.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { until } from '../../support/until.js';

let app: TestApp;
let ada: DavClient;
beforeAll(async () => {
  app = await startApp({ GATEFOLD_FILES_QUOTA_BYTES: '1000' });
});
afterAll(() => app.stop());
beforeEach(async () => {
  ada = new DavClient(await app.signIn());
  await ada.put('/a.bin', 'a'.repeat(600));
});

const used = () => ada.property('/', 'd:quota-used-bytes');

it('A folder shows used and available bytes.', async () => {
  const [top] = await ada.properties('/', ['d:quota-used-bytes', 'd:quota-available-bytes']);

  expect(top?.found).toEqual({ 'quota-used-bytes': '600', 'quota-available-bytes': '400' });
});

it('A file that is too large is rejected before it is sent.', async () => {
  const answer = await ada.put('/b.bin', 'b'.repeat(401));

  expect(answer.status).toBe(507);
  expect(readDavError(answer)).toEqual(
    expect.objectContaining({ exception: 'Sabre\\DAV\\Exception\\InsufficientStorage' }),
  );
  expect((await ada.get('/b.bin')).status).toBe(404);
  expect((await ada.put('/b.bin', 'b'.repeat(400))).status).toBe(201);
});

it('A file that exceeds the quota during the upload is rejected, and the response arrives.', async () => {
  const request = http.request(`${app.url}${ada.root}/b.bin`, {
    method: 'PUT',
    headers: { authorization: basic(ada.user.credentials) },
  });
  // Without an announced length.
  request.write('b'.repeat(300));
  request.write('b'.repeat(300));
  request.end('b'.repeat(300));

  expect((await responseTo(request)).resume().statusCode).toBe(507);
  expect(await used()).toBe('600');
  expect((await ada.get('/b.bin')).status).toBe(404);
});

it('The content that an upload overwrites does not count.', async () => {
  expect((await ada.put('/a.bin', 'b'.repeat(1000))).status).toBe(204);
  expect((await ada.put('/a.bin', 'b'.repeat(1001))).status).toBe(507);
  expect(await used()).toBe('1000');
});

it('Copies count.', async () => {
  expect((await ada.copy('/a.bin', '/b.bin')).status).toBe(507);
  await ada.put('/a.bin', 'a'.repeat(500));
  expect((await ada.copy('/a.bin', '/b.bin')).status).toBe(201);
  expect((await ada.copy('/a.bin', '/b.bin')).status).toBe(204);
  expect(await used()).toBe('1000');
});

it('Of two concurrent files that do not fit together, one is stored.', async () => {
  const answers = await Promise.all(
    ['/b.bin', '/c.bin'].map((name) => ada.put(name, 'x'.repeat(300))),
  );

  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 507]);
  expect(await used()).toBe('900');
});

it('Of 32 concurrent files, as many are stored as fit.', async () => {
  const names = Array.from({ length: 32 }, (_, n) => `/f${n}.bin`);

  const answers = await Promise.all(names.map((name) => ada.put(name, 'x'.repeat(100))));

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
  expect(answers.filter(({ status }) => status === 507)).toHaveLength(28);
  expect(await used()).toBe('1000');
});

it('Of 32 concurrent pieces, as many are stored as fit, and the others can be sent later.', async () => {
  const { userId } = ada.user.credentials;
  const uploads = new DavClient(ada.user, `/remote.php/dav/uploads/${userId}`);
  await uploads.folder('/one');
  const names = Array.from({ length: 32 }, (_, n) => `/one/${n}`);

  const answers = await Promise.all(names.map((name) => uploads.put(name, 'x'.repeat(200))));

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 507)).toHaveLength(27);
  await uploads.remove('/one');
  await uploads.folder('/one');
  expect((await uploads.put('/one/1', 'x'.repeat(1000))).status).toBe(201);
});

it('Quota claimed by an upload is not available to another one, until it is aborted.', async () => {
  const headers = { authorization: basic(ada.user.credentials), 'content-length': '300' };
  const slow = http.request(`${app.url}${ada.root}/slow.bin`, { method: 'PUT', headers });
  slow.on('error', () => {});
  slow.write('s');
  const quotaClaims = app.inside(QuotaClaims);
  const isFull = () => {
    try {
      quotaClaims.claim(ada.user.credentials.userId, 400, 200, () => new Error('full')).release();
      return false;
    } catch {
      return true;
    }
  };
  await until('the claim of the upload', isFull);

  expect((await ada.put('/b.bin', 'b'.repeat(200))).status).toBe(507);
  slow.destroy();
  await until('the end of the claim', () => !isFull());
  expect((await ada.put('/b.bin', 'b'.repeat(200))).status).toBe(201);
});

it('Deletions free quota, which is separate for each user.', async () => {
  await ada.remove('/a.bin');
  expect((await ada.put('/b.bin', 'b'.repeat(1000))).status).toBe(201);

  const bob = new DavClient(await app.signIn());
  expect((await bob.put('/b.bin', 'b'.repeat(1000))).status).toBe(201);
});

describe('The quota in account data', () => {
  const userOf = async (client: ApiClient, path = '/user') => {
    const answer = await client.get(`/ocs/v2.php/cloud${path}?format=json`);
    return toOcs(answer).data as { quota: object; users?: Record<string, { quota: object }> };
  };

  it('is the used part, in per cent too', async () => {
    const { quota } = await userOf(ada.user);

    expect(quota).toEqual({
      free: 400,
      used: 600,
      total: 1000,
      relative: 60,
      quota: 1000,
      assigned: 'default',
    });
  });

  it('is separate for each user; administrators see that of all', async () => {
    const bob = await app.signIn();
    const assigned = 'default';
    const untouched = { free: 1000, used: 0, total: 1000, relative: 0, quota: 1000, assigned };
    const { userId } = ada.user.credentials;

    expect((await userOf(bob)).quota).toEqual(untouched);
    expect((await userOf(app.asAdmin(), `/users/${userId}`)).quota).toMatchObject({ used: 600 });
    const { users } = await userOf(app.asAdmin(), '/users/details');
    expect(users?.[userId]?.quota).toMatchObject({ used: 600 });
    expect(users?.[bob.credentials.userId]?.quota).toEqual(untouched);
  });

  it('is the free disk space without a quota', async () => {
    const other = await startApp({ GATEFOLD_FILES_QUOTA_BYTES: '0' });
    try {
      const bob = new DavClient(await other.signIn());
      await bob.put('/a.bin', 'a'.repeat(600));

      const { quota } = (await userOf(bob.user)) as { quota: Record<string, number> };

      const free = Number(quota['free']);
      const isLocal = other.inside(StoreSettings).filesStore === 'folder';
      // An object store does not tell: no limit.
      expect(free > 0).toBe(isLocal);
      expect(quota).toMatchObject({ used: 600, quota: -3, total: isLocal ? 600 + free : -3 });
    } finally {
      await other.stop();
    }
  });
});

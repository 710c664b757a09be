import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import { basic, type ApiClient } from '../support/api-client.js';
import { DavClient, readDavError } from '../support/dav-client.js';
import { toOcs } from '../support/external-app.js';
import { startApp, type TestApp } from '../support/start-app.js';

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

it('A folder tells how much is used and how much room is left.', async () => {
  const [top] = await ada.properties('/', ['d:quota-used-bytes', 'd:quota-available-bytes']);

  expect(top?.found).toEqual({ 'quota-used-bytes': '600', 'quota-available-bytes': '400' });
});

it('A file that is too large is refused before it is sent.', async () => {
  const answer = await ada.put('/b.bin', 'b'.repeat(401));

  expect(answer.status).toBe(507);
  expect(readDavError(answer)).toEqual(
    expect.objectContaining({ exception: 'Sabre\\DAV\\Exception\\InsufficientStorage' }),
  );
  expect((await ada.get('/b.bin')).status).toBe(404);
  expect((await ada.put('/b.bin', 'b'.repeat(400))).status).toBe(201);
});

it('A file that turns out too large while it is sent is refused, and the answer arrives.', async () => {
  const status = await new Promise((resolve, reject) => {
    const request = http.request(
      `${app.url}${ada.root}/b.bin`,
      { method: 'PUT', headers: { authorization: basic(ada.user.credentials) } },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    request.once('error', reject);
    // No length is announced.
    request.write('b'.repeat(300));
    request.write('b'.repeat(300));
    request.end('b'.repeat(300));
  });

  expect(status).toBe(507);
  expect(await used()).toBe('600');
  expect((await ada.get('/b.bin')).status).toBe(404);
});

it('What is overwritten makes room for what replaces it.', async () => {
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

it('Of two files that come at once and do not fit together one is kept.', async () => {
  const answers = await Promise.all(
    ['/b.bin', '/c.bin'].map((name) => ada.put(name, 'x'.repeat(300))),
  );

  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 507]);
  expect(await used()).toBe('900');
});

it('Removing makes room; each user has their own.', async () => {
  await ada.remove('/a.bin');
  expect((await ada.put('/b.bin', 'b'.repeat(1000))).status).toBe(201);

  const bob = new DavClient(await app.signIn());
  expect((await bob.put('/b.bin', 'b'.repeat(1000))).status).toBe(201);
});

describe('What clients show of an account', () => {
  const userOf = async (client: ApiClient, path = '/user') => {
    const answer = await client.get(`/ocs/v2.php/cloud${path}?format=json`);
    return toOcs(answer).data as { quota: object; users?: Record<string, { quota: object }> };
  };

  it('is how much of the quota is used, in per cent too', async () => {
    const { quota } = await userOf(ada.user);

    expect(quota).toEqual({ free: 400, used: 600, total: 1000, relative: 60, quota: 1000 });
  });

  it('is each user’s own; administrators see that of all', async () => {
    const bob = await app.signIn();
    const untouched = { free: 1000, used: 0, total: 1000, relative: 0, quota: 1000 };
    const { userId } = ada.user.credentials;

    expect((await userOf(bob)).quota).toEqual(untouched);
    expect((await userOf(app.asAdmin(), `/users/${userId}`)).quota).toMatchObject({ used: 600 });
    const { users } = await userOf(app.asAdmin(), '/users/details');
    expect(users?.[userId]?.quota).toMatchObject({ used: 600 });
    expect(users?.[bob.credentials.userId]?.quota).toEqual(untouched);
  });

  it('is what the disk has left, where there is no quota', async () => {
    const other = await startApp();
    try {
      const bob = new DavClient(await other.signIn());
      await bob.put('/a.bin', 'a'.repeat(600));

      const { quota } = (await userOf(bob.user)) as { quota: Record<string, number> };

      expect(quota).toMatchObject({ used: 600, quota: -3 });
      expect(quota['free']).toBeGreaterThan(0);
      expect(quota['total']).toBe(600 + Number(quota['free']));
    } finally {
      await other.stop();
    }
  });
});

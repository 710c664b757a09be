import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedService } from '../../support/shared-service.js';
import { type TestUser } from '../../support/start-app.js';

const { app } = await sharedService();
let ada: TestUser;
beforeAll(async () => {
  ada = await app.signIn();
});

describe('caching by proxies', () => {
  it.each([
    ['GET', '/index.php/apps/news/api/v1-3/folders', 200],
    ['GET', '/index.php/apps/news/api/v1-2/items?batchSize=10', 200],
    ['GET', '/index.php/apps/news/api/v1-3/opml/export', 200],
    ['GET', '/ocs/v2.php/cloud/user?format=json', 200],
    ['GET', '/ocs/v2.php/core/apppasswords?format=json', 200],
    ['GET', '/ocs/v2.php/apps/spreed/api/v4/room?format=json', 200],
    ['PROPFIND', '/remote.php/webdav/', 207],
    ['GET', '/remote.php/webdav/missing.txt', 404],
    ['GET', '/ocs/v2.php/cloud/nonsense?format=json', 404],
  ])('is no answer to one person: %s %s', async (method, path, status) => {
    const answer = await ada.call(method, path);

    expect(answer.status).toBe(status);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('is private for conditional requests', async () => {
    await ada.call('PUT', '/remote.php/webdav/tide.txt', { body: 'low' });
    const answers = [
      await ada.get('/remote.php/webdav/tide.txt'),
      await ada.get('/ocs/v2.php/apps/notifications/api/v2/notifications?format=json'),
      await ada.get(`/avatar/${ada.credentials.userId}/64`),
    ];

    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(headers['cache-control']).toMatch(/^private, /);
    }
  });

  it('is public for shared files', async () => {
    const icon = await app.asStranger().get('/core/img/app.svg');

    expect(icon.headers['cache-control']).toBe('public, max-age=86400');
  });
});

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiClient, type CallOptions } from '../support/api-client.js';
import { rss } from '../support/feed-server.js';
import { NewsClient, titles, type FeedJson, type FolderJson } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import { type TestUser } from '../support/start-app.js';

/**
 * Requests of client programs, exactly as these programs send them. Facts about them: docs/news-
 * api.md "Clients".
 */

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

const { app, publisher } = await sharedService();
beforeAll(async () => {
  publisher.publish(
    '/feed.xml',
    rss({
      title: 'Feed',
      link: publisher.url('/'),
      items: [3, 2, 1].map((n) => ({ title: `${n}`, guid: `urn:x:${n}`, author: 'Ada' })),
    }),
  );
  publisher.publish('/new.xml', rss({ title: 'New', link: publisher.url('/'), items: [] }));
});

describe('client programs', () => {
  let user: TestUser;
  let host: ApiClient;
  let v12: NewsClient;
  let feed: FeedJson;
  let folder: FolderJson;
  beforeEach(async () => {
    user = await app.signIn();
    host = new ApiClient(app.url, user.credentials);
    v12 = new NewsClient(user, 'v1-2');
    folder = await v12.createFolder('Folder');
    feed = await v12.subscribe(publisher.url('/feed.xml'), folder.id);
  });

  const V12 = '/index.php/apps/news/api/v1-2';
  const V13 = '/index.php/apps/news/api/v1-3';

  /** Sends the requests in order; each must be answered with 200 and JSON. */
  async function replay(...requests: [method: string, path: string, options?: CallOptions][]) {
    for (const [method, path, options] of requests) {
      const answer = await host.call(method, path, options);
      expect([method, path, answer.status]).toEqual([method, path, 200]);
      expect(answer.json).not.toBeUndefined();
    }
  }

  const state = async (title: string) => {
    const { unread, starred } = await v12.item(title);
    return { unread, starred };
  };

  it('newsboat: reads all, stars by a computed hash, marks feeds read by 2^63-1', async () => {
    const { guidHash } = await v12.item('2');
    await replay(
      ['GET', `${V12}/status`],
      ['GET', `${V12}/feeds`],
      ['GET', `${V12}/folders`],
      ['GET', `${V12}/items?type=0&id=${feed.id}`],
      ['GET', `${V12}/items?type=2&id=0`],
      ['PUT', `${V12}/items/1/read`, { body: '{}', headers: JSON_TYPE }],
      ['PUT', `${V12}/items/${feed.id}/${guidHash}/star`, { body: '{}', headers: JSON_TYPE }],
      [
        'PUT',
        `${V12}/feeds/${feed.id}/read?newestItemId=9223372036854775807`,
        { body: '{}', headers: JSON_TYPE },
      ],
    );

    expect(await state('2')).toEqual({ unread: false, starred: true });
    expect(await state('3')).toEqual({ unread: false, starred: false });
  });

  it('newsboat 2.21: stars by the guid, which may be a URL with a query', async () => {
    const guid = 'https://publisher.example/posts/7?a=1&b=2';
    publisher.publish(
      '/guids.xml',
      rss({ title: 'Guids', link: publisher.url('/'), items: [{ title: 'addressed', guid }] }),
    );
    const { id } = await v12.subscribe(publisher.url('/guids.xml'));

    await replay(
      ['PUT', `${V12}/items/${id}/${guid}/star`, { body: '{}', headers: JSON_TYPE }],
      ['PUT', `${V12}/items/${feed.id}/urn:x:1/star`, { body: '{}', headers: JSON_TYPE }],
      ['PUT', `${V12}/items/${feed.id}/urn:x:1/unstar`, { body: '{}', headers: JSON_TYPE }],
    );

    expect(await state('addressed')).toEqual({ unread: true, starred: true });
    expect(await state('1')).toEqual({ unread: true, starred: false });
  });

  it('newsboat: marking its internal feed of starred items read is rejected without effect', async () => {
    const answer = await host.call('PUT', `${V12}/feeds/0/read?newestItemId=9223372036854775807`, {
      body: '{}',
      headers: JSON_TYPE,
    });

    expect(answer.status).toBe(404);
  });

  it('RSS Guard 4: stars with the feed id as text', async () => {
    const { guidHash } = await v12.item('1');
    await replay(
      ['GET', `${V12}/status`, { headers: { ...JSON_TYPE, cookie: 'JSESSIONID=' } }],
      ['GET', `${V12}/items?id=${feed.id}&batchSize=100&type=0&getRead=true`],
      ['PUT', `${V12}/items/read/multiple`, { json: { items: [1] } }],
      [
        'PUT',
        `${V12}/items/star/multiple`,
        { json: { items: [{ feedId: String(feed.id), guidHash }] } },
      ],
      ['PUT', `${V12}/feeds/${feed.id}/rename`, { json: { feedTitle: 'Renamed' } }],
    );

    expect(await state('1')).toEqual({ unread: false, starred: true });
  });

  it('RSS Guard 5, Fluent Reader, NewsFlash: push by itemIds with POST at v1-3', async () => {
    await replay(
      ['POST', `${V13}/items/read/multiple`, { json: { itemIds: [1, 2] } }],
      ['POST', `${V13}/items/unread/multiple`, { json: { itemIds: [2] } }],
      ['POST', `${V13}/items/star/multiple`, { json: { itemIds: [3] } }],
      ['POST', `${V13}/items/unstar/multiple`, { json: { itemIds: [1] } }],
      ['GET', `${V13}/items?getRead=true&type=3&batchSize=125&offset=9007199254740991`],
    );

    expect(await state('1')).toEqual({ unread: false, starred: false });
    expect(await state('3')).toEqual({ unread: true, starred: true });
  });

  it('News for Android: pages upwards, continues from the newest change, creates by form fields', async () => {
    const all = '&type=3&id=0&getRead=false&oldestFirst=true';
    await replay(
      ['GET', `${V12}/version`],
      ['GET', `${V12}/items?batchSize=200&offset=0${all}`],
      ['GET', `${V12}/items?batchSize=200&offset=3${all}`],
      ['GET', `${V12}/items/updated?lastModified=0&type=3&id=0`],
      [
        'GET',
        `${V12}/items?batchSize=100&offset=9223372036854775807&type=0&id=${feed.id}&getRead=true&oldestFirst=false`,
      ],
      ['PUT', `${V12}/items/star/multiple`, { json: { items: [] } }],
      ['PUT', `${V12}/feeds/${feed.id}/move`, { json: { folderId: 0 } }],
      [
        'POST',
        `${V12}/feeds`,
        {
          body: `url=${encodeURIComponent(publisher.url('/new.xml'))}&folderId=0`,
          headers: FORM_TYPE,
        },
      ],
    );

    expect((await v12.feedList()).feeds.map(({ folderId }) => folderId)).toEqual([null, null]);
  });

  it('News for Android: a page ends where the offset was the highest id', async () => {
    const page = await v12.items({ batchSize: 2, offset: 1, type: 3, oldestFirst: true });

    expect(titles(page)).toEqual(['2', '3']);
  });

  it('Readrops: subscribes by the query of a POST without a body', async () => {
    await replay(
      ['POST', `${V13}/feeds?url=${encodeURIComponent(publisher.url('/new.xml'))}`],
      ['POST', `${V13}/feeds/${feed.id}/rename`, { json: { feedTitle: 'Renamed' } }],
      ['PUT', `${V13}/folders/${folder.id}`, { json: { name: 'Other' } }],
      ['GET', `${V13}/items?type=3&getRead=false&batchSize=5000`],
    );
  });

  it('Readrops: [N108] reads the display name from XML', async () => {
    const answer = await host.get(`/ocs/v1.php/cloud/users/${user.credentials.userId}`, {
      headers: { 'OCS-APIRequest': 'true' },
    });

    expect(answer.headers['content-type']).toContain('application/xml');
    expect(answer.text).toContain(`<displayname>${user.credentials.userId}</displayname>`);
  });

  it('Android with the Files app: [N108] reads the user from OCS', async () => {
    const answer = await host.get('/ocs/v2.php/cloud/user?format=json');

    expect(answer.json).toEqual({
      ocs: expect.objectContaining({
        data: expect.objectContaining({
          id: user.credentials.userId,
          displayname: user.credentials.userId,
          'display-name': user.credentials.userId,
        }),
      }),
    });
  });

  it('CloudNews: sets flags one by one without a body, booleans as numbers', async () => {
    const { guidHash } = await v12.item('1');
    await replay(
      ['GET', `${V12}/items?batchSize=200&offset=0&type=0&id=${feed.id}&getRead=1`],
      ['PUT', `${V12}/items/1/unread`],
      ['PUT', `${V12}/items/${feed.id}/${guidHash}/star`],
      ['GET', `${V12}/items/updated?lastModified=0&type=0&id=${feed.id}`],
    );

    expect(await state('1')).toEqual({ unread: true, starred: true });
  });

  it('KOReader: pushes with PUT at v1-3', async () => {
    await replay(
      ['PUT', `${V13}/items/read/multiple`, { json: { items: [1] } }],
      ['PUT', `${V13}/items/star/multiple`, { json: { itemIds: [1] } }],
      ['GET', `${V13}/items?type=1&id=${folder.id}&getRead=false&batchSize=-1`],
    );

    expect(await state('1')).toEqual({ unread: false, starred: true });
  });

  it('Fuoten: marks folders, feeds and everything read', async () => {
    await replay(
      ['GET', `${V12}/user`],
      ['PUT', `${V12}/folders/${folder.id}/read`, { json: { newestItemId: 1 } }],
      ['PUT', `${V12}/feeds/${feed.id}/read`, { json: { newestItemId: 2 } }],
      ['PUT', `${V12}/items/read`, { json: { newestItemId: 3 } }],
    );
    expect((await app.asStranger().get('/status.php')).json).toEqual(
      expect.objectContaining({ installed: true, maintenance: false, needsDbUpgrade: false }),
    );

    expect((await v12.feed(feed.id)).unreadCount).toBe(0);
  });

  it('Neon: marks a feed read by the query of a POST', async () => {
    await replay(['POST', `${V13}/feeds/${feed.id}/read?newestItemId=3`]);

    expect((await v12.feed(feed.id)).unreadCount).toBe(0);
  });

  it('the updater script: one complete round as an administrator', async () => {
    const admin = new ApiClient(app.url, app.asAdmin().credentials);
    const { userId } = user.credentials;
    for (const path of [
      '/cleanup/before-update',
      '/feeds/all',
      `/feeds/update?userId=${userId}&feedId=${feed.id}`,
      '/cleanup/after-update',
    ]) {
      expect((await admin.get(V12 + path)).status).toBe(200);
    }
  });
});

import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { rss, startFeedServer } from '../support/feed-server.js';
import { LEVELS, NewsClient } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';

interface StatusJson {
  readonly warnings: { readonly improperlyConfiguredCron: boolean };
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const { app, publisher } = await serviceAndPublisher();

describe.each(LEVELS)('%s service', (level) => {
  it('[N99] [N100] reports a version that clients accept, at least 27.2.0, as plain x.y.z', async () => {
    const news = new NewsClient(await app.signIn(), level);

    const version = (await news.get('/version')).json as { version: string };
    const status = (await news.get('/status')).json;

    expect(version.version).toMatch(/^\d+\.\d+\.\d+$/);
    const [major = 0, minor = 0] = version.version.split('.').map(Number);
    expect(major * 1000 + minor).toBeGreaterThanOrEqual(27_002);
    expect(status).toEqual(
      expect.objectContaining({
        version: version.version,
        warnings: { improperlyConfiguredCron: false, incorrectDbCharset: false },
      }),
    );
  });

  it('[N99] warns if no updater is running', async () => {
    publisher.publish('/stale.xml', rss({ title: 'Stale', link: publisher.url('/'), items: [] }));
    const user = await app.signIn();
    const news = new NewsClient(user, level);
    await news.subscribe(publisher.url('/stale.xml'));
    const warns = async () =>
      ((await news.get('/status')).json as StatusJson).warnings.improperlyConfiguredCron;
    await app.database.query(
      "update subscription set added_at = now() - interval '1 day', update_served_at = null",
    );
    expect(await warns()).toBe(true);

    // A user's own fetch says nothing about an updater.
    const [feed] = (await news.feedList()).feeds;
    await app.database.query("update source set fetched_at = now() - interval '1 day'");
    expect((await new NewsClient(user, 'v1-3').post('/feeds/refresh')).status).toBe(200);
    expect(await warns()).toBe(true);

    await new NewsClient(app.asAdmin(), level).update(user.credentials.userId, feed?.id ?? 0);
    expect(await warns()).toBe(false);
    await app.database.query("update subscription set update_served_at = now() - interval '1 day'");
    expect(await warns()).toBe(true);

    // The schedule of another process.
    await app.inside(UpdateCycle).keepHouse();
    expect(await warns()).toBe(false);
    await app.database.query('delete from housekeeping');
    await app.database.query('update subscription set update_served_at = now()');
  });

  it('[N101] describes the user', async () => {
    const user = await app.signIn();

    const answer = await new NewsClient(user, level).get('/user');

    expect(answer.json).toEqual({
      userId: user.credentials.userId,
      displayName: user.credentials.userId,
      lastLoginTimestamp: expect.any(Number),
      avatar: null,
    });
  });
});

describe('favicons', () => {
  const hashOf = (url: string) => createHash('md5').update(url).digest('hex');

  it('[N87] returns the icon of the feed with this address', async () => {
    // All feeds of a website share its icon.
    const website = await startFeedServer();
    const title = 'Icon';
    website.publish('/with-icon.xml', rss({ title, link: website.url('/site'), items: [] }));
    website.publish('/site', '<head><link rel="icon" href="/icon.png"></head>', {
      contentType: 'text/html',
    });
    website.publish('/icon.png', PNG, { contentType: 'image/png' });
    const news = new NewsClient(await app.signIn(), 'v1-3');
    const feed = await news.subscribe(website.url('/with-icon.xml'));

    const answer = await news.get(`/favicon/${hashOf(feed.url)}`);

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('image/png');
    expect((await news.feed(feed.id)).faviconLink).toBe(website.url('/icon.png'));
    await website.close();
  });

  it('[N87] [N89] returns a default icon for an unknown hash, without scripts', async () => {
    const news = new NewsClient(await app.signIn(), 'v1-3');

    const answer = await news.get(`/favicon/${hashOf('nothing')}`);

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^image\//);
    expect(answer.headers['content-disposition']).toMatch(/^attachment/);
    expect(answer.headers['content-security-policy']).toContain('sandbox');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  it('does not reveal which feeds others follow', async () => {
    publisher.publish('/private.xml', rss({ title: 'P', link: publisher.url('/site'), items: [] }));
    const owner = new NewsClient(await app.signIn(), 'v1-3');
    const stranger = new NewsClient(await app.signIn(), 'v1-3');
    const feed = await owner.subscribe(publisher.url('/private.xml'));

    const shown = await stranger.get(`/favicon/${hashOf(feed.url)}`);
    const unknown = await stranger.get(`/favicon/${hashOf('nothing')}`);

    expect(shown.text).toBe(unknown.text);
  });

  it('[N88] do not exist at level v1-2', async () => {
    const news = new NewsClient(await app.signIn(), 'v1-2');

    expect((await news.get(`/favicon/${hashOf('nothing')}`)).status).toBe(404);
  });
});

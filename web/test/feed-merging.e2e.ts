import path from 'node:path';
import pg from 'pg';
import { ADMIN, expect, expectAccessible, test } from './fixtures.js';
import { articlesOf, publishFeed, storedItems, subscribe } from './reader-feeds.js';

const NEWS = '/apps/news/api/v1-3';
const FETCHES = 3;

test('an address that redirects to a followed feed is named as that, and feeds that became one are merged', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const articles = articlesOf('Weather', 3);
  const old = await subscribe(
    service,
    ada,
    publishFeed(feeds, '/weather-old.xml', 'Old weather', articles),
  );
  const first = (await storedItems(service, ada)).get('Weather article 1');
  await service.call(ada, 'POST', `${NEWS}/items/${first?.id}/star`);
  await subscribe(
    service,
    ada,
    publishFeed(feeds, '/weather.xml', 'Weather', articles.slice(0, 2)),
  );
  feeds.redirect('/weather-old.xml', '/weather.xml', 301);
  feeds.redirect('/weather-older.xml', '/weather.xml', 301);

  await page.goto(
    `${service.url}/apps/news/?subscribe_to=${encodeURIComponent(feeds.url('/weather-older.xml'))}`,
  );
  await page.getByRole('button', { name: 'Find feed' }).click();
  await expect(page.getByText('You already follow this feed.')).toBeVisible();
  await keepPicture('feed-merging-preview');

  const database = new pg.Client({
    host: path.join(service.dataDir, 'postgres', 'socket'),
    user: 'gatefold',
  });
  await database.connect();
  for (let fetch = 0; fetch < FETCHES; fetch += 1) {
    await service.call(ADMIN, 'GET', `${NEWS}/feeds/update?userId=${ada.userId}&feedId=${old}`);
    await database.query("update source set moving_since = moving_since - interval '1 day'");
  }
  await database.end();
  await page.goto(`${service.url}/apps/news/feeds/${old}`);
  await expect(page.getByText('This feed moved to “Weather”, which you follow too.')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('feed-merging');
  await page.getByRole('button', { name: 'Merge' }).click();

  await expect(page.getByRole('heading', { name: 'Weather', level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: /Weather article/ })).toHaveCount(3);
  await expect(page.getByRole('treeitem', { name: /Old weather/ })).toHaveCount(0);
  await keepPicture('feed-merged');
});

import type { Page } from '@playwright/test';
import { rss } from '../../test/support/feed-server.js';
import { ADMIN, expect, expectAccessible, test } from './fixtures.js';
import { addFolder, articlesOf, publishFeed, subscribe } from './reader-feeds.js';

const NEWS = '/apps/news/api/v1-3';

test('Refresh fetches the feeds and reports the number of new articles', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/fresh.xml', 'Fresh', 2));
  await subscribe(service, ada, publishFeed(feeds, '/quiet.xml', 'Quiet', 1));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Fresh article 1 / }).waitFor();
  const news = ['Extra 3', 'Extra 2', 'Extra 1'].map((title) => ({ title, guid: title }));
  feeds.publish('/fresh.xml', rss({ title: 'Fresh', items: [...news, ...articlesOf('Fresh', 2)] }));

  await page.getByRole('button', { name: 'Refresh' }).click();

  await expect(page.getByText('3 new articles', { exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: /Extra 3/ })).toBeVisible();
  await expect(page).toHaveTitle('(6) Unread – Gatefold');
  await page.keyboard.press('r');
  await expect(page.getByText('Nothing new', { exact: true })).toBeVisible();
  expect(feeds.requests('/quiet.xml')).toHaveLength(3);
});

test('Refresh fetches only the feeds of the list and shows its progress', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const folderId = await addFolder(service, ada, 'Science');
  await subscribe(service, ada, publishFeed(feeds, '/inside.xml', 'Inside', 2), folderId);
  await subscribe(service, ada, publishFeed(feeds, '/outside.xml', 'Outside', 2));
  await page.goto(`${service.url}/apps/news/folders/${folderId}`);
  await page.getByRole('link', { name: /Inside article 1 / }).waitFor();
  const released = Promise.withResolvers<void>();
  const items = [{ title: 'Extra', guid: 'Extra' }, ...articlesOf('Inside', 2)];
  feeds.publish('/inside.xml', rss({ title: 'Inside', items }), { delayUntil: released.promise });

  await page.keyboard.press('r');
  const progress = page.getByRole('progressbar', { name: 'Fetching feeds' });
  await expect(progress).toBeVisible();
  await expect(page.getByRole('button', { name: 'Refresh' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await expectAccessible(page);
  await keepPicture('reader-refreshing');
  released.resolve();

  await expect(page.getByText('1 new article', { exact: true })).toBeVisible();
  await expect(progress).toHaveCount(0);
  expect(feeds.requests('/outside.xml')).toHaveLength(1);
});

test('a failing feed shows the reason, and its user can retry at once', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const url = publishFeed(feeds, '/failing.xml', 'Failing', 1);
  const feedId = await subscribe(service, ada, url);
  feeds.fail('/failing.xml', 503);
  await service.call(ADMIN, 'GET', `${NEWS}/feeds/update?userId=${ada.userId}&feedId=${feedId}`);
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  const list = page.getByRole('region', { name: 'Failing', exact: true });
  await expect(list.getByText(/503/)).toBeVisible();
  await expectAccessible(page);
  await keepPicture('reader-failing');

  await list.getByRole('button', { name: 'Fetch now' }).click();
  await expect(page.getByText(/“Failing” could not be fetched: .*503/)).toBeVisible();
  publishFeed(feeds, '/failing.xml', 'Failing', 2);
  await list.getByRole('button', { name: 'Fetch now' }).click();

  await expect(page.getByText('1 new article', { exact: true })).toBeVisible();
  await expect(list.getByText(/503/)).toHaveCount(0);
  await expect(page.getByLabel('Recent fetches failed')).toHaveCount(0);
});

test('a feed can be fetched from its settings', async ({ page, ada, service, feeds }) => {
  const feedId = await subscribe(service, ada, publishFeed(feeds, '/asked.xml', 'Asked', 1));
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await page.getByRole('link', { name: /Asked article 1 / }).waitFor();
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog', { name: 'Feed settings' });
  publishFeed(feeds, '/asked.xml', 'Asked', 2);

  await dialog.getByRole('button', { name: 'Fetch now' }).click();

  await expect(page.getByRole('link', { name: /Asked article 2 / })).toBeAttached();
});

/** Requested list pages, as `start+size` or `place+size`. */
function pagesAskedFor(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/rows')) {
      asked.push(`${searchParams.get('after') ?? 'start'}+${searchParams.get('batchSize')}`);
    }
  });
  return asked;
}

test('opening a feed with its own order loads its list once', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const feedId = await subscribe(service, ada, publishFeed(feeds, '/own.xml', 'Own', 9));
  await service.call(ada, 'PATCH', `${NEWS}/feeds/${feedId}`, { ordering: 1 });
  const asked = pagesAskedFor(page);

  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await page.getByRole('link', { name: /Own article 9 / }).click();
  await page.getByRole('article').waitFor();

  expect(asked).toEqual(['start+60']);
});

test('opening the reader loads each page of the list once', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/once.xml', 'Once', 500));
  const asked = pagesAskedFor(page);

  for (const place of ['/apps/news/', '/apps/news/all']) {
    asked.length = 0;
    await page.goto(service.url + place);
    await page.getByRole('link', { name: /Once article 1 / }).waitFor();
    const list = page.locator('.items .scroller');
    const last = page.getByRole('link', { name: /Once article 500 / });
    await expect
      .poll(async () => {
        await list.evaluate((element) => (element.scrollTop = element.scrollHeight));
        return last.count();
      })
      .toBe(1);
    await last.click();
    await page.getByRole('article').waitFor();

    const [first, ...others] = asked;
    expect(first).toBe('start+60');
    expect(others.map((page) => page.replace(/^[^+]+/, 'place'))).toEqual([
      'place+200',
      'place+200',
      'place+200',
    ]);
    expect(new Set(others).size).toBe(3);
  }
});

import type { Page } from '@playwright/test';
import type { RssItem } from '../../test/support/feed-server.js';
import { expect, expectAccessible, test } from './fixtures.js';
import { addFolder, articlesOf, publishFeed, subscribe } from './reader-feeds.js';

const SIZES = [
  { name: 'desktop', viewport: { width: 1280, height: 800 } },
  { name: 'phone', viewport: { width: 390, height: 844 } },
];

const hours = (n: number) => new Date(Date.UTC(2026, 9, 20) - n * 3_600_000);
const item = (title: string, hoursAgo: number): RssItem => ({
  title,
  guid: title,
  body: `<p>Text of ${title}</p>`,
  pubDate: hours(hoursAgo),
});

const titles = (page: Page) =>
  page.getByRole('list', { name: 'Articles' }).locator('.title').allTextContents();

/** Chooses the other order in the menu of the list. */
async function turnOrder(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'List options' }).click();
  await page.getByRole('menuitem', { name }).click();
}

for (const { name, viewport } of SIZES) {
  test(`lists are ordered by date, each in its own order, and opening one asks once (${name})`, async ({
    page,
    ada,
    feeds,
    service,
    keepPicture,
  }) => {
    await page.setViewportSize(viewport);
    const folder = await addFolder(service, ada, 'Harbour');
    const news = [item('This morning', 1), item('Last week', 170)];
    await subscribe(service, ada, publishFeed(feeds, '/news.xml', 'News', news), folder);
    const letters = [item('Yesterday', 24), item('Five weeks ago', 840)];
    await subscribe(service, ada, publishFeed(feeds, '/letters.xml', 'Letters', letters));
    await subscribe(
      service,
      ada,
      publishFeed(feeds, '/many.xml', 'Many', articlesOf('Many', 150).slice(100)),
    );
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/\/api\/.*\/(rows|items)\b/.test(pathname)) {
        asked.push(`${request.method()} ${pathname.replace(/^.*api\/v1-3/, '')}`);
      }
    });

    await page.goto(`${service.url}/apps/news/`);
    await expect(page.getByRole('link', { name: /This morning/ })).toBeVisible();
    expect((await titles(page)).slice(0, 3)).toEqual([
      'This morning',
      'Yesterday',
      'Many article 101',
    ]);
    expect(asked).toEqual(['GET /rows']);
    await expectAccessible(page);
    await keepPicture(`order-${name}`);

    await turnOrder(page, 'Oldest first');
    await expect(page.getByRole('link', { name: /Five weeks ago/ })).toBeVisible();
    await page.goto(`${service.url}/apps/news/folders/${folder}`);
    await expect(page.getByRole('link', { name: /Last week/ })).toBeVisible();
    expect(await titles(page)).toEqual(['This morning', 'Last week']);
    await page.goto(`${service.url}/apps/news/`);
    await expect(page.getByRole('link', { name: /Five weeks ago/ })).toBeVisible();
    expect((await titles(page)).slice(0, 2)).toEqual(['Five weeks ago', 'Last week']);
  });
}

test('an article that belongs further down is announced and does not move the list', async ({
  page,
  ada,
  feeds,
  service,
}) => {
  const news = [item('New', 1), item('Old', 48)];
  await subscribe(service, ada, publishFeed(feeds, '/late.xml', 'Late', news));
  await page.goto(`${service.url}/apps/news/all`);
  await expect(page.getByRole('link', { name: /Old/ })).toBeVisible();

  const late = publishFeed(feeds, '/other.xml', 'Other', [item('Between', 24), item('Older', 90)]);
  await subscribe(service, ada, late);
  await page.getByRole('button', { name: '2 new articles' }).waitFor();

  expect(await titles(page)).toEqual(['New', 'Old']);
  await page.getByRole('button', { name: '2 new articles' }).click();
  await expect(page.getByRole('link', { name: /Between/ })).toBeVisible();
  expect(await titles(page)).toEqual(['New', 'Between', 'Old', 'Older']);
});

test('a list is marked read without what arrived meanwhile, and undone', async ({
  page,
  ada,
  feeds,
  service,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/a.xml', 'A', articlesOf('A', 250)));
  await page.goto(`${service.url}/apps/news/`);
  await expect(page).toHaveTitle('(250) Unread – Gatefold');
  await page.getByRole('link', { name: /A article 1 / }).waitFor();
  await subscribe(service, ada, publishFeed(feeds, '/b.xml', 'B', articlesOf('B', 2)));
  await page.getByRole('button', { name: '2 new articles' }).waitFor();

  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(page).toHaveTitle('(2) Unread – Gatefold');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page).toHaveTitle('(252) Unread – Gatefold');
});

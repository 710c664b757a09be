import type { Page } from '@playwright/test';
import { ADMIN, expect, expectAccessible, test } from './fixtures.js';
import { articlesOf, publishFeed, storedItems, subscribe } from './reader-feeds.js';

const NEWS = '/apps/news/api/v1-3';
const PHONE = { width: 390, height: 844 };

async function openFetching(page: Page) {
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog', { name: 'Feed settings' });
  await dialog.getByText('Address and fetching').click();
  await expect(dialog.getByLabel('Address', { exact: true })).toBeEnabled();
  return dialog;
}

test('a feed moves to another address and keeps its articles', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const articles = articlesOf('Moving', 3);
  const feedId = await subscribe(
    service,
    ada,
    publishFeed(feeds, '/moving-old.xml', 'Moving', articles),
  );
  const starred = (await storedItems(service, ada)).get('Moving article 2');
  await service.call(ada, 'POST', `${NEWS}/items/${starred?.id}/star`);
  const before = await storedItems(service, ada);
  const fresh = { title: 'Only at the new address', guid: 'fresh' };
  const url = publishFeed(feeds, '/moving-new.xml', 'Moved', [fresh, ...articles]);
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await page.getByRole('link', { name: /Moving article 1/ }).waitFor();

  const dialog = await openFetching(page);
  await dialog.getByLabel('Address', { exact: true }).fill(feeds.url('/moving-nowhere.xml'));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('404');
  await dialog.getByLabel('Address', { exact: true }).fill(url);
  await dialog.getByRole('button', { name: 'Check' }).click();
  await expect(dialog.getByRole('heading', { name: 'Moved' })).toBeVisible();
  await dialog.getByLabel('Fetch', { exact: true }).selectOption('Every 12 hours');
  await expectAccessible(page);
  await keepPicture('feed-editing');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await keepPicture('feed-editing-dark');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);

  await expect(page.getByRole('heading', { name: 'Moved', level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: /Only at the new address/ })).toBeVisible();
  const after = await storedItems(service, ada);
  expect(after.size).toBe(4);
  expect(after.get('Moving article 2')).toMatchObject({ starred: true });
  expect(after.get('Moving article 2')).toEqual(before.get('Moving article 2'));
  const again = await openFetching(page);
  await expect(again.getByLabel('Address', { exact: true })).toHaveValue(url);
  await expect(again.getByLabel('Fetch', { exact: true })).toHaveValue('12');
});

test('user name, password and cookie are sent with the feed and not shown again', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await page.setViewportSize(PHONE);
  const url = publishFeed(feeds, '/locked.xml', 'Locked', 2);
  const feedId = await subscribe(service, ada, url);
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await page.getByRole('link', { name: /Locked article 1/ }).waitFor();

  const dialog = await openFetching(page);
  await dialog.getByLabel('User name').fill('grace');
  await dialog.getByLabel('Password', { exact: true }).fill('hopper');
  await dialog.getByLabel('Cookie', { exact: true }).fill('session=1');
  await expectAccessible(page);
  await dialog.getByLabel('Password', { exact: true }).scrollIntoViewIfNeeded();
  await keepPicture('feed-access-phone');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);

  expect(feeds.requests('/locked.xml').at(-1)?.headers).toMatchObject({
    authorization: `Basic ${btoa('grace:hopper')}`,
    cookie: 'session=1',
  });
  const again = await openFetching(page);
  await expect(again.getByLabel('Password', { exact: true })).toHaveValue('');
  await expect(again.getByLabel('Password', { exact: true })).toHaveAttribute(
    'placeholder',
    'kept unless changed',
  );
  await again.getByRole('button', { name: 'Remove user name and password' }).click();
  await again.getByRole('button', { name: 'Save' }).click();
  await expect(again).toHaveCount(0);
  const { headers } = feeds.requests('/locked.xml').at(-1) ?? { headers: {} };
  expect(headers).not.toHaveProperty('authorization');
  expect(headers).toMatchObject({ cookie: 'session=1' });
});

test('a header and a token are sent with the feed, and changed one by one', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const url = publishFeed(feeds, '/keyed.xml', 'Keyed', 1);
  const feedId = await subscribe(service, ada, url);
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await page.getByRole('link', { name: /Keyed article 1/ }).waitFor();

  const dialog = await openFetching(page);
  await dialog.getByLabel('Bearer token').fill('abc');
  await dialog.getByRole('button', { name: 'Add a header' }).click();
  await dialog.getByLabel('Name of the header').fill('X-Key');
  await dialog.getByLabel('Value of the header X-Key').fill('k');
  await dialog.getByText('Client certificate', { exact: true }).click();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  expect(feeds.requests('/keyed.xml').at(-1)?.headers).toMatchObject({
    authorization: 'Bearer abc',
    'x-key': 'k',
  });

  const again = await openFetching(page);
  await expect(again.getByLabel('Value of the header x-key')).toHaveValue('');
  await again.getByRole('button', { name: 'Remove header x-key' }).click();
  await again.getByRole('button', { name: 'Save' }).click();
  await expect(again).toHaveCount(0);
  const { headers } = feeds.requests('/keyed.xml').at(-1) ?? { headers: {} };
  expect(headers).toMatchObject({ authorization: 'Bearer abc' });
  expect(headers).not.toHaveProperty('x-key');
});

test('a failing feed says since when, and when it is tried again', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const url = publishFeed(feeds, '/broken.xml', 'Broken', 1);
  const feedId = await subscribe(service, ada, url);
  feeds.fail('/broken.xml', 503);
  await service.call(ADMIN, 'GET', `${NEWS}/feeds/update?userId=${ada.userId}&feedId=${feedId}`);
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);

  const list = page.getByRole('region', { name: 'Broken', exact: true });
  await expect(list.getByText(/503/)).toBeVisible();
  await expect(list.getByText(/^Since /)).toBeVisible();
  await expect(list.getByText(/^Next try: /)).toBeVisible();
  await expectAccessible(page);
  await keepPicture('feed-failing');
});

test('an empty list says that its feed was not read yet, or does not exist', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/other.xml', 'Other', 1));
  const release = feeds.hang('/slow.xml');
  await fetch(`${service.url}/index.php${NEWS}/opml/import`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${btoa(`${ada.userId}:${ada.password}`)}`,
      'Content-Type': 'text/x-opml',
    },
    body: `<opml version="2.0"><body><outline text="Slow" xmlUrl="${feeds.url('/slow.xml')}"/></body></opml>`,
  });
  const { feeds: list } = (await service.call(ada, 'GET', `${NEWS}/feeds`)) as {
    feeds: { id: number; title: string }[];
  };
  const slow = list.find(({ title }) => title === 'Slow');

  await page.goto(`${service.url}/apps/news/feeds/${slow?.id}`);
  await expect(page.getByText('This feed has not been read yet')).toBeVisible();
  await keepPicture('feed-never-read');
  release();
  await page.goto(`${service.url}/apps/news/feeds/987654`);
  await expect(page.getByText('This feed does not exist')).toBeVisible();
  await expectAccessible(page);
});

test('Refresh names the feeds that failed, and counts those with news', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  for (const name of ['One', 'Two', 'Three', 'Four']) {
    await subscribe(service, ada, publishFeed(feeds, `/words-${name}.xml`, name, 1));
  }
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /One article 1/ }).waitFor();
  publishFeed(feeds, '/words-One.xml', 'One', [
    { title: 'new 1', guid: 'n1' },
    ...articlesOf('One', 1),
  ]);
  publishFeed(feeds, '/words-Two.xml', 'Two', [
    { title: 'new 2', guid: 'n2' },
    { title: 'new 3', guid: 'n3' },
    ...articlesOf('Two', 1),
  ]);
  feeds.fail('/words-Three.xml', 500);
  feeds.fail('/words-Four.xml', 500);

  await page.getByRole('button', { name: 'Refresh' }).click();

  await expect(
    page.getByText(
      /^3 new articles from 2 feeds · 2 feeds could not be fetched: (Three, Four|Four, Three)$/,
    ),
  ).toBeVisible();
});

test('the articles of a feed open at their website, by click and key, and are read then', async ({
  page,
  ada,
  service,
  feeds,
  context,
  keepPicture,
}) => {
  await context.route('https://publisher.example/**', (route) => route.fulfill({ body: 'there' }));
  const feedId = await subscribe(service, ada, publishFeed(feeds, '/comic.xml', 'Comic', 3));
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  const link = (n: number) => page.getByRole('link', { name: new RegExp(`Comic article ${n} `) });
  await link(1).waitFor();
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog', { name: 'Feed settings' });
  await dialog.getByLabel('Open articles at their website').check();
  await expectAccessible(page);
  await keepPicture('feed-at-website');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  const unread = async () =>
    [...(await storedItems(service, ada)).values()].filter((item) => item.unread).length;

  const [clicked] = await Promise.all([context.waitForEvent('page'), link(1).click()]);
  await expect(clicked).toHaveURL('https://publisher.example/Comic/1');
  expect(await clicked.evaluate(() => window.opener as unknown)).toBeNull();
  await expect.poll(unread).toBe(2);
  await page.bringToFront();
  await page.keyboard.press('n');
  const [typed] = await Promise.all([context.waitForEvent('page'), page.keyboard.press('o')]);
  await expect(typed).toHaveURL('https://publisher.example/Comic/2');
  await expect.poll(unread).toBe(1);
  await expect(page).toHaveURL(`${service.url}/apps/news/feeds/${feedId}`);

  const [aside] = await Promise.all([
    context.waitForEvent('page'),
    link(3).click({ button: 'middle' }),
  ]);
  await expect(aside.getByRole('article').getByRole('heading', { level: 1 })).toHaveText(
    'Comic article 3',
  );
});

test('what makes an article itself is set with a preview', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const alerts = ['first', 'second', 'third'].map((text) => ({
    title: 'Service alert',
    guid: text,
    body: text,
  }));
  const feedId = await subscribe(service, ada, publishFeed(feeds, '/alerts.xml', 'Alerts', alerts));
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await page
    .getByRole('link', { name: /Service alert/ })
    .first()
    .waitFor();

  const dialog = await openFetching(page);
  const rule = dialog.getByLabel('What makes an article itself');
  await expect(rule).toHaveValue('automatic');
  await rule.selectOption('Title');
  await expect(dialog).toContainText('3 stored entries would be 1 articles.');
  await expect(dialog).toContainText('Service alert (3)');
  await expectAccessible(page);
  await keepPicture('item-rule');
  await rule.selectOption('Text');
  await expect(dialog).toContainText('would be 3 articles.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);

  expect((await storedItems(service, ada)).size).toBe(1);
  const again = await openFetching(page);
  await expect(again.getByLabel('What makes an article itself')).toHaveValue('text');
});

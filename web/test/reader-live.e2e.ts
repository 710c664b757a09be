import { rss } from '../../test/support/feed-server.js';
import { ADMIN, expect, test } from './fixtures.js';
import { articlesOf, publishFeed, storedItems, subscribe } from './reader-feeds.js';

const NEWS = '/apps/news/api/v1-3';

test('new articles are announced, and the list does not move until they are requested', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const feedId = await subscribe(service, ada, publishFeed(feeds, '/live.xml', 'Live', 30));
  const listening = page.waitForResponse(/\/events\?client=/);
  await page.goto(`${service.url}/apps/news/`);
  await listening;
  await page.getByRole('link', { name: /Live article 2 / }).click();
  await expect(page).toHaveTitle('(29) Unread – Gatefold');
  const news = ['Extra 3', 'Extra 2', 'Extra 1'].map((title) => ({ title, guid: title }));
  feeds.publish('/live.xml', rss({ title: 'Live', items: [...news, ...articlesOf('Live', 30)] }));

  await service.call(ADMIN, 'GET', `${NEWS}/feeds/update?userId=${ada.userId}&feedId=${feedId}`);

  const pill = page.getByRole('button', { name: '3 new articles' });
  await expect(pill).toBeVisible();
  await expect(page).toHaveTitle('(32) Unread – Gatefold');
  await expect(page.getByRole('article').getByRole('heading', { level: 1 })).toHaveText(
    'Live article 2',
  );
  await expect(page.getByRole('link', { name: /Extra 3/ })).toHaveCount(0);
  await keepPicture('reader-arrived');

  // Items not in the list are not marked read.
  await page.keyboard.press('Shift+A');
  await expect(page).toHaveTitle('(3) Unread – Gatefold');
  await pill.click();
  await expect(page.getByRole('link', { name: /Extra 3/ })).toBeVisible();
  await expect(pill).toHaveCount(0);
  await expect(page.getByRole('list', { name: 'Articles' }).getByRole('link')).toHaveCount(3);
});

test('changes made by another client appear', async ({ page, ada, service, feeds }) => {
  await subscribe(service, ada, publishFeed(feeds, '/elsewhere.xml', 'Elsewhere', 3));
  const listening = page.waitForResponse(/\/events\?client=/);
  await page.goto(`${service.url}/apps/news/`);
  await listening;
  const link = page.getByRole('link', { name: /Elsewhere article 2 / });
  await expect(link).toContainText('Unread');
  const item = (await storedItems(service, ada)).get('Elsewhere article 2');

  await service.call(ada, 'POST', `${NEWS}/items/${item?.id}/read`);
  await expect(link).not.toContainText('Unread');
  await expect(page).toHaveTitle('(2) Unread – Gatefold');
  await service.call(ada, 'POST', `${NEWS}/folders`, { name: 'From my phone' });
  await expect(page.getByRole('link', { name: 'From my phone' })).toBeVisible();
});

test('what arrives while the live updates connect is announced', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/early.xml', 'Early', 3));
  const arrived = Promise.withResolvers<void>();
  await page.route('**/events?client=*', async (route) => {
    await arrived.promise;
    await route.continue();
  });
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Early article 3 / }).waitFor();
  await subscribe(service, ada, publishFeed(feeds, '/meanwhile.xml', 'Meanwhile', 2));
  arrived.resolve();

  await expect(page.getByRole('button', { name: '2 new articles' })).toBeVisible();
});

test('who leaves the reader while its list loads leaves no live updates behind', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/leaving.xml', 'Leaving', 2));
  const streams: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/events?client=')) {
      streams.push(request.url());
    }
  });
  const left = Promise.withResolvers<void>();
  await page.route('**/rows?*', async (route) => {
    await left.promise;
    await route.continue();
  });
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /^Leaving/ }).waitFor();
  const loaded = page.waitForResponse('**/rows?*');
  await page.getByRole('link', { name: 'Chat', exact: true }).click();
  await expect(page.getByText('Talk to somebody').first()).toBeVisible();
  left.resolve();
  await (await loaded).finished();
  await page.getByRole('link', { name: 'Files', exact: true }).click();
  await expect(page.getByRole('heading', { name: /files/i }).first()).toBeVisible();
  expect(streams).toEqual([]);

  await page.getByRole('link', { name: 'Reader', exact: true }).click();
  await page.getByRole('link', { name: /Leaving article 1 / }).waitFor();
  await expect.poll(() => streams).toHaveLength(1);
});

test('without live updates the page polls once a minute', async ({ page, ada, service, feeds }) => {
  await subscribe(service, ada, publishFeed(feeds, '/asked.xml', 'Asked', 2));
  await page.route('**/events?client=*', (route) => route.abort());
  await page.clock.install();
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Asked article 1 / }).waitFor();
  const item = (await storedItems(service, ada)).get('Asked article 1');
  await service.call(ada, 'POST', `${NEWS}/items/${item?.id}/read`);
  await expect(page).toHaveTitle('(2) Unread – Gatefold');

  await page.clock.runFor(61_000);

  await expect(page).toHaveTitle('(1) Unread – Gatefold');
});

test('a mark that waits is sent once a minute until the service takes it', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/again.xml', 'Again', 2));
  let tries = 0;
  await page.route('**/star/multiple', async (route) => {
    tries += 1;
    await route.fulfill({ status: 503 });
  });
  await page.clock.install();
  const listening = page.waitForResponse(/\/events\?client=/);
  await page.goto(`${service.url}/apps/news/`);
  await listening;
  await page.getByRole('button', { name: 'Star', exact: true }).first().click();
  // When it is made, and as soon as the service has answered anything.
  await expect.poll(() => tries).toBe(2);
  await page.unroute('**/star/multiple');

  await page.clock.runFor(61_000);

  await expect
    .poll(async () => (await storedItems(service, ada)).get('Again article 1')?.starred)
    .toBe(true);
});

test('a failed change is undone, and the error is shown', async ({ page, ada, service, feeds }) => {
  await subscribe(service, ada, publishFeed(feeds, '/fails.xml', 'Fails', 2));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Fails article 1 / }).click();
  await page.getByRole('article').waitFor();
  const star = page.getByRole('toolbar').getByRole('button', { name: 'Star' });
  await page.route('**/star/multiple', (route) =>
    route.fulfill({ status: 409, json: { message: 'The service is being looked after.' } }),
  );

  await star.click();

  await expect(page.getByText('The service is being looked after.')).toBeVisible();
  await expect(star).toHaveAttribute('aria-pressed', 'false');
});

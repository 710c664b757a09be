import { chromium, devices } from '@playwright/test';
import { chromiumPath } from './chromium.js';
import { expect, test } from './fixtures.js';
import { publishFeed, storedItems, subscribe } from './reader-feeds.js';

const SIZES = [
  { size: 'desktop', viewport: { width: 1280, height: 800 } },
  { size: 'phone', viewport: devices['iPhone 13'].viewport },
];

for (const { size, viewport } of SIZES) {
  test(`without a connection the reader opens, shows what was loaded, and sends marks later (${size})`, async ({
    page,
    context,
    ada,
    service,
    feeds,
    keepPicture,
  }) => {
    await page.setViewportSize(viewport);
    await subscribe(service, ada, publishFeed(feeds, `/offline-${size}.xml`, 'Offline', 5));
    await page.goto(`${service.url}/apps/news/`);
    const rowOf = (n: number) =>
      page.getByRole('link', { name: new RegExp(`Offline article ${n} `) });
    await rowOf(1).click();
    await expect(page.getByRole('article')).toContainText('Text of article 1');
    const isKept = () =>
      page.evaluate(async () => {
        await navigator.serviceWorker.ready;
        const addresses = [new URL('/apps/news/', location.href), '/apps/news/api/v1-3/feeds'];
        const copies = await Promise.all(addresses.map((address) => caches.match(address)));
        return copies.every((copy) => copy !== undefined);
      });
    await expect.poll(isKept, { message: 'page and feeds are kept for offline use' }).toBe(true);

    await context.setOffline(true);
    await page.goto(`${service.url}/apps/news/`);
    await expect(page.getByText('You are offline.')).toBeVisible();
    await rowOf(1).click();
    await expect(page.getByRole('article')).toContainText('Text of article 1');
    await page.getByRole('button', { name: 'Star', exact: true }).first().click();
    await expect(page.getByText(/changes? (is|are) waiting\./)).toBeVisible();
    await keepPicture(`offline-${size}`);

    // A mark survives closing the page.
    await page.goto(`${service.url}/apps/news/starred`);
    await context.setOffline(false);
    await expect(page.getByText('You are offline.')).toHaveCount(0);
    await expect
      .poll(async () => (await storedItems(service, ada)).get('Offline article 1')?.starred)
      .toBe(true);
  });
}

test('logging out leaves nothing that can be read offline', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/left.xml', 'Left', 2));
  await page.goto(`${service.url}/apps/news/`);
  await expect(page.getByRole('link', { name: /Left article 1 / })).toBeVisible();
  const namesOfCaches = () => page.evaluate(() => caches.keys());
  await expect.poll(namesOfCaches).toContain(`gatefold-copies-${ada.userId}`);

  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.waitForURL(/\/login/);

  await expect
    .poll(async () => (await namesOfCaches()).filter((name) => name !== 'gatefold-assets'))
    .toEqual([]);
});

test('marks and logging out work over plain http, where browsers have no caches and no locks', async ({
  service,
  feeds,
}) => {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP reader.test 127.0.0.1'],
  });
  const page = await browser.newPage({ locale: 'en-GB' });
  const ada = await service.addPerson();
  await subscribe(service, ada, publishFeed(feeds, '/plain.xml', 'Plain', 2));
  const url = service.url.replace(/127\.0\.0\.1|localhost/, 'reader.test');
  await page.goto(`${url}/login`);
  await page.locator('input[name="user"]').fill(ada.userId);
  await page.locator('input[name="password"]').fill(ada.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.waitForURL((now) => now.pathname !== '/login');
  await page.goto(`${url}/apps/news/`);
  expect(await page.evaluate('isSecureContext')).toBe(false);

  await page.getByRole('link', { name: /Plain article 1 / }).click();
  await expect(page).toHaveTitle('(1) Unread – Gatefold');
  const item = (await storedItems(service, ada)).get('Plain article 2');
  await service.call(ada, 'POST', `/apps/news/api/v1-3/items/${item?.id}/read`);
  await expect(page).toHaveTitle('Unread – Gatefold');
  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.waitForURL(/\/login/);
  await browser.close();
});

import type { Page } from '@playwright/test';
import { expect, logIn, test } from './fixtures.js';
import { publishFeed, subscribe } from './reader-feeds.js';
import type { Person, Service } from './service.js';

const ROOT = '/ocs/v2.php/apps/gatefold/api/v1/preferences?format=json';

interface Area {
  readonly values: Readonly<Record<string, unknown>>;
}

async function stored(service: Service, person: Person): Promise<Readonly<Record<string, Area>>> {
  const answer = await service.call(person, 'GET', ROOT);
  return (answer as { ocs: { data: Record<string, Area> } }).ocs.data;
}

const backgroundOf = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.body).backgroundColor);

/** As a person who comes back to a window. */
async function comeBack(page: Page): Promise<void> {
  await page.clock.runFor(5_000);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
}

test('preferences are the same in two browsers; changes of both are kept', async ({
  page,
  ada,
  service,
  feeds,
  browser,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/tides.xml', 'Tides', 3));
  const other = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await other.clock.install();
  await logIn(other, service, ada, '/apps/news/all');
  await page.goto(`${service.url}/apps/news/all`);
  await page.getByRole('link', { name: /Tides article 1/ }).waitFor();

  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  const dark = await backgroundOf(page);
  await expect
    .poll(async () => (await stored(service, ada))['pages']?.values)
    .toMatchObject({ theme: 'dark' });
  await other.keyboard.press('f');
  await other.clock.runFor(1_000);
  await expect
    .poll(async () => (await stored(service, ada))['reader']?.values)
    .toMatchObject({ sidebarShown: false });

  await comeBack(other);
  await expect.poll(() => backgroundOf(other)).toBe(dark);
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.getByRole('link', { name: /Tides article 1/ })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Feeds' })).toBeHidden();
  await other.context().close();
});

test('other tabs of the browser change at once', async ({ page, ada: _ada, service }) => {
  const tab = await page.context().newPage();
  await tab.goto(`${service.url}/settings/user/profile`);
  await page.goto(`${service.url}/settings/user/profile`);

  await page.getByRole('radio', { name: 'Dark' }).check();

  await expect(tab.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(tab.getByRole('radio', { name: 'Dark' })).toBeChecked();
});

test('a failed save is said once, and tried again', async ({ page, ada, service }) => {
  await page.clock.install();
  await page.goto(`${service.url}/settings/user/profile`);
  await page.getByRole('radio', { name: 'Dark' }).waitFor();
  await page.route('**/preferences/pages?*', (route) => route.abort());

  await page.getByRole('radio', { name: 'Dark' }).check();
  await page.clock.runFor(1_000);
  const told = page.getByText('Your settings could not be saved yet.');
  await expect(told).toHaveCount(1);
  await page.clock.runFor(2_500);
  await expect(told).toHaveCount(1);
  await page.unroute('**/preferences/pages?*');
  await page.clock.runFor(10_500);

  await expect
    .poll(async () => (await stored(service, ada))['pages']?.values)
    .toMatchObject({ theme: 'dark' });
});

test('a value that is changed back while it is being saved stays changed back', async ({
  page,
  ada,
  service,
}) => {
  await page.goto(`${service.url}/settings/user/profile`);
  const saving = Promise.withResolvers<void>();
  await page.route('**/preferences/pages*', async (route) => {
    await saving.promise;
    await route.continue();
  });
  const asked = page.waitForRequest('**/preferences/pages*');
  await page.getByRole('radio', { name: 'Dark' }).check();
  await asked;
  await page.getByRole('radio', { name: 'System' }).check();
  const answered = page.waitForResponse('**/preferences/pages*');
  saving.resolve();
  await answered;

  await expect
    .poll(async () => (await stored(service, ada))['pages']?.values)
    .toMatchObject({ theme: 'system' });
  await expect(page.getByRole('radio', { name: 'System' })).toBeChecked();
});

test('a change is kept when the page is left at once', async ({ page, ada, service }) => {
  await page.goto(`${service.url}/settings/user/profile`);
  await page.getByRole('radio', { name: 'Dark' }).check();
  await page.goto(`${service.url}/status.php`);
  await page.goto(`${service.url}/settings/user/profile`);

  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked();
  await expect
    .poll(async () => (await stored(service, ada))['pages']?.values)
    .toMatchObject({ theme: 'dark' });
});

test('a change that is saved while the page is loaded again is shown', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/again.xml', 'Again', 1));
  const address = `${service.url}/apps/news/all`;
  await page.goto(address);
  await page.getByRole('link', { name: /Again article 1/ }).waitFor();
  const [written, saved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(address, async (route) => {
    const response = await route.fetch();
    written.resolve();
    await saved.promise;
    await route.fulfill({ response });
  });

  const reloaded = page.reload();
  await written.promise;
  const answered = page.waitForResponse(/\/preferences\/reader/);
  await page.keyboard.press('f');
  await (await answered).finished();
  saved.resolve();
  await reloaded;

  await page.getByRole('link', { name: /Again article 1/ }).waitFor();
  await expect(page.getByRole('navigation', { name: 'Feeds' })).toBeHidden();
});

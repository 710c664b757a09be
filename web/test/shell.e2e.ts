import { Buffer } from 'node:buffer';
import { ADMIN, expect, expectAccessible, logIn, logInByHand, test } from './fixtures.js';

/** A red square, the smallest possible image. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

test(
  'an anonymous visitor is sent to the login page and back to the requested page',
  { tag: '@main' },
  async ({ page, service }) => {
    await page.goto(`${service.url}/apps/files/`);

    await expect(page).toHaveURL(/\/login\?redirect_url=/);
    await page.locator('input[name="user"]').fill(ADMIN.userId);
    await page.locator('input[name="password"]').fill(ADMIN.password);
    await page.locator('form button:not([type])').click();
    await expect(page).toHaveURL(`${service.url}/apps/files/`);
  },
);

test('the bar links to all areas; administration only for administrators', async ({
  page,
  ada,
  service,
}) => {
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();

  await expect(page.getByRole('menuitem', { name: 'Settings' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Administration' })).toHaveCount(0);

  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/login/);
  await logInByHand(page, service, ADMIN);
  await page.getByRole('button', { name: /^Menu of/ }).click();
  await expect(page.getByRole('menuitem', { name: 'Administration' })).toBeVisible();
});

test('the dark theme survives a reload', async ({ page, ada, service }) => {
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await page.reload();

  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('foreign service workers are removed', async ({ page, ada, service }) => {
  expect(ada.userId).not.toBe('');
  await page.goto(`${service.url}/apps/news/`);
  const scripts = () =>
    page.evaluate(async () =>
      (await navigator.serviceWorker.getRegistrations())
        .map(({ installing, waiting, active }) => (installing ?? waiting ?? active)?.scriptURL)
        .map((script) => script?.replace(location.origin, ''))
        .sort(),
    );
  await expect.poll(scripts).toEqual(['/sw.js']);
  await page.evaluate(async () => {
    const scope = '/apps/app_api/proxy/tides/';
    await navigator.serviceWorker.register('/sw.js?of=an-app', { scope });
  });
  await expect.poll(scripts).toEqual(['/sw.js', '/sw.js?of=an-app']);

  await page.reload();

  await expect.poll(scripts).toEqual(['/sw.js']);
});

test('a page that was open while the service was upgraded offers to be loaded again', async ({
  page,
  ada,
  service,
}) => {
  expect(ada.userId).not.toBe('');
  await page.goto(`${service.url}/apps/news/`);
  const chat = page.getByRole('link', { name: 'Chat', exact: true });
  await page.route(/\/assets\/ChatPage-/, (route) => route.fulfill({ status: 404 }));
  await chat.click();

  await expect(page.getByText(/If Gatefold was upgraded, reload the page/)).toBeVisible();

  await page.unroute(/\/assets\/ChatPage-/);
  await page.getByRole('button', { name: 'Reload' }).click();
  await chat.click();
  await expect(page.getByRole('heading', { name: 'Talk to somebody' })).toBeVisible();
});

test('the tab is named after the page', async ({ browser, service }) => {
  const page = await browser.newPage();
  await logIn(page, service, ADMIN, '/settings/admin/users');
  await expect(page).toHaveTitle('Users – Administration – Gatefold');
  await page.goto(`${service.url}/settings/user/security`);
  await expect(page).toHaveTitle('Security – Settings – Gatefold');
  await page.goto(`${service.url}/apps/files/`);
  await expect(page).toHaveTitle('Files – Gatefold');
  await page.goto(`${service.url}/apps/spreed/`);
  await expect(page).toHaveTitle('Chat – Gatefold');
  await page.getByRole('link', { name: 'Reader' }).click();
  await expect(page).toHaveTitle(/^Unread – Gatefold$/);
  await page.goto(`${service.url}/settings/nowhere`);
  await expect(page).toHaveTitle('Page not found – Gatefold');
  await page.close();
});

test('the bell shows what arrived and when, and can be read in every theme', async ({
  service,
  keepPicture,
  page,
  ada,
}) => {
  const bob = await service.addPerson();
  const chat = '/ocs/v2.php/apps/spreed/api';
  const created = await service.call(bob, 'POST', `${chat}/v4/room?format=json`, {
    roomType: 1,
    invite: ada.userId,
  });
  const { token } = (created as { ocs: { data: { token: string } } }).ocs.data;
  await service.call(bob, 'POST', `${chat}/v1/chat/${token}?format=json`, {
    message: `Look, @"${ada.userId}", a whale`,
  });
  await page.goto(`${service.url}/apps/files/`);
  await page.getByRole('button', { name: 'Notifications: 2' }).click();
  const panel = page.getByRole('region', { name: 'Notifications' });
  await expect(panel.locator('time').first()).toHaveText(/^(now|1 minute ago)$/);
  const dismiss = panel.getByRole('button', { name: /^Dismiss “/ }).first();
  const colour = () => dismiss.evaluate((button) => getComputedStyle(button).color);
  expect(await colour()).toBe('rgb(86, 95, 115)');
  await expectAccessible(page);
  await keepPicture('shell-bell');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await keepPicture('shell-bell-phone-dark');
  await dismiss.click();
  await panel.getByRole('button', { name: 'Dismiss all' }).click();
  await expect(panel.getByText('Nothing new.')).toBeVisible();
});

test('the profile never scrolls sideways, and a picture can be removed once there is one', async ({
  page,
  ada,
  service,
  keepPicture,
}) => {
  expect(ada.userId).not.toBe('');
  await page.goto(`${service.url}/settings/user/profile`);
  const main = page.getByRole('main');
  const overflow = () => main.evaluate((element) => element.scrollWidth - element.clientWidth);
  await expect(page.getByRole('button', { name: 'Choose a picture' }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove' })).toHaveCount(0);
  for (const width of [1360, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await overflow()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await expectAccessible(page);
    await keepPicture(`shell-profile-${width}`);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await page.locator('input[type="file"]').setInputFiles({
    name: 'me.png',
    mimeType: 'image/png',
    buffer: PICTURE,
  });
  await page.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('button', { name: 'Remove' })).toHaveCount(0);
});

test('the pages are in German for German browsers', async ({ browser, service }) => {
  const context = await browser.newContext({ locale: 'de-DE' });
  const page = await context.newPage();
  await logIn(page, service, ADMIN, '/apps/news/');

  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page.getByRole('link', { name: 'Dateien' })).toBeVisible();
  await context.close();
});

test('an unknown address shows an accessible error page', async ({ page, ada, service }) => {
  expect(ada.userId).not.toBe('');
  await page.goto(`${service.url}/settings/nowhere`);

  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expectAccessible(page);
});

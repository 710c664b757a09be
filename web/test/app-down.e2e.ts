import type { Page } from '@playwright/test';
import { freePort } from '../../test/support/free-port.js';
import {
  answer,
  ICON_AND_NOTES,
  OPEN_TO_USERS,
  startExternalApp,
  type ExternalApp,
} from './external-app.js';
import { expect, expectAccessible, test as base } from './fixtures.js';
import { startService, type Service } from './service.js';

const FRONT_END = `document.getElementById('content').innerHTML = '<main><h1>Up</h1></main>'`;
const PHONE = { width: 390, height: 844 };

const ROUTES = { 'GET /js/main.js': answer('text/javascript', FRONT_END), ...ICON_AND_NOTES };

async function withPage(service: Service, appId: string): Promise<ExternalApp> {
  const app = await startExternalApp(service, appId, ROUTES, OPEN_TO_USERS);
  const page = { type: 'top_menu', name: 'chart' };
  const entry = { name: 'chart', displayName: `Chart of ${appId}`, icon: 'img/app.svg' };
  await app.announce('/ui/top-menu', entry);
  await app.announce('/ui/script', { ...page, path: 'js/main' });
  return app;
}

const test = base.extend<object, { app: ExternalApp }>({
  app: [
    async ({ service }, use) => {
      const app = await withPage(service, 'gauge');
      await use(app);
      await app.close();
    },
    { scope: 'worker' },
  ],
});

const pageOf = (appId: string) => `/apps/app_api/embedded/${appId}/chart`;
const notice = (page: Page) => page.getByRole('heading', { name: 'The app is not shown' });

test('the page of an app that is down says so, and comes back by itself', async ({
  page,
  ada: _ada,
  service,
  app,
  keepPicture,
}) => {
  await app.close();
  await page.goto(service.url + pageOf('gauge'));

  await expect(notice(page)).toBeVisible();
  await expect(page.getByText('This page tries again by itself.')).toBeVisible();
  const link = page.getByRole('navigation').getByRole('link', { name: 'Chart of gauge' });
  await expect(link.locator('svg')).toBeVisible();
  await expect(link.locator('img')).toHaveCount(0);
  await expectAccessible(page);
  await keepPicture('app-down-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await keepPicture('app-down-dark');
  await page.setViewportSize(PHONE);
  await expectAccessible(page);
  await keepPicture('app-down-phone');

  await app.open();
  await expect(page.getByRole('heading', { name: 'Up' })).toBeVisible({ timeout: 30_000 });
  await expect(notice(page)).toHaveCount(0);
  await expect(link.locator('img')).toBeVisible();
});

test('the page of an app that is down is loaded again on request', async ({
  page,
  ada: _ada,
  service,
  app,
}) => {
  await app.close();
  await page.goto(service.url + pageOf('gauge'));
  await expect(notice(page)).toBeVisible();
  await app.open();
  await page.getByRole('button', { name: 'Try again' }).click();

  await expect(page.getByRole('heading', { name: 'Up' })).toBeVisible();
});

test('an app that accepts requests and never answers is told after a while', async ({
  page,
  ada: _ada,
  service,
  app: _app,
}) => {
  await page.clock.install();
  await page.route('**/js/main.js', () => {});
  await page.goto(service.url + pageOf('gauge'), { waitUntil: 'commit' });
  await expect(page.getByRole('link', { name: 'Chart of gauge' })).toBeAttached();
  await page.clock.runFor(10_000);

  await expect(notice(page)).toBeVisible();
});

test('entries of a long menu that have no room are behind "More"', async ({
  page,
  ada: _ada,
  service,
  app,
  keepPicture,
}) => {
  const names = Array.from({ length: 12 }, (_, nth) => `station ${nth + 1}`);
  for (const name of names) {
    await app.announce('/ui/top-menu', { name, displayName: `Tide of the ${name}` });
  }
  const row = page.getByRole('navigation', { name: 'Places' });
  const more = row.getByRole('button', { name: 'More' });
  await page.goto(`${service.url}/apps/files/`);
  await expect(more).toBeVisible();
  const shown = await row.getByRole('link').count();
  await more.press('Enter');
  const items = row.getByRole('menuitem');
  // Each of 3 places and 13 entries is in the row or in the menu.
  await expect(items).toHaveCount(16 - shown);
  await expect(items.first()).toBeFocused();
  await page.keyboard.press('End');
  await expect(row.getByRole('menuitem', { name: 'Tide of the station 12' })).toBeFocused();
  await expectAccessible(page);
  await keepPicture('app-menu-more');
  await page.keyboard.press('Escape');
  await expect(more).toBeFocused();

  await page.setViewportSize(PHONE);
  await more.click();
  await expect.poll(() => row.getByRole('link').count()).toBeLessThan(shown);
  await expectAccessible(page);
  await keepPicture('app-menu-more-phone');
  await row.getByRole('menuitem', { name: 'Tide of the station 12' }).click();
  await expect(page).toHaveURL(/\/embedded\/gauge\/station%2012$/);

  await page.setViewportSize({ width: 4000, height: 800 });
  await expect(more).toHaveCount(0);
  await expect(row.getByRole('link')).toHaveCount(16);
  for (const name of names) {
    await app.announce(`/ui/top-menu?name=${encodeURIComponent(name)}`, {}, 'DELETE');
  }
});

base(
  'on an origin of its own, the page of an app that is down comes back, too',
  async ({ page }) => {
    const port = await freePort();
    const service = await startService({
      GATEFOLD_PORT: String(port),
      GATEFOLD_BASE_URL: `http://127.0.0.1:${port}`,
      GATEFOLD_APPS_ORIGIN: `http://*.localhost:${port}`,
    });
    const app = await withPage(service, 'gauge');
    const ada = await service.addPerson();
    await page.request.post(`${service.url}/login`, {
      form: { user: ada.userId, password: ada.password },
    });
    await app.close();
    await page.goto(service.url + pageOf('gauge'));
    await expect(notice(page)).toBeVisible();
    await expectAccessible(page);

    await app.open();
    const frame = page.frameLocator('iframe[title]');
    await expect(frame.getByRole('heading', { name: 'Up' })).toBeVisible({ timeout: 30_000 });
    await expect(notice(page)).toHaveCount(0);
    await app.close();
    await service.stop();
  },
);

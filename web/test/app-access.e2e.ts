import type { Page } from '@playwright/test';
import { startExternalApp, type ExternalApp } from './external-app.js';
import { expect, expectAccessible, test as base } from './fixtures.js';
import type { Person, Service } from './service.js';

/** Apps that ask to use the feed reader of a user. */

const PHONE = { width: 390, height: 844 };

const test = base.extend<object, { readonly clipper: ExternalApp }>({
  clipper: [
    async ({ service }, use) => {
      const clipper = await startExternalApp(service, 'clipper');
      await use(clipper);
      await clipper.close();
    },
    { scope: 'worker' },
  ],
});

/** Adds an article as the app, for the user. @returns the status */
async function clip(service: Service, { secret, appId }: ExternalApp, ada: Person) {
  const response = await fetch(`${service.url}/index.php/apps/news/api/v1-3/items`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'EX-APP-ID': appId,
      'EX-APP-VERSION': '1.0.0',
      'AUTHORIZATION-APP-API': Buffer.from(`${ada.userId}:${secret}`).toString('base64'),
    },
    body: JSON.stringify({
      feedTitle: 'Clippings',
      url: 'https://a.example/tide',
      title: 'Low tide at six',
      body: '<p>The harbour is dry until nine.</p>',
    }),
  });
  return response.status;
}

const isNotClipped = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

test('an app asks, is allowed, adds an article, and is revoked', async ({
  page,
  service,
  ada,
  clipper,
  keepPicture,
}) => {
  await page.goto(`${service.url}/settings/user/apps`);
  await expect(page.getByText('No app has asked')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('app-access-none');

  expect(await clip(service, clipper, ada)).toBe(403);
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('button', { name: 'Notifications: 1' }).click();
  const question = page.getByRole('link', {
    name: 'The app clipper asks to use your feed reader.',
  });
  await keepPicture('app-access-notification');
  await question.click();

  const apps = page.getByRole('list', { name: 'App access' });
  await expect(apps.getByRole('listitem')).toContainText(['clipper']);
  await expect(page.getByRole('link', { name: 'App access' })).toHaveAttribute('aria-current');
  await expectAccessible(page);
  await keepPicture('app-access-asked-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await keepPicture('app-access-asked-dark');
  await page.emulateMedia({ colorScheme: 'light' });

  await apps.getByRole('button', { name: 'Allow' }).click();
  await expect(apps.getByText('Allowed', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Notifications: 0' })).toBeVisible();
  expect(await clip(service, clipper, ada)).toBe(200);
  await page.reload();
  await expect(apps.getByText(/last used/)).toBeVisible();
  await keepPicture('app-access-allowed');

  await page.goto(`${service.url}/apps/news/`);
  await expect(
    page.getByRole('navigation', { name: 'Feeds' }).getByText('Clippings'),
  ).toBeVisible();
  await expect(page.getByText('Low tide at six').first()).toBeVisible();
  await keepPicture('app-access-article');
  await page.getByRole('navigation', { name: 'Feeds' }).getByText('Clippings').click();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('main').getByText('Low tide at six').first()).toBeVisible();
  await page.keyboard.press('e');
  const settings = page.getByRole('dialog', { name: 'Feed settings' });
  await expect(settings.getByText('Nothing is fetched.')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('app-access-feed-settings');

  await page.goto(`${service.url}/settings/user/apps`);
  await apps.getByRole('button', { name: 'Revoke' }).click();
  await expect(apps.getByText('Refused', { exact: true })).toBeVisible();
  expect(await clip(service, clipper, ada)).toBe(403);
});

test('on a phone the question is answered, too', async ({
  page,
  service,
  ada,
  clipper,
  keepPicture,
}) => {
  await page.setViewportSize(PHONE);
  await clip(service, clipper, ada);
  await page.goto(`${service.url}/settings/user/apps`);
  const apps = page.getByRole('list', { name: 'App access' });
  await expect(apps.getByText('Asks', { exact: true })).toBeVisible();
  expect(await isNotClipped(page)).toBe(true);
  await expectAccessible(page);
  await keepPicture('app-access-asked-phone');

  await apps.getByRole('button', { name: 'Refuse' }).click();

  await expect(apps.getByText('Refused', { exact: true })).toBeVisible();
  await expect(apps.getByRole('button', { name: 'Allow' })).toBeVisible();
  await expect(apps.getByRole('button', { name: 'Refuse' })).toHaveCount(0);
});

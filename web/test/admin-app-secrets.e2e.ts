import type { Page } from '@playwright/test';
import { serveExternalApp, type ExternalApp } from './external-app.js';
import { expect, expectAccessible, logIn, test as base } from './fixtures.js';
import { ADMIN, startService, type Service } from './service.js';

interface Own {
  /** An installation without apps, in which nobody has answered. */
  readonly own: Service;
  readonly external: ExternalApp;
}

const test = base.extend<Own>({
  own: async ({ playwright: _playwright }, use) => {
    const own = await startService();
    await use(own);
    await own.stop();
  },
  external: async ({ own }, use) => {
    const external = await serveExternalApp(own, 'terns');
    await use(external);
    await external.close();
  },
});

const APPS = '/settings/admin/apps';

async function expectNarrow(page: Page): Promise<void> {
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow).toBe(0);
}

test('the first registration asks for trust, later ones only say what apps may do; a secret is rotated', async ({
  page,
  own,
  external,
  keepPicture,
}) => {
  await logIn(page, own, ADMIN, APPS);
  await page.getByRole('button', { name: 'Register an app' }).click();
  const dialog = page.getByRole('dialog');
  const register = dialog.getByRole('button', { name: 'Register an app' });
  const trust = dialog.getByLabel('I trust the apps that I register.');
  await dialog.getByLabel('Address').fill(external.baseUrl);
  await dialog.getByRole('radio', { name: 'JSON' }).check();
  await dialog.getByRole('textbox', { name: 'JSON' }).fill('{"id": "terns", "name": "Terns"}');
  await dialog.getByLabel('Secret', { exact: true }).fill(external.secret);
  await expect(dialog.getByText('with the rights of whoever looks at them')).toBeVisible();
  await expect(register).toBeDisabled();
  await trust.scrollIntoViewIfNeeded();
  await keepPicture('admin-apps-trust-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await keepPicture('admin-apps-trust-dark');
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await trust.scrollIntoViewIfNeeded();
  await keepPicture('admin-apps-trust-phone');
  await expectAccessible(page);
  await expectNarrow(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });

  await trust.check();
  await register.click();
  await dialog.getByRole('button', { name: 'Show the app' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Terns' })).toBeVisible();
  await expect(page.getByText('Enabled', { exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'New secret' }).click();
  await expect(dialog.getByLabel('Minutes that the old secret stays valid')).toHaveValue('10');
  await keepPicture('admin-app-secret-light');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create secret' }).click();
  const secret = dialog.getByLabel('APP_SECRET', { exact: true });
  await expect(secret).toHaveValue(/^[0-9a-f]{128}$/);
  await expect(secret).not.toHaveValue(external.secret);
  await keepPicture('admin-app-secret-shown-light');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('Old secret valid until')).toBeVisible();
  // The app still runs with the old one.
  await external.announce('/ui/top-menu', { name: 'colony', displayName: 'Colony' });
  await page.setViewportSize({ width: 390, height: 844 });
  await keepPicture('admin-app-secret-phone');
  await expectAccessible(page);
  await expectNarrow(page);

  await page.getByRole('button', { name: 'New secret' }).click();
  await keepPicture('admin-app-secret-dialog-phone');
  await dialog.getByLabel('Minutes that the old secret stays valid').fill('0');
  await dialog.getByRole('button', { name: 'Create secret' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('Old secret valid until')).toBeHidden();

  await page.goto(`${own.url}${APPS}`);
  await page.getByRole('button', { name: 'Register an app' }).click();
  await expect(dialog.getByText('with the rights of whoever looks at them')).toBeVisible();
  await expect(trust).toBeHidden();
  await expect(register).toBeEnabled();
});

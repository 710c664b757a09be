import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { TOTP } from 'otpauth';
import { ADMIN, expect, expectAccessible, logIn, test } from './fixtures.js';
import { startService, type Person, type Service } from './service.js';

/** @param secondsFromNow codes are accepted once, so a later one is needed for the next use */
const codeOf = (secret: string, secondsFromNow = 0) =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + secondsFromNow * 1000 });

const card = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: 'Second factor' }) });

/** @returns the secret and the recovery codes; the code of this half minute is used */
async function setUp(page: Page): Promise<{ secret: string; recoveryCodes: string[] }> {
  await card(page).getByRole('button', { name: 'Set up an authenticator app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' });
  const secret = await dialog.getByLabel('Secret', { exact: true }).inputValue();
  await dialog.getByLabel('Code that the app shows').fill(codeOf(secret));
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  const codes = page.getByRole('dialog', { name: 'Recovery codes' });
  await expect(codes.getByRole('listitem')).toHaveCount(10);
  const recoveryCodes = await codes.getByRole('listitem').allTextContents();
  const download = page.waitForEvent('download');
  await codes.getByRole('link', { name: 'Save as a file' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toContain(recoveryCodes.join('\n'));
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.printed li').first()).toBeVisible();
  await expect(page.getByText('Print', { exact: true })).toBeHidden();
  await page.emulateMedia({ media: null });
  return { secret, recoveryCodes };
}

/** Enters name and password on the login page. */
async function enterPassword(page: Page, service: Service, person: Person): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`${service.url}/login?redirect_url=/settings/user/security`);
  await page.getByLabel('User name').fill(person.userId);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('heading', { name: 'Confirm it is you' })).toBeVisible();
}

for (const [name, viewport, colorScheme] of [
  ['desktop', { width: 1280, height: 900 }, 'light'],
  ['phone', { width: 360, height: 800 }, 'dark'],
] as const) {
  test(`an authenticator app is set up, asked for at the login, and removed: ${name}`, async ({
    page,
    ada,
    service,
    keepPicture,
  }) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.goto(`${service.url}/settings/user/security`);

    await card(page).getByRole('button', { name: 'Set up an authenticator app' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' });
    await expect(
      dialog.getByRole('img', { name: 'QR code for the authenticator app' }),
    ).toBeVisible();
    await expectAccessible(page);
    await keepPicture(`second-factor-set-up-${name}`);
    await dialog.getByLabel('Code that the app shows').fill('000000');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await expect(dialog.getByRole('alert')).toHaveText('The code is wrong, or was used before.');
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    const { secret, recoveryCodes } = await setUp(page);
    await expectAccessible(page);
    await keepPicture(`second-factor-codes-${name}`);
    await page.getByRole('button', { name: 'Done' }).click();
    await expect(card(page).getByText('unused: 10')).toBeVisible();
    await expectAccessible(page);
    await keepPicture(`second-factor-card-${name}`);

    await enterPassword(page, service, ada);
    await page.getByLabel('Your code').fill('000000');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByRole('alert')).toHaveText('The code is wrong or was already used.');
    await expectAccessible(page);
    await keepPicture(`second-factor-login-${name}`);
    await page.getByLabel('Your code').fill(codeOf(secret, 30));
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL(`${service.url}/settings/user/security`);

    await enterPassword(page, service, ada);
    await page.getByLabel('Your code').fill(recoveryCodes[0] ?? '');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(card(page).getByText('unused: 9')).toBeVisible();

    await card(page).getByRole('button', { name: 'Make new recovery codes' }).click();
    const renewal = page.getByRole('dialog', { name: 'Make new recovery codes' });
    await renewal.getByRole('button', { name: 'Use a code instead' }).click();
    await renewal.getByLabel('Code of your authenticator app').fill(recoveryCodes[1] ?? '');
    await expectAccessible(page);
    await keepPicture(`second-factor-proof-${name}`);
    await renewal.getByRole('button', { name: 'Make new recovery codes' }).click();
    const shown = page.getByRole('dialog', { name: 'Recovery codes' });
    await expect(shown.getByRole('listitem')).toHaveCount(10);
    await shown.getByRole('button', { name: 'Done' }).click();

    await card(page).getByRole('button', { name: 'Remove the authenticator app' }).click();
    const removal = page.getByRole('dialog', { name: 'Remove the authenticator app' });
    await removal.getByLabel('Your password').fill('wrong');
    await removal.getByRole('button', { name: 'Remove the authenticator app' }).click();
    await expect(removal.getByRole('alert')).toHaveText('The password is wrong.');
    await removal.getByLabel('Your password').fill(ada.password);
    await removal.getByRole('button', { name: 'Remove the authenticator app' }).click();
    await expect(
      card(page).getByRole('button', { name: 'Set up an authenticator app' }),
    ).toBeVisible();
  });
}

test('an administrator resets the second factor of a user', async ({
  page,
  ada,
  service,
  keepPicture,
}) => {
  await page.goto(`${service.url}/settings/user/security`);
  await setUp(page);
  await page.context().clearCookies();
  await logIn(page, service, ADMIN, '/settings/admin/users');
  await page.getByLabel('Search users').fill(ada.userId);
  const row = page.getByRole('listitem').filter({ hasText: ada.userId });
  await expect(row.getByText('Second factor')).toBeVisible();
  await row.getByRole('button', { name: `Change ${ada.userId}` }).click();
  await keepPicture('second-factor-admin');
  await page.getByRole('menuitem', { name: 'Reset the second factor' }).click();
  const dialog = page.getByRole('dialog');
  await expectAccessible(page);
  await keepPicture('second-factor-admin-reset');
  await dialog.getByRole('button', { name: 'Reset the second factor' }).click();
  await expect(row.getByText('Second factor')).toHaveCount(0);

  await page.context().clearCookies();
  await logIn(page, service, ada, '/settings/user/security');
  await page.getByRole('button', { name: /notification/i }).click();
  await expect(page.getByText('An administrator has reset your second factor.')).toBeVisible();
});

test('where it is required, it is set up during the login', async ({ page, keepPicture }) => {
  const service = await startService({ GATEFOLD_SECOND_FACTOR: 'required' });
  try {
    await page.goto(`${service.url}/login?redirect_url=/settings/user/security`);
    await page.getByLabel('User name').fill(ADMIN.userId);
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByRole('img', { name: 'QR code' })).toBeVisible();
    await expectAccessible(page);
    await keepPicture('second-factor-required');
    const secret = await page.locator('code').textContent();
    await page.getByLabel('Code that the app shows').fill(codeOf(secret ?? ''));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect(page.getByRole('heading', { name: 'Recovery codes' })).toBeVisible();
    await expect(page.getByRole('listitem')).toHaveCount(10);
    await expectAccessible(page);
    await keepPicture('second-factor-required-codes');
    await page.getByRole('link', { name: 'Continue' }).click();
    await expect(card(page).getByText('unused: 10')).toBeVisible();
  } finally {
    await service.stop();
  }
});

for (const [name, viewport, colorScheme] of [
  ['desktop', { width: 1280, height: 900 }, 'light'],
  ['phone', { width: 360, height: 800 }, 'dark'],
] as const) {
  test(`an old session asks who is there, and goes on: ${name}`, async ({
    page,
    ada,
    service,
    keepPicture,
  }) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.goto(`${service.url}/settings/user/security`);
    let refusals = 0;
    // As the service answers 15 minutes after the login; everything else is the service itself.
    await page.route(
      (url) => url.pathname.endsWith('/core/apppasswords'),
      (route) =>
        route.request().method() === 'POST' && refusals-- > 0
          ? route.fulfill({
              status: 403,
              headers: { 'X-Gatefold-Error': 'proof-required' },
              json: { ocs: { meta: { message: 'Confirm first that it is you.' }, data: [] } },
            })
          : route.fallback(),
    );
    const create = async () => {
      refusals = 1;
      await page.getByRole('button', { name: 'Create' }).click();
    };
    await page.getByLabel('New app password for').fill('Phone');

    await create();
    const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
    await expect(dialog.getByLabel('Your password')).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Use a code instead' })).toHaveCount(0);
    await expectAccessible(page);
    await keepPicture(`proof-${name}`);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('alert').getByText('Confirm first that it is you.')).toBeVisible();

    await create();
    await dialog.getByLabel('Your password').fill('wrong');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await expect(dialog.getByRole('alert')).toHaveText('The password is wrong.');
    await dialog.getByLabel('Your password').fill(ada.password);
    await dialog.getByRole('button', { name: 'Confirm' }).click();

    const added = page.getByRole('dialog', { name: 'App password for “Phone”' });
    await expect(added.getByLabel('App password', { exact: true })).toHaveValue(/^gf-/);
  });
}

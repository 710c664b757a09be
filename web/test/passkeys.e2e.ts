import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.js';
import type { Person } from './service.js';

/** A device with a passkey that is unlocked at once, in Chromium's words. */
async function addDevice(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function enterPassword(page: Page, url: string, person: Person): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`${url}/login?redirect_url=/settings/user/security`);
  await page.getByLabel('User name').fill(person.userId);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

for (const [name, viewport, colorScheme] of [
  ['desktop', { width: 1280, height: 900 }, 'light'],
  ['phone', { width: 360, height: 800 }, 'dark'],
] as const) {
  test(`a passkey is added, logs in, confirms, and is removed: ${name}`, async ({
    page,
    ada,
    service,
    keepPicture,
  }) => {
    // Browsers have no passkeys for IP addresses.
    const url = service.url.replace('127.0.0.1', 'localhost');
    const security = `${url}/settings/user/security`;
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await addDevice(page);
    await enterPassword(page, url, ada);
    await page.waitForURL(security);
    const list = page.getByRole('list', { name: 'Passkeys' });

    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const adding = page.getByRole('dialog', { name: 'Add a passkey' });
    await adding.getByLabel('Name').fill('My phone');
    await expectAccessible(page);
    await keepPicture(`passkey-add-${name}`);
    await adding.getByRole('button', { name: 'Continue' }).click();
    const codes = page.getByRole('dialog', { name: 'Recovery codes' });
    await expect(codes.getByRole('listitem')).toHaveCount(10);
    await codes.getByRole('button', { name: 'Done' }).click();
    await expect(list.getByText('My phone')).toBeVisible();
    await expect(page.getByText('unused: 10')).toBeVisible();

    await page.getByRole('button', { name: 'Rename the passkey My phone' }).click();
    const renaming = page.getByRole('dialog', { name: 'Rename' });
    await renaming.getByLabel('Name').fill('Old phone');
    await renaming.getByRole('button', { name: 'Rename' }).click();
    await expect(list.getByText('Old phone')).toBeVisible();

    // The device has one for this user.
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await adding.getByLabel('Name').fill('Another');
    await adding.getByRole('button', { name: 'Continue' }).click();
    await expect(adding.getByRole('alert')).toContainText('No passkey was made');
    await adding.getByRole('button', { name: 'Cancel' }).click();

    await page.context().clearCookies();
    await page.goto(`${url}/login?redirect_url=/settings/user/security`);
    await expectAccessible(page);
    await keepPicture(`passkey-login-${name}`);
    await page.getByRole('button', { name: 'Log in with a passkey' }).click();
    await page.waitForURL(security);
    await expect(list.getByText(/last used/)).toBeVisible();
    await expectAccessible(page);
    await keepPicture(`passkey-card-${name}`);

    await enterPassword(page, url, ada);
    await expect(page.getByRole('heading', { name: 'Confirm it is you' })).toBeVisible();
    await expectAccessible(page);
    await keepPicture(`passkey-second-factor-${name}`);
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
    await page.waitForURL(security);

    await page.getByRole('button', { name: 'Remove the passkey Old phone' }).click();
    const removal = page.getByRole('dialog', { name: 'Remove the passkey' });
    await removal.getByRole('button', { name: 'Use a passkey instead' }).click();
    await expectAccessible(page);
    await keepPicture(`passkey-proof-${name}`);
    await removal.getByRole('button', { name: 'Remove the passkey' }).click();
    await expect(page.getByText('The passkey was removed.')).toBeVisible();
    await expect(list.getByRole('listitem')).toHaveCount(0);

    // The device still has it.
    await page.context().clearCookies();
    await page.goto(`${url}/login`);
    await page.getByRole('button', { name: 'Log in with a passkey' }).click();
    await expect(page.getByRole('alert')).toHaveText(
      'The passkey was not accepted. Try again, or log in another way.',
    );
  });
}

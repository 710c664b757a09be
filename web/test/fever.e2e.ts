import { createHash } from 'node:crypto';
import { expect, expectAccessible, test } from './fixtures.js';

const PHONE = { width: 390, height: 844 };
const WEAK = /send a key that never changes and is made with MD5, which is weak/;

for (const [name, viewport] of [
  ['desktop', undefined],
  ['phone', PHONE],
] as const) {
  test(`an app password for Fever is made on request, is marked, and ends when it is revoked: ${name}`, async ({
    page,
    ada,
    service,
    keepPicture,
  }) => {
    if (viewport !== undefined) {
      await page.setViewportSize(viewport);
    }
    await page.emulateMedia({ colorScheme: viewport === undefined ? 'light' : 'dark' });
    await page.goto(`${service.url}/settings/user/security`);
    const choice = page.getByRole('checkbox', { name: 'Also for the Fever API' });
    await expect(choice).not.toBeChecked();
    await expect(choice).toHaveAccessibleDescription(WEAK);
    await page.getByLabel('New app password for').fill('Old reader');
    await choice.check();
    await expectAccessible(page);
    await keepPicture(`fever-choice-${name}`);
    await page.getByRole('button', { name: 'Create' }).click();

    const dialog = page.getByRole('dialog', { name: 'App password for “Old reader”' });
    const address = await dialog.getByLabel('Address for Fever', { exact: true }).inputValue();
    const password = await dialog.getByLabel('App password', { exact: true }).inputValue();
    expect(address).toBe(`${service.url}/fever/`);
    await keepPicture(`fever-password-${name}`);
    await dialog.getByRole('button', { name: 'Done' }).click();

    const key = createHash('md5').update(`${ada.userId}:${password}`).digest('hex');
    const ask = async () => {
      const answer = await fetch(`${address}?api`, {
        method: 'POST',
        body: new URLSearchParams({ api_key: key }),
      });
      return answer.json() as Promise<{ auth: number }>;
    };
    expect((await ask()).auth).toBe(1);
    await expect(choice).not.toBeChecked();
    await page.getByLabel('New app password for').fill('Phone');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Done' }).click();

    const items = page.getByRole('list', { name: 'App passwords' }).getByRole('listitem');
    await expect(items.filter({ hasText: 'Old reader' }).getByText('Fever')).toBeVisible();
    await expect(items.filter({ hasText: 'Phone' }).getByText('Fever')).toHaveCount(0);
    await expectAccessible(page);
    await keepPicture(`fever-list-${name}`);
    await page.getByRole('button', { name: 'Revoke “Old reader”' }).click();
    await expect(page.getByText('“Old reader” cannot log in any more.')).toBeVisible();
    expect((await ask()).auth).toBe(0);
  });
}

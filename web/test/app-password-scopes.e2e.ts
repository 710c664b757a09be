import { expect, expectAccessible, test } from './fixtures.js';

const PHONE = { width: 390, height: 844 };

for (const [name, viewport, colorScheme] of [
  ['desktop', { width: 1280, height: 800 }, 'light'],
  ['phone', PHONE, 'dark'],
] as const) {
  test(`an app password is limited to files, reading and time: ${name}`, async ({
    page,
    ada,
    service,
    keepPicture,
  }) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.goto(`${service.url}/settings/user/security`);
    await page.getByLabel('New app password for').fill('Guest');
    await page.getByLabel('Access', { exact: true }).selectOption('Files, without changes');
    await page.getByLabel('Valid for').selectOption('30 days');
    await expect(page.getByRole('checkbox', { name: 'Also for the Fever API' })).toHaveCount(0);
    await expectAccessible(page);
    await keepPicture(`app-password-scope-${name}`);
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'App password for “Guest”' });
    const token = await dialog.getByLabel('App password', { exact: true }).inputValue();
    await dialog.getByRole('button', { name: 'Done' }).click();

    const item = page
      .getByRole('list', { name: 'App passwords' })
      .getByRole('listitem')
      .filter({ hasText: 'Guest' });
    await expect(item.getByText('Files, without changes')).toBeVisible();
    await expect(item.getByText(/^until /)).toBeVisible();
    await expectAccessible(page);
    await keepPicture(`app-password-scope-list-${name}`);

    const authorization = `Basic ${Buffer.from(`${ada.userId}:${token}`).toString('base64')}`;
    const statusOf = async (method: string, path: string) =>
      (await fetch(service.url + path, { method, headers: { authorization } })).status;
    const folder = `/remote.php/dav/files/${ada.userId}/`;
    expect([
      await statusOf('PROPFIND', folder),
      await statusOf('MKCOL', `${folder}new`),
      await statusOf('GET', '/apps/news/api/v1-3/folders'),
    ]).toEqual([207, 403, 403]);
  });
}

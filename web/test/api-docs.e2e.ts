import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.js';

/** The API documents in their viewer. */

const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const;

/** Violations of the content security policy, and errors of scripts. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

for (const size of ['desktop', 'phone'] as const) {
  test(`the viewer shows an operation and tries it out (${size})`, async ({
    page,
    service,
    ada,
    keepPicture,
  }) => {
    await page.setViewportSize(SIZES[size]);
    const complaints = complaintsOf(page);

    await page.goto(`${service.url}/api/docs`);
    await expectAccessible(page);
    await keepPicture(`api-docs-index-${size}`);
    await page.getByRole('main').getByRole('link', { name: 'Feed reader API, level v1-3' }).click();
    await page.getByText('Folders', { exact: true }).click();
    await page.getByText('Creates a folder.').click();
    await keepPicture(`api-docs-${size}`);
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByRole('textbox').fill('{"name": "Harbour"}');
    await page.getByRole('button', { name: 'Execute' }).click();

    // The session's CSRF token was sent along.
    await expect(page.locator('.live-responses-table .response-col_status').nth(1)).toHaveText(
      /^200/,
    );
    await expect(page.getByText('requesttoken')).toHaveCount(0);
    await keepPicture(`api-docs-tried-${size}`);
    const folders = await service.call(ada, 'GET', '/apps/news/api/v1-3/folders');
    expect(folders).toMatchObject({ folders: [{ name: 'Harbour' }] });
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
    expect(scrollWidth).toBe(clientWidth);
    expect(complaints).toEqual([]);
  });
}

test('the viewer is dark for those who like it dark', async ({
  page,
  service,
  ada: _ada,
  keepPicture,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${service.url}/api/docs`);
  await expectAccessible(page);
  await page.goto(`${service.url}/api/docs/platform`);

  await page.getByText('Health', { exact: true }).click();
  await expect(page.getByText('Tells that the process runs.')).toBeVisible();
  await expect(page.locator('html')).toHaveClass(/dark-mode/);
  await keepPicture('api-docs-dark');
});

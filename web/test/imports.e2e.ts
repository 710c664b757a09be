import type { Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { expect, expectAccessible, test } from './fixtures.js';
import { publishFeed, storedItems, subscribe } from './reader-feeds.js';

const PHONE = { width: 390, height: 844 };

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Bring what you have' });
const button = (page: Page, name: string) =>
  dialog(page).getByRole('button', { name, exact: true });

async function bring(page: Page, name: string): Promise<void> {
  const buffer = readFileSync(`test/news/imports/files/${name}`);
  await dialog(page)
    .getByLabel('Choose a file')
    .setInputFiles({ name: 'a file', mimeType: 'application/octet-stream', buffer });
}

async function openDialog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'Bring what you have' }).click();
}

test('a file of another reader is shown, imported, and undone', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await page.setViewportSize({ width: 1360, height: 900 });
  await subscribe(service, ada, publishFeed(feeds, '/here.xml', 'Here', 1));
  await page.goto(`${service.url}/apps/news/`);
  await openDialog(page);
  await bring(page, 'bookmarks.html');

  await expect(dialog(page).getByText('From bookmarks: 3 articles')).toBeVisible();
  await expect(dialog(page).getByText('3 saved pages, without a feed')).toBeVisible();
  await dialog(page).getByText('2 are not taken, or not whole').click();
  await expect(dialog(page).getByText('A bookmarklet')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('imports-preview');
  expect((await storedItems(service, ada)).size).toBe(1);

  await button(page, 'Import').click();
  await expect(dialog(page).getByText('Imported from bookmarks')).toBeVisible();
  await expect(dialog(page).getByText('3 stored')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('imports-done');
  expect((await storedItems(service, ada)).size).toBe(4);

  await button(page, 'Undo the import').click();
  await expect(dialog(page).getByText('The import from bookmarks was undone')).toBeVisible();
  await expect.poll(async () => (await storedItems(service, ada)).size).toBe(1);
});

test('a preview waits on a phone until it is decided, and other files are refused', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await page.setViewportSize(PHONE);
  await subscribe(service, ada, publishFeed(feeds, '/kept.xml', 'Kept', 1));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('button', { name: 'Feeds', exact: true }).click();
  await openDialog(page);
  await bring(page, 'omnivore-highlights-owls-and-larks-192aaaaaaaa.md');
  await expect(dialog(page).getByRole('alert')).toHaveText(/no program whose files/);
  await bring(page, 'freshrss-starred.json');
  await expect(dialog(page).getByText('From FreshRSS: 2 articles')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('imports-preview-phone');

  await page.reload();
  await page.getByRole('button', { name: 'Feeds', exact: true }).click();
  await openDialog(page);
  await button(page, 'Do not import').click();

  await expect(dialog(page).getByLabel('Choose a file')).toBeAttached();
  expect((await storedItems(service, ada)).size).toBe(1);
});

import type { Page } from '@playwright/test';
import { Buffer } from 'node:buffer';
import { expect, expectAccessible, test } from './fixtures.js';
import type { Person, Service } from './service.js';

/** A red square, the smallest possible image. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

test.beforeEach(async ({ page, ada, service }) => {
  await keep(service, ada, 'notes.txt', 'Buy milk.\nCall Bob.');
  await page.goto(`${service.url}/apps/files/`);
  await expect(row(page, 'notes.txt')).toBeVisible();
});

test('a folder is created, opened, and left through the path', async ({ page }) => {
  await newFolder(page, 'Letters');

  await row(page, 'Letters').getByText('Letters').click();
  await expect(page).toHaveURL(/\/apps\/files\/Letters$/);
  await expect(page.getByRole('heading', { name: 'Nothing here yet' })).toBeVisible();
  await page.getByRole('link', { name: 'All files' }).click();
  await expect(row(page, 'notes.txt')).toBeVisible();
});

test('a name in use is refused with an error', async ({ page }) => {
  await newFolder(page, 'Letters');
  await newFolder(page, 'Letters', false);

  await expect(page.getByRole('status')).toContainText(/exists/i);
});

test('selected files are uploaded, listed and previewed', async ({ page, keepPicture }) => {
  await upload(page, [
    { name: 'red.png', mimeType: 'image/png', buffer: PICTURE },
    { name: 'list.md', mimeType: 'text/markdown', buffer: Buffer.from('# Things') },
  ]);
  await expect(row(page, 'red.png')).toBeVisible();

  await row(page, 'red.png').getByText('red.png').click();
  const picture = page.getByRole('dialog', { name: 'red.png' }).getByRole('img');
  await expect
    .poll(() => picture.evaluate((image) => Reflect.get(image, 'naturalWidth') as number))
    .toBe(1);
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('dialog', { name: 'notes.txt' })).toContainText('Call Bob.');
  await keepPicture('files-preview');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('an upload asks before replacing a file', async ({ page, ada, service }) => {
  const again = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('New.') };

  await upload(page, [again]);
  await page.getByRole('button', { name: 'Keep both' }).click();
  await expect(row(page, 'notes (2).txt')).toBeVisible();
  expect(await read(service, ada, 'notes.txt')).toContain('Buy milk');

  await upload(page, [again]);
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  await expect.poll(() => read(service, ada, 'notes.txt')).toBe('New.');
});

test('files are renamed, copied, moved and deleted by keyboard', async ({ page, service, ada }) => {
  await newFolder(page, 'Archive');
  await row(page, 'notes.txt').focus();
  await page.keyboard.press('F2');
  await page.keyboard.type('plans');
  await page.keyboard.press('Enter');
  await expect(row(page, 'plans.txt')).toBeVisible();
  expect(await read(service, ada, 'plans.txt')).toContain('Buy milk');

  await row(page, 'plans.txt').focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Copy here' }).click();
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page).toHaveURL(/\/Archive$/);
  await expect(row(page, 'plans.txt')).toBeVisible();

  await row(page, 'plans.txt').focus();
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing here yet' })).toBeVisible();

  await page.goBack();
  await row(page, 'plans.txt').focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Move' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Move here' }).click();
  await expect(row(page, 'plans.txt')).toHaveCount(0);
  expect(await read(service, ada, 'Archive/plans.txt')).toContain('Buy milk');
});

test('Ctrl+A selects everything, Escape nothing', async ({ page }) => {
  await newFolder(page, 'One');
  await row(page, 'notes.txt').focus();
  await page.keyboard.press('Control+a');
  await expect(page.getByText('2 selected')).toBeVisible();

  await page.keyboard.press('Escape');
  await expect(page.getByRole('toolbar')).toHaveCount(0);
});

test('a favourite stays marked after a reload', async ({ page }) => {
  const star = row(page, 'notes.txt').getByRole('button', { name: 'Favourite: notes.txt' });
  await star.click();
  await expect(star).toHaveAttribute('aria-pressed', 'true');

  await page.reload();
  await expect(star).toHaveAttribute('aria-pressed', 'true');
});

test('the list is sorted by the selected column', async ({ page, service, ada }) => {
  await keep(service, ada, 'a-long-one.txt', 'x'.repeat(5000));
  await page.reload();
  await expect(names(page)).toHaveText(['a-long-one.txt', 'notes.txt']);

  await page.getByRole('columnheader', { name: 'Size' }).getByRole('button').click();
  await expect(names(page)).toHaveText(['notes.txt', 'a-long-one.txt']);
});

test('a large folder renders only the visible rows', async ({ page, service, ada }) => {
  await call(service, ada, 'MKCOL', 'Many');
  for (let begun = 0; begun < 300; begun += 25) {
    await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        keep(service, ada, `Many/${String(begun + index).padStart(3, '0')}.txt`, '.'),
      ),
    );
  }
  await page.goto(`${service.url}/apps/files/Many`);
  await expect(row(page, '000.txt')).toBeVisible();
  expect(await page.locator('[role="row"]').count()).toBeLessThan(80);

  await row(page, '000.txt').focus();
  await page.keyboard.press('End');
  await expect(row(page, '299.txt')).toBeFocused();
});

test("another user's folder is not found", async ({ page, service }) => {
  const bob = await service.addPerson('bob');
  await call(service, bob, 'MKCOL', 'Secrets');
  await page.goto(`${service.url}/apps/files/Secrets`);

  await expect(page.getByRole('heading', { name: 'Folder not found' })).toBeVisible();
});

test('files are accessible, also in the dark theme and on a phone', async ({
  page,
  keepPicture,
}) => {
  await newFolder(page, 'Pictures');
  await newFolder(page, 'Letters');
  await row(page, 'notes.txt').focus();
  await page.keyboard.press('Space');
  await expectAccessible(page);
  await keepPicture('files-light');

  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await keepPicture('files-dark');

  await page.setViewportSize({ width: 390, height: 844 });
  await expect(row(page, 'notes.txt')).toBeVisible();
  await keepPicture('files-phone');
});

function row(page: Page, name: string) {
  return page.locator('[role="row"].entry').filter({ has: page.getByText(name, { exact: true }) });
}

function names(page: Page) {
  return page.locator('[role="row"].entry .name .text');
}

async function newFolder(page: Page, name: string, isNew = true): Promise<void> {
  await page.getByRole('button', { name: 'New' }).click();
  await page.getByRole('menuitem', { name: 'New folder' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('button', { name: 'Create' }).click();
  if (isNew) {
    await expect(row(page, name)).toBeVisible();
  }
}

async function upload(
  page: Page,
  files: { name: string; mimeType: string; buffer: Buffer }[],
): Promise<void> {
  await page.locator('input[type="file"]').setInputFiles(files);
}

async function call(
  { url }: Service,
  { userId, password }: Person,
  method: string,
  path: string,
  body?: string,
): Promise<string> {
  const response = await fetch(`${url}/remote.php/dav/files/${userId}/${path}`, {
    method,
    headers: { Authorization: `Basic ${btoa(`${userId}:${password}`)}` },
    ...(body === undefined ? {} : { body }),
  });
  expect(response.ok).toBe(true);
  return response.text();
}

async function keep(service: Service, person: Person, path: string, text: string): Promise<void> {
  await call(service, person, 'PUT', path, text);
}

function read(service: Service, person: Person, path: string): Promise<string> {
  return call(service, person, 'GET', path);
}

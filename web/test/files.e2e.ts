import type { Locator, Page } from '@playwright/test';
import { Buffer } from 'node:buffer';
import sharp from 'sharp';
import { answer, startExternalApp } from './external-app.js';
import { expect, expectAccessible, test } from './fixtures.js';
import type { Person, Service } from './service.js';

/** A red square, the smallest possible image. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

const PHONE = { width: 390, height: 844 };

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

test('a deleted file is restored by undo, or from the trash', async ({
  page,
  service,
  ada,
  keepPicture,
}) => {
  await keep(service, ada, 'plans.txt', 'Sail.');
  await page.reload();
  await row(page, 'notes.txt').focus();
  await page.keyboard.press('Delete');
  await expect(row(page, 'notes.txt')).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row(page, 'notes.txt')).toBeVisible();

  await row(page, 'notes.txt').focus();
  await page.keyboard.press('Control+a');
  await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing here yet' })).toBeVisible();
  await page.getByRole('link', { name: 'Trash' }).click();
  await expect(page).toHaveTitle('Trash – Files – Gatefold');
  await expect(page.getByRole('listitem')).toHaveCount(2);
  await expectAccessible(page);
  await keepPicture('files-trash');
  await page.getByRole('button', { name: 'Restore notes.txt' }).click();
  await expect(page.getByRole('listitem')).toHaveCount(1);
  expect(await read(service, ada, 'notes.txt')).toContain('Buy milk');

  await page.setViewportSize(PHONE);
  await keepPicture('files-trash-phone');
  await page.getByRole('button', { name: 'Empty the trash' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Empty the trash' }).click();
  await expect(page.getByRole('heading', { name: 'The trash is empty' })).toBeVisible();
});

test('the menu of a row opens by right click, button and keyboard', async ({
  page,
  keepPicture,
}) => {
  await row(page, 'notes.txt').getByText('notes.txt').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Add to favourites' }).click();
  await expect(
    row(page, 'notes.txt').getByRole('button', { name: 'Favourite: notes.txt' }),
  ).toHaveAttribute('aria-pressed', 'true');

  await row(page, 'notes.txt').focus();
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menuitem', { name: 'Open' })).toBeFocused();
  await expectAccessible(page);
  await keepPicture('files-menu');
  await page.keyboard.press('Escape');
  await expect(row(page, 'notes.txt')).toBeFocused();

  await page.setViewportSize(PHONE);
  await row(page, 'notes.txt').getByRole('button', { name: 'Actions for notes.txt' }).click();
  await keepPicture('files-menu-phone');
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.keyboard.type('plans');
  await page.keyboard.press('Enter');
  await expect(row(page, 'plans.txt')).toBeVisible();
});

test('selected files are dragged onto a folder, and onto the path', async ({
  page,
  service,
  ada,
}) => {
  await keep(service, ada, 'plans.txt', 'Sail.');
  await newFolder(page, 'Letters');
  await row(page, 'notes.txt').getByRole('checkbox').check();
  await row(page, 'plans.txt').getByRole('checkbox').check();

  await row(page, 'notes.txt').getByText('notes.txt').dragTo(row(page, 'Letters'));
  await expect(row(page, 'notes.txt')).toHaveCount(0);
  expect(await read(service, ada, 'Letters/plans.txt')).toBe('Sail.');
  expect(await page.evaluate(() => String(getSelection()))).toBe('');

  await page.getByRole('button', { name: 'Show' }).click();
  await row(page, 'plans.txt')
    .getByText('plans.txt')
    .dragTo(page.getByRole('link', { name: 'All files' }));
  await expect(row(page, 'plans.txt')).toHaveCount(0);
  expect(await read(service, ada, 'plans.txt')).toBe('Sail.');
});

test('files are found by name below the folder', async ({ page, service, ada, keepPicture }) => {
  await call(service, ada, 'MKCOL', 'Letters');
  await keep(service, ada, 'Letters/Harbour notes.txt', '.');
  await keep(service, ada, 'Letters/100%.txt', '.');

  await page.getByRole('searchbox', { name: 'Search file names' }).pressSequentially('NOTES');
  await expect(names(page)).toHaveText(['Harbour notes.txt', 'notes.txt']);
  await expect(row(page, 'Harbour notes.txt')).toContainText('Letters');
  await keepPicture('files-search');

  await page.getByRole('searchbox').fill('%');
  await expect(names(page)).toHaveText(['100%.txt']);
  await page.getByRole('searchbox').fill('nowhere');
  await expect(page.getByRole('heading', { name: 'No file is called' })).toBeVisible();
  await page.getByRole('link', { name: 'End the search' }).click();
  await expect(row(page, 'Letters')).toBeVisible();

  // However much is typed, one step leads back.
  await page.getByRole('searchbox').pressSequentially('harbour', { delay: 300 });
  await expect(names(page)).toHaveText(['Harbour notes.txt']);
  await page.goBack();
  await expect(row(page, 'Letters')).toBeVisible();
});

test('the grid shows pictures in place of icons, and is chosen for good', async ({
  page,
  service,
  ada,
  keepPicture,
}) => {
  await call(service, ada, 'MKCOL', 'Letters');
  const hues = [20, 90, 200, 280, 340];
  for (const [index, hue] of hues.entries()) {
    const create = { width: 320, height: 200, channels: 3, background: `hsl(${hue}, 60%, 55%)` };
    const picture = await sharp({ create } as never)
      .jpeg()
      .toBuffer();
    await keep(service, ada, `Harbour ${index}.jpg`, picture);
  }
  await page.reload();
  const inList = row(page, 'Harbour 0.jpg').locator('img');
  await expect.poll(() => naturalWidth(inList)).toBe(36);
  await keepPicture('files-list');

  await page.getByRole('button', { name: 'Grid view' }).click();
  const tile = page.getByRole('gridcell', { name: 'Harbour 0.jpg' });
  await expect.poll(() => naturalWidth(tile.locator('img'))).toBe(256);
  await expectAccessible(page);
  await keepPicture('files-grid');
  await tile.focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('gridcell', { name: 'Harbour 1.jpg' })).toBeFocused();

  await page.reload();
  await expect(tile).toBeVisible();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(PHONE);
  await expectAccessible(page);
  await keepPicture('files-grid-phone-dark');
});

test('a PDF file is shown, page by page', async ({ page, service, ada, keepPicture }) => {
  await keep(service, ada, 'ferry.pdf', pdf(['Ferry times from December', 'Second page']));
  await page.reload({ waitUntil: 'networkidle' });
  // What the page around it could not load is another matter, such as the icon of an app that has ended.
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));

  await row(page, 'ferry.pdf').getByText('ferry.pdf').click();
  const dialog = page.getByRole('dialog', { name: 'ferry.pdf' });
  await expect(dialog.getByText('Ferry times from December')).toBeAttached();
  await expect(dialog.getByRole('img', { name: 'Page 2 of 2' })).toBeVisible();
  await expectAccessible(page);
  await keepPicture('files-pdf');
  expect(problems).toEqual([]);

  await page.setViewportSize(PHONE);
  await keepPicture('files-pdf-phone');
  await page.keyboard.press('Escape');
  await keep(service, ada, 'broken.pdf', 'no pdf at all');
  await page.reload();
  await row(page, 'broken.pdf').getByText('broken.pdf').click();
  await expect(page.getByText('This file cannot be shown here.')).toBeVisible();
});

test('the list of uploads covers no file and closes when all are done', async ({
  page,
  keepPicture,
}) => {
  await upload(page, [{ name: 'list.md', mimeType: 'text/markdown', buffer: Buffer.from('#') }]);
  const panel = page.getByRole('region', { name: 'Uploads' });
  await expect(panel).toBeVisible();
  const [list, uploads] = [await page.getByRole('grid').boundingBox(), await panel.boundingBox()];
  expect((list?.y ?? 0) + (list?.height ?? 0)).toBeLessThanOrEqual((uploads?.y ?? 0) + 1);
  await keepPicture('files-uploads');

  await expect(row(page, 'list.md')).toBeVisible();
  await expect(panel).toHaveCount(0);
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

test('links of clients and bots lead to the file, the folder or the favourites', async ({
  page,
  service,
  ada,
}) => {
  await newFolder(page, 'Letters');
  await keep(service, ada, 'Letters/one.txt', 'Dear Bob');
  await page.goto(`${service.url}/apps/files/?dir=/Letters`);
  await expect(page).toHaveURL(/\/apps\/files\/Letters$/);
  await expect(row(page, 'one.txt')).toHaveAttribute('aria-selected', 'false');
  const fileId = await idOf(service, ada, 'Letters/one.txt');

  for (const link of [`/f/${fileId}`, `/apps/files/?fileid=${fileId}`]) {
    await page.goto(service.url + link);
    await expect(page).toHaveURL(`${service.url}/apps/files/Letters/?file=${fileId}`);
    await expect(row(page, 'one.txt')).toHaveAttribute('aria-selected', 'true');
  }
  await row(page, 'one.txt').focus();
  await page.keyboard.press('s');
  await page.goto(`${service.url}/apps/files/favorites`);
  await expect(page.getByRole('row').filter({ has: page.getByRole('gridcell') })).toHaveCount(1);
  await expect(row(page, 'one.txt')).toContainText('Letters');
  await expectAccessible(page);

  await page.goto(`${service.url}/f/999999999`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found');
});

test('a click on a file runs the default action of an app, and one on another file opens it', async ({
  page,
  service,
  ada,
}) => {
  await keep(service, ada, 'plan.sheet', 'a;b');
  const app = await startExternalApp(service, 'sheets', {
    'POST /edit': answer('application/json', '{}'),
  });
  await app.announce('/../v2/ui/files-actions-menu', {
    name: 'edit',
    displayName: 'Edit the sheet',
    actionHandler: 'edit',
    mime: 'application/octet-stream',
    defaultAction: true,
  });
  await page.reload();
  await row(page, 'plan.sheet').getByText('plan.sheet').click();
  await expect(page.getByRole('status')).toContainText('Edit the sheet: done.');
  expect(app.requests.map(({ path, userId }) => [path, userId])).toEqual([['/edit', ada.userId]]);

  await row(page, 'notes.txt').getByText('notes.txt').click();
  await expect(page.getByRole('dialog', { name: 'notes.txt' })).toBeVisible();
  await page.keyboard.press('Escape');
  await app.close();
  await row(page, 'plan.sheet').getByText('plan.sheet').click();
  await expect(page.getByRole('status')).toContainText('does not answer at the moment');
  await expect(page.getByRole('status')).not.toContainText('127.0.0.1');
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

  await page.setViewportSize(PHONE);
  await expect(row(page, 'notes.txt')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('files-phone');
});

function row(page: Page, name: string) {
  return page.locator('[role="row"].entry').filter({ has: page.getByText(name, { exact: true }) });
}

function naturalWidth(image: Locator): Promise<number> {
  return image.evaluate((element) => Reflect.get(element, 'naturalWidth') as number);
}

/** A PDF file with a line of text on each page. */
function pdf(lines: readonly string[]): Buffer {
  const pages = lines.map((_line, index) => 4 + 2 * index);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((id) => `${id} 0 R`).join(' ')}] /Count ${lines.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...lines.flatMap((line, index) => {
      const text = `BT /F1 28 Tf 60 700 Td (${line}) Tj ET`;
      return [
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] ' +
          `/Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
        `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
      ];
    }),
  ];
  let file = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const start = file.length;
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}`;
  file += `trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

function names(page: Page) {
  return page.locator('[role="row"].entry .name bdi.cut');
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
  body?: string | Buffer,
): Promise<string> {
  const response = await fetch(`${url}/remote.php/dav/files/${userId}/${path}`, {
    method,
    headers: { Authorization: `Basic ${btoa(`${userId}:${password}`)}` },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
  expect(response.ok).toBe(true);
  return response.text();
}

async function keep(
  service: Service,
  person: Person,
  path: string,
  content: string | Buffer,
): Promise<void> {
  await call(service, person, 'PUT', path.replaceAll('%', '%25'), content);
}

async function idOf(service: Service, person: Person, path: string): Promise<string> {
  const body =
    '<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><oc:fileid/></d:prop></d:propfind>';
  const answer = await call(service, person, 'PROPFIND', path, body);
  return /fileid>(\d+)</.exec(answer)?.[1] ?? '';
}

function read(service: Service, person: Person, path: string): Promise<string> {
  return call(service, person, 'GET', path);
}

import { readFile } from 'node:fs/promises';
import { ApiClient } from '../../test/support/api-client.js';
import { DavClient } from '../../test/support/dav-client.js';
import { readZip } from '../../test/support/read-zip.js';
import { expect, expectAccessible, test } from './fixtures.js';

test('A person takes everything with them: makes a file, downloads it, and deletes it.', async ({
  page,
  ada,
  service,
  keepPicture,
}) => {
  const user = Object.assign(new ApiClient(service.url, ada), { credentials: ada });
  await new DavClient(user).put('/tide.txt', 'low');
  await page.goto(`${service.url}/settings/user`);
  const card = page.getByRole('region', { name: 'Take everything with you' });
  await card.scrollIntoViewIfNeeded();
  await expect(card.getByRole('checkbox', { name: 'With my files' })).toBeChecked();
  await expectAccessible(page);
  await keepPicture('export-before');

  await card.getByRole('button', { name: 'Make the file' }).click();
  await expect(card.getByText(/^Made at/)).toBeVisible();
  const arriving = page.waitForEvent('download');
  await card.getByRole('button', { name: 'Download' }).click();
  const download = await arriving;
  expect(download.suggestedFilename()).toContain(ada.userId);
  const names = readZip(await readFile(await download.path())).map(([name]) => name);
  expect(names).toEqual(expect.arrayContaining(['README.txt', 'files/tide.txt']));
  expect(names.at(-1)).toBe('manifest.json');
  await card.scrollIntoViewIfNeeded();
  for (const width of [390, 1360]) {
    await page.setViewportSize({ width, height: 900 });
    await card.scrollIntoViewIfNeeded();
    await keepPicture(`export-${width}`);
  }
  await expectAccessible(page);

  await card.getByRole('button', { name: 'Delete the file' }).click();
  await expect(card.getByRole('button', { name: 'Make the file' })).toBeVisible();
});

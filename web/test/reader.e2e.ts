import { expect, expectAccessible, test } from './fixtures.js';
import { publishFeed } from './reader-feeds.js';

test('the first visit leads to the first feed', async ({ page, ada, feeds, keepPicture }) => {
  expect(ada.userId).not.toBe('');
  await page.getByRole('heading', { name: 'What would you like to read?' }).waitFor();
  await expectAccessible(page);
  await keepPicture('reader-welcome');
  publishFeed(feeds, '/first.xml', 'First Feed', 7);

  await page.getByLabel('Address').fill(feeds.url('/first.xml'));
  await page.keyboard.press('Enter');
  const found = page.getByRole('region', { name: 'What was found' });
  await expect(found.getByRole('heading', { name: 'First Feed' })).toBeVisible();
  await expect(found.getByRole('listitem')).toHaveCount(5);
  await page.getByLabel('Folder').selectOption('New folder …');
  await page.getByLabel('Name of the folder').fill('Science');
  await keepPicture('reader-preview');
  await page.getByRole('button', { name: 'Subscribe' }).click();

  await expect(page.getByRole('heading', { name: 'First Feed' })).toBeVisible();
  await expect(page.getByRole('link', { name: /First Feed article 1/ })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Science 7' })).toBeVisible();
  await expect(page).toHaveTitle('(7) First Feed – Gatefold');
  await keepPicture('reader-list');
});

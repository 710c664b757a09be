import { expect, expectAccessible, test } from './fixtures.js';
import { addFolder, publishFeed, subscribe } from './reader-feeds.js';

const PHONE = { width: 390, height: 844 };

test('a folder is published, read at its address, renewed and taken back', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const folderId = await addFolder(service, ada, 'Harbour');
  await subscribe(service, ada, publishFeed(feeds, '/published.xml', 'Lamps', 3), folderId);
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /^Harbour/ }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Publish as a feed' }).click();
  const dialog = page.getByRole('dialog', { name: 'Publish “Harbour”' });
  await expect(dialog.getByText('Everyone with an account here')).toBeVisible();
  await dialog.getByRole('button', { name: 'Publish' }).click();
  const address = dialog.getByLabel('Page', { exact: true });
  await expect(address).toHaveValue(/\/apps\/news\/out\/[\w-]{32}$/);
  await expect(dialog.getByLabel('Atom feed', { exact: true })).toHaveValue(/feed\.atom$/);
  await expectAccessible(page);
  await keepPicture('publish-dialog');

  const first = await address.inputValue();
  await page.setViewportSize(PHONE);
  await page.goto(first);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour');
  await expect(page.getByRole('article')).toHaveCount(3);
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await keepPicture('published-page');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);

  await page.goto(`${service.url}/settings/user/reader`);
  const card = page.getByRole('region', { name: 'Published lists and articles' });
  await expect(card.getByLabel('Harbour', { exact: true })).toHaveValue(first);
  await expectAccessible(page);
  await card.getByRole('button', { name: 'New address for Harbour' }).click();
  await expect(card.getByLabel('Harbour', { exact: true })).not.toHaveValue(first);
  await keepPicture('published-lists');
  expect((await page.request.get(first)).status()).toBe(404);
  const second = await card.getByLabel('Harbour', { exact: true }).inputValue();
  expect((await page.request.get(second)).status()).toBe(200);
  await card.getByRole('button', { name: 'Take back Harbour' }).click();
  await expect(card.getByText('Nothing is published.')).toBeVisible();
  expect((await page.request.get(second)).status()).toBe(404);
});

test('one article gets a public link', async ({ page, ada, service, feeds }) => {
  await subscribe(service, ada, publishFeed(feeds, '/linked.xml', 'Lamps', 2));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Lamps article 1/ }).click();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Public link' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Whole texts, not only their beginnings').check();
  await dialog.getByRole('button', { name: 'Publish' }).click();
  const address = await dialog.getByLabel('Page', { exact: true }).inputValue();
  await expect(dialog.getByLabel('Atom feed', { exact: true })).toHaveCount(0);
  await page.goto(address);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Lamps article 1');
  await expect(page.getByRole('article')).toContainText('It goes on for a while.');
});

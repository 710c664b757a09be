import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.js';
import { addFolder, publishFeed, subscribe } from './reader-feeds.js';

const tree = (page: Page) => page.getByRole('navigation', { name: 'Feeds' });
const field = (page: Page) => page.getByRole('combobox', { name: 'Search' });
const options = (page: Page) => tree(page).getByRole('option');
const rows = (page: Page) => page.getByRole('list', { name: 'Articles' }).getByRole('link');
const article = (title: string, body: string, day = 1) => ({
  title,
  guid: title,
  body: `<p>${body}</p>`,
  pubDate: new Date(Date.UTC(2026, 9, day)),
});
const ARTICLES = [
  article('A ship comes home', 'The harbour was full.', 3),
  article('Lamps', 'A lantern, and another lantern, and a lantern again.', 2),
  article('Lantern festival', 'Light in every street.', 1),
];

test.use({ viewport: { width: 1360, height: 800 } });

test('the search box offers names, reads the query back, and marks the place of an error', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const folderId = await addFolder(service, ada, 'Code & Co');
  await subscribe(service, ada, publishFeed(feeds, '/offers.xml', 'Lights', ARTICLES), folderId);
  await page.goto(`${service.url}/apps/news/`);
  await expect(rows(page)).toHaveCount(3);

  await page.keyboard.press('/');
  await page.keyboard.type('lantern -inti');
  await expect(options(page)).toHaveText([/^intitle:/]);
  await page.keyboard.press('ArrowDown');
  await expect(field(page)).toHaveAttribute('aria-activedescendant', /./);
  await expectAccessible(page);
  await keepPicture('search-offers');
  await page.keyboard.press('Enter');
  await expect(field(page)).toHaveValue('lantern -intitle:');
  await expect(page.getByRole('search').locator('mark')).toHaveText('intitle:');
  await page.keyboard.type('(festival');
  await expect(field(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByRole('search').locator('mark')).toHaveText('(festival');
  await expect(field(page)).toHaveAccessibleDescription(/festival.*bracket/i);
  await expectAccessible(page);
  await keepPicture('search-error');
  // Enter leads to the place instead of a search.
  await page.keyboard.press('Enter');
  expect(await field(page).evaluate((it) => (it as HTMLInputElement).selectionStart)).toBe(17);
  await page.keyboard.press('End');
  await page.keyboard.type(')');
  await expect(field(page)).not.toHaveAttribute('aria-invalid');
  await expect(field(page)).toHaveAccessibleDescription(/lantern/);
  await keepPicture('search-reading');
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveText([/Lamps/]);

  await page.keyboard.press('/');
  await page.keyboard.type('folder:co');
  await expect(options(page)).toHaveText([/^folder:"Code & Co"/]);
  await page.keyboard.press('Escape');
  await expect(options(page)).toHaveCount(0);
  await page.keyboard.type('de');
  await options(page).click();
  await expect(field(page)).toHaveValue('folder:"Code & Co" ');
  await page.keyboard.type('ship');
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveText([/A ship comes home/]);

  // An address with words that cannot be read says so as well.
  await page.goto(`${service.url}/apps/news/search?q=${encodeURIComponent('a (b')}`);
  await expect(page.getByRole('alert').locator('mark')).toHaveText('(b');
  await expectAccessible(page);
});

test('results have an order, and a search is saved, counted, changed and deleted in the tree', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/saved.xml', 'Harbour', ARTICLES));
  await page.goto(`${service.url}/apps/news/search?q=lantern`);
  await expect(rows(page)).toHaveText([/Lamps/, /Lantern festival/]);
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Best matches first');
  await expect(page).toHaveURL(/order=relevance/);
  await expect(rows(page)).toHaveText([/Lantern festival/, /Lamps/]);
  await expectAccessible(page);
  await keepPicture('search-found');

  await page.goto(`${service.url}/apps/news/search?q=lantern+or+lamp`);
  await page.getByRole('button', { name: 'Save search' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save search' });
  await dialog.getByLabel('Name').fill('Lights');
  // As it is written in a rule, where `or` would be a word.
  await expect(dialog.getByLabel('Search for')).toHaveValue('lantern OR lamp*');
  await expectAccessible(page);
  await keepPicture('search-save');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const line = tree(page).getByRole('link', { name: /^Lights 2/ });
  await line.click();
  await expect(page).toHaveURL(/\/apps\/news\/searches\/\d+$/);
  await expect(page.getByRole('heading', { name: 'Lights', level: 1 })).toBeVisible();
  await expect(rows(page)).toHaveText([/Lamps/, /Lantern festival/]);
  await expect(field(page)).toHaveValue('lantern OR lamp*');
  await keepPicture('search-saved');
  await page.reload();
  await expect(rows(page)).toHaveCount(2);

  const menu = async (item: string) => {
    await tree(page).getByRole('button', { name: 'Menu of Lights' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: item }).click();
  };
  await menu('Edit search');
  const editing = page.getByRole('dialog', { name: 'Edit search' });
  await editing.getByLabel('Search for').fill('festival');
  await editing.getByRole('button', { name: 'Save' }).click();
  await expect(rows(page)).toHaveText([/Lantern festival/]);

  await menu('Make a rule of it');
  await expect(page.getByLabel('Which articles')).toHaveValue('search:Lights');
  await page.goBack();
  await menu('Delete search');
  await expect(page).toHaveURL(/\/apps\/news\/$/);
  await expect(tree(page).getByRole('link', { name: /^Lights 1/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(tree(page).getByRole('link', { name: 'Lights 1' })).toBeVisible();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a name is offered and taken by touch', async ({
    page,
    ada,
    service,
    feeds,
    keepPicture,
  }) => {
    await subscribe(service, ada, publishFeed(feeds, '/offers-phone.xml', 'Lights', ARTICLES));
    await page.goto(`${service.url}/apps/news/`);
    await page.getByRole('button', { name: 'Feeds', exact: true }).tap();
    await field(page).tap();
    await field(page).pressSequentially('inti');
    await page.getByRole('option', { name: /^intitle:/ }).tap();
    await field(page).pressSequentially('ship');
    await expect(field(page)).toHaveValue('intitle:ship');
    await expect(field(page)).toHaveAccessibleDescription(/ship/);
    await expectAccessible(page);
    await keepPicture('search-phone');
    await field(page).press('Enter');
    await expect(rows(page)).toHaveText([/A ship comes home/]);
    await expectAccessible(page);
    await keepPicture('search-found-phone');
  });
});

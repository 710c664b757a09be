import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.js';
import { publishFeed, storedItems, subscribe } from './reader-feeds.js';
import type { Person, Service } from './service.js';

const NEWS = '/index.php/apps/news/api/v1-3';

const tree = (page: Page) => page.getByRole('navigation', { name: 'Feeds' });
const article = (page: Page) => page.getByRole('article');
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Labels' });

/** What the service says: names of labels with their numbers of items. */
async function storedLabels(service: Service, person: Person): Promise<unknown> {
  const { labels } = (await service.call(person, 'GET', `${NEWS}/labels`)) as {
    labels: { name: string; itemCount: number }[];
  };
  return labels.map(({ name, itemCount }) => [name, itemCount]);
}

async function labelItem(service: Service, person: Person, title: string, add: readonly string[]) {
  const item = (await storedItems(service, person)).get(title);
  await service.call(person, 'POST', `${NEWS}/items/${item?.id}/labels`, { add, remove: [] });
}

test('labels are set by keys, and listed, renamed and removed in the tree', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/labels.xml', 'Tides', 4));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Tides article 2 / }).click();
  await expect(article(page).getByRole('button', { name: 'Add label' })).toBeVisible();
  await expect(tree(page).getByRole('heading', { name: 'Labels' })).toHaveCount(0);

  await page.keyboard.press('l');
  await dialog(page).getByLabel('Find or create a label').fill('Read later');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('checkbox', { name: 'Read later' })).toBeChecked();
  await page.keyboard.type('recipes');
  await expect(dialog(page).getByRole('button', { name: 'Create “recipes”' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('checkbox', { name: 'recipes' })).toBeChecked();
  await keepPicture('labels-dialog');
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toHaveCount(0);
  const chips = article(page).getByRole('list', { name: 'Labels' }).getByRole('link');
  await expect(chips).toHaveText(['Read later', 'recipes']);
  expect(await storedLabels(service, ada)).toEqual([
    ['Read later', 1],
    ['recipes', 1],
  ]);
  await expectAccessible(page);
  await keepPicture('labels-article');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await keepPicture('labels-article-dark');
  await page.emulateMedia({ colorScheme: 'light' });

  await article(page).getByRole('button', { name: 'Remove label “recipes”' }).click();
  await expect(chips).toHaveText(['Read later']);
  await page.getByRole('link', { name: /Tides article 4 / }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Labels …' }).click();
  await dialog(page).getByRole('checkbox', { name: 'Read later' }).check();
  await page.keyboard.press('Escape');
  await expect(tree(page).getByRole('link', { name: 'Read later 1' })).toBeVisible();

  // Above the feeds; search and “+” do not scroll away.
  await expect(tree(page).locator('.lines > :last-child')).toHaveClass('roots');
  await page.setViewportSize({ width: 1280, height: 300 });
  await page.locator('.lines').evaluate((lines) => lines.scrollTo({ top: 1e6 }));
  await expect(tree(page).getByRole('button', { name: 'Add a feed' })).toBeInViewport();
  await page.setViewportSize({ width: 1280, height: 800 });
  await tree(page).getByRole('link', { name: 'Read later 1' }).click();
  await expect(page).toHaveURL(/\/apps\/news\/labels\/\d+$/);
  await expect(page.getByRole('heading', { name: 'Read later', level: 1 })).toBeVisible();
  const rows = page.getByRole('list', { name: 'Articles' }).getByRole('link');
  await expect(rows).toHaveText([/Tides article 2/, /Tides article 4/]);
  await page.keyboard.press('/');
  await page.keyboard.type('article');
  await page.getByRole('radio', { name: 'In “Read later”' }).check();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/q=article&label=\d+$/);
  await expect(page.getByText('2 matches')).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Read later', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(tree(page).getByRole('link', { name: 'Read later', exact: true })).toBeVisible();

  const menu = async (item: string) => {
    await tree(page).getByRole('button', { name: 'Menu of Read later' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: item }).click();
  };
  await menu('Rename label');
  const renaming = page.getByRole('dialog', { name: 'Rename label' });
  await renaming.getByLabel('Name of the label').fill('Harbour');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Harbour', level: 1 })).toBeVisible();

  await tree(page).getByRole('button', { name: 'Menu of Harbour' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Delete label' }).click();
  await expect(page).toHaveURL(/\/apps\/news\/$/);
  await expect(tree(page).getByRole('link', { name: 'Harbour' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(tree(page).getByRole('link', { name: 'Harbour' })).toBeVisible();
  expect(await storedLabels(service, ada)).toEqual([
    ['Harbour', 2],
    ['recipes', 0],
  ]);
});

test('a label that another client sets appears', async ({ page, ada, service, feeds }) => {
  await subscribe(service, ada, publishFeed(feeds, '/labels-live.xml', 'Harbours', 2));
  const listening = page.waitForResponse(/\/events\?client=/);
  await page.goto(`${service.url}/apps/news/`);
  await listening;
  await page.getByRole('link', { name: /Harbours article 1 / }).click();
  await expect(article(page).getByRole('button', { name: 'Add label' })).toBeVisible();

  await labelItem(service, ada, 'Harbours article 1', ['From elsewhere']);

  await expect(article(page).getByRole('link', { name: 'From elsewhere' })).toBeVisible();
  await expect(tree(page).getByRole('link', { name: 'From elsewhere' })).toBeVisible();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('labels are set by touch, and their list opens from the drawer', async ({
    page,
    ada,
    service,
    feeds,
    keepPicture,
  }) => {
    await subscribe(service, ada, publishFeed(feeds, '/labels-phone.xml', 'Boats', 3));
    await labelItem(service, ada, 'Boats article 3', [
      'A label with a name that is quite long',
      'b',
    ]);
    await page.goto(`${service.url}/apps/news/`);
    await page.getByRole('link', { name: /Boats article 3 / }).tap();
    await article(page).getByRole('button', { name: 'Add label' }).tap();
    await dialog(page).getByLabel('Find or create a label').fill('Sails');
    await dialog(page).getByRole('button', { name: 'Create “Sails”' }).tap();
    await expect(dialog(page).getByRole('checkbox', { name: 'Sails' })).toBeChecked();
    await expectAccessible(page);
    await keepPicture('labels-dialog-phone');
    await dialog(page).getByRole('button', { name: 'Close' }).tap();
    await expect(article(page).getByRole('link', { name: 'Sails' })).toBeVisible();
    await expectAccessible(page);
    await keepPicture('labels-article-phone');

    await page.getByRole('button', { name: 'Back' }).tap();
    await page.getByRole('button', { name: 'Feeds', exact: true }).tap();
    await expect(tree(page).getByRole('link', { name: 'Sails' })).toBeVisible();
    await expectAccessible(page);
    await keepPicture('labels-tree-phone');
    await tree(page).getByRole('link', { name: 'Sails' }).tap();
    await expect(page.getByRole('heading', { name: 'Sails', level: 1 })).toBeVisible();
  });
});

import type { Page } from '@playwright/test';
import type { FeedServer } from '../../test/support/feed-server.js';
import { expect, expectAccessible, test } from './fixtures.js';
import { addFolder, publishFeed, storedItems, subscribe } from './reader-feeds.js';
import type { Person, Service } from './service.js';

async function begin(
  page: Page,
  service: Service,
  ada: Person,
  feeds: FeedServer,
  articles = 5,
): Promise<number> {
  const feedId = await subscribe(service, ada, publishFeed(feeds, '/keys.xml', 'Keys', articles));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Keys article 1 / }).waitFor();
  return feedId;
}

const opened = (page: Page) => page.getByRole('article').getByRole('heading', { level: 1 });

test('j and k open the next and previous article, n and p move, o and Enter open, Esc closes', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await begin(page, service, ada, feeds);

  await page.keyboard.press('j');
  await expect(opened(page)).toHaveText('Keys article 1');
  await page.keyboard.press('j');
  await expect(opened(page)).toHaveText('Keys article 2');
  await page.keyboard.press('k');
  await expect(opened(page)).toHaveText('Keys article 1');

  await page.keyboard.press('n');
  await page.keyboard.press('n');
  await page.keyboard.press('p');
  await expect(opened(page)).toHaveText('Keys article 1');
  await expect(page.getByRole('link', { name: /Keys article 2 / })).toBeFocused();
  await page.keyboard.press('o');
  await expect(opened(page)).toHaveText('Keys article 2');
  await page.keyboard.press('n');
  await page.keyboard.press('Enter');
  await expect(opened(page)).toHaveText('Keys article 3');

  await page.keyboard.press('Escape');
  await expect(opened(page)).toHaveCount(0);
  await expect(page).toHaveURL(`${service.url}/apps/news/`);
});

test('an opened article has the focus: the browser’s keys scroll it, j and k step', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const body = '<p>A long text.</p>'.repeat(200);
  const items = [1, 2].map((n) => ({ title: `Long ${n}`, guid: String(n), body }));
  await subscribe(service, ada, publishFeed(feeds, '/long.xml', 'Essays', items));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Long 1/ }).waitFor();
  const pane = page.locator('.pane .scroller');
  const top = () => pane.evaluate((it) => it.scrollTop);

  await page.keyboard.press('j');
  await expect(opened(page)).toHaveText('Long 1');
  await expect(pane).toBeFocused();
  for (const key of ['Space', 'PageDown', 'ArrowDown', 'End']) {
    const before = await top();
    await page.keyboard.press(key);
    await expect.poll(top).toBeGreaterThan(before);
  }
  await page.keyboard.press('j');
  await expect(opened(page)).toHaveText('Long 2');
  await expect.poll(top).toBe(0);
  await page.keyboard.press('Space');
  await expect.poll(top).toBeGreaterThan(0);

  await page.keyboard.press('p');
  await expect(page.getByRole('link', { name: /Long 1/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(opened(page)).toHaveText('Long 1');
  await expect(pane).toBeFocused();
  await page.getByRole('link', { name: /Long 2/ }).click();
  await expect(opened(page)).toHaveText('Long 2');
  await expect(pane).toBeFocused();
});

test('a dialog shows an error at its field', async ({ page, ada, service, feeds }) => {
  const feedId = await begin(page, service, ada, feeds);
  await addFolder(service, ada, 'Science');
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'New folder' }).click();
  const name = page.getByLabel('Name of the folder');
  await name.fill('Science');
  await page.keyboard.press('Enter');

  await expect(name).toHaveAccessibleDescription('A folder named "Science" already exists.');
  await expect(name).toHaveAttribute('aria-invalid', 'true');
  await page.keyboard.press('Escape');

  await page.keyboard.press('e');
  const settings = page.getByRole('dialog', { name: 'Feed settings' });
  await settings.getByLabel('Folder').selectOption('New folder …');
  await settings.getByLabel('Name of the folder').fill('Science');
  await settings.getByRole('button', { name: 'Save' }).click();
  await expect(settings.getByRole('alert')).toHaveText('A folder named "Science" already exists.');
});

test('a list has a heading and unique landmarks', async ({ page, ada, service, feeds }) => {
  await begin(page, service, ada, feeds);
  await expect(page.getByRole('heading', { level: 1, name: 'Unread' })).toBeVisible();
  await page.keyboard.press('j');
  await expect(opened(page)).toHaveText('Keys article 1');

  await expect(page.getByRole('region', { name: 'Article', exact: true })).toHaveCount(1);
});

test('a closed dialog restores the focus', async ({ page, ada, service, feeds }) => {
  await begin(page, service, ada, feeds);
  const more = page.getByRole('button', { name: 'More', exact: true });
  await more.click();
  await page.getByRole('menuitem', { name: 'New folder' }).click();
  await expect(page.getByLabel('Name of the folder')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(more).toBeFocused();

  await page.keyboard.press('j');
  const pane = page.locator('.pane .scroller');
  await expect(pane).toBeFocused();
  await page.keyboard.press('e');
  await expect(page.getByRole('dialog', { name: 'Feed settings' })).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(pane).toBeFocused();
});

test('m keeps unread, s stars', async ({ page, ada, service, feeds }) => {
  await begin(page, service, ada, feeds);
  const stored = async () => (await storedItems(service, ada)).get('Keys article 1');

  await page.keyboard.press('j');
  await expect.poll(async () => (await stored())?.unread).toBe(false);
  await page.keyboard.press('m');
  await expect.poll(async () => (await stored())?.unread).toBe(true);
  await page.keyboard.press('m');
  await expect.poll(async () => (await stored())?.unread).toBe(false);
  await page.keyboard.press('s');
  await expect.poll(async () => (await stored())?.starred).toBe(true);
  await page.keyboard.press('s');
  await expect.poll(async () => (await stored())?.starred).toBe(false);
});

test('v opens the original in a new tab', async ({ page, ada, service, feeds, context }) => {
  await begin(page, service, ada, feeds);
  await context.route('https://publisher.example/**', (route) => route.fulfill({ body: 'there' }));

  await page.keyboard.press('j');
  await expect(opened(page)).toHaveText('Keys article 1');
  const [original] = await Promise.all([context.waitForEvent('page'), page.keyboard.press('v')]);

  await expect(original).toHaveURL('https://publisher.example/Keys/1');
  expect(await original.evaluate(() => window.opener as unknown)).toBeNull();
});

test('Shift+A marks the list read up to its newest item, and can be undone', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const feedId = await begin(page, service, ada, feeds);
  await subscribe(service, ada, publishFeed(feeds, '/rest.xml', 'Rest', 2));
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await page.getByRole('link', { name: /Keys article 2 / }).click();
  await expect(page).toHaveTitle('(6) Keys – Gatefold');
  const unread = async () =>
    [...(await storedItems(service, ada)).values()]
      .filter((item) => item.unread)
      .map(({ title }) => title)
      .sort();

  await page.keyboard.press('Shift+A');
  await expect(page).toHaveTitle('(2) Keys – Gatefold');
  await expect.poll(unread).toEqual(['Rest article 1', 'Rest article 2']);
  await page.getByRole('button', { name: 'Undo' }).click();

  await expect(page).toHaveTitle('(6) Keys – Gatefold');
  expect(await unread()).toEqual([
    'Keys article 1',
    'Keys article 3',
    'Keys article 4',
    'Keys article 5',
    'Rest article 1',
    'Rest article 2',
  ]);
  await page.keyboard.press('Shift+A');
  await expect(page).toHaveTitle('(2) Keys – Gatefold');
  await page.keyboard.press('Shift+A');
  await expect(page.getByText('There was nothing unread.')).toBeVisible();
});

test('r refreshes, / searches, g and a letter open lists', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await begin(page, service, ada, feeds);

  await page.keyboard.press('/');
  const field = page.getByRole('combobox', { name: 'Search' });
  await expect(field).toBeFocused();
  await page.keyboard.type('jk');
  await expect(field).toHaveValue('jk');
  await expect(opened(page)).toHaveCount(0);
  await field.fill('"article 3"');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/apps\/news\/search\?q=/);
  await expect(page.getByRole('heading', { name: 'Results for “"article 3"”' })).toBeVisible();
  await page.getByRole('link', { name: /Keys article 3 / }).waitFor();
  await page.keyboard.press('j');
  await expect(opened(page)).toHaveText('Keys article 3');

  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await expect(page).toHaveURL(`${service.url}/apps/news/all`);
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await expect(page).toHaveURL(`${service.url}/apps/news/starred`);
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await expect(page).toHaveURL(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Keys article 1 / }).waitFor();
  const asked = page.waitForRequest(/\/rows\?/);
  await page.keyboard.press('r');
  await asked;
});

test('a, e, f and ? open their dialogs, and the help lists every key', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await begin(page, service, ada, feeds);

  await page.keyboard.press('a');
  await expect(page.getByRole('dialog', { name: 'Add a feed' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('j');
  await expect(opened(page)).toHaveText('Keys article 1');
  await page.keyboard.press('e');
  await expect(page.getByRole('dialog', { name: 'Feed settings' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(opened(page)).toBeVisible();

  const sidebar = page.getByRole('navigation', { name: 'Feeds' });
  await page.keyboard.press('f');
  await expect(sidebar).toBeHidden();
  await page.reload();
  await expect(opened(page)).toBeVisible();
  await expect(sidebar).toBeHidden();
  await page.keyboard.press('f');
  await expect(sidebar).toBeVisible();

  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet.getByRole('term')).toHaveText([
    'j',
    'k',
    'n',
    'p',
    'o / ↵',
    'v',
    '⇧j',
    '⇧k',
    '⇧u',
    'm',
    's',
    '⇧s',
    'l',
    'h',
    '⇧a',
    'r',
    '/',
    'gu',
    'ga',
    'gs',
    'a',
    'b',
    'e',
    'f',
    '⇧p',
    '?',
    'Esc',
  ]);
  await expectAccessible(page);
  await keepPicture('reader-shortcuts');

  await sheet.getByLabel('Use keyboard shortcuts').uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('?');
  await expect(opened(page)).toHaveText('Keys article 1');
  await expect(sheet).toHaveCount(0);
});

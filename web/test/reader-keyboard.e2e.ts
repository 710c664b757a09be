import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.js';
import { addFolder, articlesOf, publishFeed, storedItems, subscribe } from './reader-feeds.js';

const opened = (page: Page) => page.getByRole('article').getByRole('heading', { level: 1 });
const tree = (page: Page) => page.getByRole('navigation', { name: 'Feeds' });

test('Space reads an article to its end, then the next; Shift+Space goes back', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const items = articlesOf('Essays', 3).map((item) => ({
    ...item,
    body: '<p>A long text.</p>'.repeat(60),
  }));
  await subscribe(service, ada, publishFeed(feeds, '/space.xml', 'Essays', items));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Essays article 1 / }).waitFor();
  await page.keyboard.press('j');
  await expect(opened(page)).toHaveText('Essays article 1');
  const scroller = page.locator('.pane .scroller');
  await expect(scroller).toBeFocused();

  await page.keyboard.press('Space');
  await expect.poll(() => scroller.evaluate((it) => it.scrollTop)).toBeGreaterThan(0);
  await expect(scroller).toHaveCSS('outline-style', 'none');
  await expect(opened(page)).toHaveText('Essays article 1');
  await page.keyboard.press('End');
  const isAtEnd = () =>
    scroller.evaluate((it) => it.scrollTop + it.clientHeight >= it.scrollHeight - 1);
  await expect.poll(isAtEnd).toBe(true);
  await page.keyboard.press('Space');
  await expect(opened(page)).toHaveText('Essays article 2');
  await expect(scroller).toBeFocused();
  await page.keyboard.press('Shift+Space');
  await expect(opened(page)).toHaveText('Essays article 1');
});

test('the tree is one tab stop; arrows, letters, Home and End move in it', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const science = await addFolder(service, ada, 'Science');
  await subscribe(service, ada, publishFeed(feeds, '/bees.xml', 'Bees', 1), science);
  await subscribe(service, ada, publishFeed(feeds, '/stars.xml', 'Stars', 1), science);
  await subscribe(service, ada, publishFeed(feeds, '/zoo.xml', 'Zoo', 1));
  await page.goto(`${service.url}/apps/news/`);
  const line = (name: string) => tree(page).getByRole('link', { name: new RegExp(`^${name}`) });
  await line('Zoo').waitFor();
  await expect(tree(page).locator('.lines [tabindex="0"]')).toHaveCount(1);

  await page.getByRole('button', { name: 'More', exact: true }).focus();
  await page.keyboard.press('Tab');
  await expect(line('Unread')).toBeFocused();
  await page.keyboard.press('s');
  await expect(line('Starred')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(line('Highlights')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(line('Science')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(line('Bees')).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(line('Science')).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(line('Bees')).toHaveCount(0);
  await expect(line('Science')).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('ArrowDown');
  await expect(line('Zoo')).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('End');
  await expect(line('Zoo')).toBeFocused();
  await page.keyboard.press('b');
  await expect(line('Bees')).toBeFocused();
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menuitem', { name: 'Mark all as read' })).toBeFocused();
  await page.keyboard.press('f');
  await expect(page.getByRole('menuitem', { name: 'Feed settings' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(line('Bees')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle('(3) Bees – Gatefold');
  await page.getByRole('link', { name: /Bees article 1/ }).waitFor();

  // Letters are shortcuts again.
  await page.keyboard.press('j');
  await expect(opened(page)).toHaveText('Bees article 1');
});

test('J and K go from feed to feed, U to the next one with unread articles', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const folder = await addFolder(service, ada, 'Folder');
  await subscribe(service, ada, publishFeed(feeds, '/a.xml', 'Ants', 1), folder);
  await subscribe(service, ada, publishFeed(feeds, '/b.xml', 'Bears', 0), folder);
  await subscribe(service, ada, publishFeed(feeds, '/c.xml', 'Cats', 1));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Ants article/ }).waitFor();
  await tree(page).getByRole('link', { name: /^Cats/ }).waitFor();
  const shows = (name: string) =>
    expect(page.getByRole('heading', { level: 1, name })).toBeVisible();

  await page.keyboard.press('Shift+J');
  await shows('Ants');
  await page.keyboard.press('Shift+J');
  await shows('Bears');
  await page.keyboard.press('Shift+K');
  await shows('Ants');
  await page.keyboard.press('Shift+U');
  await shows('Cats');
  await page.keyboard.press('Shift+U');
  await shows('Ants');
});

test('keys can be changed, conflicts are said, and all restored', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/keys.xml', 'Keys', 3));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Keys article 1 / }).waitFor();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  const change = (name: string) => sheet.getByRole('button', { name: `Change the key: ${name}` });

  await change('Read the next article').click();
  await page.keyboard.press('x');
  await change('Star or unstar').click();
  await page.keyboard.press('m');
  await expect(sheet.getByRole('alert')).toContainText('“m” already belongs to: Mark as read');
  await expectAccessible(page);
  await keepPicture('shortcuts-conflict');
  await sheet.getByRole('button', { name: 'Use it here instead' }).click();
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);

  await page.reload();
  await page.getByRole('link', { name: /Keys article 1 / }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await expect(opened(page)).toHaveText('Keys article 1');
  const star = page.getByRole('toolbar').getByRole('button', { name: 'Star' });
  await page.keyboard.press('m');
  await expect(star).toHaveAttribute('aria-pressed', 'true');

  await page.keyboard.press('?');
  await sheet.getByRole('button', { name: 'Restore all keys' }).click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await expect(opened(page)).toHaveText('Keys article 2');
});

test('the skip link leads to the articles', async ({ page, ada, service, feeds }) => {
  await subscribe(service, ada, publishFeed(feeds, '/skip.xml', 'Skip', 3));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Skip article 1 / }).waitFor();

  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: /Skip article 1 / })).toBeFocused();
});

test('articles that are passed before they have come are read; three more are fetched ahead', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/passed.xml', 'Passed', 12));
  const asked: number[] = [];
  const held: (() => void)[] = [];
  let isHolding = true;
  await page.route(/v1-3\/items\/\d+$/, async (route) => {
    asked.push(Number(/\d+$/.exec(route.request().url())));
    if (isHolding) {
      await new Promise<void>((resolve) => held.push(resolve));
    }
    await route.continue();
  });
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Passed article 1 / }).waitFor();
  for (let n = 1; n <= 6; n += 1) {
    await page.keyboard.press('j');
  }
  const readTitles = async () => {
    const items = [...(await storedItems(service, ada)).values()];
    return items.filter(({ unread }) => !unread).length;
  };
  await expect.poll(readTitles).toBe(6);
  await expect(page).toHaveTitle('(6) Unread – Gatefold');

  isHolding = false;
  held.forEach((go) => go());
  await expect(opened(page)).toHaveText('Passed article 6');
  const stored = await storedItems(service, ada);
  const nextOnes = [6, 7, 8, 9].map((n) => stored.get(`Passed article ${n}`)?.id);
  await expect.poll(() => asked).toEqual(expect.arrayContaining(nextOnes));
  // Those that were passed before the part of the page for articles had come are not fetched.
  expect(asked.length).toBeLessThanOrEqual(9);
  expect(new Set(asked).size).toBe(asked.length);
  expect(await readTitles()).toBe(6);
});

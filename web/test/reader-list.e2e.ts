import type { Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import type { FeedServer, RssItem } from '../../test/support/feed-server.js';
import { expect, expectAccessible, test } from './fixtures.js';
import { addFolder, articlesOf, publishFeed, storedItems, subscribe } from './reader-feeds.js';
import type { Person, Service } from './service.js';

const LONG = 'What the committee of the harbour decided about the old lighthouse, and why. ';
const list = (page: Page) => page.getByRole('list', { name: 'Articles' });
const rows = (page: Page) => list(page).getByRole('listitem');

/** A feed with everything a row can show, and one with many plain articles. */
async function begin(page: Page, service: Service, ada: Person, feeds: FeedServer): Promise<void> {
  const picture = readFileSync(new URL('../public/icon-512.png', import.meta.url));
  feeds.publish('/picture.png', picture, { contentType: 'image/png' });
  const item = (title: string, n: number, more: Partial<RssItem> = {}): RssItem => ({
    title,
    guid: title,
    body: `<p>${LONG.repeat(3)}</p>`,
    pubDate: new Date(Date.UTC(2026, 9, 21) - n * 3_600_000),
    ...more,
  });
  const thumbnail = (path: string) => ({
    xml: `<media:thumbnail xmlns:media="http://search.yahoo.com/mrss/" url="${feeds.url(path)}"/>`,
  });
  const items = [
    item('With a picture', 1, thumbnail('/picture.png')),
    item(LONG.repeat(2), 2, thumbnail('/picture.png')),
    item('A broken picture', 3, thumbnail('/nothing.png')),
    item('', 4, { guid: 'untitled', body: '<p>Opening words. Then it goes on and on.</p>' }),
    item('A long essay', 5, { body: `<p>${LONG.repeat(80)}</p>` }),
    item('Episode', 6, { enclosure: { url: feeds.url('/sound.mp3'), type: 'audio/mpeg' } }),
  ];
  const plain = articlesOf('Plain', 30);
  await subscribe(service, ada, publishFeed(feeds, '/plain.xml', 'Plain', plain));
  await subscribe(service, ada, publishFeed(feeds, '/rich.xml', 'The Harbour Gazette', items));
  await page.goto(`${service.url}/apps/news/all`);
  await page.getByRole('link', { name: /With a picture/ }).waitFor();
}

async function chooseLayout(page: Page, layout: string): Promise<void> {
  await page.getByRole('button', { name: 'List options' }).click();
  await page.getByRole('menuitemradio', { name: layout }).click();
}

/** The rows fill the list without gaps, or columns without overlaps, and their contents stay inside. */
async function expectTidy(page: Page): Promise<void> {
  const boxes = await rows(page).evaluateAll((all) =>
    all.map((row) => {
      const { top, bottom, left, right } = row.getBoundingClientRect();
      const parts = [...row.querySelectorAll('.text, .meta, .picture, .date')]
        .map((part) => part.getBoundingClientRect())
        .filter(({ height }) => height > 0);
      return {
        top,
        bottom,
        left: Math.round(left),
        isInside: parts.every((part) => part.bottom <= bottom && part.right <= right),
      };
    }),
  );
  const columns = [...Map.groupBy(boxes, ({ left }) => left).values()];
  for (const column of columns) {
    column.sort((one, other) => one.top - other.top);
    for (const [n, box] of column.entries()) {
      const next = column[n + 1]?.top ?? box.bottom;
      expect(box.isInside).toBe(true);
      // Cards of one line are as high as the highest of them.
      expect(columns.length > 1 ? Math.min(box.bottom, next) : next).toBeCloseTo(box.bottom, 0);
    }
  }
}

test('rows show pictures, opening words, minutes and marks, in three layouts', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await begin(page, service, ada, feeds);
  const row = (title: RegExp) => rows(page).filter({ hasText: title });
  await expect(row(/With a picture/).locator('img[src$="/picture.png"]')).toBeVisible();
  await expect(row(/With a picture/).locator('img[src$="/picture.png"]')).toHaveAttribute(
    'referrerpolicy',
    'no-referrer',
  );
  await expect(row(/A broken picture/).locator('.picture')).toHaveCount(0);
  await expect(row(/Opening words/).locator('.title')).toHaveText(/^Opening words\./);
  await expect(row(/A long essay/)).toContainText(/\d+ min/);
  await expect(row(/Opening words/)).not.toContainText('min');
  await expect(row(/Episode/).getByLabel('With audio')).toBeVisible();
  await expectTidy(page);
  await expectAccessible(page);
  await keepPicture('list-rows');

  await page.getByRole('button', { name: 'List options' }).click();
  await keepPicture('list-menu');
  await page.getByRole('menuitemradio', { name: 'Compact' }).click();
  expect((await rows(page).first().boundingBox())?.height).toBeCloseTo(36, 1);
  await expectTidy(page);
  await keepPicture('list-compact');

  await chooseLayout(page, 'Cards');
  const picture = row(/With a picture/).locator('.picture');
  await expect.poll(async () => (await picture.boundingBox())?.height).toBeGreaterThan(150);
  await expectTidy(page);
  await keepPicture('list-cards');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await keepPicture('list-cards-dark');
  await page.emulateMedia({ colorScheme: 'light' });

  await page.reload();
  await expect.poll(async () => (await picture.boundingBox())?.height).toBeGreaterThan(150);
  await list(page).evaluate((element) => element.parentElement?.scrollTo({ top: 1e6 }));
  await expect(page.getByRole('link', { name: /Plain article 30 / })).toBeVisible();
});

test('rows of short messages show their words once and in full, and so does the article', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const text = 'Every lamp on the quay was replaced tonight, and nobody had said a word about it.';
  const messages = [
    ['', text, text],
    ['Every lamp on the quay was repl…', text, text],
    ['Every lamp on the quay ...', text, text],
    ['Every lamp', 'Every lamp was new.', 'Every lamp was new.'],
    ['Every', 'Everybody knows.', 'Every Everybody knows.'],
  ];
  const items = messages.map(([title = '', body = ''], n) => ({
    title,
    guid: `${n}`,
    body,
    pubDate: new Date(Date.UTC(2026, 9, 21, -n)),
  }));
  await subscribe(service, ada, publishFeed(feeds, '/short.xml', 'Short', items));
  await page.goto(`${service.url}/apps/news/all`);

  await expect(list(page).locator('.text')).toHaveText(messages.map(([, , shown = '']) => shown));
  await expectTidy(page);
  await keepPicture('list-messages');
  await rows(page).first().getByRole('link').click();
  const article = page.getByRole('article');
  await expect(article.getByText(text)).toBeVisible();
  const heading = article.getByRole('heading', { name: 'Untitled', level: 1 });
  expect((await heading.boundingBox())?.height).toBe(1);
  await expectAccessible(page);
  await keepPicture('article-message');
});

test('a row has a menu, by right click, by its button and by key', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await begin(page, service, ada, feeds);
  const link = page.getByRole('link', { name: /Plain article 1 / });
  const row = rows(page).filter({ has: link });
  const menu = page.getByRole('menu', { name: /Plain article 1/ });

  await link.click({ button: 'right' });
  await expect(menu.getByRole('menuitem')).toHaveText([
    /Open the original page/,
    /Copy link/,
    /Star/,
    /Mark as read/,
    /Labels/,
    /Mute a word/,
    /Read everything except/,
    /Mark everything above/,
    /Mark everything below/,
  ]);
  await expect(menu.getByRole('menuitem').first()).toHaveCSS('display', 'flex');
  await keepPicture('list-row-menu');
  await expect(menu.getByRole('menuitem').first()).toBeFocused();
  await expect(menu.getByRole('menuitem').first()).toHaveAttribute(
    'href',
    'https://publisher.example/Plain/1',
  );
  await menu.getByRole('menuitem', { name: 'Copy link' }).click();
  await expect(page.getByText('Link copied.')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'https://publisher.example/Plain/1',
  );

  await row.hover();
  await row.getByRole('button', { name: 'Actions for “Plain article 1”' }).click();
  await menu.getByRole('menuitem', { name: 'Mark as read' }).click();
  await expect(page).toHaveTitle('(35) All articles – Gatefold');
  await expect(menu).toHaveCount(0);

  await link.focus();
  await page.keyboard.press('Shift+F10');
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(menu.getByRole('menuitem', { name: 'Star' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(link).toBeFocused();
  await expect(row.getByRole('button', { name: 'Star' })).toHaveAttribute('aria-pressed', 'true');
});

test('panes are resized with the mouse and by keyboard, and keep their widths', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await begin(page, service, ada, feeds);
  await rows(page).first().click();
  const divider = page.getByRole('separator', { name: 'Width of the list' });
  const width = async () => Number(await divider.getAttribute('aria-valuenow'));
  const before = await width();
  const box = await divider.boundingBox();
  const [x, y] = [(box?.x ?? 0) + 3, (box?.y ?? 0) + 200];

  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 80, y, { steps: 4 });
  await page.mouse.up();
  await expect.poll(width).toBe(before + 80);
  expect((await list(page).boundingBox())?.width).toBeGreaterThan(before + 40);
  await divider.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(width).toBe(before + 64);
  await page.reload();
  await expect.poll(width).toBe(before + 64);
  await divider.dblclick();
  await expect.poll(width).toBe(before);

  const tree = page.getByRole('separator', { name: 'Width of the feeds' });
  await tree.focus();
  await page.keyboard.press('Home');
  await expect(tree).toHaveAttribute('aria-valuenow', '180');
});

test('the tree sorts numbers, separates thousands, and can hide what is read', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const folderId = await addFolder(service, ada, 'Bulk');
  const many = articlesOf('Bulk 100', 1100);
  await subscribe(service, ada, publishFeed(feeds, '/100.xml', 'Bulk 100', many), folderId);
  await subscribe(service, ada, publishFeed(feeds, '/20.xml', 'Bulk 20', 2), folderId);
  await subscribe(service, ada, publishFeed(feeds, '/3.xml', 'Bulk 3', 1));
  await page.goto(`${service.url}/apps/news/`);
  const tree = page.getByRole('navigation', { name: 'Feeds' });
  await expect(tree.getByRole('link', { name: /Bulk/ })).toHaveText([
    /^Bulk\s*1,102$/,
    /Bulk 20\s*2$/,
    /Bulk 100\s*1,100$/,
    /Bulk 3\s*1$/,
  ]);

  await page.getByRole('button', { name: 'More', exact: true }).click();
  for (const item of await page.getByRole('menuitem').all()) {
    await expect(item).toBeInViewport({ ratio: 1 });
  }
  await keepPicture('tree-menu');
  await page.getByRole('menuitem', { name: 'Hide feeds without unread articles' }).click();
  await tree.getByRole('link', { name: 'Bulk 3' }).click();
  await page.getByRole('link', { name: /Bulk 3 article 1/ }).click();
  await expect(tree.getByRole('link', { name: 'Bulk 3', exact: true })).toBeVisible();
  await tree.getByRole('link', { name: 'Bulk 20' }).click();
  await expect(tree.getByRole('link', { name: 'Bulk 3', exact: true })).toHaveCount(0);
  await page.reload();
  await expect(tree.getByRole('link', { name: 'Bulk 20' })).toBeVisible();
  await expect(tree.getByRole('link', { name: 'Bulk 3', exact: true })).toHaveCount(0);
});

test(
  'everything above or below a row is marked read, and it can be undone',
  { tag: '@main' },
  async ({ page, ada, service, feeds }) => {
    await subscribe(service, ada, publishFeed(feeds, '/marks.xml', 'Marks', 90));
    await page.goto(`${service.url}/apps/news/`);
    const row = rows(page).filter({ has: page.getByRole('link', { name: /Marks article 4 / }) });
    await row.waitFor();
    const choose = async (item: string) => {
      await row.getByRole('link').click({ button: 'right' });
      await page.getByRole('menuitem', { name: item }).click();
    };

    await choose('Mark everything above as read');
    await expect(page.getByText('3 articles marked as read.')).toBeVisible();
    await expect(page).toHaveTitle('(87) Unread – Gatefold');
    await choose('Mark everything below as read');
    await expect(page.getByText('86 articles marked as read.')).toBeVisible();
    await expect(page).toHaveTitle('(1) Unread – Gatefold');
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect(page).toHaveTitle('(87) Unread – Gatefold');

    await row.getByRole('link').click();
    await expect(page).toHaveTitle('(86) Unread – Gatefold');
    await page.getByRole('button', { name: 'List options' }).click();
    await page.getByRole('menuitem', { name: 'Mark everything below as read' }).click();
    await expect(page).toHaveTitle('Unread – Gatefold');
  },
);

test('what was scrolled past is marked read, also if another list is opened at once', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const area = '/ocs/v2.php/apps/gatefold/api/v1/preferences/reader?format=json';
  await service.call(ada, 'PATCH', area, { values: { markReadOnScroll: true } });
  await subscribe(service, ada, publishFeed(feeds, '/passed.xml', 'Passed', 30));
  await page.goto(`${service.url}/apps/news/`);
  await rows(page).first().waitFor();

  await list(page).evaluate((element) => {
    element.parentElement?.scrollTo({ top: 1000 });
    element.parentElement?.dispatchEvent(new Event('scroll'));
    document.querySelector<HTMLElement>('[data-line="/apps/news/starred"]')?.click();
  });

  await expect(page).toHaveTitle('(20) Starred – Gatefold');
  const unread = [...(await storedItems(service, ada)).values()].filter((item) => item.unread);
  expect(unread).toHaveLength(20);
});

test(
  'a search shows its words and count, everywhere or in the feed that is open',
  { tag: '@main' },
  async ({ page, ada, service, feeds, keepPicture }) => {
    const about = (feed: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({
        title: `${feed} ${n + 1}`,
        guid: `${feed} ${n}`,
        body: `<p>${LONG}A lantern in the window. ${LONG}</p>`,
      }));
    const first = await subscribe(
      service,
      ada,
      publishFeed(feeds, '/search1.xml', 'Lighthouse keepers', about('Lantern', 3)),
    );
    await subscribe(service, ada, publishFeed(feeds, '/search2.xml', 'Others', about('Other', 2)));
    await page.goto(`${service.url}/apps/news/feeds/${first}`);
    await page.getByRole('link', { name: /Lantern 1/ }).waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('lantern');
    await keepPicture('search-where');
    await page.keyboard.press('Enter');
    await expect(page.getByText('5 matches')).toBeVisible();
    await expect(rows(page)).toHaveCount(5);
    const row = rows(page).filter({ hasText: 'Lantern 1' });
    await expect(row.locator('mark')).toHaveText(['Lantern', 'lantern']);
    await expect(row.locator('mark').nth(1)).toBeVisible();
    await expectAccessible(page);
    await keepPicture('search-everywhere');

    await page.goBack();
    await page.getByRole('link', { name: /Lantern 1/ }).waitFor();
    await page.getByRole('combobox', { name: 'Search' }).fill('lantern');
    await page.getByRole('radio', { name: 'In “Lighthouse keepers”' }).check();
    await page.keyboard.press('Enter');
    await expect(page.getByText('3 matches')).toBeVisible();
    await expect(rows(page)).toHaveCount(3);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
    await keepPicture('search-within-dark');
    await page.getByRole('link', { name: 'Search everywhere' }).click();
    await expect(page.getByText('5 matches')).toBeVisible();
  },
);

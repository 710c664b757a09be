import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.js';
import { articlesOf, publishFeed, storedItems, subscribe } from './reader-feeds.js';

const LONG =
  'Programming with goggles and gypsum: a playful apology for jagged typography. '.repeat(3);

/** As long as headlines get. */
const HEADLINE = LONG.slice(0, 157);

const box = async (page: Page, selector: string) => {
  const found = await page.locator(selector).boundingBox();
  if (found === null) {
    throw new Error(`${selector} is not shown`);
  }
  return found;
};

test('rows are as wide as the list, regardless of their content', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const items = [
    { title: 'Hi', guid: '1', body: '' },
    { title: 'One line', guid: '2', body: `<p>${LONG}</p>` },
    { title: LONG, guid: '3', body: `<p>${LONG}</p>` },
  ];
  await subscribe(service, ada, publishFeed(feeds, '/rows.xml', 'Rows', items));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /^Unread Rows .*Hi/ }).waitFor();
  const list = await box(page, '.items .all');

  const rows = page.getByRole('list', { name: 'Articles' }).getByRole('listitem');
  await expect(rows).toHaveCount(3);
  const rightEdges = await rows
    .locator('.date')
    .evaluateAll((dates) => dates.map((date) => Math.round(date.getBoundingClientRect().right)));
  expect(new Set(rightEdges).size).toBe(1);
  const texts = await rows.locator('.text').evaluateAll((all) =>
    all.map((text) => {
      const bottom = text.getBoundingClientRect().bottom;
      const row = text.closest('[role=listitem]')?.getBoundingClientRect().bottom ?? 0;
      return { lines: text.clientHeight / 20, isInside: bottom < row };
    }),
  );
  expect(texts).toEqual([
    { lines: 1, isInside: true },
    { lines: 3, isInside: true },
    { lines: 3, isInside: true },
  ]);
  await keepPicture('reader-rows');

  await page.mouse.click(list.x + list.width - 60, list.y + 60);
  await expect(page.getByRole('article').getByRole('heading', { level: 1 })).toHaveText('Hi');
  const open = page.locator('[aria-current="true"]');
  // The list gives the article its room.
  const besideArticle = await box(page, '.items .all');
  expect(besideArticle.width).toBeLessThan(list.width);
  expect((await open.boundingBox())?.width).toBeCloseTo(besideArticle.width, 0);
});

test('snippets have spaces between words and none before a comma', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const body = '<p>About <b>tail latency</b>, they <i>say</i>.</p><p>Next<br>line</p>';
  const items = [{ title: 'Blanks', guid: '1', body }];
  await subscribe(service, ada, publishFeed(feeds, '/blanks.xml', 'Blanks', items));
  await page.goto(`${service.url}/apps/news/`);

  await expect(page.locator('.snippet')).toHaveText('About tail latency, they say. Next line');
});

const WIDE = `<table><thead><tr>${'<th>Measurement</th>'.repeat(14)}</tr></thead>
  <tbody><tr>${'<td>1,234,567 kilograms</td>'.repeat(14)}</tr></tbody></table>`;
const PLAIN = `<table><tr><th>Before</th><th>Change</th></tr>
  <tr><td>Laptop A with a description that goes on for a while and needs several lines</td>
  <td>Machine</td></tr></table>`;
const NEWSLETTER = `<table width="600"><tr><td><table><tr><td><h2>The week</h2>
  <p>Of a newsletter</p></td></tr></table></td></tr></table>`;

test('tables do not break words, scroll horizontally, and have borders only around data', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const items = [
    {
      title: 'Tables',
      guid: '1',
      body: `<p>Text</p>${PLAIN}${WIDE}${NEWSLETTER}<pre>${'long line '.repeat(40)}</pre>`,
    },
  ];
  await subscribe(service, ada, publishFeed(feeds, '/tables.xml', 'Tables', items));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('list', { name: 'Articles' }).getByRole('link').click();
  const article = page.getByRole('article');
  await expect(article.locator('table')).toHaveCount(4);

  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    // A broken word is higher than one line.
    const heights = await article
      .getByText(/^(Before|Change|Machine|Measurement)$/)
      .evaluateAll((cells) =>
        cells.map((cell) => {
          const words = document.createRange();
          words.selectNodeContents(cell);
          return words.getClientRects().length;
        }),
      );
    expect(new Set(heights)).toEqual(new Set([1]));
    const frames = article.locator('.wide');
    expect(await frames.nth(1).evaluate((it) => it.scrollWidth > it.clientWidth)).toBe(true);
    const pane = page.locator('.pane .scroller');
    expect(await pane.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
  }
  const borderOf = (text: string) =>
    article
      .locator('td', { hasText: text })
      .last()
      .evaluate((cell) => getComputedStyle(cell).borderTopWidth);
  expect(await borderOf('Machine')).toBe('1px');
  expect(await borderOf('Of a newsletter')).toBe('0px');
  await page.setViewportSize({ width: 1280, height: 900 });
  await expectAccessible(page);
  await keepPicture('reader-tables');
  await page.setViewportSize({ width: 390, height: 844 });
  await keepPicture('reader-tables-phone');

  const code = article.locator('pre');
  await code.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => code.evaluate((it) => it.scrollLeft)).toBeGreaterThan(0);
});

test('in a list of full width articles unfold below their rows, by mouse, by keys and offline', async ({
  page,
  context,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const items = articlesOf('Wide', 40).map((item, n) => ({
    ...item,
    title: n === 1 ? HEADLINE : (item.title ?? ''),
    body: '<p>A long text.</p>'.repeat(n === 2 ? 2 : 60),
  }));
  await subscribe(service, ada, publishFeed(feeds, '/wide.xml', 'Wide', items));
  await page.setViewportSize({ width: 2560, height: 1300 });
  await page.goto(`${service.url}/apps/news/all`);
  const option = async (name: string) => {
    await page.getByRole('button', { name: 'List options' }).click();
    await page.getByRole('menu').getByText(name, { exact: true }).click();
  };
  await option('Open articles in the list, at full width');
  await option('Compact');
  const row = (n: number) => {
    const hasText = n === 2 ? HEADLINE : new RegExp(`Wide article ${n}\\b`);
    return page.getByRole('listitem').filter({ has: page.locator('[data-item]', { hasText }) });
  };
  const opened = page.getByRole('article').getByRole('heading', { level: 1 });
  const list = page.locator('.items .scroller');
  const topOf = async (n: number) => {
    const [inner, outer] = [await row(n).boundingBox(), await list.boundingBox()];
    return Math.round((inner?.y ?? -1) - (outer?.y ?? 0));
  };
  const headline = row(2).locator('.title');
  expect(await headline.evaluate((it) => it.getClientRects().length)).toBe(1);
  await keepPicture('unfolding-list');

  // A click unfolds and folds again.
  await row(4).getByRole('link').click();
  await expect(opened).toHaveText('Wide article 4');
  await expect.poll(() => topOf(4)).toBe(0);
  await expectAccessible(page);
  await keepPicture('unfolding-open');
  await row(4).locator('a[data-item]').click();
  await expect(page.getByRole('article')).toHaveCount(0);

  // The keys of the other layouts.
  const press = (key: string) => page.keyboard.press(key);
  await page.setViewportSize({ width: 1360, height: 850 });
  await press('k');
  await expect(opened).toHaveText('Wide article 3');
  await expect(page.getByRole('region', { name: 'Article', exact: true })).toBeFocused();
  await press('Space');
  await expect(opened).toHaveText('Wide article 4');
  await expect.poll(() => topOf(4)).toBe(0);
  await press('Space');
  await expect.poll(() => topOf(4)).toBeLessThan(-300);
  const tools = page.getByRole('toolbar');
  const edge = async (locator = list) => Math.round((await locator.boundingBox())?.y ?? 0);
  expect(await edge(tools)).toBe(await edge());
  await press('j');
  await expect(opened).toHaveText('Wide article 5');
  await expect.poll(() => topOf(5)).toBe(0);
  await press('Escape');
  await expect(page.getByRole('article')).toHaveCount(0);
  await expect(row(5).locator('a[data-item]')).toBeFocused();
  await press('n');
  await press('o');
  await expect(opened).toHaveText('Wide article 6');
  await press('o');
  await expect(page.getByRole('article')).toHaveCount(0);
  await press('Enter');
  await expect(opened).toHaveText('Wide article 6');
  expect(await edge(tools)).toBe((await edge()) + 36);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await keepPicture('unfolding-open-dark');

  await option('Mark as read while scrolling');
  await context.setOffline(true);
  await press('j');
  await expect(opened).toHaveText('Wide article 7');
  await context.setOffline(false);
  await page.mouse.move(800, 500);
  await page.mouse.wheel(0, 20_000);
  await expect
    .poll(async () => (await storedItems(service, ada)).get('Wide article 15')?.unread)
    .toBe(false);

  // An article that the list does not have is beside it.
  await page.goto(page.url().replace('/all', ''));
  await page.getByRole('link', { name: /Wide article 40 / }).waitFor();
  await expect(opened).toHaveText('Wide article 7');
  await keepPicture('unfolding-beside');
});

import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.js';
import { publishFeed, subscribe } from './reader-feeds.js';

const LONG =
  'Programming with goggles and gypsum: a playful apology for jagged typography. '.repeat(3);

const box = async (page: Page, selector: string) => {
  const found = await page.locator(selector).boundingBox();
  if (found === null) {
    throw new Error(`${selector} is not shown`);
  }
  return found;
};

test('rows are as wide as the list, whatever their content', async ({
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
  expect((await open.boundingBox())?.width).toBeCloseTo(list.width, 0);
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

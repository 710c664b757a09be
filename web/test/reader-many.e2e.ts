import { expect, test } from './fixtures.js';
import { articlesOf, publishFeed, subscribe } from './reader-feeds.js';

const FEEDS = 10;
/** As many as are taken from one document. */
const ARTICLES_OF_EACH = 2_000;
const MOST_ROWS = 100;

test('twenty thousand articles scroll to the end with few rows in the page', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  test.setTimeout(240_000);
  for (let n = 1; n <= FEEDS; n += 1) {
    const url = publishFeed(
      feeds,
      `/many/${n}.xml`,
      `Many ${n}`,
      articlesOf(`Many ${n}`, ARTICLES_OF_EACH),
    );
    await subscribe(service, ada, url);
  }
  await page.goto(`${service.url}/apps/news/`);
  const list = page.getByRole('list', { name: 'Articles' });
  const rows = list.getByRole('listitem');
  await rows.first().waitFor();
  await expect(page).toHaveTitle(`(${FEEDS * ARTICLES_OF_EACH}) Unread – Gatefold`);

  const seen = await list.evaluate(async (element, total) => {
    const scroller = element.parentElement as HTMLElement;
    const rowPixels = 100;
    const frames: number[] = [];
    let mostRows = 0;
    let before = performance.now();
    const watch = () => {
      const now = performance.now();
      frames.push(now - before);
      before = now;
    };
    while (scroller.scrollTop + scroller.clientHeight < total * rowPixels - 1) {
      scroller.scrollTop += scroller.clientHeight * 4;
      await new Promise(requestAnimationFrame);
      watch();
      mostRows = Math.max(mostRows, element.querySelectorAll('[role=listitem]').length);
    }
    await new Promise(requestAnimationFrame);
    frames.sort((one, other) => one - other);
    return { mostRows, height: scroller.scrollHeight, median: frames[frames.length >> 1] ?? 0 };
  }, FEEDS * ARTICLES_OF_EACH);

  expect(seen.mostRows).toBeLessThan(MOST_ROWS);
  expect(seen.height).toBe(FEEDS * ARTICLES_OF_EACH * 100);
  // Half of the frames at least are drawn without a noticeable wait, on a slow machine, too.
  expect(seen.median).toBeLessThan(100);
  await expect(rows.getByText(`Many 1 article ${ARTICLES_OF_EACH}`, { exact: true })).toBeVisible();
  expect(await rows.count()).toBeLessThan(MOST_ROWS);

  await page.keyboard.press('Shift+A');
  await expect(page).toHaveTitle('Unread – Gatefold', { timeout: 30_000 });
});

import { expect, test } from './fixtures.js';
import { importArticles } from './reader-feeds.js';

const ARTICLES = 50_000;
const MOST_ROWS = 100;
const ROW_PIXELS = 100;
const FEEDS = 1000;
const MOST_FEEDS = 200;
/** The beginning of the list: what a frame costs while few articles are loaded. */
const FIRST_ARTICLES = ARTICLES / 10;

test('fifty thousand articles scroll to the end with few rendered rows, at the same speed', async ({
  page,
  ada,
  service,
}) => {
  await importArticles(service, ada, 1, ARTICLES);

  await page.goto(`${service.url}/apps/news/`);
  const list = page.getByRole('list', { name: 'Articles' });
  const rows = list.getByRole('listitem');
  await rows.first().waitFor();
  await expect(page).toHaveTitle(`(${ARTICLES}) Unread – Gatefold`);

  // CPU time of the page's main thread, independent of other load on the machine.
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busySeconds = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  };
  const scrollTo = async (pixels: number) => {
    const before = await busySeconds();
    const seen = await list.evaluate(async (element, height) => {
      const scroller = element.parentElement as HTMLElement;
      let frames = 0;
      let mostRows = 0;
      while (scroller.scrollTop + scroller.clientHeight < height - 1) {
        scroller.scrollTop += scroller.clientHeight * 24;
        await new Promise(requestAnimationFrame);
        frames += 1;
        mostRows = Math.max(mostRows, element.querySelectorAll('[role=listitem]').length);
      }
      await new Promise(requestAnimationFrame);
      return { frames, mostRows, height: scroller.scrollHeight };
    }, pixels);
    return { ...seen, secondsPerFrame: ((await busySeconds()) - before) / seen.frames };
  };
  const first = await scrollTo(FIRST_ARTICLES * ROW_PIXELS);
  const seen = await scrollTo(ARTICLES * ROW_PIXELS);

  expect(seen.mostRows).toBeLessThan(MOST_ROWS);
  expect(seen.height).toBe(ARTICLES * ROW_PIXELS);
  expect(seen.secondsPerFrame).toBeLessThan(first.secondsPerFrame * 2);
  await expect(rows.getByText('Article 1 of feed 1', { exact: true })).toBeVisible();
  expect(await rows.count()).toBeLessThan(MOST_ROWS);

  await page.keyboard.press('Shift+A');
  await expect(page).toHaveTitle('Unread – Gatefold');
});

test('of a thousand feeds, those near the window are in the document, and the keyboard reaches all', async ({
  page,
  ada,
  service,
}) => {
  await importArticles(service, ada, FEEDS, 1, ['Odd and even']);
  await page.goto(`${service.url}/apps/news/`);
  const tree = page.getByRole('navigation', { name: 'Feeds' });
  const lines = tree.locator('li[draggable]');
  const lastLine = tree.getByRole('link', { name: `Feed ${FEEDS}`, exact: false });
  await lines.first().waitFor();

  expect(await lines.count()).toBeLessThan(MOST_FEEDS);
  await expect(lastLine).toHaveCount(0);
  const scroller = tree.locator('.lines');
  const height = await scroller.evaluate(({ scrollHeight }) => scrollHeight);
  await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight));

  await expect(lastLine).toBeInViewport();
  expect(await lines.count()).toBeLessThan(MOST_FEEDS);
  expect(await scroller.evaluate(({ scrollHeight }) => scrollHeight)).toBe(height);

  await scroller.evaluate((element) => (element.scrollTop = 0));
  await expect(lastLine).toHaveCount(0);
  await lines.first().getByRole('link').click();
  await page.keyboard.press('End');
  await expect(lastLine).toBeFocused();

  await page.reload();
  await lines.first().waitFor();
  await expect(lastLine).toHaveCount(0);
  await tree.getByRole('searchbox').last().focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('End');
  await expect(lastLine).toBeFocused();
});

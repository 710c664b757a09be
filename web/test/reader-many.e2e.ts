import { expect, test } from './fixtures.js';
import { importArticles } from './reader-feeds.js';

const ARTICLES = 50_000;
const MOST_ROWS = 100;
const ROW_PIXELS = 100;
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

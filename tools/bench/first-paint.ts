import { chromium, type Page } from '@playwright/test';
import { startFeedServer } from '../../test/support/feed-server.js';
import { chromiumPath } from '../../web/test/chromium.js';
import { logIn } from '../../web/test/fixtures.js';
import { addFolder, publishFeed, subscribe } from '../../web/test/reader-feeds.js';
import { startService } from '../../web/test/service.js';

/*
 * Time until the first paint of the reader, and until its articles are visible: at the first visit, with
 * an empty cache and no service worker yet, and at a later one, with both; and time from a click on a
 * folder to its rows. For 50,000 articles in 200 feeds. Run
 * `npm run bench:paint` after `npm run build`; needs Debian's Chromium. The targets on loopback are 0.4 s
 * for the first articles and 100 ms for a folder.
 */

const ROUNDS = 9;
const FEEDS = 200;
const ARTICLES_PER_FEED = 250;
const VIEWPORT = { width: 1280, height: 800 };
const FOLDERS = ['Folder A', 'Folder B'];
const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const found = list.getEntriesByName('first-contentful-paint')[0];
    if (found !== undefined) resolve(found.startTime);
  }).observe({ type: 'paint', buffered: true });
})`;
/** Milliseconds until articles were painted; asked in the page, so that no message is in the time. */
const FIRST_ARTICLES = `new Promise((resolve) => {
  const look = () =>
    document.querySelector('[role=list] [role=listitem]') === null
      ? requestAnimationFrame(look)
      : requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  look();
})`;

const [service, feeds] = await Promise.all([startService(), startFeedServer()]);
const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  const ada = await service.addPerson();
  const folderIds = await Promise.all(FOLDERS.map((name) => addFolder(service, ada, name)));
  for (let feed = 0; feed < FEEDS; feed += 1) {
    const url = publishFeed(feeds, `/paint-${feed}.xml`, `Paint ${feed}`, ARTICLES_PER_FEED);
    await subscribe(service, ada, url, folderIds[feed % folderIds.length]);
  }
  const first = { paint: [] as number[], articles: [] as number[] };
  const later = { paint: [] as number[], articles: [] as number[] };
  const switches: number[] = [];
  const reader = `${service.url}/apps/news/`;
  for (let round = 0; round < ROUNDS; round += 1) {
    // A service worker of the settings page, which is opened to log in, would keep the reader's files.
    const visitor = await browser.newContext({ viewport: VIEWPORT, serviceWorkers: 'block' });
    const page = await visitor.newPage();
    await logIn(page, service, ada, '/settings/user/account');
    await (await visitor.newCDPSession(page)).send('Network.clearBrowserCache');
    await openReader(page, reader, first);
    await visitor.close();
  }
  const regular = await browser.newContext({ viewport: VIEWPORT });
  const page = await regular.newPage();
  await logIn(page, service, ada, '/apps/news/');
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto('about:blank');
    await openReader(page, reader, later);
    for (const folder of FOLDERS) {
      switches.push(await timeOfFolder(page, folder));
    }
  }
  report('first visit: paint', first.paint);
  report('first visit: articles', first.articles);
  report('later visits: paint', later.paint);
  report('later visits: articles', later.articles);
  report('rows of a folder', switches);
} finally {
  await browser.close();
  await Promise.all([service.stop(), feeds.close()]);
}

/** Adds milliseconds from the start of the navigation. */
async function openReader(
  page: Page,
  address: string,
  times: Record<'paint' | 'articles', number[]>,
): Promise<void> {
  await page.goto(address, { waitUntil: 'commit' });
  times.articles.push(await page.evaluate<number>(FIRST_ARTICLES));
  times.paint.push(await page.evaluate<number>(FIRST_PAINT));
}

/** @returns milliseconds from a click on a folder to the frame that shows its rows */
async function timeOfFolder(page: Page, name: string): Promise<number> {
  await page.getByRole('link', { name }).first().waitFor();
  return page.evaluate<number>(`(async (folder) => {
    const links = [...document.querySelectorAll('nav a')];
    const began = performance.now();
    links.find(({ textContent }) => textContent.includes(folder)).click();
    do {
      await new Promise(requestAnimationFrame);
    } while (
      !document.querySelector('section h1')?.textContent.includes(folder) ||
      document.querySelector('[role=list] [role=listitem]') === null
    );
    return performance.now() - began;
  })(${JSON.stringify(name)})`);
}

function report(name: string, times: readonly number[]): void {
  const sorted = times.toSorted((one, other) => one - other);
  const [best = 0] = sorted;
  const median = sorted[sorted.length >> 1] ?? 0;
  const worst = sorted.at(-1) ?? 0;
  const cells = [best, median, worst].map((ms) => `${ms.toFixed(0)} ms`.padStart(9));
  process.stdout.write(`${name.padEnd(24)}best, median, worst${cells.join('')}\n`);
}

import { chromium, type Page } from '@playwright/test';
import { startFeedServer } from '../test/support/feed-server.js';
import { logIn } from '../web/test/fixtures.js';
import { addFolder, publishFeed, subscribe } from '../web/test/reader-feeds.js';
import { startService } from '../web/test/service.js';

/*
 * Time until the first paint of the reader, and until its articles are visible, with an empty browser
 * cache; and time from a click on a folder to its rows. For 50,000 articles in 200 feeds. Run
 * `npm run bench:paint` after `npm run build`; needs Debian's Chromium. The targets on loopback are 0.4 s
 * for the first articles and 100 ms for a folder.
 */

const ROUNDS = 9;
const FEEDS = 200;
const ARTICLES_PER_FEED = 250;
const FOLDERS = ['Folder A', 'Folder B'];
const FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime";

const [service, feeds] = await Promise.all([startService(), startFeedServer()]);
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  const ada = await service.addPerson();
  const folderIds = await Promise.all(FOLDERS.map((name) => addFolder(service, ada, name)));
  for (let feed = 0; feed < FEEDS; feed += 1) {
    const url = publishFeed(feeds, `/paint-${feed}.xml`, `Paint ${feed}`, ARTICLES_PER_FEED);
    await subscribe(service, ada, url, folderIds[feed % folderIds.length]);
  }
  const switches: number[] = [];
  const paints: number[] = [];
  const articles: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // A new context has no cache and no service worker; the user is logged in first.
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await logIn(page, service, ada, '/settings/user/account');
    await (await context.newCDPSession(page)).send('Network.clearBrowserCache');
    await page.goto(`${service.url}/apps/news/`, { waitUntil: 'commit' });
    await page.getByRole('list', { name: 'Articles' }).getByRole('listitem').first().waitFor();
    articles.push(await page.evaluate<number>('performance.now()'));
    paints.push(await page.evaluate<number>(FIRST_PAINT));
    for (const folder of FOLDERS) {
      switches.push(await timeOfFolder(page, folder));
    }
    await context.close();
  }
  report('first paint', paints);
  report('first articles', articles);
  report('rows of a folder', switches);
} finally {
  await browser.close();
  await Promise.all([service.stop(), feeds.close()]);
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
  process.stdout.write(`${name.padEnd(18)}best, median, worst${cells.join('')}\n`);
}

import { chromium } from '@playwright/test';
import { startFeedServer } from '../test/support/feed-server.js';
import { logIn } from '../web/test/fixtures.js';
import { publishFeed, subscribe } from '../web/test/reader-feeds.js';
import { startService } from '../web/test/service.js';

/*
 * Time until the first paint of the reader, and until its articles are visible, with an empty browser
 * cache. Run `npm run bench:paint` after `npm run build`; needs Debian's Chromium. The target on
 * loopback is a first paint within a second.
 */

const ROUNDS = 9;
const ARTICLES = 500;
const FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime";

const [service, feeds] = await Promise.all([startService(), startFeedServer()]);
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  const ada = await service.addPerson();
  await subscribe(service, ada, publishFeed(feeds, '/paint.xml', 'Paint', ARTICLES));
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
    await context.close();
  }
  report('first paint', paints);
  report('first articles', articles);
} finally {
  await browser.close();
  await Promise.all([service.stop(), feeds.close()]);
}

function report(name: string, times: readonly number[]): void {
  const sorted = times.toSorted((one, other) => one - other);
  const [best = 0] = sorted;
  const median = sorted[sorted.length >> 1] ?? 0;
  const worst = sorted.at(-1) ?? 0;
  const cells = [best, median, worst].map((ms) => `${ms.toFixed(0)} ms`.padStart(9));
  process.stdout.write(`${name.padEnd(16)}best, median, worst${cells.join('')}\n`);
}

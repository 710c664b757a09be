import { chromium } from '@playwright/test';
import { startFeedServer } from '../test/support/feed-server.js';
import { logIn } from '../web/test/fixtures.js';
import { publishFeed, subscribe } from '../web/test/reader-feeds.js';
import { startService } from '../web/test/service.js';

/*
 * How soon somebody who opens the reader sees something, and how soon the articles, with nothing in
 * the browser's cache. `npm run bench:paint`, after `npm run build`; needs Debian's Chromium.
 * The aim on loopback: the first paint within a second.
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
    // A context of its own: no cache, no service worker, but the person is logged in.
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

import { chromium, type Page } from '@playwright/test';
import { chromiumPath } from '../../web/test/chromium.js';
import { logIn } from '../../web/test/fixtures.js';
import { importArticles } from '../../web/test/reader-feeds.js';
import { startService } from '../../web/test/service.js';
import { median } from './measure.js';
import { numberOption } from './options.js';
import { Report } from './report.js';

/*
 * The reader as people feel it: `npm run bench:paint` after `npm run build`; needs Debian's Chromium. The first visit
 * has an empty cache and no service worker yet, later ones have both.
 *
 * --feeds 1000   in two folders       --items 50      of each feed
 * --rounds 9     the figures are medians, but for the longest task
 * --json, --publish   as for `npm run bench`
 */

const AIMS = {
  'first visit: first paint': '300',
  'first visit: articles': '600',
  'first visit: requests': '60',
  'first visit: transferred': '300',
  '  of it scripts and styles': '170',
  'later visit: first paint': '200',
  'later visit: articles': '400',
  'later visit: longest task': '200',
  'a folder until its rows': '100',
  'an article until its text': '100',
  'elements of the page': '3000',
  'elements of the tree': '1500',
  'scrolling through 10,000 articles: longest task': '50',
  'frames missed': '1',
};
const feeds = numberOption('--feeds', 1000);
const itemsPerFeed = numberOption('--items', 50);
const rounds = numberOption('--rounds', 9);
const SCROLLED = Math.min(10_000, feeds * itemsPerFeed);
const ROWS_A_FRAME = 4;
const VIEWPORT = { width: 1280, height: 800 };
const FOLDERS = ['Folder A', 'Folder B'];
/** Without the row that says that more is loaded. */
const ROW = '[role=list] [role=listitem] a[data-item]';
const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const found = list.getEntriesByName('first-contentful-paint')[0];
    if (found !== undefined) resolve(found.startTime);
  }).observe({ type: 'paint', buffered: true });
})`;
/** Milliseconds until articles were painted; asked in the page, so that no message is in the time. */
const FIRST_ARTICLES = `new Promise((resolve) => {
  const look = () =>
    document.querySelector('${ROW}') === null
      ? requestAnimationFrame(look)
      : requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  look();
})`;
/** Of the tasks that took more than 50 ms, which browsers call long; 0: there was none. */
const LONGEST_TASK = `new Promise((resolve) => {
  let longest = 0;
  new PerformanceObserver((list) => {
    longest = Math.max(longest, ...list.getEntries().map(({ duration }) => duration));
  }).observe({ type: 'longtask', buffered: true });
  setTimeout(() => resolve(longest), 500);
})`;

const service = await startService({ GATEFOLD_SCHEDULER: 'off' });
const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
const report = new Report(['Gatefold'], AIMS);
const figures = new Map<string, number[]>();
try {
  const ada = await service.addPerson();
  await importArticles(service, ada, feeds, itemsPerFeed, FOLDERS);
  const reader = `${service.url}/apps/news/`;
  for (let round = 0; round < rounds; round += 1) {
    // A service worker of the settings page, which is opened to log in, would keep the reader's files.
    const visitor = await browser.newContext({ viewport: VIEWPORT, serviceWorkers: 'block' });
    const page = await visitor.newPage();
    await logIn(page, service, ada, '/settings/user/account');
    await (await visitor.newCDPSession(page)).send('Network.clearBrowserCache');
    const transfer = await watchTransfer(page);
    await openReader(page, reader, 'first visit');
    await page.evaluate(LONGEST_TASK);
    keep('first visit: requests|number', transfer.requests);
    keep('first visit: transferred|kB', transfer.bytes / 1000);
    keep('  of it scripts and styles|kB', transfer.fileBytes / 1000);
    await visitor.close();
  }
  const regular = await browser.newContext({ viewport: VIEWPORT });
  const page = await regular.newPage();
  await logIn(page, service, ada, '/apps/news/');
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  for (let round = 0; round < rounds; round += 1) {
    await page.goto('about:blank');
    await openReader(page, reader, 'later visit');
    keep('later visit: longest task|ms', await page.evaluate<number>(LONGEST_TASK));
    for (const folder of FOLDERS) {
      keep('a folder until its rows|ms', await timeOfFolder(page, folder));
    }
    keep('an article until its text|ms', await timeOfArticle(page));
  }
  await page.goto('about:blank');
  await page.goto(reader);
  await page.evaluate(FIRST_ARTICLES);
  await page.waitForTimeout(2000);
  const count = (selector: string) => page.locator(selector).count();
  keep('elements of the page|number', await count('*'));
  keep('elements of the tree|number', await count('nav.tree *'));
  await scroll(page);

  const sizes = `${feeds} feeds, ${feeds * itemsPerFeed} articles, medians of ${rounds}`;
  report.begin('paint', `${sizes}; Chromium ${browser.version()}`);
  for (const [name, values] of figures) {
    const [words = '', unit = ''] = name.split('|');
    const value = words.endsWith('longest task') ? Math.max(...values) : median(values);
    report.add(words, unit, [value], values.length);
  }
  report.keep();
} finally {
  await browser.close();
  await service.stop();
}

function keep(name: string, value: number): void {
  figures.set(name, [...(figures.get(name) ?? []), value]);
}

/** Keeps milliseconds from the start of the navigation. */
async function openReader(page: Page, address: string, visit: string): Promise<void> {
  await page.goto(address, { waitUntil: 'commit' });
  const articlesMs = await page.evaluate<number>(FIRST_ARTICLES);
  keep(`${visit}: first paint|ms`, await page.evaluate<number>(FIRST_PAINT));
  keep(`${visit}: articles|ms`, articlesMs);
}

/** Counts what comes over the wire, headers included. */
async function watchTransfer(page: Page) {
  const transfer = { requests: 0, bytes: 0, fileBytes: 0 };
  const files = new Set<string>();
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Network.enable');
  devTools.on('Network.responseReceived', ({ requestId, type }) => {
    transfer.requests += 1;
    if (type === 'Script' || type === 'Stylesheet') {
      files.add(requestId);
    }
  });
  devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    transfer.bytes += encodedDataLength;
    transfer.fileBytes += files.has(requestId) ? encodedDataLength : 0;
  });
  return transfer;
}

/** @returns milliseconds from a click on a folder to the frame that shows its rows */
async function timeOfFolder(page: Page, name: string): Promise<number> {
  await page.getByRole('link', { name }).first().waitFor();
  const even = FOLDERS.indexOf(name) === 0 ? '02468' : '13579';
  return page.evaluate<number>(`(async (folder) => {
    const links = [...document.querySelectorAll('nav a')];
    const began = performance.now();
    links.find(({ textContent }) => textContent.includes(folder)).click();
    do {
      await new Promise(requestAnimationFrame);
    } while (
      !document.querySelector('section h1')?.textContent.includes(folder) ||
      !document.querySelector('${ROW}')?.textContent.match(/of feed \\d*[${even}](?!\\d)/)
    );
    return performance.now() - began;
  })(${JSON.stringify(name)})`);
}

/** @returns milliseconds from a click on the third row to the frame that shows the text of its article */
async function timeOfArticle(page: Page): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const link = document.querySelectorAll('${ROW}')[2];
    const began = performance.now();
    link.click();
    do {
      await new Promise(requestAnimationFrame);
    } while (!document.querySelector('article .article-body')?.textContent.includes('has to say'));
    return performance.now() - began;
  })()`);
}

/** Some rows a frame, faster than anybody reads. The list waits at its end when it has to load. */
async function scroll(page: Page): Promise<void> {
  const found = await page.evaluate<{
    longest: number;
    missed: number;
    seconds: number;
  }>(`(async () => {
    let longest = 0;
    const observer = new PerformanceObserver((list) => {
      longest = Math.max(longest, ...list.getEntries().map(({ duration }) => duration));
    });
    observer.observe({ type: 'longtask' });
    const list = document.querySelector('[role=list]');
    const scroller = list.parentElement;
    const rowPixels = list.querySelector('[role=listitem]').offsetHeight;
    let before = await new Promise(requestAnimationFrame);
    const began = before;
    let frames = 0;
    let shown = 0;
    while (scroller.scrollTop < ${SCROLLED} * rowPixels - scroller.clientHeight) {
      scroller.scrollTop += ${ROWS_A_FRAME} * rowPixels;
      const now = await new Promise(requestAnimationFrame);
      frames += Math.round((now - before) * 60 / 1000);
      before = now;
      shown += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { longest, missed: 1 - shown / frames, seconds: (before - began) / 1000 };
  })()`);
  keep('scrolling through 10,000 articles: longest task|ms', found.longest);
  keep('frames missed|%', found.missed * 100);
  keep('time of the scrolling|s', found.seconds);
}

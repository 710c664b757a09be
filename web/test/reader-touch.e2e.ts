import type { CDPSession, Page } from '@playwright/test';
import { devices } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.js';
import { publishFeed, storedItems, subscribe } from './reader-feeds.js';

const { userAgent } = devices['Pixel 7'];
test.use({ userAgent, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

interface Finger {
  to(x: number, y: number): Promise<void>;
  lift(): Promise<void>;
}

/** A finger put down at a point of the window; each movement has the steps that a real one has. */
async function putDown(page: Page, x: number, y: number): Promise<Finger> {
  const devTools: CDPSession = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: object[]) =>
    devTools.send('Input.dispatchTouchEvent', { type, touchPoints: points as never });
  let at = { x, y };
  await send('touchStart', [at]);
  return {
    async to(nextX, nextY) {
      const from = at;
      for (let step = 1; step <= 6; step += 1) {
        at = {
          x: from.x + ((nextX - from.x) * step) / 6,
          y: from.y + ((nextY - from.y) * step) / 6,
        };
        await send('touchMove', [at]);
      }
    },
    async lift() {
      await send('touchEnd', []);
      await devTools.detach();
    },
  };
}

const row = (page: Page, title: string) =>
  page
    .getByRole('list', { name: 'Articles' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: new RegExp(`${title} `) }) });

async function middleOf(page: Page, title: string): Promise<{ x: number; y: number }> {
  const box = await row(page, title).boundingBox();
  return { x: 195, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
}

test('a row is swiped to the left for read and unread, to the right for the star', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/swipe.xml', 'Swipe', 30));
  await page.goto(`${service.url}/apps/news/all`);
  await row(page, 'Swipe article 2').waitFor();
  await expectAccessible(page);
  await keepPicture('touch-list');
  await row(page, 'Swipe article 4')
    .getByRole('button', { name: /^Actions for/ })
    .tap();
  await page.getByRole('menuitem', { name: 'Mark as read' }).tap();
  await expect(page).toHaveTitle('(29) All articles – Gatefold');

  const { x, y } = await middleOf(page, 'Swipe article 2');
  const stored = async () => (await storedItems(service, ada)).get('Swipe article 2');

  const left = await putDown(page, x, y);
  await left.to(x - 110, y + 8);
  await expect(row(page, 'Swipe article 2').locator('.under')).toBeVisible();
  await keepPicture('touch-swipe');
  await left.lift();
  await expect(page).toHaveTitle('(28) All articles – Gatefold');
  await expect.poll(async () => (await stored())?.unread).toBe(false);
  await expect(page).toHaveURL(/\/all$/);

  const right = await putDown(page, x, y);
  await right.to(x + 110, y);
  await right.lift();
  const star = row(page, 'Swipe article 2').getByRole('button', { name: 'Star' });
  await expect(star).toHaveAttribute('aria-pressed', 'true');

  const short = await putDown(page, x, y);
  await short.to(x + 40, y);
  await short.lift();
  await expect(star).toHaveAttribute('aria-pressed', 'true');
  await expect(row(page, 'Swipe article 2').locator('.under')).toHaveCount(0);

  const up = await putDown(page, x, 700);
  await up.to(x + 20, 300);
  await up.lift();
  const scroller = page.locator('.items .scroller');
  await expect.poll(() => scroller.evaluate((it) => it.scrollTop)).toBeGreaterThan(100);
  await expect(page).toHaveTitle('(28) All articles – Gatefold');
});

test('articles are swiped through, and pulling the list refreshes it', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/pull.xml', 'Pull', 4));
  await page.goto(`${service.url}/apps/news/all`);
  await row(page, 'Pull article 1').waitFor();

  publishFeed(feeds, '/pull.xml', 'Pull', [{ title: 'Fresh', guid: 'fresh', body: '<p>New</p>' }]);
  const pull = await putDown(page, 195, 200);
  await pull.to(195, 380);
  await expect(page.locator('.pull')).toBeVisible();
  await keepPicture('touch-pull');
  await pull.lift();
  await expect(page.getByText('1 new article', { exact: true })).toBeVisible();
  await expect(row(page, 'Fresh')).toBeVisible();

  const opened = page.getByRole('article').getByRole('heading', { level: 1 });
  await page.getByRole('link', { name: /Pull article 1 / }).tap();
  await expect(opened).toHaveText('Pull article 1');
  const next = await putDown(page, 300, 500);
  await next.to(120, 505);
  await expect(page.locator('.hint')).toBeVisible();
  await keepPicture('touch-article');
  await next.lift();
  await expect(opened).toHaveText('Pull article 2');
  const back = await putDown(page, 100, 500);
  await back.to(280, 500);
  await back.lift();
  await expect(opened).toHaveText('Pull article 1');
});

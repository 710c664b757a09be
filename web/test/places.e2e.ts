import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.js';
import { publishFeed, subscribe } from './reader-feeds.js';

/** Parts of pages that fail, and trees and lists of many feeds. */

const tree = (page: Page) => page.getByRole('navigation', { name: 'Feeds' });
const rows = (page: Page) => page.getByRole('list', { name: 'Articles' }).getByRole('listitem');

test('a place of the page that fails says so, and the rest stays', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/places.xml', 'Places', 3));
  // What the list of articles needs, and neither the tree nor the bar above.
  await page.addInitScript(() => {
    const { DateTimeFormat } = Intl;
    Object.assign(globalThis, { repair: () => Object.assign(Intl, { DateTimeFormat }) });
    Object.assign(Intl, {
      DateTimeFormat: function DateTimeFormat() {
        throw new RangeError('Invalid language tag');
      },
    });
  });
  await page.goto(`${service.url}/apps/news/`);

  const failed = page.getByRole('alert').filter({ hasText: 'This part of the page could not be' });
  await expect(failed.first()).toBeVisible();
  await expect(page.getByRole('button', { name: `Menu of ${ada.userId}` })).toBeVisible();
  await expect(tree(page).getByRole('link', { name: /^Places/ })).toBeVisible();
  await expect(rows(page)).toHaveCount(0);
  await expectAccessible(page);
  await keepPicture('place-failed');
  await page.getByRole('link', { name: 'Chat', exact: true }).click();
  await expect(page.getByText('Talk to somebody').first()).toBeVisible();
  await page.getByRole('link', { name: 'Reader', exact: true }).click();
  await expect(failed.first()).toBeVisible();

  await page.evaluate(() => (globalThis as unknown as { repair(): void }).repair());
  await expect(async () => {
    await failed.first().getByRole('button', { name: 'Try again' }).click({ timeout: 1_000 });
    await expect(failed).toHaveCount(0, { timeout: 100 });
  }).toPass();
  await expect(rows(page)).toHaveCount(3);
});

test.describe('a script that is not there', () => {
  // Otherwise the worker has kept it.
  test.use({ serviceWorkers: 'block' });

  test('of a dialog or a notice leaves the rest of the reader, and is tried again', async ({
    page,
    ada,
    service,
    feeds,
  }) => {
    await subscribe(service, ada, publishFeed(feeds, '/scripts.xml', 'Scripts', 3));
    await page.route('**/v1-3/feeds', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { feeds: object[] };
      const failing = body.feeds.map((feed) => ({ ...feed, updateErrorCount: 1 }));
      await route.fulfill({ response: answer, json: { ...body, feeds: failing } });
    });
    const scripts = /\/assets\/(?:FeedErrorNotice|FolderDialog)-[^/]*\.js/;
    await page.route(scripts, (route) => route.abort());
    await page.goto(`${service.url}/apps/news/`);
    const failed = page.getByRole('alert').filter({ hasText: 'This part of the page could not' });
    const folder = page.getByRole('dialog', { name: 'New folder' });
    const openFolder = async () => {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'New folder' }).click();
    };

    await tree(page)
      .getByRole('link', { name: /^Scripts/ })
      .click();
    await expect(failed).toHaveCount(1);
    await openFolder();
    await expect(failed).toHaveCount(2);
    await expect(rows(page)).toHaveCount(3);
    await expect(tree(page).getByRole('link', { name: /^Scripts/ })).toBeVisible();
    await expectAccessible(page);
    await page.unroute(scripts);
    await failed.last().getByRole('button', { name: 'Try again' }).click();
    await expect(folder).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(failed).toHaveCount(1);
    await failed.getByRole('button', { name: 'Try again' }).click();
    await expect(failed).toHaveCount(0);

    await page.route(scripts, (route) => route.abort());
    await page.reload();
    await openFolder();
    await expect(failed).toHaveCount(2);
    await page.unroute(scripts);
    await openFolder();
    await expect(folder).toBeVisible();
  });
});

test('the pages work in a browser whose language is that of no person', async ({
  browser,
  service,
  ada,
  page,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/posix.xml', 'Posix', 3));
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'languages', { value: ['C', 'en-US@posix'] });
    // What such a browser does without a language.
    for (const name of ['Collator', 'DateTimeFormat', 'NumberFormat', 'PluralRules'] as const) {
      const Original = Intl[name] as unknown as new (...given: unknown[]) => object;
      Object.assign(Intl, {
        [name]: new Proxy(Original, {
          construct(target, given: unknown[]) {
            if (given[0] === undefined) {
              throw new RangeError(`Invalid language tag: C (${name})`);
            }
            return new target(...given);
          },
        }),
      });
    }
  });
  expect(browser.isConnected()).toBe(true);
  for (const place of ['/apps/news/', '/apps/files/', '/settings/user/security']) {
    await page.goto(service.url + place);
    await expect(page.getByRole('button', { name: `Menu of ${ada.userId}` })).toBeVisible();
    await expect(page.getByText('This part of the page could not be shown.')).toHaveCount(0);
  }
  await page.goto(`${service.url}/apps/news/`);
  await expect(rows(page)).toHaveCount(3);
  expect(errors).toEqual([]);
});

const MANY = 1000;

test('a thousand feeds are few elements, and one is found by its name', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const id = await subscribe(service, ada, publishFeed(feeds, '/many.xml', 'Many', 1));
  await page.route('**/v1-3/feeds', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { feeds: { id: number; title: string }[] };
    const [feed] = body.feeds;
    const more = Array.from({ length: MANY - 1 }, (_, n) => ({
      ...feed,
      id: id + n + 1,
      title: n === 500 ? 'Café society' : `Feed ${n}`,
    }));
    await route.fulfill({ response: answer, json: { ...body, feeds: [...body.feeds, ...more] } });
  });
  await page.goto(`${service.url}/apps/news/`);
  const lines = tree(page).locator('.roots .line');
  await lines.first().waitFor();
  const elements = await tree(page).evaluate((it) => it.querySelectorAll('*').length);
  expect(elements).toBeLessThan(MANY);
  await expect(tree(page).getByRole('list')).toHaveCount(1);
  await expectAccessible(page);

  // The menu comes with the pointer, and with the focus.
  await lines.nth(3).hover();
  await tree(page)
    .getByRole('button', { name: /^Menu of Feed/ })
    .click();
  await expect(page.getByRole('menuitem', { name: 'Feed settings' })).toBeVisible();
  await page.keyboard.press('Escape');
  await lines.nth(5).click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Feed settings' })).toBeVisible();
  await page.keyboard.press('Escape');

  const field = page.getByRole('searchbox', { name: 'Find a feed' });
  await field.fill('CAFE');
  await expect(lines).toHaveText([/Café society/]);
  await expectAccessible(page);
  await keepPicture('tree-found');
  await field.press('Enter');
  await expect(lines.first()).toBeFocused();
  await field.press('Escape');
  // The keyboard was here.
  await expect(lines).toHaveCount(MANY);
});

test('cards of a wide list stand beside one another, and before an article is chosen the list is wide', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/cards.xml', 'Cards', 30));
  await page.setViewportSize({ width: 1360, height: 800 });
  await page.goto(`${service.url}/apps/news/`);
  await rows(page).first().waitFor();
  const widthOf = async (part: string) =>
    page.locator(part).evaluate((it) => it.getBoundingClientRect().width);
  expect(await widthOf('.reader > .article')).toBeLessThan(1360 * 0.25);
  await page.getByRole('link', { name: /Cards article 1 / }).click();
  await expect(page.getByRole('article')).toBeVisible();
  expect(await widthOf('.reader > .article')).toBeGreaterThan(1360 * 0.4);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'List options' }).click();
  await page.getByRole('menuitemradio', { name: 'Cards' }).click();
  await page.keyboard.press('Escape');
  const places = () =>
    rows(page).evaluateAll((all) =>
      all.slice(0, 2).map((row) => {
        const { left, top, width } = row.getBoundingClientRect();
        return { left, top, width };
      }),
    );
  await expect.poll(async () => (await places())[0]?.width).toBeLessThan(600);
  const [first, second] = await places();
  expect(second?.top).toBe(first?.top);
  expect(second?.left).toBeGreaterThanOrEqual((first?.left ?? 0) + (first?.width ?? 0) - 1);
  await keepPicture('list-cards-grid');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(async () => (await places())[0]?.width).toBeGreaterThan(350);
});

import type { Page } from '@playwright/test';
import { expect, expectAccessible, test as base } from './fixtures.js';
import { publishFeed, subscribe } from './reader-feeds.js';

/** Opens the first article of a feed. */
const test = base.extend<{ article: void }>({
  article: [
    async ({ page, ada, service, feeds }, use) => {
      await subscribe(service, ada, publishFeed(feeds, '/letters.xml', 'Letters', 3));
      await page.goto(`${service.url}/apps/news/all`);
      await page.getByRole('link', { name: /Letters article 1/ }).click();
      await expect(page.getByRole('article')).toBeVisible();
      await use();
    },
    { auto: true },
  ],
});

const PHONE = { width: 390, height: 844 };

const styleOf = (page: Page, property: string) =>
  page
    .getByRole('article')
    .evaluate((it, name) => getComputedStyle(it).getPropertyValue(name), property);

const openPanel = async (page: Page) => {
  await page.getByRole('button', { name: 'Text and colours' }).click();
  const panel = page.getByRole('dialog', { name: 'Text and colours' });
  await expect(panel).toBeVisible();
  return panel;
};

test('“Aa” changes font, size, width and spacing at once, and keeps them', async ({
  page,
  keepPicture,
}) => {
  const before = await styleOf(page, 'font-family');
  const panel = await openPanel(page);
  await panel.getByRole('radio', { name: 'Serif' }).check();
  await panel.getByLabel('Size').fill('22');
  await panel.getByLabel('Line width').fill('50');
  await panel.getByLabel('Line spacing').fill('2');
  await panel.getByLabel('Straight right edge').check();

  expect(await styleOf(page, 'font-size')).toBe('22px');
  expect(await styleOf(page, 'line-height')).toBe('44px');
  expect(await styleOf(page, 'font-family')).not.toBe(before);
  await expectAccessible(page);
  await keepPicture('appearance-light');
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await expect(page.getByRole('button', { name: 'Text and colours' })).toBeFocused();
  await page.reload();
  await expect(page.getByRole('article')).toHaveCSS('font-size', '22px');

  await (await openPanel(page)).getByRole('button', { name: 'Reset' }).click();
  await expect(page.getByRole('article')).toHaveCSS('font-size', '17px');
  expect(await styleOf(page, 'font-family')).toBe(before);
});

test('every theme is readable, on a phone as well', async ({ page, keepPicture }) => {
  const panel = await openPanel(page);
  const seen = new Set<string>();
  for (const name of ['Light', 'Sepia', 'Dark', 'Black']) {
    await panel.getByRole('radio', { name }).check();
    seen.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    await expectAccessible(page);
    await keepPicture(`appearance-${name.toLowerCase()}`);
  }
  expect(seen.size).toBe(4);

  await page.setViewportSize(PHONE);
  const box = await panel.boundingBox();
  expect(box).toMatchObject({ x: 0, width: PHONE.width });
  expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(PHONE.height);
  await panel.getByRole('radio', { name: 'Sepia' }).check();
  await expectAccessible(page);
  await keepPicture('appearance-phone');
});

test('a style sheet of one’s own applies to the reader; a broken one can be repaired', async ({
  page,
  service,
  keepPicture,
}) => {
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(`${service.url}/settings/user/reader`);
  const text = page.getByLabel('CSS for the reader');
  const save = page.getByRole('button', { name: 'Save' });
  await text.fill('head { background: \\75 rl(https://evil.example/token) }');
  await expect(page.getByText('A style sheet may not load anything')).toBeVisible();
  await expect(save).toBeDisabled();
  await keepPicture('settings-reader');
  await expectAccessible(page);
  await text.fill('.article { border: 3px solid teal } .reader { display: none }');
  await save.click();
  await expect(page.getByText('Style sheet saved.')).toBeVisible();

  await page.getByRole('link', { name: 'Reader', exact: true }).first().click();
  await expect(page.getByRole('main')).toBeHidden();
  await page.goto(`${service.url}/apps/news/all?safe`);
  await expect(page.getByRole('link', { name: /Letters article 1/ })).toBeVisible();
  await page.goto(`${service.url}/settings/user/reader`);
  await expect(page.getByRole('heading', { name: 'Reader', level: 1 })).toBeVisible();
  await text.fill('.article { border: 3px solid teal }');
  await save.click();
  await page.goto(`${service.url}/apps/news/all`);
  await page.getByRole('link', { name: /Letters article 1/ }).click();
  await expect(page.getByRole('article')).toHaveCSS('border-top-width', '3px');
  expect(requested.filter((url) => url.includes('evil'))).toEqual([]);
});

test('the settings have every reading preference, on a phone and in the dark', async ({
  page,
  service,
  keepPicture,
}) => {
  await page.goto(`${service.url}/settings/user/reader`);
  await page.getByLabel('Mark articles as read while scrolling').check();
  await page.getByRole('radio', { name: 'Dark' }).check();
  await expectAccessible(page);
  await keepPicture('settings-reader-dark');
  await page.setViewportSize(PHONE);
  await page.getByLabel('CSS for the reader').scrollIntoViewIfNeeded();
  await keepPicture('settings-reader-phone');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);

  await page.reload();
  await expect(page.getByLabel('Mark articles as read while scrolling')).toBeChecked();
});

import type { Locator, Page } from '@playwright/test';
import sharp from 'sharp';
import { ADMIN, expect, logIn, test } from './fixtures.js';
import { publishFeed, subscribe } from './reader-feeds.js';

/** Pages in colours that the visitor forces. What is drawn is measured, not what the style sheets say. */

const SIZES = { wide: { width: 1360, height: 800 }, phone: { width: 390, height: 844 } };
/** WCAG 2.2, 1.4.11. */
const LEAST_CONTRAST = 3;

/** The contrast between the lightest and the darkest colour of an element. */
async function contrastIn(element: Locator): Promise<number> {
  const { data, info } = await sharp(await element.screenshot({ animations: 'disabled' }))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const linear = (value: number) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  let [darkest, lightest] = [1, 0];
  for (let at = 0; at < data.length; at += info.channels) {
    const [red = 0, green = 0, blue = 0] = [0, 1, 2].map((n) => linear((data[at + n] ?? 0) / 255));
    const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    [darkest, lightest] = [Math.min(darkest, luminance), Math.max(lightest, luminance)];
  }
  return (lightest + 0.05) / (darkest + 0.05);
}

async function expectContrast(page: Page, selector: string, most = 12): Promise<void> {
  const all = page.locator(selector).filter({ visible: true });
  await expect(all.first(), selector).toBeVisible();
  for (const element of (await all.all()).slice(0, most)) {
    const name = await element.evaluate((it) => it.outerHTML.slice(0, 120));
    expect(await contrastIn(element), name).toBeGreaterThanOrEqual(LEAST_CONTRAST);
  }
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    test(`icons, states and the focus can be seen in forced colours: ${colorScheme}, ${size}`, async ({
      page,
      ada,
      service,
      feeds,
      keepPicture,
    }) => {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, forcedColors: 'active' });
      await subscribe(service, ada, publishFeed(feeds, '/forced.xml', 'Forced', 4));
      await page.goto(`${service.url}/apps/news/`);
      await page.getByRole('link', { name: /Forced article 2 / }).click();
      await expect(page.getByRole('article')).toBeVisible();
      await keepPicture(`forced-article-${colorScheme}-${size}`);
      await expectContrast(page, 'header.bar :is(.place, .brand, .icon-button)');
      await expectContrast(page, '.pane .tools .icon-button');
      await page.goto(`${service.url}/apps/news/all`);
      await expectContrast(page, '.unread .dot');
      await page.locator('.item').first().hover();
      await expectContrast(page, '.item:hover .icon-button');
      await page.getByRole('link', { name: /Forced article 1 / }).focus();
      await keepPicture(`forced-list-${colorScheme}-${size}`);
      await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();
      await expectContrast(page, '[role^="menuitem"]');
      // Surfaces are alike: the chosen theme has an outline, and the others have none.
      const outlineOf = (name: string) =>
        page
          .getByRole('menuitemradio', { name })
          .evaluate((it) => getComputedStyle(it).outlineStyle);
      expect([await outlineOf('System'), await outlineOf('Sepia')]).toEqual(['solid', 'none']);
      await keepPicture(`forced-menu-${colorScheme}-${size}`);

      const places = [
        'apps/news/rules/new',
        'settings/user/profile',
        'settings/user/security',
        'apps/files/',
        'apps/spreed/',
      ];
      for (const place of places) {
        await page.goto(`${service.url}/${place}`);
        await expectContrast(page, '#content :is(.button, .icon-button)', 4);
        await expectContrast(page, ':is(.place, .side-link)[aria-current]', 1);
        if (place === 'apps/files/') {
          await expectContrast(page, '.button.primary svg');
        }
        await keepPicture(`forced-${place.replaceAll('/', '-')}-${colorScheme}-${size}`);
      }
      await logIn(page, service, ADMIN);
      for (const place of [
        'overview',
        'users',
        'groups',
        'apps',
        'feeds',
        'processing',
        'tasks',
        'security',
        'check',
      ]) {
        await page.goto(`${service.url}/settings/admin/${place}`);
        await expectContrast(page, '.side-link[aria-current]');
        await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible();
        await keepPicture(`forced-admin-${place}-${colorScheme}-${size}`);
      }
    });
  }
}

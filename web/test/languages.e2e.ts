import type { Page } from '@playwright/test';
import { LANGUAGES } from '../src/texts/languages.js';
import { expect, expectAccessible, test } from './fixtures.js';
import { addFolder, publishFeed, subscribe } from './reader-feeds.js';
import type { Person, Service } from './service.js';

const PHONE = { width: 390, height: 844 };

async function speak(service: Service, person: Person, language: string): Promise<void> {
  const area = '/ocs/v2.php/apps/gatefold/api/v1/preferences/pages?format=json';
  await service.call(person, 'PATCH', area, { values: { language } });
}

/** Texts such as `reader.markAllRead`, which stand for a text that is missing. */
async function missingTexts(page: Page): Promise<readonly string[]> {
  const shown = await page.evaluate(() => {
    const labels = [
      ...document.body.querySelectorAll('[aria-label], [title], [placeholder]'),
    ].flatMap((it) =>
      ['aria-label', 'title', 'placeholder'].map((name) => it.getAttribute(name) ?? ''),
    );
    return [document.body.innerText, ...labels].join('\n');
  });
  return [...shown.matchAll(/\b(?:admin|chat|declarative|files|reader|settings|shell)\.\w+/g)].map(
    ([key]) => key,
  );
}

const width = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

test('a person reads in French, then in Japanese', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/marees.xml', 'Tides', 3));
  await page.goto(`${service.url}/settings/user/profile`);
  await page.getByLabel('Language', { exact: true }).selectOption('Français');
  await expect(page.getByRole('heading', { name: 'Profil' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr');

  await page.goto(`${service.url}/apps/news/all`);
  await page.getByRole('link', { name: /Tides article 1/ }).click();
  await expect(page.getByRole('article')).toContainText('20 octobre 2026');
  await page.getByRole('button', { name: 'Ajouter un flux' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Adresse').first().fill(feeds.url('/none.xml'));
  await dialog.getByRole('button', { name: 'Trouver le flux' }).click();
  await expect(dialog.getByRole('alert')).toContainText('n’a rien à cette adresse (code 404).');
  await expectAccessible(page);
  await keepPicture('language-french');

  await page.goto(`${service.url}/settings/user/profile`);
  await page.getByLabel('Langue', { exact: true }).selectOption('日本語');
  await expect(page.getByRole('heading', { name: 'プロフィール' })).toBeVisible();
  await page.goto(`${service.url}/apps/news/all`);
  await page.getByRole('link', { name: /Tides article 2/ }).click();
  await expect(page.getByRole('article')).toContainText('2026年10月');
  await keepPicture('language-japanese');
});

test('texts without a translation are marked as English, other texts are not', async ({
  page,
  ada,
  service,
}) => {
  await speak(service, ada, 'de');
  // As the build writes an area that lacks the name of the page.
  await page.route(/\/texts-de-settings-.*\.js/, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text())
      .replace('=`Profil`', '=`Profile`')
      .replace(',profile:', ',inEnglish:`profile`,profile:');
    await route.fulfill({ response: answer, body });
  });
  await page.goto(`${service.url}/settings/user/profile`);
  const heading = page.getByRole('heading', { name: 'Profile', level: 1 });

  await expect(heading).toHaveAttribute('lang', 'en');
  await expect(page.locator('main [lang=en]:not(option)')).toHaveCount(1);
});

test('in Arabic the pages are mirrored', async ({ page, ada, service, feeds, keepPicture }) => {
  const folderId = await addFolder(service, ada, 'Sea');
  await subscribe(service, ada, publishFeed(feeds, '/rtl.xml', 'Tides', 3), folderId);
  await speak(service, ada, 'ar');
  await page.goto(`${service.url}/apps/news/all/`);
  const tree = page.getByRole('navigation', { name: 'الخلاصات' });
  const folder = tree.getByRole('link', { name: /^Sea/ });
  const feed = tree.getByRole('link', { name: /^Tides/ });
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
  await expect(feed).toBeVisible();
  expect((await tree.boundingBox())?.x).toBeGreaterThan(640);

  await folder.focus();
  await page.keyboard.press('ArrowRight');
  await expect(feed).toBeHidden();
  await page.keyboard.press('ArrowLeft');
  await expect(feed).toBeVisible();
  const divider = page.getByRole('separator', { name: 'عرض عمود الخلاصات' });
  const width = Number(await divider.getAttribute('aria-valuenow'));
  await divider.press('ArrowLeft');
  await expect(divider).toHaveAttribute('aria-valuenow', String(width + 16));
  await page.getByRole('link', { name: /Tides article 1/ }).click();
  await expect(page.getByRole('article').getByRole('heading')).toHaveCSS('direction', 'ltr');
  await expectAccessible(page);
  await keepPicture('language-arabic');

  for (const place of ['/apps/files/', '/apps/spreed', '/settings/user/profile']) {
    await page.goto(service.url + place);
    await expect(page.getByRole('main')).toBeVisible();
    await expectAccessible(page);
  }
  const login = await fetch(`${service.url}/login`, {
    headers: { 'Accept-Language': 'he' },
  });
  expect(await login.text()).toContain('<html lang="he" dir="rtl">');
});

test('the login page is in the language of the browser', async ({ browser, service }) => {
  const context = await browser.newContext({ locale: 'pl-PL' });
  const page = await context.newPage();
  await page.goto(`${service.url}/login`);

  await expect(page.getByRole('heading', { name: 'Zaloguj się' })).toBeVisible();
  await page.locator('input[name="user"]').fill('nobody');
  await page.locator('input[name="password"]').fill('wrong');
  await page.getByRole('button', { name: 'Zaloguj się' }).click();
  await expect(page.getByRole('alert')).toHaveText('Nieprawidłowa nazwa użytkownika lub hasło.');
  await context.close();
});

test('every language is complete, and fits on a phone', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/all.xml', 'Tides', 3));
  await page.setViewportSize(PHONE);
  for (const language of Object.keys(LANGUAGES)) {
    await speak(service, ada, language);
    for (const [name, place] of [
      ['reader', '/apps/news/all'],
      ['profile', '/settings/user/profile'],
      ['files', '/apps/files/'],
      ['chat', '/apps/spreed'],
    ] as const) {
      await page.goto(service.url + place);
      await expect(page.locator('html')).toHaveAttribute('lang', language);
      await expect(page.getByRole('main')).toBeVisible();
      expect(await missingTexts(page), language).toEqual([]);
      expect(await width(page), `${place} in ${language}`).toBe(PHONE.width);
      if (language === 'de' || language === 'ru') {
        await keepPicture(`language-${language}-${name}-phone`);
      }
    }
  }
});

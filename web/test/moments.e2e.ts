import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ADMIN, expect, expectAccessible, logIn, test } from './fixtures.js';
import { startService } from './service.js';

const PHONE = { width: 390, height: 800 };

test('unknown addresses and a frozen database are pages, which try again by themselves', async ({
  page,
  keepPicture,
}) => {
  const service = await startService();
  const signalDatabase = (signal: 'STOP' | 'CONT') => {
    const file = `${service.dataDir}/postgres/data/postmaster.pid`;
    const [server = ''] = readFileSync(file, 'utf8').split('\n');
    const children = execFileSync('pgrep', ['-P', server], { encoding: 'utf8' }).trim();
    execFileSync('kill', [`-${signal}`, server, ...children.split('\n')]);
  };
  await logIn(page, service, ADMIN, '/a/b/c?d=%3Cscript%3E');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expectAccessible(page);

  signalDatabase('STOP');
  await page.goto(`${service.url}/settings/admin/check`);
  await expect(page.getByRole('heading', { name: 'Not available right now' })).toBeVisible();
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await keepPicture('moments-away-phone-dark');
  signalDatabase('CONT');
  await expect(page.getByRole('heading', { name: 'Doctor' })).toBeVisible({ timeout: 30_000 });
  await service.stop();
});

test('places that cannot load say so in place, claim nothing, and load on request', async ({
  page,
  service,
  keepPicture,
}) => {
  await logIn(page, service, ADMIN);
  const again = page.getByRole('main').getByRole('button', { name: 'Try again' });
  const claims = /Nothing needs attention|^Fetches|No external app|No failed|Nobody|None/;
  for (const place of [
    ...['overview', 'users', 'apps', 'feeds', 'processing', 'tasks', 'security', 'check'].map(
      (section) => `/settings/admin/${section}`,
    ),
    ...['profile', 'security', 'apps'].map((section) => `/settings/user/${section}`),
    '/apps/news/',
  ]) {
    await page.route('**', (route) =>
      route.request().resourceType() === 'fetch'
        ? route.fulfill({ status: 503, json: { message: 'No database for now.' } })
        : route.continue(),
    );
    await page.goto(service.url + place);
    await expect(again.first(), place).toBeVisible();
    await expect(page.getByRole('main').getByText(claims), place).toHaveCount(0);
    const toasts = await page.locator('.toast').allTextContents();
    expect(toasts, place).toEqual([...new Set(toasts)]);
    await expectAccessible(page);
    await keepPicture(`moments-failed${place.replaceAll('/', '-')}`);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await again.evaluateAll((buttons: HTMLElement[]) => buttons.forEach((each) => each.click()));
    await expect(again, place).toHaveCount(0);
  }
});

test('no page scrolls on into emptiness, and passwords are shown on request', async ({
  page,
  service,
}) => {
  await page.goto(`${service.url}/login`);
  const show = page.getByRole('button', { name: 'Show password' });
  await show.press('Enter');
  await expect(show).toHaveAttribute('aria-pressed', 'true');
  await expect(page.locator('input[name="password"]')).toHaveAttribute('type', 'text');
  await expectAccessible(page);

  await logIn(page, service, ADMIN, '/settings');
  await expect(page).toHaveURL(/\/settings\/user\/profile$/);
  await show.nth(1).click();
  await expect(page.getByLabel('New password', { exact: true })).toHaveAttribute('type', 'text');
  const sections = () =>
    page
      .locator('.side-link')
      .evaluateAll((all: HTMLAnchorElement[]) => all.map((each) => each.pathname));
  const own = await sections();
  await page.goto(`${service.url}/settings/admin/overview`);
  await expect(page.locator('.side-link').first()).toBeVisible();
  for (const place of [
    '/apps/news/',
    '/apps/files/',
    '/apps/spreed/',
    ...own,
    ...(await sections()),
  ]) {
    await page.goto(service.url + place);
    await expect(page.locator('main')).toBeVisible();
    await expect(page.locator('main [aria-busy="true"]')).toHaveCount(0);
    for (const size of [PHONE, { width: 1360, height: 800 }]) {
      await page.setViewportSize(size);
      expect(
        await page.evaluate(() => document.documentElement.scrollHeight - innerHeight),
        place,
      ).toBe(0);
    }
  }
});

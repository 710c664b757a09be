import { ADMIN, expect, expectAccessible, logIn, logInByHand, test } from './fixtures.js';

test('an anonymous visitor is sent to the login page and back to the requested page', async ({
  page,
  service,
}) => {
  await page.goto(`${service.url}/apps/files/`);

  await expect(page).toHaveURL(/\/login\?redirect_url=/);
  await page.locator('input[name="user"]').fill(ADMIN.userId);
  await page.locator('input[name="password"]').fill(ADMIN.password);
  await page.locator('form button').click();
  await expect(page).toHaveURL(`${service.url}/apps/files/`);
});

test('the bar links to all areas; administration only for administrators', async ({
  page,
  ada,
  service,
}) => {
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();

  await expect(page.getByRole('menuitem', { name: 'Settings' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Administration' })).toHaveCount(0);

  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/login/);
  await logInByHand(page, service, ADMIN);
  await page.getByRole('button', { name: /^Menu of/ }).click();
  await expect(page.getByRole('menuitem', { name: 'Administration' })).toBeVisible();
});

test('the dark theme survives a reload', async ({ page, ada, service }) => {
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await page.reload();

  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('foreign service workers are removed', async ({ page, ada, service }) => {
  expect(ada.userId).not.toBe('');
  await page.goto(`${service.url}/apps/news/`);
  const scripts = () =>
    page.evaluate(async () =>
      (await navigator.serviceWorker.getRegistrations())
        .map(({ installing, waiting, active }) => (installing ?? waiting ?? active)?.scriptURL)
        .map((script) => script?.replace(location.origin, ''))
        .sort(),
    );
  await expect.poll(scripts).toEqual(['/sw.js']);
  await page.evaluate(async () => {
    const scope = '/apps/app_api/proxy/tides/';
    await navigator.serviceWorker.register('/sw.js?of=an-app', { scope });
  });
  await expect.poll(scripts).toEqual(['/sw.js', '/sw.js?of=an-app']);

  await page.reload();

  await expect.poll(scripts).toEqual(['/sw.js']);
});

test('the pages are in German for German browsers', async ({ browser, service }) => {
  const context = await browser.newContext({ locale: 'de-DE' });
  const page = await context.newPage();
  await logIn(page, service, ADMIN, '/apps/news/');

  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page.getByRole('link', { name: 'Dateien' })).toBeVisible();
  await context.close();
});

test('an unknown address shows an accessible error page', async ({ page, ada, service }) => {
  expect(ada.userId).not.toBe('');
  await page.goto(`${service.url}/settings/nowhere`);

  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expectAccessible(page);
});

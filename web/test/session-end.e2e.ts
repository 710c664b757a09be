import type { Page } from '@playwright/test';
import { TOTP } from 'otpauth';
import { expect, expectAccessible, logIn, test } from './fixtures.js';
import { publishFeed, storedItems, subscribe } from './reader-feeds.js';
import { ADMIN, startService, type Service } from './service.js';

/** What is typed on a page is still there, and is sent, after the session has ended. */

const PHONE = { width: 390, height: 844 };
const login = (page: Page) => page.getByRole('dialog', { name: 'Log in again' });
const folder = (page: Page) => page.getByRole('dialog', { name: 'New folder' });

/** Opens the dialog for a new folder, and types its name. */
async function typeFolder(page: Page, service: Service, name: string): Promise<void> {
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'New folder' }).click();
  await folder(page).getByRole('textbox').fill(name);
}

/** Also when the page has noticed by itself that the session has ended, and is covered. */
const save = (page: Page) =>
  folder(page).getByRole('button', { name: 'Save', includeHidden: true }).dispatchEvent('click');
const isThere = (page: Page, name: string) =>
  expect(page.getByRole('navigation', { name: 'Feeds' }).getByRole('link', { name })).toBeVisible();

test(
  'a form that is sent after the session has ended waits for a login over the page',
  { tag: '@main' },
  async ({ page, ada, service, feeds, keepPicture }) => {
    await subscribe(service, ada, publishFeed(feeds, '/session.xml', 'Session', 1));
    await typeFolder(page, service, 'Harbours');
    await service.run(['session:revoke', ada.userId]);

    await save(page);
    await expect(login(page)).toBeVisible();
    await expect(login(page).getByLabel('Your password')).toBeFocused();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(login(page)).toBeVisible();
    await expectAccessible(page);
    await keepPicture('session-end-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize(PHONE);
    await keepPicture('session-end-phone-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await login(page).getByLabel('Your password').fill('not the password');
    await login(page).getByRole('button', { name: 'Log in', exact: true }).click();
    await expect(login(page).getByRole('alert')).toContainText('wrong');
    await login(page).getByLabel('Your password').fill(ada.password);
    await login(page).getByRole('button', { name: 'Log in', exact: true }).click();

    await expect(login(page)).toHaveCount(0);
    await isThere(page, 'Harbours');
    // The next change is of the new session.
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await expect(page.getByText('All marked as read.')).toBeVisible();
  },
);

test('marks that wait are deleted with the session, and sent after a login over the page', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/marks-wait.xml', 'Waiting', 2));
  const kept = () =>
    page.evaluate((id) => localStorage.getItem(`gatefold-waiting-${id}`), ada.userId);
  const isStarred = async () =>
    (await storedItems(service, ada)).get('Waiting article 1')?.starred ?? null;
  await page.route('**/star/multiple', (route) => route.abort());
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('button', { name: 'Star', exact: true }).first().click();
  await expect.poll(kept).toContain('starred');
  await service.run(['session:revoke', ada.userId]);

  // The login page in another tab deletes them as well.
  const other = await page.context().newPage();
  await other.goto(`${service.url}/apps/news/`);
  await expect.poll(kept).toBeNull();
  await page.getByRole('link', { name: /Waiting article 2 / }).dispatchEvent('click');
  await expect(login(page)).toBeVisible();
  await login(page).getByLabel('Your password').fill(ada.password);
  await login(page).getByRole('button', { name: 'Log in', exact: true }).click();
  await expect(login(page)).toHaveCount(0);
  await expect.poll(kept).toContain('starred');
  expect(await isStarred()).toBe(false);

  await page.unroute('**/star/multiple');
  await page.reload();
  await expect.poll(isStarred).toBe(true);
});

test('a second factor is asked for in place', async ({ page, ada, service, feeds }) => {
  await subscribe(service, ada, publishFeed(feeds, '/factor.xml', 'Factor', 1));
  await page.goto(`${service.url}/settings/user/security`);
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const setUp = page.getByRole('dialog', { name: 'Set up an authenticator app' });
  const secret = await setUp.getByLabel('Secret', { exact: true }).inputValue();
  await setUp.getByLabel('Code that the app shows').fill(new TOTP({ secret }).generate());
  await setUp.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('dialog', { name: 'Recovery codes' })).toBeVisible();
  await typeFolder(page, service, 'Islands');
  await service.run(['session:revoke', ada.userId]);

  await save(page);
  await login(page).getByLabel('Your password').fill(ada.password);
  await login(page).getByRole('button', { name: 'Log in', exact: true }).click();
  const code = login(page).getByLabel(/^Code of your authenticator app/);
  await expect(code).toBeFocused();
  await code.fill('000000');
  await login(page).getByRole('button', { name: 'Log in', exact: true }).click();
  await expect(login(page).getByRole('alert')).toContainText('wrong');
  await code.fill(new TOTP({ secret }).generate({ timestamp: Date.now() + 30_000 }));
  await login(page).getByRole('button', { name: 'Log in', exact: true }).click();

  await isThere(page, 'Islands');
});

test('a login in another tab is enough, and a later session is noticed without a question', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/tabs.xml', 'Tabs', 1));
  await typeFolder(page, service, 'Capes');
  await service.run(['session:revoke', ada.userId]);
  await save(page);
  await expect(login(page).getByRole('link', { name: 'Log in in another tab' })).toHaveAttribute(
    'target',
    '_blank',
  );
  await logIn(page, service, ada);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await isThere(page, 'Capes');

  await typeFolder(page, service, 'Bays');
  await logIn(page, service, ada);
  await save(page);
  await isThere(page, 'Bays');
  await expect(login(page)).toHaveCount(0);
});

test('where passwords are not taken, the dialog leads to the login elsewhere, and has no other button', async ({
  page,
  keepPicture,
}) => {
  const service = await startService({
    GATEFOLD_PASSWORD_LOGIN: 'off',
    GATEFOLD_PASSWORD_LOGIN_FOR: ADMIN.userId,
    GATEFOLD_TRUSTED_PROXIES: '127.0.0.0/8',
    GATEFOLD_TRUSTED_LOGIN_HEADER: 'Remote-User',
  });
  try {
    const { userId } = await service.addPerson();
    await page.setExtraHTTPHeaders({ 'Remote-User': userId });
    await page.goto(`${service.url}/apps/news/rules/new`);
    await page.getByLabel('Name (optional)').fill('Straits');
    await page.getByRole('checkbox', { name: 'Mark as read', exact: true }).check();
    await page.setExtraHTTPHeaders({});
    await service.run(['session:revoke', userId]);

    const saving = page.getByRole('button', { name: 'Save, from now on', includeHidden: true });
    await saving.dispatchEvent('click');
    await expect(login(page).getByRole('link', { name: 'Log in in another tab' })).toBeVisible();
    await expect(login(page).getByRole('button')).toHaveText(['Leave this page']);
    await expect(login(page).getByRole('textbox')).toHaveCount(0);
    await expectAccessible(page);
    await keepPicture('session-end-elsewhere');
    await page.setExtraHTTPHeaders({ 'Remote-User': userId });
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await expect(login(page)).toHaveCount(0);
    await expect(page.getByRole('list', { name: 'Rules' })).toContainText('Straits');
  } finally {
    await service.stop();
  }
});

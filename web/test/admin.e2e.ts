import type { Page, Route } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { rss, type FeedServer } from '../../test/support/feed-server.js';
import { answer, serveExternalApp, startExternalApp } from './external-app.js';
import { ADMIN, expect, expectAccessible, logIn, test as base } from './fixtures.js';
import { startService, type Person, type Service } from './service.js';

type Open = (section: string) => Promise<void>;

const test = base.extend<{ open: Open }>({
  /** Opens a section of the administration; logs in the first time. */
  open: async ({ page, service }, use) => {
    let isIn = false;
    await use(async (section) => {
      const place = `/settings/admin/${section}`;
      if (isIn) {
        await page.goto(service.url + place);
      } else {
        await logIn(page, service, ADMIN, place);
        isIn = true;
      }
    });
  },
});

const GROUPS = '/ocs/v2.php/cloud/groups?format=json';
const NEWS = '/apps/news/api/v1-3';

interface Followed {
  readonly id: number;
  readonly url: string;
}

/** A feed with a subscriber. */
async function follow(
  service: Service,
  feeds: FeedServer,
  person: Person,
  title: string,
): Promise<Followed & { readonly path: string }> {
  const path = `/${title.replaceAll(' ', '-')}.xml`;
  const items = [{ title: 'News', guid: `${title} 1`, link: 'https://publisher.example/1' }];
  feeds.publish(path, rss({ title, items }));
  const { feeds: added } = (await service.call(person, 'POST', `${NEWS}/feeds`, {
    url: feeds.url(path),
    folderId: null,
  })) as { feeds: Followed[] };
  const [feed] = added;
  if (feed === undefined) {
    throw new Error('Nobody follows the feed');
  }
  return { ...feed, path };
}

async function sourceOf(service: Service, feedId: number): Promise<number> {
  const report = await service.call(ADMIN, 'GET', `${NEWS}/doctor?feedId=${feedId}`);
  return (report as { sourceId: number }).sourceId;
}

async function breakDown(service: Service, feeds: FeedServer, feed: Followed & { path: string }) {
  feeds.fail(feed.path, 503);
  const sourceId = await sourceOf(service, feed.id);
  await service.call(ADMIN, 'POST', `${NEWS}/doctor/retry`, { sourceId });
  return sourceId;
}

/** Only the first registration of an installation asks, and tests share theirs. */
async function trustApps(page: Page): Promise<void> {
  await expect(page.locator('.list')).toHaveAttribute('aria-busy', 'false');
  const trust = page.getByLabel('I trust the apps that I register.');
  if (await trust.isVisible()) {
    await trust.check();
  }
}

/** The page shows no untranslated text keys. */
async function expectTexts(page: Page): Promise<void> {
  await expect(page.locator('body')).not.toContainText(/\badmin\.[a-z]+\./);
}

async function keepEverywhere(
  page: Page,
  keepPicture: (name: string) => Promise<void>,
  name: string,
): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 });
  await keepPicture(`admin-${name}-light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await keepPicture(`admin-${name}-dark`);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await keepPicture(`admin-${name}-phone`);
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessible(page);
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow).toBe(0);
  await page.setViewportSize({ width: 360, height: 740 });
  const narrow = await page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth);
  expect(narrow).toBe(0);
  await expectTexts(page);
}

test.describe('the administration', () => {
  test('is hidden from other users', async ({ page, ada, service }) => {
    expect(ada.userId).not.toBe('');
    for (const place of ['/settings/admin', '/settings/admin/users', '/settings/admin/apps/x']) {
      await page.goto(service.url + place);
      await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
    }
  });

  test('starts with the overview and works by keyboard', async ({ page, open, service }) => {
    await open('overview');
    await page.goto(`${service.url}/settings/admin`);
    await expect(page).toHaveURL(/\/settings\/admin\/overview$/);

    const sections = page.getByRole('navigation', { name: 'Administration' }).getByRole('link');
    await expect(sections.first()).toHaveAttribute('aria-current', 'page');
    await sections.first().focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/users$/);
    await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible();
    await expect(sections.nth(1)).toHaveAttribute('aria-current', 'page');
  });

  test('shows the current section on a phone', async ({ page, open }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('security');
    await expect(page.getByRole('link', { name: 'Audit log' })).toBeInViewport({
      ratio: 0.99,
    });
    await expect(page.getByRole('link', { name: 'Overview' })).not.toBeInViewport();
  });

  test('is translated into German', async ({ browser, service }) => {
    const context = await browser.newContext({ locale: 'de-DE' });
    const page = await context.newPage();
    await logIn(page, service, ADMIN, '/settings/admin/overview');
    await expect(page.getByRole('heading', { level: 1, name: 'Übersicht' })).toBeVisible();
    const sections = page.getByRole('navigation', { name: 'Verwaltung' }).getByRole('link');
    for (const section of await sections.all()) {
      await section.click();
      await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible();
      await expectTexts(page);
    }
    await context.close();
  });

  test('shows an error for an unknown section', async ({ page, open }) => {
    await open('nothing-of-this-name');
    await expect(page.getByRole('heading', { name: 'Section not found' })).toBeVisible();
  });
});

test.describe('users', () => {
  test('are added with a generated password that works', async ({
    page,
    open,
    service,
    keepPicture,
  }) => {
    await open('users');
    await page.getByRole('button', { name: 'Add a user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('User name').fill('grace');
    await dialog.getByLabel('Display name').fill('Grace Hopper');
    await dialog.getByLabel('Email address').fill('grace@example.org');
    const generated = await dialog.getByLabel('Password', { exact: true }).inputValue();
    expect(generated).toMatch(/^[a-zA-Z2-9]{20}$/);
    await dialog.getByRole('button', { name: 'Generate another password' }).click();
    await expect(dialog.getByLabel('Password', { exact: true })).not.toHaveValue(generated);
    await expectAccessible(page);
    await keepPicture('admin-users-add-light');
    await dialog.getByRole('button', { name: 'Add a user' }).click();

    await expect(dialog.getByRole('heading', { name: 'grace added' })).toBeVisible();
    const password = await dialog.getByLabel('Password', { exact: true }).inputValue();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('listitem').filter({ hasText: 'Grace Hopper' })).toBeVisible();
    const self = { userId: 'grace', password };
    expect(await service.call(self, 'GET', '/ocs/v2.php/cloud/user?format=json')).toMatchObject({
      ocs: { data: { id: 'grace', email: 'grace@example.org', groups: [] } },
    });
  });

  /** Answers like a service with this number of users. */
  async function pretendCrowd(page: Page, crowd: { count: number }): Promise<void> {
    const user = (id: string) => ({
      id,
      displayname: id,
      email: null,
      groups: [],
      enabled: true,
      lastLogin: 0,
      quota: { assigned: 'default', quota: -3, used: 0 },
    });
    await page.route('**/users/count?*', (route) =>
      route.fulfill({ json: { ocs: { data: { count: crowd.count } } } }),
    );
    const idsAt = (route: Route) => {
      const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
      const length = Math.max(0, Math.min(100, crowd.count - offset));
      return Array.from({ length }, (_, n) => `u${offset + n}`);
    };
    await page.route('**/cloud/users?*', (route) =>
      route.fulfill({ json: { ocs: { data: { users: idsAt(route) } } } }),
    );
    await page.route('**/cloud/users/details?*', (route) => {
      const ids = idsAt(route);
      const users = Object.fromEntries(ids.map((id) => [id, user(id)]));
      return route.fulfill({ json: { ocs: { data: { users } } } });
    });
  }

  test('are listed in pages of a hundred', async ({ page, open }) => {
    await pretendCrowd(page, { count: 10_107 });
    await open('users');
    const rows = page.getByRole('list', { name: 'Users' }).getByRole('listitem');
    const pager = page.getByRole('navigation', { name: 'Pages: Users' });
    await expect(rows).toHaveCount(100);
    await expect(pager.getByRole('status')).toHaveText('1–100 of 10,107');
    await expect(pager.getByRole('button', { name: 'Previous' })).toBeDisabled();

    await pager.getByRole('button', { name: 'Next' }).click();
    await expect(pager.getByRole('status')).toHaveText('101–200 of 10,107');
    await expect(rows.first()).toContainText('u100');
    await expect(rows).toHaveCount(100);
    await pager.getByRole('button', { name: 'Previous' }).click();
    await expect(rows.first()).toContainText('u0');
  });

  test('show the previous page when the last one becomes empty', async ({ page, open }) => {
    const crowd = { count: 101 };
    await pretendCrowd(page, crowd);
    await page.route('**/cloud/users/u100?*', (route) => {
      crowd.count -= 1;
      return route.fulfill({ json: { ocs: { data: [] } } });
    });
    await open('users');
    const rows = page.getByRole('list', { name: 'Users' }).getByRole('listitem');
    await page.getByRole('button', { name: 'Next' }).click();
    await expect(rows).toHaveCount(1);

    await page.getByRole('button', { name: 'Change u100' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByLabel('Type “u100” to confirm').fill('u100');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();

    await expect(rows).toHaveCount(100);
    await expect(page.getByText('1–100 of 100')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Next' })).toHaveCount(0);
  });

  test('cannot be added twice; the error is shown', async ({ page, open, service }) => {
    const taken = await service.addPerson('taken');
    await open('users');
    await page.getByRole('button', { name: 'Add a user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('User name').fill(taken.userId);
    await dialog.getByRole('button', { name: 'Add a user' }).click();

    await expect(dialog.getByRole('alert')).toContainText(taken.userId);
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  });

  test('are found, edited, made administrators, disabled and enabled', async ({
    page,
    open,
    service,
    keepPicture,
  }) => {
    const person = await service.addPerson('mary');
    await service.addPerson('unlike');
    await service.call(ADMIN, 'POST', GROUPS, { groupid: 'marys' });
    await open('users');
    await page.getByLabel('Search users').fill(person.userId);
    const rows = page.getByRole('list', { name: 'Users' }).getByRole('listitem');
    await expect(rows).toHaveCount(1);

    const choose = async (what: string) => {
      await page.getByRole('button', { name: `Change ${person.userId}` }).click();
      await page.getByRole('menuitem', { name: what }).click();
    };
    await choose('Edit');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Mary Shelley');
    await dialog.getByLabel('Email address').fill('no address');
    await dialog.getByLabel('Email address').fill('mary@example.org');
    await dialog.getByLabel('Administrator').check();
    await dialog.getByLabel('Storage quota').selectOption('A limit of its own');
    await dialog.getByLabel('Limit in GB').fill('1.5');
    await dialog.getByLabel('marys').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(rows).toContainText('0 bytes of 1.5 GB used');
    await expect(rows).toContainText('Mary Shelley');
    await expect(rows).toContainText('mary@example.org');
    await expect(rows).toContainText('Administrator');
    await expect(rows).toContainText('groups: marys');
    const shown = await service.call(
      ADMIN,
      'GET',
      `/ocs/v2.php/cloud/users/${person.userId}?format=json`,
    );
    expect(shown).toMatchObject({
      ocs: {
        data: {
          displayname: 'Mary Shelley',
          groups: ['admin', 'marys'],
          quota: { assigned: 1.5 * 1024 ** 3 },
        },
      },
    });

    const getsIn = () =>
      service.call(person, 'GET', '/ocs/v2.php/cloud/user?format=json').then(
        () => true,
        (error: Error) => !error.message.includes('401'),
      );
    await choose('Disable');
    await expect(dialog).toContainText('logged out everywhere at once');
    await expectAccessible(page);
    await keepPicture('users-disable');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await expect(rows.getByText('Disabled')).toBeVisible();
    // Optimistic: shown before the request is done.
    await expect.poll(getsIn).toBe(false);
    await page.getByRole('status').getByRole('button', { name: 'Enable' }).click();
    await expect(rows.getByText('Disabled')).toHaveCount(0);
    await choose('Disable');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await expect(dialog).toHaveCount(0);
    await page.reload();
    await page.getByLabel('Search users').fill(person.userId);
    // When the filtered list arrives, open menus close.
    await expect(rows).toHaveCount(1);
    await expect(rows.getByText('Disabled')).toBeVisible();
    await choose('Enable');
    await expect(rows.getByText('Disabled')).toHaveCount(0);
    await expect.poll(getsIn).toBe(true);

    await page.getByLabel('Search users').fill('');
    await expect(rows.nth(2)).toBeVisible();
    await keepEverywhere(page, keepPicture, 'users');
  });

  test('are limited to a group or a state, and ordered', async ({ page, open, service }) => {
    await service.call(ADMIN, 'POST', GROUPS, { groupid: 'sorted' });
    for (const [index, value] of ['Zoe', 'Adam', 'Mia'].entries()) {
      const { userId } = await service.addPerson(`sorted-${index}`);
      const at = `/ocs/v2.php/cloud/users/${userId}`;
      await service.call(ADMIN, 'PUT', `${at}?format=json`, { key: 'displayname', value });
      await service.call(ADMIN, 'POST', `${at}/groups?format=json`, { groupid: 'sorted' });
    }
    await open('users');
    await page.getByRole('combobox', { name: 'Group', exact: true }).selectOption('sorted');
    const names = page.getByRole('list', { name: 'Users' }).locator('strong');
    await expect(names).toHaveText(['Adam', 'Mia', 'Zoe']);
    await page.getByRole('combobox', { name: 'Order' }).selectOption('By user name');
    await expect(names).toHaveText(['Zoe', 'Adam', 'Mia']);
    await page.getByRole('combobox', { name: 'State' }).selectOption('Administrators');
    await expect(page.getByRole('heading', { name: 'No users found' })).toBeVisible();
    await expectAccessible(page);
  });

  test('get a new password; the old one stops working', async ({ page, open, service }) => {
    const person = await service.addPerson('forgetful');
    await open('users');
    await page.getByRole('button', { name: `Change ${person.userId}` }).click();
    await page.getByRole('menuitem', { name: 'Reset password' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Reset password' }).click();
    const password = await dialog.getByLabel('Password', { exact: true }).inputValue();

    const who = '/ocs/v2.php/cloud/user?format=json';
    expect(await service.call({ ...person, password }, 'GET', who)).toBeTruthy();
    await expect(service.call(person, 'GET', who)).rejects.toThrow('401');
  });

  test('are deleted only after their name is typed', async ({
    page,
    open,
    service,
    keepPicture,
  }) => {
    const person = await service.addPerson('leaving');
    await open('users');
    await page.getByRole('button', { name: `Change ${person.userId}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: 'Delete' });
    await expect(remove).toBeDisabled();
    await dialog.getByLabel(`Type “${person.userId}” to confirm`).fill('leaving');
    await expect(remove).toBeDisabled();
    await keepPicture('admin-users-delete-light');
    await dialog.getByLabel(`Type “${person.userId}” to confirm`).fill(person.userId);
    await remove.click();

    await expect(page.getByText(`${person.userId} deleted.`)).toBeVisible();
    await expect(page.getByRole('button', { name: `Change ${person.userId}` })).toHaveCount(0);
    await expect(
      service.call(ADMIN, 'GET', `/ocs/v2.php/cloud/users/${person.userId}?format=json`),
    ).rejects.toThrow('404');
  });

  test('who are administrators cannot lock themselves out; the error is shown', async ({
    page,
    open,
  }) => {
    await open('users');
    await page.getByLabel('Search users').fill('admin');
    const change = page.getByRole('button', { name: 'Change admin', exact: true });
    const row = page.getByRole('listitem').filter({ has: change });
    const rows = page.getByRole('list', { name: 'Users' }).getByRole('listitem');
    await expect(rows.filter({ hasNotText: 'admin' })).toHaveCount(0);

    await change.click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await expect(dialog.getByRole('alert')).toContainText('You cannot disable yourself');
    await page.keyboard.press('Escape');
    await expect(row.getByText('Disabled')).toHaveCount(0);

    await change.click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog.getByLabel('Administrator').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByRole('alert')).toContainText(
      'You cannot revoke your own administrator rights',
    );
    await page.keyboard.press('Escape');
    await expect(row.getByText('Administrator', { exact: true })).toBeVisible();

    await change.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog.getByLabel('Type “admin” to confirm').fill('admin');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(dialog.getByRole('alert')).toContainText('You cannot delete yourself');
  });
});

test.describe('groups', () => {
  test('are created, get members, are renamed and deleted', async ({
    page,
    open,
    service,
    keepPicture,
  }) => {
    const person = await service.addPerson('sailor');
    await open('groups');
    const dialog = page.getByRole('dialog');
    await page.getByLabel('Name', { exact: true }).fill('sailors');
    await page.getByRole('button', { name: 'Add a group' }).click();
    await expect(page.getByRole('row', { name: 'sailors this service 0' })).toBeVisible();
    await keepEverywhere(page, keepPicture, 'groups');
    await page.getByRole('link', { name: 'sailors' }).click();

    const members = page.getByRole('list', { name: 'Members' }).getByRole('listitem');
    await page.getByLabel('User name').fill(person.userId);
    await page.getByRole('button', { name: 'Add member' }).click();
    await expect(members).toHaveText([new RegExp(person.userId)]);
    await page.getByLabel('Name', { exact: true }).fill('Sailors of the bay');
    await page.getByRole('button', { name: 'Rename' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Sailors of the bay' })).toBeVisible();
    await keepEverywhere(page, keepPicture, 'group');
    await page.getByRole('button', { name: /^Remove .* from the group$/ }).click();
    await expect(page.getByText('No members yet.')).toBeVisible();
    await page.getByRole('button', { name: 'Delete' }).click();
    await expect(dialog).toContainText('Its members keep their accounts.');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('row', { name: 'admin' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Sailors of the bay' })).toHaveCount(0);
  });

  test('of a directory say where they come from, and are changed there', async ({ page, open }) => {
    const fleet = { id: 'fleet', displayname: 'Fleet', usercount: 0, managedBy: 'ldap' };
    await page.route('**/cloud/groups/details?*', (route) =>
      route.fulfill({ json: { ocs: { data: { groups: [fleet], total: 1 } } } }),
    );
    await open('groups');
    await expect(page.getByRole('row', { name: 'Fleet fleet LDAP 0' })).toBeVisible();
    await page.getByRole('link', { name: 'Fleet' }).click();

    await expect(page.getByText('This group comes from LDAP')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Delete' })).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Add member' })).toHaveCount(0);
  });
});

test.describe('external apps', () => {
  test('are registered by fields, which say what is wrong with them', async ({
    page,
    open,
    service,
    keepPicture,
  }) => {
    const app = await serveExternalApp(service, 'razorbills');
    await open('apps');
    await page.getByRole('button', { name: 'Register an app' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Id', { exact: true }).fill('an auk');
    await dialog.getByLabel('Name', { exact: true }).fill('Razorbills');
    await dialog.getByLabel('Version').fill('1.0.0');
    await dialog.getByLabel('Address').fill(app.baseUrl);
    await dialog.getByRole('button', { name: 'Generate a secret' }).click();
    const secret = await dialog.getByLabel('Secret', { exact: true }).inputValue();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    await trustApps(page);
    await expect(dialog.getByLabel('Id', { exact: true })).toHaveAttribute('aria-invalid', 'true');
    await dialog.getByRole('button', { name: 'Register an app' }).click();
    await expect(dialog.getByLabel('Id', { exact: true })).toBeFocused();
    await keepPicture('admin-apps-fields-light');
    await expectAccessible(page);
    await dialog.getByLabel('Id', { exact: true }).fill('razorbills');
    await expect(dialog.locator('[aria-invalid="true"]')).toHaveCount(0);
    await dialog.getByLabel('Secret', { exact: true }).fill(app.secret);
    await dialog.getByRole('button', { name: 'Register an app' }).click();

    await expect(dialog.getByLabel('APP_ID', { exact: true })).toHaveValue('razorbills');
    await dialog.getByRole('button', { name: 'Show the app' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Razorbills' })).toBeVisible();
    await app.close();
  });

  test('are registered with JSON info and show the progress of their initialization', async ({
    page,
    open,
    service,
    keepPicture,
  }) => {
    const app = await serveExternalApp(service, 'gulls', {
      'POST /init': answer('application/json', '{}'),
    });
    await open('apps');
    await page.getByRole('button', { name: 'Register an app' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(app.baseUrl);
    await dialog.getByRole('radio', { name: 'JSON' }).check();
    const info = dialog.getByRole('textbox', { name: 'JSON' });
    await info.fill('{"id": "gulls", "version": ');
    await dialog.getByLabel('Secret', { exact: true }).fill(app.secret);
    await trustApps(page);
    await dialog.getByRole('button', { name: 'Register an app' }).click();
    await expect(dialog.getByRole('alert')).toContainText('cannot be read');

    const routes = [{ url: '^/nests/.*', verb: 'GET,POST', access_level: 'USER' }];
    await info.fill(JSON.stringify({ id: 'gulls', name: 'Gulls', version: '1.2.3', routes }));
    await expectAccessible(page);
    await keepPicture('admin-apps-register-light');
    await dialog.getByRole('button', { name: 'Register an app' }).click();
    await expect(dialog.getByLabel('APP_SECRET', { exact: true })).toHaveValue(app.secret);
    await dialog.getByRole('button', { name: 'Show the app' }).click();

    await expect(page.getByRole('heading', { level: 1, name: 'Gulls' })).toBeVisible();
    await expect(page.getByText('Initializing: 0 %')).toBeVisible();
    await app.announce('/ex-app/status', { progress: 40 }, 'PUT');
    const progress = page.getByRole('progressbar', { name: 'Progress of Gulls' });
    await expect(progress).toHaveAttribute('value', '40');
    await keepPicture('admin-app-progress-light');
    await app.announce('/ex-app/status', { progress: 100 }, 'PUT');
    await expect(page.getByText('Enabled', { exact: true })).toBeVisible();
    await expect(progress).toHaveCount(0);
    await expect(page.getByRole('row', { name: '^/nests/.* GET, POST Users' })).toBeVisible();
    await app.close();
  });

  test('are registered with an info.xml and a generated secret', async ({
    page,
    open,
    service,
  }) => {
    const app = await serveExternalApp(service, 'terns');
    await open('apps');
    await page.getByRole('button', { name: 'Register an app' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(app.baseUrl);
    await dialog.getByLabel('info.xml').check();
    await dialog.getByRole('textbox', { name: 'info.xml' }).fill(
      `<?xml version="1.0"?><info><id>terns</id><name>Terns</name><version>2.0.0</version>
        <external-app><environment-variables><variable><name>TERN_COLONY</name>
        <description>Where they nest</description><default>Norderoog</default></variable>
        </environment-variables></external-app></info>`,
    );
    await trustApps(page);
    await dialog.getByRole('button', { name: 'Register an app' }).click();

    await expect(dialog.getByLabel('APP_SECRET', { exact: true })).toHaveValue(/^[0-9a-f]{128}$/);
    await expect(dialog.getByText('TERN_COLONY')).toBeVisible();
    await expect(dialog.getByText('(default: Norderoog)')).toBeVisible();
    await dialog.getByRole('button', { name: 'Show the app' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Terns' })).toBeVisible();
    await app.close();
  });

  test('are disabled, enabled, updated and unregistered', async ({ page, open, service }) => {
    const app = await startExternalApp(service, 'puffins', {
      'PUT /enabled': answer('application/json', '{"error":""}'),
    });
    await open('apps');
    const row = page.getByRole('listitem').filter({ hasText: 'puffins' });
    await expect(row.getByText('Enabled', { exact: true })).toBeVisible();
    await row.getByRole('button', { name: 'Disable puffins' }).click();
    await expect(row.getByText('Disabled', { exact: true })).toBeVisible();
    expect(app.requests.at(-1)).toMatchObject({ method: 'PUT', path: '/enabled?enabled=0' });
    await row.getByRole('button', { name: 'Enable puffins' }).click();
    await expect(row.getByText('Enabled', { exact: true })).toBeVisible();

    await row.getByRole('link', { name: 'puffins' }).click();
    await page.getByRole('button', { name: 'Update' }).click();
    const dialog = page.getByRole('dialog');
    const info = dialog.getByRole('textbox', { name: 'JSON' });
    await info.fill('{"name": "Puffins", "version": "1.0.0"}');
    await dialog.getByRole('button', { name: 'Update' }).click();
    await expect(dialog.getByRole('alert')).toHaveText('The app already has version 1.0.0.');
    await info.fill('{"name": "Puffins", "version": "1.1.0"}');
    await dialog.getByRole('button', { name: 'Update' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Puffins' })).toBeVisible();
    await expect(page.getByText('1.1.0', { exact: true })).toBeVisible();
    await expect(page.getByText('Enabled', { exact: true })).toBeVisible();

    await page.getByRole('button', { name: 'Unregister' }).click();
    await expect(dialog.getByLabel('Keep its settings for a later registration')).toBeChecked();
    await dialog.getByRole('button', { name: 'Unregister' }).click();
    await expect(page).toHaveURL(/\/settings\/admin\/apps$/);
    await expect(page.getByText('Puffins is unregistered.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Puffins' })).toHaveCount(0);
    await app.close();
  });

  test('keep their settings when they are unregistered, unless the administrator decides otherwise', async ({
    page,
    open,
    service,
  }) => {
    const app = await startExternalApp(service, 'auks');
    const info = { name: 'auks', version: '1.0.0', secret: app.secret, base_url: app.baseUrl };
    const comeBack = () =>
      service.run([
        'app_api:app:register',
        'auks',
        '--wait-finish',
        '--json-info',
        JSON.stringify(info),
      ]);
    const values = () => app.announce('/ex-app/config/get-values', { configKeys: ['cliff'] });
    await app.announce('/ex-app/config', { configKey: 'cliff', configValue: 'steep' });

    for (const [keep, left] of [
      [true, [{ configkey: 'cliff', configvalue: 'steep' }]],
      [false, []],
    ] as const) {
      await open('apps/auks');
      await page.getByRole('button', { name: 'Unregister' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Keep its settings for a later registration').setChecked(keep);
      await dialog.getByRole('button', { name: 'Unregister' }).click();
      await expect(page).toHaveURL(/\/settings\/admin\/apps$/);
      await comeBack();
      expect(await values()).toEqual(left);
    }
    await app.close();
  });

  test('have a connection check that shows the request, the answer and the error', async ({
    page,
    open,
    service,
    keepPicture,
  }) => {
    const routes = {
      'GET /heartbeat': answer('application/json', '{"status":"ok"}'),
      'PUT /enabled': answer('application/json', '{"error":""}'),
    };
    const app = await startExternalApp(service, 'skuas', routes);
    await app.announce('/log', { level: 3, message: 'The nest is empty' });
    await app.announce('/ui/top-menu', { name: 'nests', displayName: 'Nests', icon: 'img/n.svg' });
    await open('apps/skuas');
    await page.getByRole('button', { name: 'Check now' }).click();
    await expect(page.getByText('The app answers', { exact: true })).toBeVisible();
    await expect(page.getByText(`${app.baseUrl}/heartbeat`)).toBeVisible();
    await expect(page.getByText('The callback address of this service works')).toBeVisible();

    routes['GET /heartbeat'] = answer('text/plain', 'on holiday', 418);
    await page.getByRole('button', { name: 'Check now' }).click();
    await expect(page.getByText('The app does not answer correctly')).toBeVisible();
    const connection = page.getByRole('region', { name: 'Connection' });
    await expect(connection.getByText('418', { exact: true })).toBeVisible();
    await expect(connection.getByText('on holiday', { exact: true })).toBeVisible();
    await expect(connection.getByText('Expected 200 and {"status":"ok"}.')).toBeVisible();

    const log = page.getByRole('list', { name: 'Log' });
    await expect(log.getByText('The nest is empty')).toBeVisible();
    await expect(log.getByText('version 1.0.0 is enabled')).toBeVisible();
    await page.getByLabel('From').selectOption('Error');
    await expect(log.getByText('version 1.0.0 is enabled')).toHaveCount(0);
    await expect(log.getByText('The nest is empty')).toBeVisible();
    await expect(page.getByRole('row', { name: /^Menu entry Nests/ })).toBeVisible();
    await expect(page.getByText('Browsers cannot reach this app')).toBeVisible();
    await expect(page.getByText('not reachable by any declared route: img/n.svg')).toBeVisible();
    await keepEverywhere(page, keepPicture, 'app');
    await app.close();
  });

  test('that answer an error when disabled are disabled, and the error is shown', async ({
    page,
    open,
    service,
    keepPicture,
  }) => {
    const routes = { 'PUT /enabled': answer('application/json', '{"error":""}') };
    const app = await startExternalApp(service, 'herons', routes);
    await open('apps');
    routes['PUT /enabled'] = answer('application/json', '{"error":"still fishing"}');
    await page.getByRole('button', { name: 'Disable herons' }).click();

    await expect(page.getByRole('status').getByText(/still fishing/)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Enable herons' })).toBeVisible();
    await page.getByRole('button', { name: 'Dismiss' }).click();

    await page.getByRole('button', { name: 'Enable herons' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'herons' });
    await expect(row.getByText('Failed', { exact: true })).toBeVisible();
    await expect(row.getByText(/still fishing/)).toBeVisible();
    await keepEverywhere(page, keepPicture, 'apps');

    await open('overview');
    await page.getByRole('link', { name: 'herons does not work' }).click();
    await expect(page).toHaveURL(/\/settings\/admin\/apps\/herons$/);
    await service.run(['app_api:app:unregister', 'herons', '--force']);
    await expect(page.getByRole('heading', { name: 'App not found' })).toBeVisible();
    await app.close();
  });

  test('have administration settings', async ({ page, open, service }) => {
    const app = await startExternalApp(service, 'divers');
    await app.announce('/ui/settings', {
      formScheme: {
        id: 'depth',
        section_type: 'admin',
        section_id: 'ai_integration_team',
        title: 'Depth',
        priority: 10,
        fields: [{ id: 'metres', title: 'Metres', type: 'number', default: 20 }],
      },
    });
    await open('overview');
    await page.getByRole('link', { name: 'Artificial intelligence' }).click();
    await expect(
      page.getByRole('heading', { level: 1, name: 'Artificial intelligence' }),
    ).toBeVisible();
    const field = page.getByLabel('Metres');
    await expect(field).toHaveValue('20');
    await field.fill('30');
    await field.blur();
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    await page.reload();
    await expect(field).toHaveValue('30');
    await expectAccessible(page);
    await app.close();
  });
});

test.describe('feeds', () => {
  test('with errors come first, can be searched and fetched on demand', async ({
    page,
    ada,
    service,
    feeds,
    keepPicture,
  }) => {
    await follow(service, feeds, ada, 'Calm sea');
    await follow(service, feeds, ada, 'Fair wind');
    const storm = await follow(service, feeds, ada, 'Rough storm');
    await breakDown(service, feeds, storm);

    await logIn(await freshPage(page), service, ADMIN, '/settings/admin/feeds');
    const table = page
      .getByRole('region', { name: 'All feeds and their schedule' })
      .getByRole('table');
    const rows = table.locator('tbody tr');
    await expect(rows.first()).toContainText('Rough storm');
    await expect(rows.first().getByText('1', { exact: true }).first()).toBeVisible();

    await page.getByLabel('Order').selectOption('Due first');
    await expect(rows.filter({ hasText: 'Rough storm' })).toHaveCount(1);
    await page.getByLabel('Search feeds').fill('FAIR ');
    await expect(rows).toHaveCount(1);
    await page.getByLabel('Search feeds').pressSequentially('wind');
    await expect(page.getByLabel('Search feeds')).toHaveValue('FAIR wind');
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText('Fair wind');
    await page.getByLabel('Search feeds').fill('nothing like it');
    await expect(page.getByText('No feeds found.')).toBeVisible();
    await page.getByLabel('Search feeds').fill('');
    await page.getByLabel('Order').selectOption('Errors first');

    await page.getByRole('button', { name: 'Fetch Rough storm now' }).click();
    await expect(page.getByRole('status').getByText(/503/)).toBeVisible();
    await expect(rows.first().getByText('2', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.mouse.move(0, 0);
    await keepEverywhere(page, keepPicture, 'feeds');

    feeds.publish(storm.path, rss({ title: 'Rough storm', items: [] }));
    await page.getByRole('button', { name: 'Fetch Rough storm now' }).click();
    await expect(page.getByText('Rough storm was fetched.')).toBeVisible();
    await expect(
      rows.filter({ hasText: 'Rough storm' }).getByText('2', { exact: true }),
    ).toHaveCount(0);
  });

  test('are searched, sorted and paged by the service', async ({ page, ada, service, feeds }) => {
    const outlines = Array.from({ length: 60 }, (_, n) => {
      const path = `/paged/${String(n).padStart(2, '0')}.xml`;
      // Feeds without a title are listed by address, fetched or not.
      feeds.publish(path, rss({ title: '', items: [] }));
      return `<outline xmlUrl="${feeds.url(path)}?key=hush"/>`;
    });
    await importOpml(service, ada, `<opml><body>${outlines.join('')}</body></opml>`);
    await logIn(await freshPage(page), service, ADMIN, '/settings/admin/feeds');
    const pager = page.getByRole('navigation', { name: /^Pages/ });
    const rows = page
      .getByRole('region', { name: 'All feeds' })
      .getByRole('table')
      .locator('tbody tr');

    const found = page.waitForResponse(/search=%2FPAGED%2F/);
    await page.getByLabel('Search feeds').fill('/PAGED/');
    await found;
    await expect(pager.getByRole('status')).toHaveText('1–50 of 60');
    await page.getByLabel('Order').selectOption('By name');
    await expect(rows).toHaveCount(50);
    await expect(rows.first()).toContainText('/paged/00.xml?…');
    await expect(pager.getByRole('button', { name: 'Previous' })).toBeDisabled();

    await pager.getByRole('button', { name: 'Next' }).focus();
    await page.keyboard.press('Enter');
    await expect(pager.getByRole('status')).toHaveText('51–60 of 60');
    await expect(rows).toHaveCount(10);
    await expect(rows.last()).toContainText('/paged/59.xml?…');
    // The last page keeps the keyboard focus.
    await expect(pager.getByRole('button', { name: 'Next' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(pager.getByRole('status')).toHaveText('51–60 of 60');

    await rows.last().getByRole('link').click();
    await expect(page.getByRole('heading', { level: 1, name: '/paged/59.xml?…' })).toBeVisible();
    await page.goBack();
    await expect(pager.getByRole('status')).toHaveText('51–60 of 60');
    await expect(page.getByLabel('Search feeds')).toHaveValue('/PAGED/');
    await page.getByLabel('Search feeds').fill('hush');
    await expect(page.getByText('No feeds found.')).toBeVisible();
  });

  test('have statistics for an hour, a day and a week, as charts and as a table', async ({
    page,
    ada,
    service,
    feeds,
  }) => {
    const feed = await follow(service, feeds, ada, 'Plotted');
    await breakDown(service, feeds, feed);
    await logIn(await freshPage(page), service, ADMIN, '/settings/admin/feeds');

    const plots = page.getByRole('region', { name: 'Fetch statistics' });
    await expect(plots.locator('canvas')).toHaveCount(3);
    await plots.getByText('Show as a table').click();
    const asked = (seconds: number) =>
      page.waitForRequest((request) => request.url().includes(`bucketSeconds=${seconds}`));
    const numbers = async () => {
      const cells = await plots.locator('tbody tr').locator('td').allInnerTexts();
      return { fetches: Number(cells[0]), failed: Number(cells[2]) };
    };

    for (const [range, seconds] of [
      ['Hour', 60],
      ['Week', 14_400],
      ['Day', 1800],
    ] as const) {
      const request = asked(seconds);
      await plots.getByText(range, { exact: true }).click();
      const url = new URL((await request).url());
      expect(Number(url.searchParams.get('to')) % seconds).toBe(0);
      await expect(plots.getByRole('radio', { name: range })).toBeChecked();
      await expect(plots.locator('tbody tr').first()).toBeVisible();
    }
    await expect.poll(async () => (await numbers()).fetches).toBeGreaterThanOrEqual(2);
    expect((await numbers()).failed).toBeGreaterThanOrEqual(1);
    await plots.getByRole('radio', { name: 'Day' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(plots.getByRole('radio', { name: 'Week' })).toBeChecked();
    await expect(plots.getByText(/only the latest 50 fetches/)).toBeVisible();
  });

  test('have a report with attempts, outcomes and the reason for the next due time', async ({
    page,
    ada,
    service,
    feeds,
    keepPicture,
  }) => {
    const feed = await follow(service, feeds, ada, 'Explained');
    feeds.publish(feed.path, '<html><p>Under construction</p></html>', {
      contentType: 'text/html',
    });
    const sourceId = await sourceOf(service, feed.id);
    await service.call(ADMIN, 'POST', `${NEWS}/doctor/retry`, { sourceId });
    await logIn(await freshPage(page), service, ADMIN, '/settings/admin/feeds');

    await page.getByLabel('Examine').selectOption('a user’s feed by its id');
    await page.getByLabel('Id', { exact: true }).fill('99999999');
    await page.getByRole('button', { name: 'Examine' }).click();
    await expect(page.getByRole('alert')).toContainText('99999999');
    await page.getByLabel('Id', { exact: true }).fill(String(feed.id));
    await page.getByRole('button', { name: 'Examine' }).click();

    await expect(page).toHaveURL(new RegExp(`/settings/admin/feeds/${sourceId}$`));
    await expect(page.getByRole('heading', { level: 1, name: 'Explained' })).toBeVisible();
    await expect(page.getByText('Failing', { exact: true })).toBeVisible();
    await expect(page.getByText('Under construction')).toBeVisible();
    const attempts = page.getByRole('region', { name: 'Latest attempts' }).locator('tbody tr');
    await expect(attempts).toHaveCount(2);
    await expect(attempts.first()).toContainText('Failed');
    await expect(attempts.last()).toContainText('Read');
    await keepEverywhere(page, keepPicture, 'feed');

    feeds.publish(feed.path, rss({ title: 'Explained', items: [{ title: 'B', guid: 'b' }] }));
    await page.getByRole('button', { name: 'Fetch now' }).click();
    await expect(page.getByText('Explained was fetched.')).toBeVisible();
    await expect(page.getByText('Healthy', { exact: true })).toBeVisible();
    await expect(attempts).toHaveCount(3);
  });

  test('show the queries of their addresses only on request', async ({
    page,
    ada,
    service,
    feeds,
  }) => {
    feeds.publish('/secret.xml', rss({ title: 'Secret', items: [] }));
    const { feeds: added } = (await service.call(ada, 'POST', `${NEWS}/feeds`, {
      url: feeds.url('/secret.xml?token=hush'),
    })) as { feeds: Followed[] };
    const sourceId = await sourceOf(service, added[0]?.id ?? 0);
    await logIn(await freshPage(page), service, ADMIN, `/settings/admin/feeds/${sourceId}`);

    await expect(page.getByText('/secret.xml?…')).toBeVisible();
    await expect(page.getByText('hush')).toHaveCount(0);
    await page.getByLabel('Show whole addresses').check();
    await expect(page.getByText('token=hush')).toBeVisible();
  });

  test('can be tried by address, step by step', async ({
    page,
    open,
    service,
    feeds,
    keepPicture,
  }) => {
    feeds.publish('/tried.xml', rss({ title: 'Tried', items: [{ title: 'One', guid: '1' }] }));
    feeds.publish(
      '/tried.html',
      `<html><head><link rel="alternate" type="application/rss+xml" href="/tried.xml"></head></html>`,
      { contentType: 'text/html' },
    );
    await open('feeds');
    await page.getByRole('textbox', { name: 'Address' }).fill(feeds.url('/tried.html'));
    await page.getByRole('button', { name: 'Examine' }).click();

    const steps = page.getByRole('list', { name: 'Steps for this address' });
    await expect(steps.getByText('It links to one feed.')).toBeVisible();
    await page.getByRole('link', { name: feeds.url('/tried.xml') }).click();
    await expect(
      page.getByRole('heading', { level: 1, name: feeds.url('/tried.xml') }),
    ).toBeVisible();
    await expect(steps.getByText('it can be subscribed to')).toBeVisible();
    await keepEverywhere(page, keepPicture, 'address');

    await page.goto(`${service.url}/settings/admin/feeds/99999999`);
    await expect(page.getByRole('heading', { name: 'Source 99999999 not found' })).toBeVisible();
  });
});

test.describe('tasks and events', () => {
  test('that failed for good are sent again or dropped', async ({
    page,
    ada,
    service,
    keepPicture,
  }) => {
    const routes = { 'POST /events': answer('application/json', '{}', 410) };
    const app = await startExternalApp(service, 'watcher', routes);
    await app.announce('/events_listener', {
      eventType: 'node_event',
      eventSubtypes: ['NodeCreatedEvent'],
      actionHandler: 'events',
    });
    const upload = (name: string) => putFile(service, ada, name);
    await upload('first.txt');
    await logIn(await freshPage(page), service, ADMIN, '/settings/admin/tasks');

    const letters = page.getByRole('list', { name: 'Dead letters' }).getByRole('listitem');
    await expect(letters.first()).toContainText(
      'watcher answered NodeCreatedEvent with status 410',
    );
    await expect(letters.first()).toContainText('Events for apps');
    await expect(page.getByRole('row', { name: /^Events for apps/ })).toBeVisible();
    await expect(page.getByRole('row', { name: /^Messages for chat bots/ })).toBeVisible();
    await keepEverywhere(page, keepPicture, 'tasks');

    await page.goto(`${service.url}/settings/admin/overview`);
    await page.getByRole('link', { name: /dead letters?$/ }).click();
    await expect(letters.first()).toBeVisible();
    routes['POST /events'] = answer('application/json', '{}');
    const before = await letters.count();
    await page.route('**/dead-letters/*/*/retry', (route) => route.abort());
    await letters.first().getByRole('button', { name: 'Send again' }).click();
    await expect(page.getByText('That did not work. Is the service running?')).toBeVisible();
    await expect(letters).toHaveCount(before);
    await page.unroute('**/dead-letters/*/*/retry');
    const asked = app.requests.length;
    await letters.first().getByRole('button', { name: 'Send again' }).click();
    await expect(page.getByText('Sending it again.')).toBeVisible();
    await expect(letters).toHaveCount(before - 1);
    await expect.poll(() => app.requests.length).toBe(asked + 1);

    routes['POST /events'] = answer('application/json', '{}', 410);
    await upload('second.txt');
    await expect(letters.first()).toBeVisible();
    await expect(letters).not.toHaveCount(0);
    const left = await letters.count();
    await letters.first().getByRole('button', { name: 'Drop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect.poll(() => letters.count()).toBeLessThan(left);
    await app.close();
  });

  test('of providers are listed with their errors', async ({ page, ada, service }) => {
    const app = await startExternalApp(service, 'linguist', {
      'POST /think': answer('application/json', '{}'),
    });
    await app.announce('/ai_provider/text_processing', {
      name: 'thinker',
      displayName: 'Thinker',
      actionHandler: '/think',
      taskType: 'free_prompt',
    });
    await service.call(ada, 'POST', '/ocs/v2.php/textprocessing/schedule?format=json', {
      input: 'a private thought',
      type: 'OCP\\TextProcessing\\FreePromptTaskType',
      appId: 'test',
    });
    await expect.poll(() => app.requests.length).toBe(1);
    const { task_id: taskId } = JSON.parse(app.requests[0]?.body ?? '') as { task_id: number };
    await app.announce(
      '/ai_provider/text_processing',
      { taskId, result: '', error: 'no idea' },
      'PUT',
    );
    await logIn(await freshPage(page), service, ADMIN, '/settings/admin/tasks');

    const row = page.getByRole('row').filter({ hasText: 'linguist' });
    await expect(row).toContainText('Text processing');
    await expect(row).toContainText('Failed');
    await expect(row).toContainText('no idea');
    await expect(row).toContainText(ada.userId);
    await expect(page.getByText('a private thought')).toHaveCount(0);
    await row.getByRole('link', { name: 'linguist' }).click();
    await expect(page).toHaveURL(/\/settings\/admin\/apps\/linguist$/);
    await app.close();
  });
});

test.describe('security events', () => {
  test('are listed page by page, and filtered by user, kind and address', async ({
    page,
    open,
    service,
    keepPicture,
  }) => {
    const person = await service.addPerson('noticed');
    // More than one page.
    for (let count = 0; count < 30; count += 1) {
      const at = `/ocs/v2.php/cloud/users/${person.userId}`;
      await service.call(ADMIN, 'PUT', `${at}/disable?format=json`);
      await service.call(ADMIN, 'PUT', `${at}/enable?format=json`);
    }
    await open('security');
    const rows = page.getByRole('region', { name: 'Audit log' }).locator('tbody tr');
    await expect(rows).toHaveCount(50);
    await expect(rows.first()).toContainText('Logged in');
    await keepEverywhere(page, keepPicture, 'security');
    await page.getByRole('button', { name: 'Show older' }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(50);

    await page.getByLabel('User begins with').fill(person.userId.toUpperCase());
    await expect(rows.first()).toContainText(person.userId);
    await expect(rows.last()).toContainText(person.userId);
    await page.getByRole('button', { name: 'Show older' }).click();
    await expect(rows).toHaveCount(61);
    await expect(page.getByRole('button', { name: 'Show older' })).toHaveCount(0);
    await page.getByLabel('Kind of event').selectOption('User added');
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText(person.userId);
    await page.getByLabel('Address begins with').fill('127.0.');
    await expect(rows).toHaveCount(1);
    await page.getByLabel('Address begins with').fill('192.168.');
    await expect(page.getByText('No such events.')).toBeVisible();

    // The address keeps the filters, and the file has what matches them.
    await page.getByLabel('Address begins with').fill('');
    await page.getByLabel('Kind of event').selectOption('User disabled');
    await page.getByLabel('Done by (begins with)').fill('adm');
    await expect(rows).toHaveCount(30);
    await page.reload();
    await expect(rows).toHaveCount(30);
    await expect(rows.first()).toContainText('admin · password');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('gatefold-audit.jsonl');
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(30);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ kind: 'user_disabled', actor: 'admin' });
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await expect(rows).toHaveCount(50);
    await expect(page.getByLabel('Done by (begins with)')).toHaveValue('');
    expect(new URL(page.url()).search).toBe('');
  });
});

test('the overview lists what needs attention, with links', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const feed = await follow(service, feeds, ada, 'Worrying');
  await breakDown(service, feeds, feed);
  await logIn(await freshPage(page), service, ADMIN, '/settings/admin/overview');

  await expect(page.getByText('The service is ready for requests.')).toBeVisible();
  await expect(page.getByRole('heading', { name: /^Gatefold \d/ })).toBeVisible();
  const concern = page.getByRole('link', { name: /feeds? ha(s|ve) errors$/ });
  await expect(concern).toBeVisible();
  await keepEverywhere(page, keepPicture, 'overview');
  await concern.click();
  await expect(page).toHaveURL(/\/settings\/admin\/feeds$/);

  await page.goto(`${service.url}/settings/admin/overview`);
  const users = page.getByRole('list', { name: 'Numbers' }).getByRole('link', { name: /Users/ });
  const { ocs } = (await service.call(ADMIN, 'GET', '/ocs/v2.php/cloud/users?format=json')) as {
    ocs: { data: { users: string[] } };
  };
  await expect(users).toContainText(String(ocs.data.users.length));
  await users.click();
  await expect(page).toHaveURL(/\/settings\/admin\/users$/);
});

test('the overview of a new service lists no problems until it is not ready', async ({ page }) => {
  const fresh = await startService();
  await logIn(page, fresh, ADMIN, '/settings/admin/overview');
  await expect(page.getByText('Nothing needs attention.')).toBeVisible();

  await page.route('**/health/ready', (route) => route.fulfill({ status: 503, json: {} }));
  await page.reload();
  await expect(page.getByText('The service is not ready for requests.')).toHaveCount(2);
  await expect(page.getByText('Nothing needs attention.')).toHaveCount(0);
  await fresh.stop();
});

test('colours of the charts follow the theme', async ({ page, ada, service, feeds, open }) => {
  await follow(service, feeds, ada, 'Coloured');
  await freshPage(page);
  await open('feeds');
  await expect(page.locator('canvas')).toHaveCount(3);
  const drawn = () =>
    page
      .locator('canvas')
      .first()
      .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  const light = await drawn();
  await page.getByRole('button', { name: /^Menu of/ }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect.poll(drawn).not.toBe(light);
});

const putFile = (service: Service, person: Person, name: string) =>
  send(service, person, 'PUT', `/remote.php/dav/files/${person.userId}/${name}`, 'hello');
const importOpml = (service: Service, person: Person, opml: string) =>
  send(service, person, 'POST', `${NEWS}/opml/import`, opml);

/** Matches a text literally. */
async function send(
  service: Service,
  { userId, password }: Person,
  method: string,
  path: string,
  body: string,
): Promise<void> {
  const response = await fetch(service.url + path, {
    method,
    headers: { Authorization: `Basic ${btoa(`${userId}:${password}`)}` },
    body,
  });
  expect(response.ok).toBe(true);
}

/** The fixture’s page, logged out and blank, since an open page would redirect to the login. */
async function freshPage(page: Page): Promise<Page> {
  await page.goto('about:blank');
  await page.context().clearCookies();
  return page;
}

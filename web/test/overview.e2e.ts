import type { Route } from '@playwright/test';
import { startMailServer } from '../../test/support/mail-server.js';
import { ADMIN, expect, expectAccessible, logIn, test } from './fixtures.js';
import { startService } from './service.js';

interface Answered {
  readonly ocs: { readonly data: object };
}

/** A day of two processes instead of the first minutes of one. */
async function withDay(route: Route): Promise<void> {
  const answered = (await (await route.fetch()).json()) as Answered;
  const now = Math.floor(Date.now() / 300_000) * 300;
  const day = Array.from({ length: 288 }, (_, n) => ({
    at: now - (287 - n) * 300,
    processes: 2,
    processorPercent: 20 + Math.round(15 * Math.sin(n / 30)),
    loadPercent: 60 + Math.round(40 * Math.sin(n / 20)),
    memoryBytes: 5e8 + 4e5 * n,
    diskSpareBytes: 4e10 - 8e7 * n,
    queuedJobs: n > 200 && n < 230 ? 40 : 0,
    dueFeeds: n % 24,
  }));
  const accounts = ['ada', 'bob'].map((id, n) => ({
    id,
    displayName: id,
    requests: 500 - n,
    databaseMs: n === 0 ? 90_000 : 100,
    bytes: n === 0 ? 1e6 : 7e8,
  }));
  const data = { ...answered.ocs.data, day, accounts };
  await route.fulfill({ json: { ...answered, ocs: { ...answered.ocs, data } } });
}

test('the overview shows the last day, sends a test mail and tells all users', async ({
  page,
  keepPicture,
}) => {
  const mails = await startMailServer();
  const service = await startService({
    GATEFOLD_SMTP_URL: mails.url,
    GATEFOLD_MAIL_FROM: 'gatefold@example.org',
  });
  const ada = await service.addPerson();
  await service.call(ADMIN, 'PUT', `/ocs/v2.php/cloud/users/${ADMIN.userId}?format=json`, {
    key: 'email',
    value: 'admin@example.org',
  });
  await logIn(page, service, ADMIN, '/settings/admin/overview');

  const lastDay = page.getByRole('region', { name: 'The last day' });
  await expect(lastDay.getByRole('figure').filter({ hasText: 'Memory' })).toContainText(/\d MB/);
  await expect(lastDay).toContainText('No backup is known.');
  await expect(lastDay.getByRole('listitem')).toHaveCount(1);

  await page.getByRole('button', { name: 'Send me a test mail' }).click();
  await expect(page.getByRole('status').filter({ hasText: '250' })).toBeVisible();
  expect(mails.mails.map(({ to }) => to)).toEqual([['admin@example.org']]);

  const messages = page.getByRole('region', { name: 'Messages and mail' });
  await messages.getByRole('button', { name: 'Send a message to all users' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Message').fill('The service stops at ten.');
  await dialog.getByRole('button', { name: 'Send a message to all users' }).click();
  await expect(messages).toContainText('still shown to users: 2');
  const told = () =>
    service.call(ada, 'GET', '/ocs/v2.php/apps/notifications/api/v2/notifications?format=json');
  expect(JSON.stringify(await told())).toContain('The service stops at ten.');

  await page.route('**/gatefold/api/v1/overview*', withDay);
  await page.goto(`${service.url}/settings/admin/overview`);
  await expect(page.getByRole('figure').filter({ hasText: 'Jobs' })).toContainText('0 to 40');
  const users = page.getByRole('region', { name: 'Users' }).getByRole('row');
  await expect(users.nth(1)).toContainText('ada');
  await page.getByLabel('Order').selectOption('bytes');
  await expect(users.nth(1)).toContainText('bob');
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [width, height] of [
      [390, 2600],
      [1360, 1500],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
      await keepPicture(`overview-day-${width}-${colorScheme}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
  await keepPicture('overview-day-forced');

  await messages.getByRole('button', { name: 'Withdraw the message' }).click();
  await expect(messages).not.toContainText('The service stops at ten.');
  expect(JSON.stringify(await told())).not.toContain('The service stops at ten.');
  await service.stop();
  await mails.stop();
});

test('a user is logged out everywhere from the list, programs only if that is wanted', async ({
  page,
  ada,
  service,
  browser,
}) => {
  const context = await browser.newContext();
  const administrator = await context.newPage();
  await logIn(administrator, service, ADMIN, '/settings/admin/users');
  await administrator.getByRole('button', { name: `Change ${ada.userId}` }).click();
  await administrator.getByRole('menuitem', { name: 'Log out everywhere' }).click();
  const dialog = administrator.getByRole('dialog');
  await expect(dialog.getByLabel('Also revoke all app passwords')).not.toBeChecked();
  await dialog.getByRole('button', { name: 'Log out everywhere' }).click();
  await expect(administrator.getByText(`${ada.userId} is logged out everywhere.`)).toBeVisible();
  await context.close();

  await page.goto(`${service.url}/settings/user/profile`);
  await expect(page).toHaveURL(/\/login/);
});

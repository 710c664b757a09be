import { startNoticeReceiver } from '../../test/support/notice-receiver.js';
import { ADMIN, expect, expectAccessible, logIn, test as base } from './fixtures.js';
import { startService, type Service } from './service.js';

const test = base.extend<object, { service: Service }>({
  service: [
    async ({ playwright: _playwright }, use) => {
      const service = await startService({
        GATEFOLD_SMTP_URL: 'smtp://127.0.0.1:9',
        GATEFOLD_MAIL_FROM: 'gatefold@example.org',
      });
      await use(service);
      await service.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

const OCS = '/ocs/v2.php/cloud';
const NEWS = '/index.php/apps/news/api/v1-3';

test('a board tells a chat and, by mail, its members, of whom one declines', async ({
  page,
  ada,
  service,
  browser,
  keepPicture,
}) => {
  const receiver = await startNoticeReceiver();
  await service.call(ADMIN, 'POST', `${OCS}/groups?format=json`, { groupid: 'pilots' });
  await service.call(ADMIN, 'POST', `${OCS}/users/${ada.userId}/groups?format=json`, {
    groupid: 'pilots',
  });
  const folder = { groupId: 'pilots', name: 'Desk' };
  const { id } = (await service.call(ADMIN, 'POST', `${NEWS}/admin/group-folders`, folder)) as {
    id: number;
  };
  await service.call(ADMIN, 'POST', `${NEWS}/boards`, { groupFolderId: id, name: 'Worth reading' });
  const context = await browser.newContext();
  const admin = await context.newPage();
  await logIn(admin, service, ADMIN, '/settings/admin/groups/pilots');

  const card = admin.getByRole('region', { name: 'Desk' });
  await card.getByText('Whom “Worth reading” tells').click();
  await card.getByLabel('Service').selectOption('Slack, Mattermost');
  await card.getByLabel('Address of the webhook').fill('nowhere');
  await card.getByRole('button', { name: 'Add webhook' }).click();
  await expect(card.getByRole('alert')).toContainText('begins with http');
  await card.getByLabel('Address of the webhook').fill(receiver.url('/hook'));
  await card.getByLabel('Name', { exact: true }).fill('Our channel');
  await card.getByRole('button', { name: 'Add webhook' }).click();
  const webhook = card.getByRole('list', { name: 'Webhooks' }).getByRole('listitem');
  await expect(webhook).toContainText('Our channel');
  await webhook.getByRole('button', { name: 'Try it' }).click();
  await expect(admin.getByText('The message was sent.')).toBeVisible();
  expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
  await card.getByLabel('Members get what is new by mail once a day').check();
  await card.getByLabel('At', { exact: true }).fill('07:30');
  await card.getByLabel('Time zone').selectOption('Europe/Berlin');
  await card.getByRole('button', { name: 'Save' }).first().click();
  await expect(admin.getByText('Saved.')).toBeVisible();
  await expectAccessible(admin);

  await page.goto(`${service.url}/settings/user/notices`);
  const wanted = page.getByLabel('Worth reading (pilots), at 07:30 (Europe/Berlin)');
  await expect(wanted).toBeChecked();
  await wanted.uncheck();
  await expectAccessible(page);
  await keepPicture('board-digests');
  await page.reload();
  await expect(wanted).not.toBeChecked();

  await webhook.getByRole('button', { name: 'Remove the webhook Our channel' }).click();
  await expect(webhook).toHaveCount(0);
  await context.close();
  await receiver.close();
});

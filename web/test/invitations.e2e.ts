import { startMailServer, type TestMailServer } from '../../test/support/mail-server.js';
import { ADMIN, expect, expectAccessible, logIn, test as base } from './fixtures.js';
import { startService, type Service } from './service.js';

const WORDS = 'the words of the new user';

interface WithMail {
  readonly mailServer: TestMailServer;
  readonly mailing: Service;
}

/** A service of its own, with a mail server. */
const test = base.extend<object, WithMail>({
  mailServer: [
    async ({ playwright: _playwright }, use) => {
      const server = await startMailServer();
      await use(server);
      await server.stop();
    },
    { scope: 'worker' },
  ],
  mailing: [
    async ({ mailServer }, use) => {
      const service = await startService({
        GATEFOLD_SMTP_URL: mailServer.url,
        GATEFOLD_MAIL_FROM: 'gatefold@example.org',
      });
      await use(service);
      await service.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

const linkIn = (text: string) => /^http\S+$/m.exec(text)?.[0] ?? '';

test('a user is invited, also once more, and chooses a password', async ({
  page,
  mailing,
  mailServer,
  keepPicture,
}) => {
  await logIn(page, mailing, ADMIN);
  await page.goto(`${mailing.url}/settings/admin/users`);
  await page.getByRole('button', { name: 'Add a user' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel(/^Send an invitation/)).toBeChecked();
  await expect(dialog.getByLabel('Password', { exact: true })).toHaveCount(0);
  await dialog.getByLabel('User name').fill('grace');
  await dialog.getByLabel('Email address').fill('grace@example.org');
  await expectAccessible(page);
  await keepPicture('admin-users-invite-light');
  await dialog.getByRole('button', { name: 'Add a user' }).click();
  await expect(page.getByText('An invitation goes to grace@example.org.')).toBeVisible();

  await page.getByRole('button', { name: 'Change grace' }).click();
  const again = page.waitForResponse((answer) => answer.url().includes('/users/grace/welcome'));
  await page.getByRole('menuitem', { name: 'Send the invitation again' }).click();
  expect((await again).ok()).toBe(true);
  await expect(page.getByText('An invitation goes to grace@example.org.').last()).toBeVisible();
  await page.context().clearCookies();

  const invitation = linkIn((await mailServer.mailTo('grace@example.org', 1)).text);
  await page.goto(invitation);
  await expect(page.getByLabel('New password', { exact: true })).toBeFocused();
  await expect(page.getByLabel(/^Code/)).toBeHidden();
  // The token is neither in the history nor in what is shown.
  expect(page.url()).toBe(`${mailing.url}/login/password`);
  await expectAccessible(page);
  await keepPicture('new-password-light');
  await page.getByLabel('New password', { exact: true }).fill(WORDS);
  await page.getByLabel('Repeat the new password').fill(WORDS);
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByRole('status')).toContainText('The password is set.');
});

test('a forgotten password is replaced', async ({ page, mailing, mailServer, keepPicture }) => {
  const person = await mailing.addPerson();
  const email = `${person.userId}@example.org`;
  const path = `/ocs/v2.php/cloud/users/${person.userId}?format=json`;
  await mailing.call(ADMIN, 'PUT', path, { key: 'email', value: email });

  await page.goto(`${mailing.url}/login`);
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expectAccessible(page);
  await keepPicture('forgotten-light');
  await page.getByLabel('User name or email address').fill(person.userId);
  await page.getByRole('button', { name: 'Send a link' }).click();
  await expect(page.getByRole('status')).toContainText('a link was sent to that address');

  await page.goto(linkIn((await mailServer.mailTo(email)).text));
  await page.getByLabel('New password', { exact: true }).fill(WORDS);
  await page.getByLabel('Repeat the new password').fill('something else');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByRole('alert')).toHaveText('The two passwords are not the same.');
  await page.getByLabel('New password', { exact: true }).fill(WORDS);
  await page.getByLabel('Repeat the new password').fill(WORDS);
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByRole('status')).toContainText('The password is set.');

  await page.getByRole('link', { name: 'Log in' }).click();
  await page.getByLabel('User name').fill(person.userId);
  await page.getByLabel('Password', { exact: true }).fill(WORDS);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page).toHaveURL(/\/apps\/news/);

  await page.goto(`${mailing.url}/settings/user/profile`);
  await expect(page.getByLabel('Email address')).toHaveValue(email);
  await page.getByLabel('Email address').fill('other@example.org');
  await page.getByLabel('Current password').first().fill(WORDS);
  await page.getByRole('button', { name: 'Save' }).first().click();
  await expect(page.getByText('Saved.')).toBeVisible();
  expect(await mailing.call(ADMIN, 'GET', path)).toMatchObject({
    ocs: { data: { email: 'other@example.org', emailConfirmed: true } },
  });

  // As if a program had set it while no mail was sent.
  await page.route(/cloud\/user(\?|$)/, async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { ocs: { data: object } };
    json.ocs.data = { ...json.ocs.data, emailConfirmed: false };
    await route.fulfill({ response, json });
  });
  await page.reload();
  await expect(page.getByText('Not confirmed: no links are sent')).toBeVisible();
  await keepPicture('profile-unconfirmed-light');
  await page.getByLabel('Current password').first().fill(WORDS);
  await page.getByRole('button', { name: 'Save' }).first().click();
  await expect(page.getByText('Saved.')).toBeVisible();
  await expect(page.getByText('Not confirmed: no links are sent')).toHaveCount(0);
});

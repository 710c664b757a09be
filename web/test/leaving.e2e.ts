import { ADMIN, expect, expectAccessible, logIn, logInByHand, test } from './fixtures.js';
import { startService, type Service } from './service.js';

for (const [name, viewport] of [
  ['phone', { width: 390, height: 844 }],
  ['desktop', { width: 1360, height: 900 }],
] as const) {
  test(`people have their accounts deleted, and keep them after logging in: ${name}`, async ({
    page,
    ada,
    service,
    keepPicture,
  }) => {
    await page.setViewportSize(viewport);
    await page.goto(`${service.url}/settings/user/profile`);
    const card = page.locator('#leaving');
    await expect(card).toContainText('It is deleted after 14 days.');

    await card.getByRole('button', { name: 'Delete my account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete my account' });
    await expect(dialog.getByRole('button', { name: 'Delete', exact: true })).toBeDisabled();
    await dialog.getByRole('textbox').fill(ada.userId);
    await expectAccessible(page);
    await keepPicture(`leaving-asked-${name}`);
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();

    await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
    await logInByHand(page, service, ada);
    const notice = page.getByRole('status').filter({ hasText: 'Your account will be deleted on' });
    await expect(notice).toBeVisible();
    await keepPicture(`leaving-notice-${name}`);
    await page.goto(`${service.url}/settings/user/profile`);
    await expect(card).toContainText('Until then you can use it, and keep it.');
    await card.scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await keepPicture(`leaving-card-${name}`);

    await notice.getByRole('button', { name: 'Keep my account' }).click();

    await expect(notice).toBeHidden();
    await expect(card.getByRole('button', { name: 'Delete my account' })).toBeVisible();
    await page.reload();
    await expect(card).toContainText('It is deleted after 14 days.');
    await expect(notice).toBeHidden();
  });
}

test.describe('where an administrator decides', () => {
  let asking: Service;
  test.beforeAll(async () => {
    asking = await startService({ GATEFOLD_ACCOUNT_DELETION: 'ask' });
  });
  test.afterAll(async () => asking?.stop());

  for (const [name, viewport] of [
    ['phone', { width: 390, height: 844 }],
    ['desktop', { width: 1360, height: 900 }],
  ] as const) {
    test(`the request is answered in the list of users: ${name}`, async ({ page, keepPicture }) => {
      const eve = await asking.addPerson();
      await page.setViewportSize(viewport);
      await logIn(page, asking, eve, '/settings/user/profile');
      const card = page.locator('#leaving');
      await card.getByRole('button', { name: 'Delete my account' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete my account' });
      await dialog.getByRole('textbox').fill(eve.userId);
      await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
      await expect(card).toContainText('An administrator decides about it.');
      await expect(card.getByRole('button', { name: 'Keep my account' })).toBeVisible();

      await page.context().clearCookies();
      await logIn(page, asking, ADMIN, `/settings/admin/users`);
      const row = page.getByRole('listitem').filter({ hasText: eve.userId });
      await expect(row).toContainText('Asks to be deleted');
      await keepPicture(`leaving-users-${name}`);
      await row.getByRole('button', { name: `Change ${eve.userId}` }).click();
      await page.getByRole('menuitem', { name: 'Answer the request to be deleted' }).click();
      const answer = page.getByRole('dialog', { name: `${eve.userId} asks for the deletion` });
      await answer.getByLabel('What you say to the owner').fill('Good luck!');
      await answer.getByLabel('Delete the account now').check();
      await expectAccessible(page);
      await keepPicture(`leaving-answer-${name}`);
      await answer.getByRole('button', { name: 'Delete the account now' }).click();

      await expect(page.getByText(`${eve.userId} deleted.`)).toBeVisible();
      await expect(row).toBeHidden();
    });
  }
});

import { ADMIN, expect, expectAccessible, logIn, test } from './fixtures.js';
import { publishFeed, subscribe } from './reader-feeds.js';

const OCS = '/ocs/v2.php/cloud';

test('an administrator makes a board, and a member adds an article with a note', async ({
  page,
  ada,
  service,
  feeds,
  browser,
  keepPicture,
}) => {
  await service.call(ADMIN, 'POST', `${OCS}/groups?format=json`, { groupid: 'pilots' });
  await service.call(ADMIN, 'POST', `${OCS}/users/${ada.userId}/groups?format=json`, {
    groupid: 'pilots',
  });
  await subscribe(service, ada, publishFeed(feeds, '/board.xml', 'Lamps', 1));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Lamps article 1/ }).click();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Add to a board …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add “Lamps article 1” to a board' });
  await expect(dialog.getByText('None of your groups has a board.')).toBeVisible();
  await page.keyboard.press('Escape');

  const context = await browser.newContext();
  const admin = await context.newPage();
  await logIn(admin, service, ADMIN, '/settings/admin/groups/pilots');
  await admin.getByLabel('Folders of feeds that all members have').fill('Desk');
  await admin.getByRole('button', { name: 'New folder' }).click();
  const card = admin.getByRole('region', { name: 'Desk' });
  await card.getByRole('button', { name: 'New board' }).click();
  await admin.getByRole('dialog').getByLabel('Name').fill('Worth reading');
  await admin.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(card.getByRole('listitem').filter({ hasText: 'Worth reading' })).toBeVisible();
  await context.close();

  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Add to a board …' }).click();
  await expect(dialog.getByLabel('Board')).toHaveText('Worth reading (pilots)');
  await dialog.getByLabel('Why (optional)').fill('for the harbour');
  await expectAccessible(page);
  await keepPicture('board-dialog');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText('Added to Worth reading.')).toBeVisible();
  await page.goto(`${service.url}/apps/news/`);
  await page
    .getByRole('navigation', { name: 'Feeds' })
    .getByRole('link', { name: /^Worth reading/ })
    .click();
  await page.getByRole('link', { name: /Lamps article 1/ }).click();
  await expect(page.getByText(/\d: for the harbour/).last()).toBeVisible();
});

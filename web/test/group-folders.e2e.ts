import { ADMIN, expect, expectAccessible, logIn, test } from './fixtures.js';
import { publishFeed } from './reader-feeds.js';

const OCS = '/ocs/v2.php/cloud';

test('an administrator gives a group a folder, and a member sees whose it is, hides a feed and shows it again', async ({
  page,
  ada,
  service,
  feeds,
  browser,
  keepPicture,
}) => {
  await service.call(ADMIN, 'POST', `${OCS}/groups?format=json`, { groupid: 'harbour' });
  await service.call(ADMIN, 'POST', `${OCS}/users/${ada.userId}/groups?format=json`, {
    groupid: 'harbour',
  });
  const context = await browser.newContext();
  const admin = await context.newPage();
  await logIn(admin, service, ADMIN, '/settings/admin/groups/harbour');

  await admin.getByLabel('Folders of feeds that all members have').fill('Press');
  await admin.getByRole('button', { name: 'New folder' }).click();
  const card = admin.getByRole('region', { name: 'Press' });
  for (const name of ['Tides', 'Storms']) {
    await card
      .getByLabel('Address of a feed or website')
      .fill(publishFeed(feeds, `/groups-${name}.xml`, name, 2));
    await card
      .getByLabel('Mandatory')
      .last()
      .setChecked(name === 'Tides');
    await card.getByRole('button', { name: 'Add feed' }).click();
    await expect(card.getByRole('listitem').filter({ hasText: name })).toBeVisible();
  }
  await card.getByLabel(/^Editors/).fill(ada.userId);
  await card.getByRole('button', { name: 'Save' }).click();
  await expectAccessible(admin);
  await admin.screenshot({ path: 'web/test-results/screenshots/group-folders-admin.png' });
  await admin.getByRole('button', { name: 'Delete' }).click();
  await expect(admin.getByRole('dialog')).toContainText('for all members: Press.');
  await context.close();

  await page.goto(`${service.url}/apps/news/`);
  const tree = page.getByRole('navigation', { name: 'Feeds' });
  await expect(tree.getByRole('link', { name: /^Press/ })).toBeVisible();
  await expect(tree.getByLabel('From harbour')).toHaveCount(1);
  await keepPicture('group-folders-tree');
  await tree.getByRole('link', { name: /^Storms/ }).focus();
  await tree.getByRole('button', { name: 'Menu of Storms' }).click();
  await page.getByRole('menuitem', { name: 'Hide this feed' }).click();
  await expect(tree.getByRole('link', { name: /^Storms/ })).toHaveCount(0);

  await page.goto(`${service.url}/apps/news/groups`);
  await expect(page.getByRole('region', { name: 'Press' })).toBeVisible();
  await expectAccessible(page);
  await keepPicture('group-folders');
  await page.getByRole('button', { name: 'Show Storms again' }).click();
  await expect(page.getByRole('button', { name: 'Hide Storms' })).toBeVisible();
  await page.goto(`${service.url}/apps/news/`);
  await expect(tree.getByRole('link', { name: /^Storms/ })).toBeVisible();
});

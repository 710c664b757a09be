import { ADMIN, expect, expectAccessible, logIn, test } from './fixtures.js';
import { publishFeed } from './reader-feeds.js';

const OCS = '/ocs/v2.php/cloud';
const NEWS = '/index.php/apps/news/api/v1-3';

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

test('an editor writes rules for the members of a group, who have them to read only', async ({
  page,
  ada,
  service,
  feeds,
  keepLooks,
}) => {
  const { userId } = ada;
  await service.call(ADMIN, 'POST', `${OCS}/groups?format=json`, { groupid: 'keepers' });
  const groupid = { groupid: 'keepers' };
  await service.call(ADMIN, 'POST', `${OCS}/users/${userId}/groups?format=json`, groupid);
  const given = { groupId: 'keepers', name: 'Lights' };
  const made = await service.call(ADMIN, 'POST', `${NEWS}/admin/group-folders`, given);
  const { id } = made as { id: number };
  const url = publishFeed(feeds, '/keepers.xml', 'Lamps', 2);
  await service.call(ADMIN, 'POST', `${NEWS}/group-folders/${id}/feeds`, { url });
  await page.goto(`${service.url}/apps/news/groups/${id}/rules`);
  await expect(
    page.getByRole('heading', { name: 'There is no such folder that you may change' }),
  ).toBeVisible();
  const editors = { editors: [userId] };
  await service.call(ADMIN, 'PUT', `${NEWS}/admin/group-folders/${id}/editors`, editors);

  await page.goto(`${service.url}/apps/news/groups`);
  await page.getByRole('region', { name: 'Lights' }).getByRole('link', { name: 'Rules' }).click();
  await expect(page.getByRole('heading', { name: 'Rules of Lights' })).toBeVisible();
  await page.getByRole('link', { name: 'New rule' }).click();
  const condition = page.getByRole('textbox', { name: 'Which articles' });
  await condition.pressSequentially('in');
  await expect(page.getByRole('option', { name: /^intitle:/ })).toBeVisible();
  await expect(page.getByRole('option', { name: /^in:/ })).toHaveCount(0);
  await condition.fill('label:Later');
  await page.getByRole('checkbox', { name: 'Tell the members' }).check();
  await expect(page.getByText(/^A rule of a group cannot name feeds/)).toBeVisible();
  const save = page.getByRole('button', { name: 'Save, from now on' });
  await expect(save).toBeDisabled();
  await condition.fill('storm');
  await page.getByRole('checkbox', { name: 'Label' }).check();
  await page.getByLabel('Labels, separated by commas').fill('Weather, Sea');
  await page.getByLabel('Labels, separated by commas').blur();
  await expect(page.getByRole('checkbox')).toHaveCount(4);
  await expect(page.getByRole('button', { name: 'Try it' })).toHaveCount(0);
  await keepLooks('group-rule-editor');
  await save.press('Enter');
  const rules = page.getByRole('list', { name: 'Rules' }).getByRole('listitem');
  await expect(rules).toHaveText([/storm.*tell the members and label Weather and Sea/]);
  await keepLooks('group-rules');

  await rules.getByRole('link', { name: 'storm' }).press('Enter');
  await page.getByLabel('Name (optional)').fill('Bad weather');
  await expect(condition).toHaveValue('storm');
  await expect(page.getByRole('checkbox', { name: 'Tell the members' })).toBeChecked();
  await save.click();
  await expect(rules).toHaveText([/^Bad weather/]);

  await service.call(ada, 'GET', `${NEWS}/feeds`);
  await service.call(ada, 'POST', `${NEWS}/rules`, { name: 'Own', actions: [{ type: 'read' }] });
  await page.goto(`${service.url}/apps/news/rules`);
  await expect(rules).toHaveText([/Bad weather.*By the group keepers/, /Own/]);
  await expect(page.getByRole('button', { name: 'Move up: Own' })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Delete rule: Bad weather' })).toHaveCount(0);
  await rules.getByRole('link', { name: 'Bad weather' }).click();
  await expect(page.getByText('By the group keepers, before your own')).toBeVisible();
  await expect(page.getByRole('main').getByRole('textbox')).toHaveCount(0);
  await expect(page.getByRole('main').getByRole('button')).toHaveCount(0);
  await keepLooks('group-rule-given');

  await page.goto(`${service.url}/apps/news/groups/${id}/rules`);
  await page.getByRole('button', { name: 'Delete rule: Bad weather' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await expect(page.getByText('No rules yet')).toBeVisible();
  await expectAccessible(page);
});

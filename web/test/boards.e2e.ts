import { ADMIN, expect, expectAccessible, logIn, test } from './fixtures.js';
import { publishFeed, storedItems, subscribe } from './reader-feeds.js';

const OCS = '/ocs/v2.php/cloud';
const NEWS = '/index.php/apps/news/api/v1-3';

test('an administrator makes a board, and a member adds an article with a note, publishes it and takes it back', async ({
  page,
  ada,
  service,
  feeds,
  browser,
  keepPicture,
  keepLooks,
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
  const added = page.getByRole('status').filter({ hasText: 'Added to Worth reading.' });
  await added.getByRole('button', { name: 'Open' }).click();
  await expect(page.getByRole('heading', { name: 'Worth reading' })).toBeVisible();
  await page.goto(`${service.url}/apps/news/`);
  await page
    .getByRole('navigation', { name: 'Feeds' })
    .getByRole('link', { name: /^Worth reading/ })
    .click();
  await page.getByRole('link', { name: /Lamps article 1/ }).click();
  await expect(page.getByText(/\d: for the harbour/).last()).toBeVisible();

  await page.goto(`${service.url}/apps/news/groups`);
  const boards = page.getByRole('region', { name: 'Boards' });
  await expect(boards.getByRole('listitem')).toHaveText(['Worth reading pilots']);
  await keepLooks('groups-with-boards');
  await boards.getByRole('link').press('Enter');
  const entries = page.getByRole('list', { name: 'Worth reading' }).getByRole('listitem');
  await expect(entries).toHaveText([/Lamps article 1.*for the harbour/]);
  await expect(entries.getByRole('link', { name: 'Lamps article 1' })).toHaveAttribute(
    'href',
    'https://publisher.example/Lamps/1',
  );
  await keepLooks('board');
  await page.getByRole('button', { name: 'Publish as a feed' }).press('Enter');
  const publishing = page.getByRole('dialog', { name: 'Publish “Worth reading”' });
  await publishing.getByLabel('Who added what, and why').check();
  await publishing.getByRole('button', { name: 'Publish' }).click();
  const address = await publishing.getByLabel('Atom feed', { exact: true }).inputValue();
  await keepPicture('board-publishing');
  await page.keyboard.press('Escape');
  expect(await (await page.request.get(address)).text()).toContain('for the harbour');
  await page.getByRole('button', { name: 'Remove Lamps article 1' }).press('Enter');
  const asking = page.getByRole('dialog', { name: 'Remove “Lamps article 1” from the board?' });
  await expect(asking).toContainText('You take back what you added.');
  await keepPicture('board-removing');
  await asking.getByRole('button', { name: 'Remove' }).press('Enter');
  await expect(page.getByText('Nothing on this board yet')).toBeVisible();
  await expectAccessible(page);
  await page.reload();
  await expect(page.getByText('Nothing on this board yet')).toBeVisible();
  await page.goto(`${service.url}/apps/news/boards/999999`);
  await expect(page.getByText('There is no such board in your groups')).toBeVisible();
});

test('the page of a board has each entry once, and shows another board when its address changes', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const create = async (what: string, json: object) =>
    ((await service.call(ADMIN, 'POST', `${NEWS}/${what}`, json)) as { id: number }).id;
  const groupid = 'sailors';
  await service.call(ADMIN, 'POST', `${OCS}/groups?format=json`, { groupid });
  await service.call(ADMIN, 'POST', `${OCS}/users/${ada.userId}/groups?format=json`, { groupid });
  const folder = { groupId: groupid, name: 'Desk' };
  const groupFolderId = await create('admin/group-folders', folder);
  const long = await create('boards', { groupFolderId, name: 'Long' });
  const short = await create('boards', { groupFolderId, name: 'Short' });
  await subscribe(service, ada, publishFeed(feeds, '/sails.xml', 'Sails', 51));
  const items = await storedItems(service, ada);
  const add = (boardId: number, n: number) => {
    const itemId = items.get(`Sails article ${n}`)?.id;
    return service.call(ada, 'POST', `${NEWS}/boards/${boardId}/entries`, { itemId });
  };
  for (let n = 1; n <= 51; n += 1) {
    await add(long, n);
  }
  await add(short, 7);

  await page.goto(`${service.url}/apps/news/boards/${long}`);
  const entriesOf = (name: string) => page.getByRole('list', { name }).getByRole('listitem');
  await expect(entriesOf('Long')).toHaveCount(50);
  let answers = 0;
  page.on('response', (response) => (answers += response.url().includes('/entries?') ? 1 : 0));
  await page.getByRole('button', { name: 'Show more' }).evaluate((button: HTMLElement) => {
    button.click();
    button.click();
  });
  await expect.poll(() => answers).toBe(2);
  await expect(entriesOf('Long')).toHaveCount(51);

  // As the button of a message does that leads to another board.
  await page.evaluate((path) => {
    history.pushState(history.state, '', path);
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  }, `/apps/news/boards/${short}`);
  await expect(page.getByRole('heading', { name: 'Short' })).toBeVisible();
  await expect(entriesOf('Short')).toHaveText([/^Sails article 7/]);
});

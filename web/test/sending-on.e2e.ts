import { readFileSync } from 'node:fs';
import { startNoticeReceiver } from '../../test/support/notice-receiver.js';
import { expect, expectAccessible, test } from './fixtures.js';
import { publishFeed, subscribe } from './reader-feeds.js';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1360, height: 900 };

test('an article is sent on by its menu and by a key: to a service, by a link, and as Markdown', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const receiver = await startNoticeReceiver();
  await subscribe(service, ada, publishFeed(feeds, '/paper.xml', 'Paper', 1));
  await page.setViewportSize(DESK);
  await page.goto(`${service.url}/settings/user/notices`);

  await page.getByRole('button', { name: 'A service that keeps pages' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Service').selectOption({ label: 'linkding' });
  await dialog.getByLabel('Address').fill(receiver.url('/'));
  await dialog.getByLabel('Token').fill('secret');
  await dialog.getByLabel('Name').fill('Bookmarks');
  await expectAccessible(page);
  await keepPicture('sending-on-channel');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);

  const links = page.getByRole('region', { name: 'Links to send articles on' });
  await links.getByLabel('Name').fill('Social');
  await links.getByLabel('Address').fill('javascript:alert({url})');
  await links.getByRole('button', { name: 'Add a link' }).click();
  await expect(links.getByRole('alert')).toContainText('must begin with https://');
  await links.getByLabel('Address').fill('https://social.example/share?text={title}');
  await links.getByRole('button', { name: 'Add a link' }).click();
  await expect(links.getByRole('listitem')).toContainText('Social');

  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Paper article 1/ }).click();
  await expect(page.getByRole('heading', { name: 'Paper article 1' })).toBeVisible();
  await page.keyboard.press('Shift+S');
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
  await expect(item('Social')).toHaveAttribute(
    'href',
    'https://social.example/share?text=Paper%20article%201',
  );
  await expectAccessible(page);
  await keepPicture('sending-on-menu');
  await item('Send to Bookmarks').click();
  await expect(page.getByText('Sent on to Bookmarks.')).toBeVisible();
  expect(await receiver.next(0)).toMatchObject({
    path: '/api/bookmarks/',
    headers: { authorization: 'Token secret' },
    json: { title: 'Paper article 1' },
  });

  await page.setViewportSize(PHONE);
  await page.keyboard.press('Shift+S');
  await keepPicture('sending-on-phone');
  const downloads = page.waitForEvent('download');
  await item('Download as Markdown').click();
  const download = await downloads;
  expect(download.suggestedFilename()).toBe('Paper article 1.md');
  expect(readFileSync(await download.path(), 'utf8')).toMatch(/^# \[Paper article 1\]\(</);
  await receiver.close();
});

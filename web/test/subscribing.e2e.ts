import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.js';
import { publishFeed, storedItems, subscribe } from './reader-feeds.js';

const NEWS = '/apps/news/api/v1-3';
const PHONE = { width: 390, height: 844 };

const addDialog = (page: Page) => page.getByRole('dialog', { name: 'Add a feed' });

test('an address from elsewhere waits in the dialog for a click, also after the login', async ({
  page,
  service,
  feeds,
  keepPicture,
}) => {
  const grace = await service.addPerson('grace');
  await subscribe(service, grace, publishFeed(feeds, '/there.xml', 'There', 1));
  const url = publishFeed(feeds, '/offered.xml', 'Offered', 2);
  const asked = feeds.requests('/offered.xml').length;

  await page.goto(`${service.url}/apps/news/?subscribe_to=${encodeURIComponent(url)}`);
  await page.locator('input[name="user"]').fill(grace.userId);
  await page.locator('input[name="password"]').fill(grace.password);
  await page.locator('form button:not([type])').click();

  const dialog = addDialog(page);
  await expect(dialog.getByLabel('Address', { exact: true })).toHaveValue(url);
  await expect(page).toHaveURL(`${service.url}/apps/news/`);
  expect(feeds.requests('/offered.xml')).toHaveLength(asked);
  await expectAccessible(page);
  await keepPicture('subscribe-offered');
  await dialog.getByRole('button', { name: 'Find feed' }).click();
  await dialog.getByRole('button', { name: 'Subscribe' }).click();
  await expect(page.getByRole('heading', { name: 'Offered', level: 1 })).toBeVisible();
});

test('feed links, shared texts and the first visit offer their address, too', async ({
  page,
  ada: _ada,
  service,
  feeds,
  keepPicture,
}) => {
  await page.setViewportSize(PHONE);
  const url = publishFeed(feeds, '/first.xml', 'First', 1);
  const offered = async (query: Record<string, string>) => {
    await page.goto(`${service.url}/apps/news/?${new URLSearchParams(query).toString()}`);
    return page.getByLabel('Address', { exact: true });
  };

  // The first visit has no dialog.
  await expect(await offered({ subscribe_to: url })).toHaveValue(url);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await keepPicture('subscribe-first-visit-phone');
  await page.getByRole('button', { name: 'Find feed' }).click();
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByRole('link', { name: /First article 1/ }).waitFor();

  await expect(await offered({ subscribe_to: 'feed://example.org/rss' })).toHaveValue(
    'https://example.org/rss',
  );
  await expect(await offered({ subscribe_to: 'web+feed:https://example.org/a' })).toHaveValue(
    'https://example.org/a',
  );
  await expect(
    await offered({ share_title: 'A page', share_text: 'Look: https://example.org/b, nice.' }),
  ).toHaveValue('https://example.org/b');
  await expectAccessible(page);
  await keepPicture('subscribe-shared-phone');
});

test('the bookmarklet brings the address of any page', async ({ page, ada, service, feeds }) => {
  await subscribe(service, ada, publishFeed(feeds, '/have.xml', 'Have', 1));
  feeds.publish('/blog', '<title>A blog</title><p>Hello', { contentType: 'text/html' });
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('button', { name: 'Add a feed' }).click();
  const dialog = addDialog(page);
  await dialog.getByText('Subscribe from other pages').click();
  const link = dialog.getByRole('link', { name: 'Follow with Gatefold' });
  const address = (await link.getAttribute('href')) ?? '';
  await expectAccessible(page);
  // It is for dragging; the policy of our pages does not let it run here.
  await link.click();
  await expect(dialog).toBeVisible();

  await page.goto(feeds.url('/blog'));
  await page.evaluate(address.replace('javascript:', ''));

  await expect(addDialog(page).getByLabel('Address', { exact: true })).toHaveValue(
    feeds.url('/blog'),
  );
});

test('several feeds of a page are chosen by their titles, and begin partly read', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/held.xml', 'Held', 1));
  await subscribe(service, ada, publishFeed(feeds, '/of-Comments.xml', 'Comments', 1));
  feeds.redirect('/of-Replies.xml', '/of-Comments.xml', 301);
  for (const name of ['Posts', 'Podcast', 'Events']) {
    publishFeed(feeds, `/of-${name}.xml`, name, 12);
  }
  const link = (name: string, title: string) =>
    `<link rel="alternate" type="application/rss+xml" href="/of-${name}.xml" title="${title}">`;
  feeds.publish(
    '/many',
    link('Posts', 'All posts') +
      link('Podcast', 'The podcast') +
      link('Events', 'All events') +
      link('Comments', 'Comments') +
      link('Replies', 'Replies'),
    { contentType: 'text/html' },
  );
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Held article 1/ }).waitFor();
  await page.keyboard.press('a');
  const dialog = addDialog(page);
  await dialog.getByLabel('Address', { exact: true }).fill(feeds.url('/many'));
  await page.keyboard.press('Enter');

  await expect(dialog.getByRole('checkbox', { name: /Comments/ })).toBeDisabled();
  await dialog.getByRole('checkbox', { name: /Replies/ }).click();
  await expect(dialog.getByRole('checkbox', { name: /Replies.*already follow/ })).toBeDisabled();
  for (const name of ['Events', 'Podcast']) {
    await dialog.getByRole('checkbox', { name: new RegExp(name, 'i') }).check();
    await expect(dialog.getByRole('heading', { name })).toBeVisible();
  }
  feeds.publish('/of-Events.xml', 'no feed any more');
  await dialog.getByLabel('Unread to begin with').selectOption('The newest 10 of each feed');
  await expectAccessible(page);
  await keepPicture('subscribe-several');
  await page.emulateMedia({ colorScheme: 'dark' });
  await keepPicture('subscribe-several-dark');
  await dialog.getByRole('button', { name: 'Subscribe to 3 feeds' }).click();
  await expect(dialog.getByRole('alert')).toContainText('All events was not added: ');
  await expect(dialog.getByRole('alert')).toContainText('Added: Posts, Podcast');
  await expectAccessible(page);
  await keepPicture('subscribe-in-part');
  await dialog.getByRole('button', { name: 'Open the feed' }).click();
  await expect(dialog).toHaveCount(0);

  const { feeds: list } = (await service.call(ada, 'GET', `${NEWS}/feeds`)) as {
    feeds: { title: string; unreadCount: number }[];
  };
  expect(list.map(({ title, unreadCount }) => `${title} ${unreadCount}`)).toEqual([
    'Comments 1',
    'Held 1',
    'Podcast 10',
    'Posts 10',
  ]);
});

test('an import leaves the newest of each feed unread', async ({ page, ada, service, feeds }) => {
  await subscribe(service, ada, publishFeed(feeds, '/kept.xml', 'Kept', 1));
  const url = publishFeed(feeds, '/imported.xml', 'Imported', 30);
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Bring what you have' }).click();
  const dialog = page.getByRole('dialog', { name: 'Bring what you have' });
  await expect(dialog.getByLabel('Unread to begin with')).toHaveValue('10');

  await dialog.locator('input[type=file]').setInputFiles({
    name: 'feeds.opml',
    mimeType: 'text/x-opml',
    buffer: Buffer.from(
      `<opml version="2.0"><body><outline text="Imported" xmlUrl="${url}"/></body></opml>`,
    ),
  });
  await dialog.getByRole('button', { name: 'Start reading', exact: true }).click();

  await expect(page.getByRole('link', { name: 'Imported 10' })).toBeVisible();
  expect((await storedItems(service, ada)).size).toBe(31);
});

test('the link of an article is copied and shared', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.addInitScript(() => {
    navigator.share = async (data) => {
      document.documentElement.dataset['shared'] = JSON.stringify(data);
    };
  });
  await subscribe(service, ada, publishFeed(feeds, '/shared.xml', 'Shared', 1));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Shared article 1/ }).click();
  const url = 'https://publisher.example/Shared/1';

  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByRole('menuitem', { name: 'Send by e-mail' })).toHaveAttribute(
    'href',
    `mailto:?subject=Shared%20article%201&body=${encodeURIComponent(url)}`,
  );
  await expectAccessible(page);
  await keepPicture('share-menu');
  await page.getByRole('menuitem', { name: 'Copy link' }).click();
  await expect(page.getByText('Link copied.')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url);

  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Share with …' }).click();
  await expect(page.locator('html')).toHaveAttribute(
    'data-shared',
    JSON.stringify({ url, title: 'Shared article 1' }),
  );
});

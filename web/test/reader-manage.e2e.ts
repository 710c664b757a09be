import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.js';
import { addFolder, articlesOf, publishFeed, storedItems, subscribe } from './reader-feeds.js';

const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Feeds' });

async function choose(page: Page, menu: string, item: string): Promise<void> {
  const button = sidebar(page).getByRole('button', { name: menu });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: item }).click();
}

test('a web page with several feeds offers a choice, and the second time links to the subscription', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  publishFeed(feeds, '/news.xml', 'News', 2);
  publishFeed(feeds, '/comments.xml', 'Comments', 1);
  const link = (path: string) => `<link rel="alternate" type="application/rss+xml" href="${path}">`;
  feeds.publish('/site', `<html><head>${link('/news.xml')}${link('/comments.xml')}</head></html>`, {
    contentType: 'text/html',
  });
  await subscribe(service, ada, publishFeed(feeds, '/old.xml', 'Old', 1));
  await page.goto(`${service.url}/apps/news/`);

  await page.getByRole('button', { name: 'Add a feed' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a feed' });
  await dialog.getByLabel('Address').fill(feeds.url('/nothing-there'));
  await dialog.getByRole('button', { name: 'Find feed' }).click();
  await expect(dialog.getByRole('alert')).toContainText('404');
  await dialog.getByLabel('Address').fill(feeds.url('/site'));
  await dialog.getByRole('button', { name: 'Find feed' }).click();
  await expect(dialog.getByRole('heading', { name: 'News' })).toBeVisible();
  await dialog.getByRole('checkbox', { name: /news\.xml/ }).uncheck();
  await dialog.getByRole('checkbox', { name: /comments\.xml/ }).check();
  await expect(dialog.getByRole('heading', { name: 'Comments' })).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Subscribe' }).click();
  await expect(page.getByRole('heading', { name: 'Comments', level: 1 })).toBeVisible();

  await page.keyboard.press('a');
  // Without a scheme: https first, which it does not speak.
  await dialog.getByLabel('Address').fill(feeds.url('/comments.xml').replace('http://', ''));
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('You already follow this feed.')).toBeVisible();
  await expect(dialog.getByRole('strong')).toHaveText('Comments');
  await dialog.getByRole('button', { name: 'Open the feed' }).click();
  await expect(dialog).toHaveCount(0);
});

test('settings and filter of a feed are saved', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const url = publishFeed(feeds, '/settings.xml', 'Settings', 6);
  const feedId = await subscribe(service, ada, url);
  await addFolder(service, ada, 'Science');
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  const dialog = page.getByRole('dialog', { name: 'Feed settings' });

  await choose(page, 'Menu of Settings', 'Feed settings');
  await dialog.getByLabel('Title', { exact: true }).fill('My title');
  await dialog.getByLabel('Folder').selectOption('Science');
  await dialog.getByLabel('Order').selectOption('Oldest first');
  await dialog.getByLabel('Pinned to the top').check();
  await dialog.getByLabel('Changed articles become unread again').check();
  await dialog.getByText('Filter').click();
  await dialog.getByLabel('Words in the title').fill('article 3, article 4');
  await expect(dialog.getByText(url)).toBeVisible();
  await expectAccessible(page);
  await keepPicture('reader-feed-settings');
  await dialog.getByRole('button', { name: 'Save' }).click();

  await expect(page.getByRole('heading', { name: 'My title' })).toBeVisible();
  const links = page.getByRole('list', { name: 'Articles' }).getByRole('link');
  await expect(links.first()).toContainText('Settings article 6');
  await expect(sidebar(page).getByRole('link', { name: 'Science 4' })).toBeVisible();
  await page.reload();
  await choose(page, 'Menu of My title', 'Feed settings');
  await expect(dialog.getByLabel('Folder')).toHaveValue(/^\d+$/);
  await expect(dialog.getByLabel('Pinned to the top')).toBeChecked();
  await expect(dialog.getByLabel('Changed articles become unread again')).toBeChecked();
  await dialog.getByText('Filter').click();
  await expect(dialog.getByLabel('Words in the title')).toHaveValue('article 3, article 4');
});

test('folders are created, renamed and deleted, and deleting can be undone', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const feedId = await subscribe(service, ada, publishFeed(feeds, '/folders.xml', 'Inside', 4));
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  const tree = sidebar(page);

  await choose(page, 'More', 'New folder');
  await page.getByLabel('Name of the folder').fill('Science');
  await page.keyboard.press('Enter');
  await expect(tree.getByRole('link', { name: 'Science' })).toBeVisible();
  await tree
    .getByRole('link', { name: /^Inside/ })
    .dragTo(tree.getByRole('link', { name: 'Science' }));
  await expect(tree.getByRole('link', { name: 'Science 4' })).toBeVisible();
  await choose(page, 'Menu of Science', 'Folder settings');
  await page.getByLabel('Name of the folder').fill('Nature');
  await page.keyboard.press('Enter');
  await expect(tree.getByRole('link', { name: 'Nature 4' })).toBeVisible();

  await choose(page, 'Menu of Nature', 'Delete folder');
  await expect(tree.getByRole('link', { name: /Nature/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(tree.getByRole('link', { name: 'Nature 4' })).toBeVisible();
  await expect(tree.getByRole('link', { name: /^Inside/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Inside article 1 / })).toBeVisible();

  await page.getByRole('button', { name: 'Feeds of Nature' }).click();
  await expect(tree.getByRole('link', { name: /^Inside/ })).toBeHidden();
  await page.reload();
  await expect(tree.getByRole('link', { name: 'Nature 4' })).toBeVisible();
  await expect(tree.getByRole('link', { name: /^Inside/ })).toBeHidden();
});

test('a deleted feed is restored with its starred items', async ({ page, ada, service, feeds }) => {
  const feedId = await subscribe(service, ada, publishFeed(feeds, '/gone.xml', 'Gone', 3));
  await subscribe(service, ada, publishFeed(feeds, '/stays.xml', 'Stays', 1));
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await page.getByRole('link', { name: /Gone article 1 / }).click();
  await page.getByRole('article').waitFor();
  await page.keyboard.press('s');
  await expect(sidebar(page).getByRole('link', { name: 'Starred 1' })).toBeVisible();

  await choose(page, 'Menu of Gone', 'Delete feed');
  await expect(page).toHaveURL(`${service.url}/apps/news/`);
  await expect(page.getByRole('link', { name: /Gone article/ })).toHaveCount(0);
  expect([...(await storedItems(service, ada)).keys()]).toEqual(['Stays article 1']);
  await page.getByRole('button', { name: 'Undo' }).click();

  await expect(sidebar(page).getByRole('link', { name: 'Gone 2' })).toBeVisible();
  await expect(sidebar(page).getByRole('link', { name: 'Starred 1' })).toBeVisible();
  expect((await storedItems(service, ada)).get('Gone article 1')).toMatchObject({
    unread: false,
    starred: true,
  });
});

test('an OPML file is imported with progress and exported', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  expect(ada.userId).not.toBe('');
  await page.goto(`${service.url}/apps/news/`);
  const outlines = ['One', 'Two', 'Three'].map((title) => {
    const url = publishFeed(feeds, `/import/${title}.xml`, title, articlesOf(title, 2));
    return `<outline type="rss" text="${title}" xmlUrl="${url}"/>`;
  });
  feeds.fail('/import/broken.xml', 404);
  const opml = `<?xml version="1.0"?><opml version="2.0"><body>
    <outline text="Imported">${outlines.join('')}</outline>
    <outline type="rss" text="Broken" xmlUrl="${feeds.url('/import/broken.xml')}" miniflux:disabled="true"/>
    <outline type="rss" text="Wrong" xmlUrl="gopher://example.org/"/></body></opml>`;

  await page.getByRole('button', { name: 'Bring what you have' }).click();
  await page
    .getByLabel('Choose a file')
    .setInputFiles({ name: 'feeds.opml', mimeType: 'text/x-opml', buffer: Buffer.from(opml) });

  await expect(page.getByText('Imported: 4. Already followed: 0.')).toBeVisible();
  await expect(page.getByText('1 entry could not be imported')).toBeVisible();
  await page.getByText('1 setting of another reader was not taken').click();
  await expect(page.getByText('Broken, miniflux:disabled: Feeds cannot be')).toBeVisible();
  await expect(page.getByText('4 of 4 feeds fetched')).toBeVisible();
  await expect(page.getByRole('progressbar')).toHaveJSProperty('position', 1);
  await expect(page.getByText('1 feed could not be read')).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: /^Broken: .*404/ })).toBeVisible();
  await expectAccessible(page);
  await keepPicture('reader-import');
  await page.getByRole('button', { name: 'Start reading' }).click();
  await expect(sidebar(page).getByRole('link', { name: 'Imported 6' })).toBeVisible();
  await expect(page.getByRole('link', { name: /Three article 1 / })).toBeVisible();

  await sidebar(page).getByRole('button', { name: 'More' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export feeds (OPML)' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('subscriptions.opml');

  await sidebar(page).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Bring what you have' }).click();
  await page
    .getByLabel('Choose a file')
    .setInputFiles({ name: 'x.opml', mimeType: 'text/xml', buffer: Buffer.from('nonsense') });
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible();
});

test('an OPML file can be dropped anywhere on the dialog; other drops are ignored', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/there.xml', 'There', 1));
  const outlines = Array.from({ length: 3 }, (_, n) => {
    const url = publishFeed(feeds, `/dropped/${n}.xml`, `Dropped ${n}`, 0);
    return `<outline type="rss" text="Dropped ${n}" xmlUrl="${url}"/>`;
  });
  const opml = `<opml version="2.0"><body>${outlines.join('')}</body></opml>`;
  const carry = (what: string) =>
    page.evaluateHandle(`(() => {
      const carried = new DataTransfer();
      carried.items.add(${what});
      return carried;
    })()`);
  await page.goto(`${service.url}/apps/news/`);
  await sidebar(page).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Bring what you have' }).click();
  const dialog = page.getByRole('dialog');
  const heading = dialog.getByRole('heading');

  await heading.dispatchEvent('drop', { dataTransfer: await carry(`'words', 'text/plain'`) });
  await expect(dialog.getByText('Choose a file')).toBeVisible();
  const nonsense = `new File(['nonsense'], 'x.opml')`;
  await heading.dispatchEvent('drop', { dataTransfer: await carry(nonsense) });
  await expect(dialog.getByRole('alert')).toHaveText(/no program/);
  const file = `new File([${JSON.stringify(opml)}], 'feeds.opml')`;
  const dataTransfer = await carry(file);
  await heading.dispatchEvent('dragover', { dataTransfer });
  await heading.dispatchEvent('drop', { dataTransfer });

  await expect(dialog.getByText('Imported: 3. Already followed: 0.')).toBeVisible();
  // Only for this import, no matter which other feeds there are.
  await expect(dialog.getByText('3 of 3 feeds fetched')).toBeVisible();
  await expect(dialog.getByText(/could not be/)).toHaveCount(0);
});

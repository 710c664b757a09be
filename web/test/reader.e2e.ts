import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rss } from '../../test/support/feed-server.js';
import { expect, expectAccessible, logIn, test } from './fixtures.js';
import { addFolder, articlesOf, publishFeed, storedItems, subscribe } from './reader-feeds.js';
import { serveSilence } from './silence.js';

test('an anonymous visitor sees no article', async ({ page, service }) => {
  await page.goto(`${service.url}/apps/news/items/1`);

  await expect(page).toHaveURL(/\/login\?redirect_url=/);
});

test(
  'the first visit helps to add the first feed',
  { tag: '@main' },
  async ({ page, ada, service, feeds, keepPicture }) => {
    expect(ada.userId).not.toBe('');
    await page.goto(`${service.url}/apps/news/`);
    await page.getByRole('heading', { name: 'What would you like to read?' }).waitFor();
    await expectAccessible(page);
    await keepPicture('reader-welcome');
    publishFeed(feeds, '/first.xml', 'First Feed', 7);

    await page.getByLabel('Address').fill(feeds.url('/first.xml'));
    await page.keyboard.press('Enter');
    const found = page.getByRole('region', { name: 'Feeds found' });
    await expect(found.getByRole('heading', { name: 'First Feed' })).toBeVisible();
    await expect(found.getByRole('listitem')).toHaveCount(5);
    await page.getByLabel('Folder').selectOption('New folder …');
    await page.getByLabel('Name of the folder').fill('Science');
    await keepPicture('reader-preview');
    await page.getByRole('button', { name: 'Subscribe' }).click();

    await expect(page.getByRole('heading', { name: 'First Feed' })).toBeVisible();
    await expect(page.getByRole('link', { name: /First Feed article 1/ })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Science 7' })).toBeVisible();
    await expect(page).toHaveTitle('(7) First Feed – Gatefold');
  },
);

test(
  'an article opens, becomes read, can be linked to, and Back returns to the list',
  { tag: '@main' },
  async ({ page, ada, service, feeds, keepPicture }) => {
    const folderId = await addFolder(service, ada, 'Science');
    const feedId = await subscribe(
      service,
      ada,
      publishFeed(feeds, '/reading.xml', 'Reading', 12),
      folderId,
    );
    await subscribe(service, ada, publishFeed(feeds, '/other.xml', 'Other', 3));
    await page.goto(`${service.url}/apps/news/feeds/${feedId}`);

    await page.getByRole('link', { name: /Reading article 2/ }).click();
    const article = page.getByRole('article');
    await expect(article.getByRole('heading', { name: 'Reading article 2' })).toBeVisible();
    await expect(article.getByText('Grace Hopper')).toBeVisible();
    await expect(article.getByRole('link', { name: 'Reading', exact: true })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`/apps/news/feeds/${feedId}/items/\\d+$`));
    await expect(page).toHaveTitle('(14) Reading – Gatefold');
    await expect
      .poll(async () => (await storedItems(service, ada)).get('Reading article 2')?.unread)
      .toBe(false);
    await expectAccessible(page);
    await keepPicture('reader-article');

    const address = page.url();
    await page.goBack();
    await expect(article).toHaveCount(0);
    await expect(page).toHaveURL(`${service.url}/apps/news/feeds/${feedId}`);
    await page.goto(address);
    await expect(article.getByRole('heading', { name: 'Reading article 2' })).toBeVisible();

    await page.getByRole('button', { name: 'Keep unread' }).click();
    await expect(page).toHaveTitle('(15) Reading – Gatefold');
    await expect
      .poll(async () => (await storedItems(service, ada)).get('Reading article 2')?.unread)
      .toBe(true);
    await page.getByRole('toolbar').getByRole('button', { name: 'Star' }).click();
    await expect(page.getByRole('link', { name: 'Starred 1' })).toBeVisible();
    await page.getByRole('link', { name: 'Starred 1' }).click();
    await expect(page.getByRole('list', { name: 'Articles' }).getByRole('listitem')).toHaveCount(1);

    await page.getByRole('link', { name: 'Science 12' }).click();
    await expect(page.getByRole('list', { name: 'Articles' }).getByRole('link')).toHaveCount(12);
  },
);

test('the list of starred articles includes one starred a moment ago', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/star.xml', 'Star', 2));
  await page.goto(`${service.url}/apps/news/all`);
  await page.getByRole('link', { name: /Star article 2/ }).click();
  const star = page.getByRole('toolbar').getByRole('button', { name: 'Star' });
  await star.waitFor();
  const held = Promise.withResolvers<void>();
  await page.route('**/items/*/star', async (route) => {
    await held.promise;
    await route.continue();
  });

  await star.click();
  await page.getByRole('link', { name: 'Starred 1' }).click();
  await page.getByRole('heading', { name: 'Starred', exact: true }).waitFor();
  held.resolve();

  await expect(page.getByRole('list', { name: 'Articles' }).getByRole('listitem')).toHaveCount(1);
});

test('another user’s article is not found', async ({ page, ada, service, feeds, browser }) => {
  await subscribe(service, ada, publishFeed(feeds, '/mine.xml', 'Mine', 1));
  const item = (await storedItems(service, ada)).get('Mine article 1');
  const bob = await service.addPerson('bob');
  await subscribe(service, bob, publishFeed(feeds, '/his.xml', 'His', 1));
  const context = await browser.newContext();
  const other = await context.newPage();
  await logIn(other, service, bob);

  await other.goto(`${service.url}/apps/news/all/items/${(item?.id ?? 0) + 1000}`);

  await expect(other.getByRole('heading', { name: 'This article no longer exists' })).toBeVisible();
  await expect(other.getByText('Mine article 1')).toHaveCount(0);
  expect(page.url()).not.toBe(other.url());
  await context.close();
});

test('article content cannot affect the rest of the page', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const [item] = articlesOf('Hostile', 1);
  const body = `<p id="app" class="reader" style="position:fixed">Hello
    <a href="https://example.org/x" target="_top">out</a>
    <script>document.title = 'stolen'</script><img src="x" onerror="document.title='stolen'">
    <form action="https://example.org"><input name="password"></form>
    <iframe src="https://www.youtube.com/embed/abc"></iframe>
    <svg onload="document.title='stolen'"></svg></p><a href="#note">1</a><p id="note">Note</p>
    <img src="${service.url}/stolen-1"><video poster="${service.url}/stolen-2"></video>
    <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math><style>body{display:none}</style>`;
  await subscribe(
    service,
    ada,
    publishFeed(feeds, '/hostile.xml', 'Hostile', [{ ...item, title: 'Hostile', body }]),
  );
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('list', { name: 'Articles' }).getByRole('link').click();

  const text = page.getByRole('article').locator('.body');
  await expect(text.getByRole('link', { name: 'out', exact: true })).toHaveAttribute(
    'target',
    '_blank',
  );
  await expect(text.getByRole('link', { name: 'out', exact: true })).toHaveAttribute(
    'rel',
    'noopener noreferrer',
  );
  await expect(text.getByRole('link', { name: /youtube/ })).toBeVisible();
  await expect(
    text.locator('form, input, iframe, style, script, svg, [style], [id]:not([id^=user-content-])'),
  ).toHaveCount(0);
  await expect(text.locator('mfrac mn')).toHaveText(['1', '2']);
  await text.getByRole('link', { name: '1', exact: true }).click();
  await expect(text.locator('#user-content-note:target')).toHaveText('Note');
  await expect(page.getByRole('heading', { name: 'Hostile' })).toBeVisible();
  expect(asked.filter((url) => url.includes('/stolen-'))).toEqual([]);
  await expect(page).not.toHaveTitle('stolen');
});

test('right-to-left text is displayed as such', async ({ page, ada, service, feeds }) => {
  const items = [{ title: 'مرحبا بالعالم', guid: 'r', body: '<p>نص المقال هنا بالعربية كامل</p>' }];
  await subscribe(service, ada, publishFeed(feeds, '/rtl.xml', 'RTL', items));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('list', { name: 'Articles' }).getByRole('link').click();

  const heading = page.getByRole('article').getByRole('heading');
  await expect(heading).toHaveCSS('direction', 'rtl');
});

test('a recording keeps playing while other articles are read', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const sound = feeds.url('/sound.wav');
  await serveSilence(page, sound);
  const [first, second] = articlesOf('Podcast', 2);
  const items = [
    { ...first, title: 'Episode', enclosure: { url: sound, type: 'audio/wav' } },
    { ...second, title: 'Notes' },
  ];
  await subscribe(service, ada, publishFeed(feeds, '/podcast.xml', 'Podcast', items));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Episode/ }).click();

  await expect(page.getByRole('link', { name: 'Download' })).toHaveAttribute('href', sound);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  const player = page.getByRole('region', { name: 'Player' });
  await expect(player.locator('audio')).toHaveAttribute('src', sound);
  await page.keyboard.press('j');
  await expect(page.getByRole('article').getByRole('heading', { name: 'Notes' })).toBeVisible();
  await expect(player.getByText('Episode')).toBeVisible();
  await player.getByRole('button', { name: 'Stop playing' }).click();
  await expect(player).toHaveCount(0);
});

test('feeds show their icons, stored by the service', async ({ page, ada, service, feeds }) => {
  const picture = readFileSync(new URL('../public/icon-192.png', import.meta.url));
  feeds.publish('/favicon.ico', picture, { contentType: 'image/png' });
  // That the host of the other feeds has no icon is remembered. The address is longer than one block of the hash.
  const onOtherHost = (address: string) => address.replace('127.0.0.1', 'localhost');
  const site = onOtherHost(feeds.url('/'));
  feeds.publish('/picture.xml', rss({ title: 'Picture', link: site, items: [] }));
  const url = `${site}picture.xml?${'long'.repeat(30)}`;
  await subscribe(service, ada, url);
  const list = () => service.call(ada, 'GET', '/apps/news/api/v1-3/feeds');
  await expect.poll(list).toMatchObject({ feeds: [{ faviconLink: `${site}favicon.ico` }] });
  await page.goto(`${service.url}/apps/news/`);

  const icon = page.getByRole('navigation', { name: 'Feeds' }).locator('img');
  const hash = createHash('md5').update(url).digest('hex');
  await expect(icon).toHaveAttribute('src', `/apps/news/api/v1-3/favicon/${hash}`);
  await expect.poll(() => icon.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(192);
});

test('lists follow the chosen order and can hide read articles', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const feedId = await subscribe(service, ada, publishFeed(feeds, '/order.xml', 'Order', 9));
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  const links = page.getByRole('list', { name: 'Articles' }).getByRole('link');
  await expect(links.first()).toContainText('Order article 1');

  await page.getByRole('button', { name: 'List options' }).click();
  await page.getByRole('menuitem', { name: 'Oldest first' }).click();
  await expect(links.first()).toContainText('Order article 9');
  await links.first().click();
  await expect(page).toHaveTitle('(8) Order – Gatefold');
  await page.getByRole('button', { name: 'List options' }).click();
  await page.getByRole('menuitem', { name: 'Hide read articles' }).click();
  await expect(links).toHaveCount(8);
  await expect(links.first()).toContainText('Order article 8');

  await page.reload();
  await expect(links.first()).toContainText('Order article 8');
});

test('scrolling marks articles read if enabled', async ({ page, ada, service, feeds }) => {
  await subscribe(service, ada, publishFeed(feeds, '/scroll.xml', 'Scroll', 40));
  await page.goto(`${service.url}/apps/news/all`);
  const list = page.getByRole('list', { name: 'Articles' });
  await list.getByRole('link', { name: /Scroll article 1 / }).waitFor();
  const scroll = (rows: number) =>
    list.evaluate((element, top) => element.parentElement?.scrollTo({ top }), rows * 100);

  await scroll(5);
  await expect(list.getByRole('link', { name: /Scroll article 6 / })).toBeInViewport();
  await expect(page).toHaveTitle('(40) All articles – Gatefold');
  await scroll(0);
  await page.getByRole('button', { name: 'List options' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Mark as read while scrolling' }).click();
  await page.reload();
  await list.getByRole('link', { name: /Scroll article 1 / }).waitFor();
  await scroll(5);

  await expect(page).toHaveTitle('(35) All articles – Gatefold');
  await expect
    .poll(
      async () =>
        [...(await storedItems(service, ada)).values()].filter(({ unread }) => unread).length,
    )
    .toBe(35);
});

test('the reader works in the dark theme and on a phone', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const folderId = await addFolder(service, ada, 'Science');
  await subscribe(service, ada, publishFeed(feeds, '/dark.xml', 'The Dark Side', 12), folderId);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /article 2 / }).click();
  await page.getByRole('article').waitFor();
  await expectAccessible(page);
  await keepPicture('reader-dark');

  await page.setViewportSize({ width: 900, height: 1100 });
  await keepPicture('reader-tablet');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 390, height: 844 });
  await keepPicture('reader-phone-article');
  await page.getByRole('button', { name: 'Back to the list' }).click();
  await expect(page.getByRole('link', { name: /article 3 / })).toBeVisible();
  await keepPicture('reader-phone-list');
  await page.getByRole('button', { name: 'Feeds', exact: true }).click();
  await expect(page.getByRole('link', { name: 'Science 11' })).toBeVisible();
  await expectAccessible(page);
  await keepPicture('reader-phone-feeds');
  await page.getByRole('link', { name: 'All articles' }).click();
  await expect(page.getByRole('link', { name: 'Science 11' })).toBeHidden();
  await expect(page.getByRole('heading', { name: 'All articles' })).toBeVisible();
});

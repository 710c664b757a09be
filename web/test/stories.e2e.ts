import { expect, expectAccessible, test } from './fixtures.js';
import { publishFeed, storedItems, subscribe } from './reader-feeds.js';

const TEXT = `The council of the harbour town has decided by a large majority that the old lighthouse will be
  repaired before winter, after three years of debate about its costs, and that the cottage beside it becomes
  a small museum which schools may visit without paying.`;
const STORY = 'Council decides to repair the old lighthouse before winter';

const articles = (of: string) => [
  {
    title: `${of} of today`,
    guid: `${of} today`,
    link: `https://${of}.example/today`,
    body: `<p>What ${of} has today.</p>`,
    pubDate: new Date(Date.now() - 60_000),
  },
  {
    title: of === 'Tides' ? STORY : `${STORY}.`,
    guid: `${of} lighthouse`,
    link: `https://${of}.example/lighthouse`,
    body: `<p>${TEXT}</p>`,
    pubDate: new Date(Date.now() - 120_000),
  },
];

test.use({ viewport: { width: 1360, height: 800 } });

test('a story of two feeds is offered to be shown once, names the other feed, and opens there', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/tides.xml', 'Tides', articles('Tides')));
  await subscribe(service, ada, publishFeed(feeds, '/coast.xml', 'Coast', articles('Coast')));
  await page.goto(`${service.url}/apps/news/`);
  const rows = page.getByRole('list', { name: 'Articles' }).getByRole('listitem');
  await expect(rows).toHaveCount(4);
  await expect(page.getByText('Several of your feeds bring the same articles.')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('stories-offer');
  await page.getByRole('button', { name: 'Show each story once' }).click();
  await expect(page.getByText('Several of your feeds bring the same articles.')).toHaveCount(0);
  const unread = async () =>
    [...(await storedItems(service, ada)).values()].filter((item) => item.unread).length;
  await expect.poll(unread).toBe(3);

  await page.reload();
  await expect(rows).toHaveCount(3);
  const story = rows.filter({ hasText: 'lighthouse' });
  await expect(story).toContainText('also in Coast');
  await expectAccessible(page);
  await keepPicture('stories-list');
  await page.setViewportSize({ width: 390, height: 800 });
  await keepPicture('stories-list-narrow');
  await page.setViewportSize({ width: 1360, height: 800 });

  await page.goto(`${service.url}/apps/news/all`);
  await expect(rows).toHaveCount(3);
  await story.getByRole('link', { name: 'Coast', exact: true }).click();
  await expect(page.getByRole('article')).toContainText('Coast');
  await keepPicture('stories-copy');

  await page.goto(`${service.url}/settings/user/reader`);
  const choice = page.getByRole('checkbox', { name: 'Show each story once' });
  await expect(choice).toBeChecked();
  await keepPicture('stories-settings');
  await choice.uncheck();
  await expect.poll(unread).toBe(4);
});

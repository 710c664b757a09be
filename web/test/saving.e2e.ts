import type { Page } from '@playwright/test';
import { expect, expectAccessible, logInByHand, test } from './fixtures.js';
import { publishFeed, storedItems, subscribe } from './reader-feeds.js';

const PHONE = { width: 390, height: 844 };
const TEXT = `<p>${'The sea is low at six, and the harbour is dry. '.repeat(9)}</p>`.repeat(3);
const aPage = (title: string) =>
  `<!doctype html><title>${title}</title><article><h1>${title}</h1>${TEXT}</article>`;
const HTML = { contentType: 'text/html; charset=utf-8' };

const field = (page: Page) => page.getByLabel('Address', { exact: true });
const press = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();

test('a page is saved by its address, from the menu or by a key, and read', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/have.xml', 'Have', 1));
  feeds.publish('/tide', aPage('Low tide at six'), HTML);
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Have article 1/ }).waitFor();
  await page.keyboard.press('b');
  await expect(field(page)).toBeFocused();
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Save a page' }).click();
  await expectAccessible(page);

  await field(page).fill(feeds.url('/tide'));
  await page.keyboard.press('Enter');

  await expect(page.getByText('The page is saved.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Low tide at six' })).toBeVisible();
  await expectAccessible(page);
  await keepPicture('save-page-saved');
  await page.getByRole('link', { name: 'Open', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Saved pages', level: 1 })).toBeVisible();
  await expect(page.getByText('the harbour is dry').first()).toBeVisible();
  await keepPicture('save-page-opened');
});

test('a phone shares a page, which is saved by one press, also after the login', async ({
  page,
  service,
  feeds,
  keepPicture,
}) => {
  await page.setViewportSize(PHONE);
  const grace = await service.addPerson('grace-saves');
  feeds.publish('/shared', aPage('A shared page'), HTML);
  const { share_target: target } = (await (
    await page.request.get(`${service.url}/manifest.webmanifest`)
  ).json()) as { share_target: { action: string; params: Record<'title' | 'text', string> } };
  const query = new URLSearchParams({
    [target.params.title]: 'A shared page',
    [target.params.text]: `Look at this: ${feeds.url('/shared')}.`,
  });

  await page.goto(`${service.url}${target.action}?${query.toString()}`);
  await page.locator('input[name="user"]').fill(grace.userId);
  await page.locator('input[name="password"]').fill(grace.password);
  await page.locator('form button:not([type])').click();

  await expect(field(page)).toHaveValue(feeds.url('/shared'));
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeFocused();
  expect(feeds.requests('/shared')).toHaveLength(0);
  expect((await storedItems(service, grace)).size).toBe(0);
  await expectAccessible(page);
  await keepPicture('save-page-shared-phone');
  await press(page);
  await expect(page.getByText('The page is saved.')).toBeVisible();
  await keepPicture('save-page-saved-phone');
  expect([...(await storedItems(service, grace)).keys()]).toEqual(['A shared page']);
});

test('the bookmark of the settings brings address and title of any page', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  feeds.publish('/members', '<title>For members</title><p>Hello', HTML);
  await page.goto(`${service.url}/settings/user/reader`);
  const link = page.getByRole('link', { name: 'Save to Gatefold' });
  const address = (await link.getAttribute('href')) ?? '';
  await link.scrollIntoViewIfNeeded();
  await keepPicture('save-page-settings');
  await expectAccessible(page);
  // It is for dragging; the policy of our pages does not let it run here.
  await link.click();
  await expect(page).toHaveURL(`${service.url}/settings/user/reader`);

  await page.goto(feeds.url('/members'));
  feeds.fail('/members', 401);
  const [opened] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(address.replace('javascript:', '')),
  ]);

  await expect(field(opened)).toHaveValue(feeds.url('/members'));
  await press(opened);
  await expect(opened.getByText(/shows this page only after a login\./)).toBeVisible();
  await expect(opened.getByRole('heading', { name: 'For members' })).toBeVisible();
  expect([...(await storedItems(service, ada)).keys()]).toEqual(['For members']);
});

test('what a feed has brought already is starred, and a refusal is told', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await page.setViewportSize(PHONE);
  const items = [{ title: 'Delivered', guid: 'd', link: feeds.url('/there?utm_source=feed') }];
  await subscribe(service, ada, publishFeed(feeds, '/brought.xml', 'Brought', items));
  await page.goto(`${service.url}/apps/news/save?url=${encodeURIComponent(feeds.url('/there'))}`);
  await press(page);

  await expect(page.getByText('It is starred now.')).toBeVisible();
  await keepPicture('save-page-starred-phone');
  expect((await storedItems(service, ada)).get('Delivered')).toMatchObject({ starred: true });

  await field(page).fill('http://10.0.0.1/router');
  await press(page);
  await expect(page.getByRole('alert')).toContainText('10.0.0.1');
  await expectAccessible(page);
  await keepPicture('save-page-refused-phone');
  await page.getByRole('link', { name: 'Follow a feed of this site instead' }).click();
  await expect(
    page.getByRole('dialog', { name: 'Add a feed' }).getByLabel('Address', { exact: true }),
  ).toHaveValue('http://10.0.0.1/router');
});

test('another site that opens the page saves nothing', async ({ page, service, feeds }) => {
  const person = await service.addPerson('mallory-meets');
  await logInByHand(page, service, person);
  feeds.publish('/bait', aPage('Bait'), HTML);
  const save = `${service.url}/apps/news/save?url=${encodeURIComponent(feeds.url('/bait'))}`;
  feeds.publish(
    '/evil',
    `<iframe src="${save}"></iframe><script>location="${save}"</script>`,
    HTML,
  );

  await page.goto(feeds.url('/evil'));
  await expect(field(page)).toHaveValue(feeds.url('/bait'));

  expect(feeds.requests('/bait')).toHaveLength(0);
  expect((await storedItems(service, person)).size).toBe(0);
});

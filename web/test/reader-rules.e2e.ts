import type { Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { expect, expectAccessible, test } from './fixtures.js';
import { publishFeed, storedItems, subscribe } from './reader-feeds.js';
import type { Person, Service } from './service.js';

interface Rule {
  readonly name: string;
  readonly enabled: boolean;
  readonly until: number | null;
}

const NEWS = '/index.php/apps/news/api/v1-3';

const list = (page: Page) => page.getByRole('list', { name: 'Rules' });
const rows = (page: Page) => page.getByRole('list', { name: 'Articles' }).getByRole('link');
const condition = (page: Page) => page.getByRole('textbox', { name: 'Which articles' });
const menuOfArticle = async (page: Page, title: RegExp, item: string) => {
  await rows(page).filter({ hasText: title }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: item }).click();
};
/** Within the days that a trial looks at. */
const articles = (titles: readonly string[]) =>
  titles.map((title, n) => ({
    title,
    guid: title,
    body: `<p>Text of ${title}.</p>`,
    pubDate: new Date(Date.now() - n * 3_600_000),
  }));
const TITLES = ['Football tonight', 'Football tomorrow', 'Chess', 'Footballers', 'Tides'];

async function addRule(service: Service, person: Person, rule: object): Promise<number> {
  const { rules } = (await service.call(person, 'POST', `${NEWS}/rules`, rule)) as {
    rules: [{ id: number }];
  };
  return rules[0].id;
}

async function storedRules(service: Service, person: Person): Promise<readonly Rule[]> {
  return ((await service.call(person, 'GET', `${NEWS}/rules`)) as { rules: Rule[] }).rules;
}

test.use({ viewport: { width: 1360, height: 800 } });

test('a search becomes a rule, which is tried, applied to what is there, and undone', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/rules.xml', 'Sports', articles(TITLES)));
  await page.goto(`${service.url}/apps/news/search?q=football`);
  await page.getByRole('link', { name: 'From now on …' }).click();
  await expect(condition(page)).toHaveValue(/football/);
  await condition(page).fill('football (');
  await expect(condition(page)).toHaveAttribute('aria-invalid', 'true');
  await expectAccessible(page);
  await keepPicture('rules-error');
  await condition(page).fill('football is:unread');
  await expect(condition(page)).toHaveAccessibleDescription(/unread/);
  await condition(page).fill('football');
  await expect(page.getByRole('button', { name: 'Save, from now on' })).toBeDisabled();
  await page.getByRole('checkbox', { name: 'Mark as read', exact: true }).check();
  await page.getByRole('checkbox', { name: 'Label' }).check();
  await page.getByLabel('Labels, separated by commas').fill('Ball, Grass');
  await page.getByRole('button', { name: 'Try it' }).click();
  await expect(page.getByText('2 articles in the last 30 days')).toBeVisible();
  await expect(page.getByText(/As a part of a word: 1 more/)).toBeVisible();
  await page.getByText('2 examples').click();
  await expect(page.getByRole('list', { name: '2 examples' }).getByRole('link')).toHaveText([
    'Football tonight',
    'Football tomorrow',
  ]);
  await expectAccessible(page);
  await page.getByLabel('Name (optional)').fill('Balls');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Save, and the 2 articles there are' }).click();
  await expect(page.getByText('The rule is saved; 2 articles changed.')).toBeVisible();
  await expect(list(page).getByRole('listitem')).toHaveText([/Balls/]);
  const unreadIn = async () =>
    [...(await storedItems(service, ada)).values()].filter(({ unread }) => unread).length;
  expect(await unreadIn()).toBe(3);
  await expectAccessible(page);
  await keepPicture('rules-list');

  await page.getByRole('link', { name: 'Balls' }).click();
  await expect(page.getByLabel('Labels, separated by commas')).toHaveValue('Ball, Grass');
  await expect(page.getByRole('link', { name: 'Football tonight' }).first()).toBeVisible();
  await expectAccessible(page);
  await keepPicture('rules-effects');
  await page.getByRole('button', { name: 'Undo everything' }).click();
  await expect(page.getByText(/effects? undone/)).toBeVisible();
  expect(await unreadIn()).toBe(5);
});

test('rules are ordered by keys and by dragging, turned off, deleted, exported and imported', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/rules-list.xml', 'Sports', articles(TITLES)));
  for (const name of ['One', 'Two', 'Three']) {
    await addRule(service, ada, { name, query: name, actions: [{ type: 'read' }] });
  }
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Rules' }).click();
  const items = list(page).getByRole('listitem');
  await expect(items).toHaveText([/One/, /Two/, /Three/]);

  await page.getByRole('button', { name: 'Move up: Three' }).focus();
  await page.keyboard.press('Enter');
  await expect(items).toHaveText([/One/, /Three/, /Two/]);
  await items.filter({ hasText: 'Two' }).dragTo(items.filter({ hasText: 'One' }));
  await expect(items).toHaveText([/Two/, /One/, /Three/]);
  await page.getByRole('switch', { name: '“One” is on' }).uncheck();
  await expect
    .poll(async () => (await storedRules(service, ada)).map((rule) => [rule.name, rule.enabled]))
    .toEqual([
      ['Two', true],
      ['One', false],
      ['Three', true],
    ]);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
    await keepPicture(`rules-order-${colorScheme}`);
  }

  await page.getByRole('button', { name: 'More' }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export rules (JSON)' }).click();
  const file = await (await downloading).path();
  await page.getByRole('button', { name: 'Delete rule: Three' }).click();
  await expect(items).toHaveCount(2);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(items).toHaveCount(3);
  await page.getByRole('button', { name: 'Delete rule: Three' }).click();
  await page.getByRole('button', { name: 'Delete rule: One' }).click();
  await expect(items).toHaveText([/Two/]);
  await page.getByLabel('Import rules (JSON)').setInputFiles(file);
  await expect(items).toHaveCount(3);
});

test('a word is muted from the menu of an article, and a line opens what is hidden', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const url = publishFeed(feeds, '/rules-mute.xml', 'Sports', articles(TITLES));
  const feedId = await subscribe(service, ada, url);
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await menuOfArticle(page, /Football tonight/, 'Mute a word …');
  const dialog = page.getByRole('dialog', { name: 'Mute a word' });
  await dialog.getByRole('button', { name: 'Football' }).click();
  await dialog.getByRole('radio', { name: '1 month' }).check();
  await dialog.getByRole('checkbox', { name: 'Only in “Sports”' }).check();
  await expectAccessible(page);
  await keepPicture('rules-mute');
  await dialog.getByRole('button', { name: 'Mute' }).click();
  await expect(rows(page)).toHaveText([/Chess/, /Footballers/, /Tides/]);
  await expect(page.getByText('“Football” is muted.')).toBeVisible();
  await keepPicture('rules-hidden');
  const [rule] = await storedRules(service, ada);
  expect(rule).toMatchObject({ actions: [{ type: 'hide' }], scope: { feedIds: [feedId] } });
  expect((rule?.until ?? 0) * 1000 - Date.now()).toBeGreaterThan(29 * 86_400_000);

  await page.getByRole('link', { name: '2 hidden by rules' }).click();
  await expect(rows(page)).toHaveText([/Football tonight/, /Football tomorrow/]);
  await expectAccessible(page);
  await page.goBack();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(rows(page)).toHaveCount(5);
  expect(await storedRules(service, ada)).toEqual([]);
});

test('“Read everything except …” writes the brackets, for one feed', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const url = publishFeed(feeds, '/rules-except.xml', 'Sports', articles(TITLES));
  const feedId = await subscribe(service, ada, url);
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await menuOfArticle(page, /Chess/, 'Read everything except …');
  await expect(page.getByRole('radio', { name: 'All except those with' })).toBeChecked();
  await expect(page.getByRole('checkbox', { name: 'Mark as read', exact: true })).toBeChecked();
  await condition(page).fill('chess OR (tides');
  await expect(condition(page)).toHaveAttribute('aria-invalid', 'true');
  await page.getByRole('button', { name: 'Save, from now on' }).click();
  expect(await condition(page).evaluate((it) => (it as HTMLTextAreaElement).selectionStart)).toBe(
    9,
  );
  await condition(page).fill('chess OR tides');
  await expect(condition(page)).toHaveAccessibleDescription(/chess/);
  await keepPicture('rules-except');
  await page.getByRole('button', { name: 'Save, from now on' }).click();
  await expect(list(page)).toBeVisible();
  const [rule] = await storedRules(service, ada);
  expect(rule).toMatchObject({
    query: '-(chess OR tides)',
    scope: { everything: false, feedIds: [feedId] },
  });
  await list(page).getByRole('link').click();
  await expect(condition(page)).toHaveValue('chess OR tides');
});

test('a rule has times, channels and an end, and says why it is inactive', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const feedId = await subscribe(
    service,
    ada,
    publishFeed(feeds, '/rules-clock.xml', 'Sports', articles(TITLES)),
  );
  await page.goto(`${service.url}/apps/news/rules/new`);
  await page.getByLabel('Name (optional)').fill('Old');
  await page.getByRole('radio', { name: 'Chosen feeds and folders' }).check();
  await expect(page.getByText('Choose a feed or folder.')).toBeVisible();
  await page.getByText('Feeds and folders', { exact: true }).click();
  await page.getByRole('checkbox', { name: 'Sports' }).first().check();
  await page.getByRole('checkbox', { name: 'Mark as read after' }).check();
  await page.getByRole('spinbutton', { name: 'Mark as read after' }).fill('3');
  await page.getByRole('spinbutton', { name: 'Mark as read after' }).blur();
  await page.getByRole('checkbox', { name: 'No rules below' }).check();
  await page.getByRole('button', { name: '1 week' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save, from now on' }).click();
  await expect(list(page).getByText('read after 3 days')).toBeVisible();
  const [rule] = await storedRules(service, ada);
  expect(rule).toMatchObject({
    actions: [{ type: 'readAfter', hours: 72 }],
    stopAfter: true,
    scope: { feedIds: [feedId] },
  });
  expect((rule?.until ?? 0) * 1000 - Date.now()).toBeLessThan(8 * 86_400_000);

  await service.call(ada, 'DELETE', `${NEWS}/feeds/${feedId}`);
  await page.reload();
  await expect(list(page).getByText(/^Inactive: /)).toBeVisible();
  await expectAccessible(page);
  await keepPicture('rules-inactive');
});

test.describe('from right to left', () => {
  test.use({ locale: 'ar' });

  test('the pages of rules are mirrored', async ({ page, ada, service, feeds, keepPicture }) => {
    await subscribe(service, ada, publishFeed(feeds, '/rules-rtl.xml', 'Sports', articles(TITLES)));
    const query = 'football OR chess';
    const scope = { everything: true };
    await addRule(service, ada, { name: 'One', query, scope, actions: [{ type: 'hide' }] });
    const file = new URL('../src/texts/ar/rules.json', import.meta.url);
    const texts = JSON.parse(readFileSync(file, 'utf8')) as { title: string };
    const named = page.getByRole('list', { name: texts.title });
    await page.goto(`${service.url}/apps/news/rules`);
    await expect(named.getByRole('listitem')).toHaveCount(1);
    await expectAccessible(page);
    await keepPicture('rules-rtl');
    await named.getByRole('link').click();
    await expect(page.getByRole('textbox').nth(1)).toHaveValue(query);
    await expectAccessible(page);
    await keepPicture('rules-editor-rtl');
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a rule is made by touch', async ({ page, ada, service, feeds, keepPicture }) => {
    await subscribe(
      service,
      ada,
      publishFeed(feeds, '/rules-touch.xml', 'Sports', articles(TITLES)),
    );
    await page.goto(`${service.url}/apps/news/rules`);
    await expect(page.getByText('No rules yet')).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'New rule' }).tap();
    await condition(page).tap();
    await condition(page).pressSequentially('inti');
    await page.getByRole('option', { name: /^intitle:/ }).tap();
    await condition(page).pressSequentially('chess');
    await page.getByRole('checkbox', { name: 'Star' }).tap();
    await page.getByRole('button', { name: 'Try it' }).tap();
    await expect(page.getByText('1 article in the last 30 days')).toBeVisible();
    await expectAccessible(page);
    await keepPicture('rules-editor-phone');
    await page.getByRole('button', { name: 'Save, from now on' }).tap();
    await expect(list(page).getByText('star', { exact: true })).toBeVisible();
    await expectAccessible(page);
    await keepPicture('rules-phone');
  });
});

import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { ADMIN, expect, expectAccessible, test } from './fixtures.js';
import { publishFeed, storedItems, subscribe } from './reader-feeds.js';

const NEWS = '/index.php/apps/news/api/v1-3';

const BODY = `<p>The keeper lit the lamp at dusk, and <em>nobody</em> saw the ship that night.</p>
<p>The keeper lit the lamp at dawn. Everybody saw the ship then, and twelve sailors waved to him from the deck.</p>
<ul><li>First the mast.</li><li>Then the hull.</li></ul>`;

const article = (page: Page) => page.getByRole('article');
const marks = (page: Page) => article(page).locator('mark');
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selected text' });
const dialog = (page: Page) => page.getByRole('dialog');

/** Selects words within the text of the article, by their nth occurrence. */
async function select(page: Page, words: string, nth = 1): Promise<void> {
  await page.locator('.article-body').evaluate(
    (body, [wanted, which]) => {
      const parts: Text[] = [];
      const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        parts.push(walker.currentNode as Text);
      }
      const text = parts.map(({ data }) => data).join('');
      let at = -1;
      for (let n = 0; n < which; n += 1) {
        at = text.indexOf(wanted, at + 1);
      }
      const place = (offset: number): [Node, number] => {
        let from = 0;
        const part = parts.find(({ data }) => (from += data.length) >= offset) ?? new Text();
        return [part, offset - (from - part.data.length)];
      };
      document.getSelection()?.setBaseAndExtent(...place(at), ...place(at + wanted.length));
    },
    [words, nth] as const,
  );
}

test('words of an article are highlighted, noted, found in the changed text, listed, exported and removed', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await page.setViewportSize({ width: 1360, height: 850 });
  const publish = (body: string) =>
    publishFeed(feeds, '/highlights.xml', 'Lamps', [
      { title: 'The keeper', guid: 'keeper', link: 'https://publisher.example/keeper', body },
    ]);
  const feedId = await subscribe(service, ada, publish(BODY));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /The keeper/ }).click();
  await article(page).getByRole('button', { name: 'Add a note to the article' }).waitFor();

  await select(page, 'nobody saw the ship');
  await expect(bar(page)).toBeVisible();
  await keepPicture('highlights-bar');
  await bar(page).getByRole('button', { name: 'Highlight' }).click();
  await expect(marks(page)).toHaveText(['nobody', ' saw the ship']);
  await expect(bar(page)).toHaveCount(0);

  await select(page, 'The keeper lit the lamp', 2);
  await bar(page).getByRole('button', { name: 'Add note' }).click();
  await dialog(page).getByLabel('Note').fill('At dawn, <b>not</b> at dusk');
  await dialog(page).getByLabel('Blue').check();
  await expectAccessible(page);
  await keepPicture('highlights-dialog');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(marks(page)).toHaveText(['nobody', ' saw the ship', 'The keeper lit the lamp']);

  await select(page, 'the mast.Then the hull');
  await expect(bar(page)).toBeVisible();
  await page.keyboard.press('h');
  await expect(marks(page)).toHaveText([
    'nobody',
    ' saw the ship',
    'The keeper lit the lamp',
    'the mast.',
    'Then the hull',
  ]);
  await article(page).getByRole('button', { name: 'Add a note to the article' }).click();
  await dialog(page).getByLabel('Note').fill('For the talk');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(article(page).getByText('For the talk')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('highlights-article');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await keepPicture('highlights-article-dark');
  await page.emulateMedia({ colorScheme: 'light' });

  publish(
    BODY.replace('<p>The keeper', '<p>An introduction: the keeper lit the lamp.</p><p>The keeper')
      .replace('twelve', 'many')
      .replace('the mast', 'its masts'),
  );
  await service.call(ADMIN, 'GET', `${NEWS}/feeds/update?userId=${ada.userId}&feedId=${feedId}`);
  await page.reload();
  await expect(marks(page)).toHaveText(['nobody', ' saw the ship', 'The keeper lit the lamp']);
  await expect(marks(page).nth(2).locator('xpath=..')).toContainText('at dawn');
  const own = article(page).getByRole('complementary', { name: 'Your notes' });
  await expect(own.getByRole('heading', { name: 'Not in this version of the text' })).toBeVisible();
  await expect(own.getByRole('blockquote')).toHaveText('the mast.\nThen the hull');
  await keepPicture('highlights-changed');

  await marks(page).nth(2).click();
  await expect(dialog(page).getByLabel('Note')).toHaveValue('At dawn, <b>not</b> at dusk');
  await dialog(page).getByRole('button', { name: 'Remove highlight' }).click();
  await expect(marks(page)).toHaveText(['nobody', ' saw the ship']);
  await own.getByRole('button', { name: 'Change', exact: true }).click();
  await dialog(page).getByRole('button', { name: 'Remove highlight' }).click();
  await expect(own.getByRole('blockquote')).toHaveCount(0);
  await article(page).getByRole('button', { name: 'Change the highlight' }).focus();
  await page.keyboard.press('Enter');
  await dialog(page).getByLabel('Note').fill('By nobody?');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(article(page).getByRole('button', { name: 'Highlight with a note' })).toBeVisible();

  await page.getByRole('link', { name: 'Highlights' }).click();
  await expect(page).toHaveURL(/\/apps\/news\/highlights$/);
  await expect(page.getByRole('blockquote')).toHaveText(['nobody saw the ship']);
  await expect(page.getByText('By nobody?')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('highlights-list');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Markdown' }).click();
  const document = await readFile(await (await download).path(), 'utf8');
  expect(document).toContain('For the talk\n\n> nobody saw the ship\n\nBy nobody?\n');
  await page.getByRole('link', { name: 'The keeper' }).click();
  await expect(marks(page)).toHaveText(['nobody', ' saw the ship']);
});

test('on a phone, the bar and the list fit, and a touch opens a mark', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await subscribe(
    service,
    ada,
    publishFeed(feeds, '/highlights-phone.xml', 'Lamps', [
      { title: 'The keeper', guid: 'keeper', body: BODY },
    ]),
  );
  const { id = 0 } = (await storedItems(service, ada)).get('The keeper') ?? {};
  await service.call(ada, 'POST', `${NEWS}/items/${id}/highlights`, {
    exact: 'Everybody saw the ship',
    suffix: ' then, and twelve sailors',
    note: 'Who?',
  });
  await page.goto(`${service.url}/apps/news/all/items/${id}`);
  await expect(marks(page)).toHaveText(['Everybody saw the ship']);
  await select(page, 'that night');
  await expect(bar(page)).toBeInViewport({ ratio: 1 });
  await keepPicture('highlights-phone');
  await page.evaluate(() => document.getSelection()?.removeAllRanges());
  await expect(bar(page)).toHaveCount(0);
  await marks(page).click();
  await expect(dialog(page).getByLabel('Note')).toHaveValue('Who?');
  await expectAccessible(page);
  await keepPicture('highlights-phone-dialog');
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await page.goto(`${service.url}/apps/news/highlights`);
  await expect(page.getByRole('blockquote')).toHaveText(['Everybody saw the ship']);
  await expectAccessible(page);
  await keepPicture('highlights-phone-list');
});

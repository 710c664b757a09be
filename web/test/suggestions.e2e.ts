import { expect, expectAccessible, test } from './fixtures.js';
import { publishFeed, subscribe } from './reader-feeds.js';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1360, height: 850 };

test('words in the field for an address find feeds, by keys and by a topic of the welcome page', async ({
  page,
  ada: _ada,
  service,
  feeds,
  keepPicture,
}) => {
  await page.setViewportSize(DESK);
  await page.goto(`${service.url}/apps/news/`);
  const field = page.getByRole('combobox', { name: 'Address', exact: true });
  const options = page.getByRole('listbox', { name: 'Suggested feeds' }).getByRole('option');

  await page.getByRole('button', { name: 'Science', exact: true }).click();
  await expect(field).toHaveValue('Science');
  await expect(field).toBeFocused();
  await expect(options).toHaveCount(20);
  await keepPicture('suggestions-topic');

  await field.fill('debian sec');
  await expect(options).toHaveCount(1);
  await expect(options.first()).toContainText('It is a project of free software.');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await keepPicture('suggestions-phone');
  await page.setViewportSize(DESK);
  await field.press('Escape');
  await expect(options).toHaveCount(0);

  await field.fill('nothing of this name');
  await expect(page.getByText('No feed of that name or topic is known here.')).toBeVisible();

  // Nothing answers there: the suggestion is looked at like an address that is typed.
  await field.fill('debian sec');
  await expect(options).toHaveCount(1);
  await field.press('ArrowDown');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  await expect(field).toHaveAttribute(
    'aria-activedescendant',
    (await options.first().getAttribute('id')) ?? '',
  );
  await field.press('Enter');
  await expect(field).toHaveValue('https://www.debian.org/security/dsa');
  await expect(page.getByRole('alert')).toBeVisible();

  const url = publishFeed(feeds, '/mine.xml', 'Morning paper', 1);
  await field.fill(url);
  await expect(options).toHaveCount(0);
  await page.getByRole('button', { name: 'Find feed' }).click();
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await expect(page.getByRole('heading', { name: 'Morning paper', level: 1 })).toBeVisible();
});

test('a feed that is followed already is opened from its suggestion', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/one.xml', 'Évening paper', 1));
  await subscribe(service, ada, publishFeed(feeds, '/two.xml', 'Other', 1));
  await page.goto(`${service.url}/apps/news/?subscribe_to=evening`);
  const option = page.getByRole('option', { name: /Évening paper/ });

  await expect(option).toContainText('You already follow this feed.');
  await option.click();

  await expect(page.getByRole('heading', { name: 'Évening paper', level: 1 })).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

import { chromium, devices, type Page } from '@playwright/test';
import { chromiumPath } from './chromium.js';
import { ADMIN, expect, expectAccessible, logIn, test } from './fixtures.js';
import { publishFeed, storedItems, subscribe } from './reader-feeds.js';
import type { Person, Service } from './service.js';

const SIZES = [
  { size: 'desktop', viewport: { width: 1280, height: 800 } },
  { size: 'phone', viewport: devices['iPhone 13'].viewport },
];

for (const { size, viewport } of SIZES) {
  test(`without a connection the reader opens, shows what was loaded, and sends marks later (${size})`, async ({
    page,
    context,
    ada,
    service,
    feeds,
    keepPicture,
  }) => {
    await page.setViewportSize(viewport);
    await subscribe(service, ada, publishFeed(feeds, `/offline-${size}.xml`, 'Offline', 5));
    await page.goto(`${service.url}/apps/news/`);
    const rowOf = (n: number) =>
      page.getByRole('link', { name: new RegExp(`Offline article ${n} `) });
    await rowOf(1).click();
    await expect(page.getByRole('article')).toContainText('Text of article 1');
    const isKept = () =>
      page.evaluate(async () => {
        await navigator.serviceWorker.ready;
        const addresses = [new URL('/apps/news/', location.href), '/apps/news/api/v1-3/feeds'];
        const copies = await Promise.all(addresses.map((address) => caches.match(address)));
        return copies.every((copy) => copy !== undefined);
      });
    await expect.poll(isKept, { message: 'page and feeds are kept for offline use' }).toBe(true);

    await context.setOffline(true);
    await page.goto(`${service.url}/apps/news/`);
    await expect(page.getByText('You are offline.')).toBeVisible();
    await rowOf(1).click();
    await expect(page.getByRole('article')).toContainText('Text of article 1');
    await page.getByRole('button', { name: 'Star', exact: true }).first().click();
    await expect(page.getByText(/changes? (is|are) waiting\./)).toBeVisible();
    await keepPicture(`offline-${size}`);

    // A mark survives closing the page.
    await page.goto(`${service.url}/apps/news/starred`);
    await context.setOffline(false);
    await expect(page.getByText('You are offline.')).toHaveCount(0);
    await expect
      .poll(async () => (await storedItems(service, ada)).get('Offline article 1')?.starred)
      .toBe(true);
  });
}

test('logging out leaves nothing that can be read offline', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/left.xml', 'Left', 2));
  await page.goto(`${service.url}/apps/news/`);
  await expect(page.getByRole('link', { name: /Left article 1 / })).toBeVisible();
  const namesOfCaches = () => page.evaluate(() => caches.keys());
  await expect.poll(namesOfCaches).toContain(`gatefold-copies-${ada.userId}`);

  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.waitForURL(/\/login/);

  await expect
    .poll(async () => (await namesOfCaches()).filter((name) => name !== 'gatefold-assets'))
    .toEqual([]);
});

/** What is kept for a user. */
const keptData = (page: Page) =>
  page.evaluate(async () => {
    const values = [localStorage, sessionStorage].flatMap((storage) => Object.keys(storage));
    const kept =
      /^gatefold-(?:copies|document|until|waiting|positions|listening|saved|unsaved|draft)/;
    return [...(await caches.keys()), ...values].filter((name) => kept.test(name)).toSorted();
  });

/** Opens the reader, waits until it can be opened offline, and leaves values in the storages. */
async function readOffline(page: Page, { url }: Service, { userId }: Person): Promise<void> {
  await page.goto(`${url}/apps/news/`);
  await expect
    .poll(() => keptData(page))
    .toEqual(expect.arrayContaining([`gatefold-copies-${userId}`, 'gatefold-document']));
  await page.evaluate((id) => {
    localStorage.setItem(`gatefold-positions-${id}`, '[]');
    localStorage.setItem(`gatefold-waiting-${id}`, '{"lists":[],"flags":[]}');
    localStorage.setItem(`gatefold-unsaved-${id}-reader`, '{"version":-1,"values":{}}');
    sessionStorage.setItem(`gatefold-draft:${id}:t`, 'secret');
  }, userId);
}

const userPath = ({ userId }: Person) => `/ocs/v2.php/cloud/users/${userId}`;

const ENDS: Readonly<Record<string, (service: Service, ada: Person) => Promise<unknown>>> = {
  'the session was ended elsewhere': (service, { userId }) =>
    service.run(['session:revoke', userId]),
  'the password was changed': (service, ada) =>
    service.call(ADMIN, 'PUT', userPath(ada), { key: 'password', value: 'another one of ada' }),
  'the account was disabled': (service, ada) =>
    service.call(ADMIN, 'PUT', `${userPath(ada)}/disable?format=json`),
};

for (const [what, end] of Object.entries(ENDS)) {
  test(`nothing can be read offline once ${what}`, async ({
    page,
    context,
    ada,
    service,
    feeds,
  }) => {
    const name = `/ended-${ada.userId}.xml`;
    await subscribe(service, ada, publishFeed(feeds, name, 'Ended', 2));
    await readOffline(page, service, ada);
    await end(service, ada);

    // The open page meets it with its next request, or has met it.
    await page.getByRole('link', { name: /Ended article 1 / }).dispatchEvent('click');
    await expect(page.getByRole('dialog', { name: 'Log in again' })).toBeVisible();
    await expect.poll(() => keptData(page)).toEqual([]);
    await context.setOffline(true);
    await expect(page.goto(`${service.url}/apps/news/`)).rejects.toThrow('net::ERR_');
  });
}

test('the service worker alone deletes what is kept when the reader leads to the login', async ({
  page,
  ada,
  service,
}) => {
  await readOffline(page, service, ada);
  await page.evaluate(() => {
    // The login page deletes the same; here only the worker gets its answer.
    const frame = document.createElement('iframe');
    frame.id = 'elsewhere';
    document.body.append(frame);
  });
  await page.context().clearCookies();
  await page.evaluate((address) => {
    document.querySelector<HTMLIFrameElement>('#elsewhere')?.setAttribute('src', address);
  }, `${service.url}/apps/news/`);

  await expect
    .poll(async () => (await page.evaluate(() => caches.keys())).toSorted())
    .toEqual(['gatefold-assets']);
});

test('another user of the browser finds nothing of the former one, also in open pages', async ({
  page,
  context,
  ada,
  service,
}) => {
  await readOffline(page, service, ada);
  const eve = await service.addPerson('eve');
  const other = await context.newPage();
  await logIn(other, service, eve, '/apps/files/');

  await expect(page.getByRole('button', { name: `Menu of ${eve.userId}` })).toBeVisible();
  await expect
    .poll(async () => (await keptData(other)).filter((name) => name.includes(ada.userId)))
    .toEqual([]);
  await context.setOffline(true);
  await other.goto(`${service.url}/apps/news/`).catch(() => {});
  await expect(other.getByText(ada.userId)).toHaveCount(0);
});

test('copies are not shown once the session can only have ended', async ({
  page,
  context,
  ada,
  service,
}) => {
  await readOffline(page, service, ada);
  await page.evaluate(async () => {
    const cache = await caches.open('gatefold-until');
    await cache.put(new URL('/kept-until', location.href).href, new Response('1'));
  });

  await context.setOffline(true);
  await expect(page.goto(`${service.url}/apps/news/`)).rejects.toThrow('net::ERR_');
  await context.setOffline(false);
  await page.goto(`${service.url}/sw.js`);
  expect((await keptData(page)).filter((name) => !name.includes(ada.userId))).toEqual([]);
  expect(await page.evaluate(() => caches.keys())).toEqual(['gatefold-assets']);
});

test('marks and logging out work over plain http, where browsers have no caches and no locks', async ({
  service,
  feeds,
}) => {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP reader.test 127.0.0.1'],
  });
  const page = await browser.newPage({ locale: 'en-GB' });
  const ada = await service.addPerson();
  await subscribe(service, ada, publishFeed(feeds, '/plain.xml', 'Plain', 2));
  const url = service.url.replace(/127\.0\.0\.1|localhost/, 'reader.test');
  await page.goto(`${url}/login`);
  await page.locator('input[name="user"]').fill(ada.userId);
  await page.locator('input[name="password"]').fill(ada.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.waitForURL((now) => now.pathname !== '/login');
  await page.goto(`${url}/apps/news/`);
  expect(await page.evaluate('isSecureContext')).toBe(false);

  await page.getByRole('link', { name: /Plain article 1 / }).click();
  await expect(page).toHaveTitle('(1) Unread – Gatefold');
  const item = (await storedItems(service, ada)).get('Plain article 2');
  await service.call(ada, 'POST', `/apps/news/api/v1-3/items/${item?.id}/read`);
  await expect(page).toHaveTitle('Unread – Gatefold');
  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.waitForURL(/\/login/);
  await browser.close();
});

test('an article that cannot be loaded is said to be so in place of the former one, and tried again', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await subscribe(service, ada, publishFeed(feeds, '/unloaded.xml', 'Unloaded', 8));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Unloaded article 1 / }).click();
  const article = page.getByRole('article');
  await expect(article).toContainText('Text of article 1');
  await page.route('**/v1-3/items/*', (route) => route.abort());

  // The next three were fetched ahead.
  await page.getByRole('link', { name: /Unloaded article 8 / }).click();
  const again = page.getByRole('alert').getByRole('button', { name: 'Try again' });
  await expect(again).toBeVisible();
  await expect(article).toHaveCount(0);
  await expectAccessible(page);
  await page.unroute('**/v1-3/items/*');
  await again.click();
  await expect(article).toContainText('Text of article 8');
  await expect(again).toHaveCount(0);
});

test('a service that is away is not called a missing network', async ({ page, ada, service }) => {
  expect(ada.userId).not.toBe('');
  await page.goto(`${service.url}/apps/files/`);
  await page.route('**/*', (route) => route.abort());
  await page.getByRole('button', { name: 'Menu of' }).waitFor();
  await page.evaluate(() => window.dispatchEvent(new Event('online')));

  await expect(page.getByText('Gatefold cannot be reached.')).toBeVisible();
  await expect(page.getByText('You are offline.')).toHaveCount(0);
});

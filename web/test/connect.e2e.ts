import type { Locator, Page } from '@playwright/test';
import { decodeQR } from 'qr/decode.js';
import sharp from 'sharp';
import { expect, expectAccessible, test as base } from './fixtures.js';

/** How often the page looks. */
const PAUSE_MILLISECONDS = 3000;
const PHONE = { width: 390, height: 844 };

interface ForOne {
  /** Opens the section, and a client in it. */
  readonly open: (client?: string) => Promise<void>;
}

const test = base.extend<ForOne>({
  open: async ({ page, ada: _ada, service }, use) => {
    await use(async (client) => {
      const query = client === undefined ? '' : `?client=${client}`;
      await page.goto(`${service.url}/settings/user/connect${query}`);
    });
  },
});

/** What the page says to enter in the client. */
async function enteredIn(page: Page) {
  const valueOf = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
  return {
    address: await valueOf('Server address'),
    userId: await valueOf('Login name'),
    password: await valueOf('App password'),
  };
}

/** A client that asks for its feeds. */
async function call(address: string, userId: string, password: string): Promise<number> {
  const response = await fetch(`${address}/index.php/apps/news/api/v1-3/feeds`, {
    headers: { Authorization: `Basic ${btoa(`${userId}:${password}`)}` },
  });
  return response.status;
}

/** A client of Google Reader that logs in and asks for its subscriptions. */
async function logInAndCall(address: string, userId: string, password: string): Promise<number> {
  const login = await fetch(`${address}/accounts/ClientLogin`, {
    method: 'POST',
    headers: { 'User-Agent': 'NetNewsWire' },
    body: new URLSearchParams({ Email: userId, Passwd: password }),
  });
  const token = /^Auth=(.+)$/m.exec(await login.text())?.[1];
  const response = await fetch(`${address}/reader/api/0/subscription/list?output=json`, {
    headers: { Authorization: `GoogleLogin auth=${token}` },
  });
  return response.status;
}

/** Reads a code as the camera of a phone does. */
async function read(code: Locator): Promise<string> {
  const { data, info } = await sharp(await code.screenshot())
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return decodeQR({ width: info.width, height: info.height, data: new Uint8Array(data) });
}

test('a client is found, gets a password, and the page tells when it has called', async ({
  page,
  service,
  ada,
  open,
  keepPicture,
}) => {
  await page.clock.install();
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('main').getByRole('link', { name: 'Connect a client' }).click();
  const clients = page.getByRole('list', { name: 'Clients' });
  await expect(clients.getByRole('listitem').first()).toContainText('Capy Reader');
  await expectAccessible(page);
  await keepPicture('connect-list-light');
  const search = page.getByRole('searchbox', { name: 'Search for a client' });
  await search.fill('no such client');
  await expect(page.getByText('No such client is listed')).toBeVisible();
  await search.fill('ios netnews');
  await clients.getByRole('link', { name: 'NetNewsWire' }).click();

  await expect(page.getByRole('heading', { name: 'NetNewsWire' })).toBeFocused();
  await expect(page.getByText('FreshRSS', { exact: true })).toBeVisible();
  await expect(page.getByText(`Other devices cannot reach ${service.url}`)).toBeVisible();
  await page.getByRole('button', { name: 'Make a password' }).click();
  const { address, userId, password } = await enteredIn(page);
  expect([address, userId]).toEqual([`${service.url}/api/greader.php`, ada.userId]);
  await page.getByRole('button', { name: 'Test' }).click();
  await expect(page.getByText('Waiting for NetNewsWire…')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('connect-waiting-light');

  // Not by another user’s client.
  const bob = await service.addPerson('bob');
  expect(await call(service.url, bob.userId, bob.password)).toBe(200);
  const looked = page.waitForResponse(/core\/apppasswords/);
  await page.clock.runFor(PAUSE_MILLISECONDS);
  await looked;
  await expect(page.getByText('Waiting for NetNewsWire…')).toBeVisible();

  expect(await logInAndCall(address, userId, password)).toBe(200);
  await page.clock.runFor(PAUSE_MILLISECONDS);
  await expect(page.getByText(/NetNewsWire called at \d+:\d\d/)).toBeVisible();

  await open('netnewswire');
  await expect(page.getByText(/^last used/)).toBeVisible();
  await expect(page.getByText('Passwords are shown only once.')).toBeVisible();
  await expect(page.getByLabel('App password', { exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Make another password' }).click();
  await expect(page.getByLabel('App password', { exact: true })).not.toHaveValue(password);

  // With the account’s password, a client gets an app password of its own.
  await page.getByRole('button', { name: 'Test' }).click();
  await expect(page.getByText('Waiting for NetNewsWire…')).toBeVisible();
  expect(await logInAndCall(service.url, ada.userId, ada.password)).toBe(200);
  await page.clock.runFor(PAUSE_MILLISECONDS);
  await expect(page.getByText('NetNewsWire called at')).toBeVisible();
  await page.getByRole('link', { name: 'Security' }).click();
  const passwords = page.getByRole('list', { name: 'App passwords' });
  await expect(passwords.locator('strong')).toHaveText([
    'NetNewsWire',
    'NetNewsWire 2',
    'NetNewsWire',
  ]);
});

test.describe(() => {
  test.use({
    userAgent: 'Mozilla/5.0 (Linux; Android 16; Pixel 9) Chrome/142.0 Mobile Safari/537.36',
  });

  test('on a phone, the login of Nextcloud’s app is a code to scan', async ({
    page,
    open,
    keepPicture,
  }) => {
    await page.setViewportSize(PHONE);
    await open();
    await expect(page.getByRole('link', { name: 'Read You' })).toBeVisible();
    await expectAccessible(page);
    await keepPicture('connect-list-phone');
    await page.getByRole('link', { name: /^Nextcloud News Android/ }).click();
    await expect(page.getByRole('img', { name: 'Login code' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Make a password' }).click();

    const { address, userId, password } = await enteredIn(page);
    const code = page.getByRole('img', { name: 'Login code' });
    expect(await read(code)).toBe(
      `nc://login/user:${userId}&password:${password}&server:${address}`,
    );
    await expect(page.getByRole('link', { name: 'Open in the Nextcloud app' })).toHaveAttribute(
      'href',
      await read(code),
    );
    await expectAccessible(page);
    await keepPicture('connect-code-phone');
    await page.emulateMedia({ colorScheme: 'dark' });
    await code.scrollIntoViewIfNeeded();
    expect(await read(code)).toContain(password);
    await expectAccessible(page);
    await keepPicture('connect-code-phone-dark');

    expect(await call(address, userId, password)).toBe(200);
    await page.getByRole('button', { name: 'Test' }).click();
    await expect(page.getByText('Nextcloud News called at')).toBeVisible();
    await keepPicture('connect-called-phone-dark');
  });
});

test('after two minutes of silence, the page says what to check', async ({
  page,
  open,
  keepPicture,
}) => {
  await page.clock.install();
  await page.setViewportSize(PHONE);
  await open('other-fever');
  await expect(page.getByText('MD5 hash, which is weak')).toBeVisible();
  await page.getByLabel('Name of the client').fill('Raven');
  const made = page.waitForRequest((request) => request.method() === 'POST');
  await page.getByRole('button', { name: 'Make a password' }).click();
  expect((await made).postDataJSON()).toEqual({ name: 'Raven', fever: true });
  await page.getByRole('button', { name: 'Test' }).click();
  await expect(page.getByText('Waiting for Raven…')).toBeVisible();

  let polls = 0;
  page.on('request', (request) => (polls += Number(request.url().includes('apppasswords'))));
  await expect(async () => {
    await page.clock.runFor(PAUSE_MILLISECONDS);
    await expect(page.getByText('Raven has not called')).toBeVisible({ timeout: 1 });
  }).toPass({ intervals: [0] });
  expect(polls).toBeLessThanOrEqual(40);
  await expect(page.getByText('The address: exactly as above')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('connect-silent-phone');

  // The service knows that it was made for Fever.
  await open('other-fever');
  await page.getByLabel('Name of the client').fill('Raven');
  await expect(page.getByText('not used yet')).toBeVisible();
});

test('a file manager and newsboat see what they need', async ({
  page,
  ada,
  service,
  open,
  keepPicture,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  // As if the operator had set another address.
  await page.route('**/settings/user/connect**', async (route) => {
    const response = await route.fetch();
    const document = await response.text();
    const baseUrl = 'data-baseurl="https://news.example.org"';
    await route.fulfill({ response, body: document.replace('<head ', `<head ${baseUrl} `) });
  });
  await open('other-webdav');
  await expect(page.getByText('the service is set up as https://news.example.org')).toBeVisible();
  await expect(page.getByLabel('Address of your files (WebDAV)', { exact: true })).toHaveValue(
    `${service.url}/remote.php/dav/files/${ada.userId}/`,
  );

  await page.getByRole('link', { name: 'All clients' }).click();
  await page.getByRole('link', { name: 'newsboat' }).click();
  await page.getByRole('button', { name: 'Make a password' }).click();
  const { password } = await enteredIn(page);
  await expect(page.locator('pre')).toContainText(`ocnews-password "${password}"`);
  await expectAccessible(page);
  await keepPicture('connect-newsboat-dark');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('the menu and a short address lead to the section', async ({ page, ada, service }) => {
  await page.goto(`${service.url}/settings/connect`);
  await expect(page.getByRole('heading', { name: 'Connect a client' })).toBeVisible();

  await page.goto(`${service.url}/apps/files/`);
  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();
  await page.getByRole('menuitem', { name: 'Connect a client' }).click();
  await expect(page).toHaveURL(/\/settings\/user\/connect$/);
});

test('an address without https is named as such', async ({ page, ada: _ada, service }) => {
  const host = 'news.example.org';
  const cookies = await page.context().cookies();
  await page.context().addCookies(cookies.map((cookie) => ({ ...cookie, domain: host })));
  await page.route(`http://${host}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: service.url + pathname + search }) });
  });
  await page.goto(`http://${host}/settings/user/connect?client=vienna`);

  await expect(page.getByText('This address is not encrypted')).toBeVisible();
  await expect(page.getByLabel('Server address', { exact: true })).toHaveValue(
    `http://${host}/api/greader.php`,
  );
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

import type { Frame, Locator, Page } from '@playwright/test';
import { freePort } from '../../test/support/free-port.js';
import {
  answer,
  ICON_AND_NOTES,
  OPEN_TO_USERS,
  startExternalApp,
  type ExternalApp,
} from './external-app.js';
import { ADMIN, expect, expectAccessible, logIn, test as base } from './fixtures.js';
import { startHelloApp } from './hello-app.js';
import { startService, type Service } from './service.js';

/*
 * Pages of external apps on an origin of their own: the service is at 127.0.0.1, and each app at a name
 * below localhost, which browsers take to be another site.
 */

/** Like the front ends of apps, without their packages. */
const FRONT_END = `
  const proxy = OC.generateUrl('/apps/app_api/proxy/tides');
  const base = OC.generateUrl('/apps/app_api/embedded/tides/chart');
  const content = document.getElementById('content');
  content.innerHTML = '<main><h1></h1><button id="save">Save</button><p id="answer"></p>'
    + '<a id="sub">Tomorrow</a><p id="place"></p><button id="reader">Reader</button></main>';
  const state = JSON.parse(OCP.InitialState.loadState('app_api', 'tide'));
  content.querySelector('h1').textContent = state.title + ' ' + OC.getCurrentUser().displayName;
  document.getElementById('save').addEventListener('click', async () => {
    const response = await fetch(proxy + '/api/notes', { method: 'POST', body: '{"note":"ebb"}' });
    document.getElementById('answer').textContent =
      response.ok ? (await response.json()).said : 'refused with ' + response.status;
    OCP.Toast.success('Saved');
  });
  document.getElementById('reader').addEventListener('click', () => gatefold.open('starred'));
  const link = document.getElementById('sub');
  link.href = base + '/tomorrow';
  const showPlace = () => {
    document.getElementById('place').textContent = 'at ' + (location.pathname.slice(base.length) || '/');
  };
  link.addEventListener('click', (event) => {
    event.preventDefault();
    history.pushState(null, '', link.href);
    document.title = 'Tomorrow’s tide';
    showPlace();
  });
  showPlace();
  // Without a click, this leads nowhere.
  gatefold.open('settings');
`;

const NESTED =
  '<!doctype html><title>Nested</title><script src="../js/nested.js"></script><p>Own page</p>';

const test = base.extend<{ tides: ExternalApp }, { service: Service; app: ExternalApp }>({
  service: [
    async ({ playwright: _playwright }, use) => {
      const port = await freePort();
      const service = await startService({
        GATEFOLD_PORT: String(port),
        GATEFOLD_BASE_URL: `http://127.0.0.1:${port}`,
        GATEFOLD_APPS_ORIGIN: `http://*.localhost:${port}`,
      });
      await use(service);
      await service.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  app: [
    async ({ service }, use) => {
      const app = await startExternalApp(
        service,
        'tides',
        {
          'GET /js/main.js': answer('text/javascript', FRONT_END),
          'GET /css/main.css': answer(
            'text/css',
            'main { padding: 24px; background: var(--color-main-background); color: var(--color-main-text) }',
          ),
          'GET /pages/own.html': answer('text/html', NESTED),
          'GET /js/nested.js': answer('text/javascript', 'window.isRunning = true;'),
          ...ICON_AND_NOTES,
        },
        OPEN_TO_USERS,
      );
      const chart = { type: 'top_menu', name: 'chart' };
      await app.announce('/ui/top-menu', {
        name: 'chart',
        displayName: 'Tides',
        icon: 'img/app.svg',
      });
      await app.announce('/ui/script', { ...chart, path: 'js/main' });
      await app.announce('/ui/style', { ...chart, path: 'css/main' });
      await app.announce('/ui/initial-state', {
        ...chart,
        key: 'tide',
        value: { title: 'Ebb for' },
      });
      await use(app);
      await app.close();
    },
    { scope: 'worker' },
  ],
  tides: async ({ app, ada: _ada }, use) => use(app),
});

const PAGE = '/apps/app_api/embedded/tides/chart';

/** The frame with the page of the app, after its script has run. */
async function appFrame(page: Page): Promise<Frame> {
  await expect(page.frameLocator('iframe[title]').getByRole('heading', { level: 1 })).toBeVisible();
  const frame = page.frame({ name: 'page-of-app' });
  if (frame === null) {
    throw new Error('The page has no frame.');
  }
  return frame;
}

test('the example app works in a frame of its own origin, and the theme follows', async ({
  page,
  ada,
  service,
  keepPicture,
}) => {
  const stop = await startHelloApp(service);
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('navigation').getByRole('link', { name: 'Hello' }).click();

  const frame = page.frameLocator('iframe[title]');
  await expect(frame.getByText(`Hello, ${ada.userId}!`)).toBeVisible();
  await expect(frame.getByText('Hello!', { exact: true })).toBeVisible();
  expect(new URL((await appFrame(page)).url()).hostname).toBe('hello-app.localhost');
  await expect(page).toHaveTitle('Hello – Gatefold');
  await expect(page.getByRole('link', { name: 'Hello' })).toHaveAttribute('aria-current', 'page');
  await expectAccessible(page);
  await keepPicture('apps-origin-light');

  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(frame.locator('body')).toHaveAttribute('data-themes', 'dark');
  await expect(frame.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expectAccessible(page);
  await keepPicture('apps-origin-dark');
  await page.setViewportSize({ width: 390, height: 844 });
  const bottomOf = (locator: Locator) =>
    locator.evaluate((it) => it.getBoundingClientRect().bottom);
  await expect.poll(() => bottomOf(page.locator('iframe[title]'))).toBe(844);
  // Below the bar of 52 pixels.
  await expect.poll(() => bottomOf(frame.locator('#content'))).toBe(792);
  await expectAccessible(page);
  await keepPicture('apps-origin-phone');
  // The frame has left no steps of its own in the history.
  await page.goBack();
  await expect(page).toHaveURL(`${service.url}/apps/news/`);
  await stop();
});

test('a page of an app calls its own app as the user, and shows messages, titles and places', async ({
  page,
  ada,
  service,
  tides,
}) => {
  await page.goto(service.url + PAGE);
  const frame = await appFrame(page);
  await frame.getByRole('button', { name: 'Save' }).click();

  await expect(frame.locator('#answer')).toHaveText(`${ada.userId} wrote ebb`);
  await expect(page.getByRole('status').getByText('Saved')).toBeVisible();
  expect(tides.requests.at(-1)?.userId).toBe(ada.userId);
  await expect(page.getByRole('link', { name: 'Tides' }).locator('img')).not.toHaveJSProperty(
    'naturalWidth',
    0,
  );

  await frame.getByRole('link', { name: 'Tomorrow' }).click();
  await expect(page).toHaveURL(`${service.url}${PAGE}/tomorrow`);
  await expect(page).toHaveTitle('Tomorrow’s tide – Gatefold');
  await page.reload();
  await expect((await appFrame(page)).locator('#place')).toHaveText('at /tomorrow');

  await (await appFrame(page)).getByRole('button', { name: 'Reader' }).click();
  await expect(page).toHaveURL(`${service.url}/apps/news/starred/`);
});

test('its script reads nothing of our page and calls nothing of ours, from no document of its own', async ({
  page,
  service,
  tides: _tides,
}) => {
  await page.goto(service.url + PAGE);
  const frame = await appFrame(page);
  const attempts = (target: Frame) =>
    target.evaluate(async (host) => {
      const outcome = (attempt: () => unknown) => {
        try {
          attempt();
          return 'done';
        } catch (error) {
          return (error as Error).name;
        }
      };
      const called = (path: string) =>
        fetch(host + path, { credentials: 'include' }).then(
          (response) => String(response.status),
          () => 'failed',
        );
      return {
        document: outcome(() => parent.document.title),
        storage: outcome(() => parent.localStorage.length),
        leaving: outcome(() => {
          (top as Window).location.href = 'about:blank';
        }),
        news: await called('/apps/news/api/v1-3/folders'),
        user: await called('/ocs/v2.php/cloud/user?format=json'),
        page: await called('/settings/user/profile'),
        proxy: await called('/apps/app_api/proxy/tides/js/nested.js'),
        cookies: document.cookie,
      };
    }, service.url);
  const nothing = {
    document: 'SecurityError',
    storage: 'SecurityError',
    leaving: 'SecurityError',
    news: 'failed',
    user: 'failed',
    page: 'failed',
    proxy: 'failed',
    cookies: '',
  };

  expect(await attempts(frame)).toEqual(nothing);
  // A document of the app itself has no content security policy of ours that forbids such calls.
  await frame.evaluate(() => location.assign('/apps/app_api/proxy/tides/pages/own.html'));
  await expect(frame.getByText('Own page')).toBeVisible();
  expect(await frame.evaluate('window.isRunning')).toBe(true);
  expect(await attempts(frame)).toEqual(nothing);
  await expect(page).toHaveURL(service.url + PAGE);
  // On our origin it does not run.
  const refused = await page.goto(`${service.url}/apps/app_api/proxy/tides/pages/own.html`);
  expect(refused?.status()).toBe(403);
});

test('nobody else talks to our page or to that of the app', async ({
  page,
  service,
  tides: _tides,
}) => {
  await page.goto(service.url + PAGE);
  const frame = await appFrame(page);
  const forged = { gatefold: 1, type: 'toast', text: 'Forged', kind: 'info' };

  // Our page hears the frame only, and no frame in it.
  await frame.evaluate(async () => {
    const nested = document.createElement('iframe');
    nested.name = 'nested';
    nested.src = '/apps/app_api/proxy/tides/pages/own.html';
    await new Promise((resolve) => {
      nested.addEventListener('load', resolve);
      document.body.append(nested);
    });
  });
  const nested = frame.childFrames()[0] as Frame;
  await nested.evaluate((message) => top?.postMessage(message, '*'), forged);
  // And no message that is not on the list, or says too much.
  await frame.evaluate(() => {
    for (const message of [
      { gatefold: 1, type: 'open', place: 'https://evil.example' },
      { gatefold: 1, type: 'place', path: '../../../../settings/user/security' },
      { gatefold: 1, type: 'place', path: '%2e%2e/%2e%2e/%2e%2e/settings/' },
      { gatefold: 1, type: 'open', place: 'feed', id: '../7' },
      { gatefold: 2, type: 'toast', text: 'Forged', kind: 'info' },
      { gatefold: 1, type: 'toast', text: 'Heard', kind: 'info' },
    ]) {
      parent.postMessage(message, '*');
    }
  });
  await expect(page.getByRole('status').getByText('Heard')).toBeVisible();
  await expect(page.getByText('Forged')).toHaveCount(0);
  expect(page.url()).toBe(service.url + PAGE);

  // The page of the app hears ours only.
  await frame.evaluate(() =>
    window.postMessage({ gatefold: 1, type: 'theme', theme: 'black' }, '*'),
  );
  await nested.evaluate(() =>
    parent.postMessage({ gatefold: 1, type: 'theme', theme: 'black' }, '*'),
  );
  await expect(frame.locator('body')).toHaveAttribute('data-themes', 'default');
  const ofApp = frame.url();

  // A page of another site that the app puts in its place is not the app.
  await page.route('https://evil.example/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<p>Elsewhere</p>' }),
  );
  await frame.evaluate(() => location.assign('https://evil.example/'));
  await expect(frame.getByText('Elsewhere')).toBeVisible();
  await frame.evaluate((message) => parent.postMessage(message, '*'), forged);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  await expect(page.getByText('Forged')).toHaveCount(0);

  // And shows itself in no page but ours.
  await page.route('http://evil.example/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<iframe name="stolen" src="${ofApp}"></iframe>`,
    }),
  );
  await page.goto('http://evil.example/');
  await expect.poll(() => page.frame({ name: 'stolen' })?.url()).toContain('chrome-error:');
});

test('an app that floods our page with messages shows few of them', async ({
  page,
  service,
  tides: _tides,
}) => {
  await page.goto(service.url + PAGE);
  const frame = await appFrame(page);
  await frame.evaluate(() => {
    for (let number = 0; number < 1000; number += 1) {
      parent.postMessage({ gatefold: 1, type: 'toast', text: `Wave ${number}`, kind: 'info' }, '*');
    }
  });

  await expect(page.getByText('Wave 5', { exact: true })).toBeVisible();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  expect(await page.getByText(/^Wave \d+$/).count()).toBeLessThan(40);
});

test('logging out ends it, and so does another user', async ({
  page,
  ada,
  service,
  tides: _tides,
}) => {
  await page.goto(service.url + PAGE);
  const frame = await appFrame(page);
  await service.run(['session:revoke', ada.userId]);
  await frame.getByRole('button', { name: 'Save' }).click();
  await expect(frame.locator('#answer')).toHaveText('refused with 404');

  await page.reload();
  await expect(page).toHaveURL(/\/login\?redirect_url=/);
  await logIn(page, service, ADMIN);
  await page.goto(service.url + PAGE);
  await expect((await appFrame(page)).getByRole('heading')).toHaveText('Ebb for admin');
});

test('a pass is renewed while the page is open', async ({ page, ada, service, tides: _tides }) => {
  await page.goto(service.url + PAGE);
  const frame = await appFrame(page);
  const before = await frame.evaluate('history.length');
  await page.context().clearCookies({ domain: 'tides.localhost' });
  await frame.getByRole('button', { name: 'Save' }).click();
  await expect(frame.locator('#answer')).toHaveText('refused with 404');

  await frame.evaluate('gatefold.renew()');
  await frame.getByRole('button', { name: 'Save' }).click();
  await expect(frame.locator('#answer')).toHaveText(`${ada.userId} wrote ebb`);
  expect(await frame.evaluate('history.length')).toBe(before);

  // And anew, when a page is refused. The app opens the settings at each start: ignored unless its frame has the focus.
  await page.getByRole('link', { name: 'Tides' }).focus();
  await page.context().clearCookies({ domain: 'tides.localhost' });
  await frame.evaluate(() => location.reload());
  await expect((await appFrame(page)).getByRole('heading')).toHaveText(`Ebb for ${ada.userId}`);
});

test('a browser that keeps no cookies of frames says so', async ({
  page,
  service,
  tides: _tides,
  keepPicture,
}) => {
  await page.route('**/apps/app_api/enter/**', async (route) => {
    // The answer of the service, without its cookie.
    await route.fulfill({ status: 303, headers: { location: PAGE } });
  });
  await page.goto(service.url + PAGE);

  await expect(page.getByRole('heading', { name: 'The app is not shown' })).toBeVisible();
  await expectAccessible(page);
  await keepPicture('apps-origin-blocked');
});

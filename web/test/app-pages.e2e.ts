import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/support/free-port.js';
import {
  answer,
  ICON_AND_NOTES,
  OPEN_TO_USERS,
  startExternalApp,
  type ExternalApp,
} from './external-app.js';
import { ADMIN, expect, expectAccessible, logIn, test as base } from './fixtures.js';
import { startService, type Service } from './service.js';

/*
 * A minimal front end that does by hand what Nextcloud’s packages do in the bundles of apps.
 */
const FRONT_END = `
  const loaded = JSON.parse(atob(document.querySelector('#initial-state-app_api-tide').value));
  const state = JSON.parse(loaded);
  const front = OC.config.modRewriteWorking ? '' : '/index.php';
  const generateUrl = (path) => window._oc_webroot + front + path;
  const base = generateUrl('/apps/app_api/embedded/tides/chart');
  const content = document.getElementById('content');

  content.innerHTML = '<main><h1></h1><button id="post">Save</button><p id="answer"></p>'
    + '<a id="sub">Tomorrow</a><p id="place"></p></main>';
  content.querySelector('h1').textContent = state.title;
  content.querySelector('h1').style.color = 'var(--color-main-text)';

  const axios = (method, path, body) => fetch(generateUrl(path), {
    method,
    headers: {
      requesttoken: document.head.dataset.requesttoken,
      'X-Requested-With': 'XMLHttpRequest',
      'Content-Type': 'application/json',
    },
    body: body && JSON.stringify(body),
  });
  document.getElementById('post').addEventListener('click', async () => {
    const written = await axios('POST', '/apps/app_api/proxy/tides/api/notes', { note: 'ebb' });
    const { said } = await written.json();
    document.getElementById('answer').textContent = said;
    OC.Notification.showTemporary('Saved');
    window._nc_event_bus.emit('tides:saved', { said });
  });

  const showPlace = () => {
    const place = location.pathname.startsWith(base) ? location.pathname.slice(base.length) : '?';
    document.getElementById('place').textContent = 'at ' + (place || '/');
  };
  const link = document.getElementById('sub');
  link.href = base + '/tomorrow';
  link.addEventListener('click', (event) => {
    event.preventDefault();
    history.pushState(null, '', link.href);
    showPlace();
  });
  addEventListener('popstate', showPlace);
  showPlace();
`;

/** The frame of Nextcloud’s components: inside the content element, or replacing it. */
const COMPONENTS_FRONT_END = `
  const frame = document.createElement('div');
  frame.id = 'content-vue';
  frame.className = 'content app-tides';
  frame.dataset.vFrame = '';
  frame.textContent = 'Deck';
  const place = document.getElementById('content');
  if (location.search === '?instead') place.replaceWith(frame);
  else place.append(frame);
`;
/** Their style sheets position the frame by the height of the bar. */
const COMPONENTS_STYLE = `
  .content[data-v-frame] {
    margin: var(--body-container-margin);
    margin-top: 50px;
    width: calc(100% - var(--body-container-margin) * 2);
    height: var(--body-height);
  }
  .content[data-v-frame]:not(.with-sidebar--full) { position: fixed; }
`;

const test = base.extend<{ visited: undefined }, { tides: ExternalApp }>({
  /** Ada is logged in, and the app is enabled. */
  visited: [
    async ({ ada: _ada, tides: _tides }, use) => {
      await use(undefined);
    },
    { auto: true },
  ],
  tides: [
    async ({ service }, use) => {
      const app = await startExternalApp(
        service,
        'tides',
        {
          'GET /js/first.js': answer('text/javascript', 'window.order = ["first"];'),
          'GET /js/main.js': answer('text/javascript', `window.order.push("main");${FRONT_END}`),
          'GET /js/deck.js': answer('text/javascript', COMPONENTS_FRONT_END),
          'GET /css/deck.css': answer('text/css', COMPONENTS_STYLE),
          'GET /css/main.css': answer('text/css', '#content main { padding: 31px; }'),
          ...ICON_AND_NOTES,
        },
        OPEN_TO_USERS,
      );
      const page = { type: 'top_menu', name: 'chart' };
      await app.announce('/ui/top-menu', {
        name: 'chart',
        displayName: 'Tide <chart>',
        icon: 'img/app.svg',
      });
      await app.announce('/ui/script', { ...page, path: 'js/first' });
      await app.announce('/ui/script', { ...page, path: 'js/main', afterAppId: 'tides' });
      await app.announce('/ui/style', { ...page, path: 'css/main' });
      await app.announce('/ui/initial-state', {
        ...page,
        key: 'tide',
        value: { title: 'Flut </script> “für” 🌊' },
      });
      const deck = { type: 'top_menu', name: 'deck' };
      await app.announce('/ui/top-menu', { name: 'deck', displayName: 'Deck' });
      await app.announce('/ui/script', { ...deck, path: 'js/deck' });
      await app.announce('/ui/style', { ...deck, path: 'css/deck' });
      await app.announce('/ui/top-menu', {
        name: 'locks',
        displayName: 'Locks',
        adminRequired: 1,
      });
      await use(app);
      await app.close();
    },
    { scope: 'worker' },
  ],
});

const PAGE = '/index.php/apps/app_api/embedded/tides/chart';

test(
  'the menu opens an app’s page, whose front end runs in the host’s frame',
  { tag: '@main' },
  async ({ page, service, keepPicture }) => {
    await page.goto(`${service.url}/apps/news/`);
    await page.getByRole('navigation').getByRole('link', { name: 'Tide <chart>' }).click();

    await expect(page).toHaveURL(new RegExp(`${PAGE}$`));
    await expect(page).toHaveTitle('Tide <chart> – Gatefold');
    await expect(page.getByRole('heading', { name: 'Flut </script> “für” 🌊' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Tide <chart>' })).toHaveAttribute(
      'aria-current',
      'page',
    );
    await expect(page.locator('#content main')).toHaveCSS('padding-top', '31px');
    expect(await page.evaluate('window.order')).toEqual(['first', 'main']);
    expect(await page.evaluate('document.querySelectorAll("iframe").length')).toBe(0);
    await expectAccessible(page);
    await keepPicture('app-page-light');
  },
);

test('requests of the front end reach the app with the user; forged requests of other sites do not', async ({
  page,
  ada,
  service,
  tides,
}) => {
  await page.goto(service.url + PAGE);
  const heard = page.evaluate(
    `new Promise((resolve) => window._nc_event_bus.subscribe('tides:saved', resolve))`,
  );
  await page.getByRole('button', { name: 'Save' }).click();

  await expect(page.locator('#answer')).toHaveText(`${ada.userId} wrote ebb`);
  await expect(page.getByRole('status').getByText('Saved')).toBeVisible();
  expect(await heard).toEqual({ said: `${ada.userId} wrote ebb` });

  const notes = () => tides.requests.filter(({ method }) => method === 'POST');
  const before = notes();
  // With this browser’s cookies, like a form on another site (CSRF).
  const forged = await page.request.post(`${service.url}/apps/app_api/proxy/tides/api/notes`, {
    headers: { Origin: 'https://elsewhere.example' },
    data: { note: 'flood' },
  });
  expect(forged.status()).toBe(404);
  expect(notes()).toEqual(before);
});

test('the globals that Nextcloud’s packages expect exist before the first script of the app', async ({
  page,
  ada,
  service,
  tides,
}) => {
  await page.goto(`${service.url}/apps/app_api/embedded/${tides.appId}/chart`);

  const seen = await page.evaluate(`({
    root: window._oc_webroot,
    appRoot: window._oc_appswebroots.tides,
    url: OC.generateUrl('/call/{token}', { token: 'a b' }),
    image: OC.imagePath('tides', 'app'),
    user: OC.getCurrentUser(),
    userOfHead: document.head.getAttribute('data-user'),
    isAdmin: window._oc_isadmin,
    tokenIsThatOfHead: OC.requestToken === document.head.dataset.requesttoken && OC.requestToken !== '',
    language: document.documentElement.lang,
    locale: document.documentElement.dataset.locale,
    bus: /^3\\./.test(window._nc_event_bus.getVersion()),
    capabilities: 'app_api' in OCP.InitialState.loadState('core', 'capabilities'),
    version: OC.config.version,
    skipTarget: document.getElementById('skip-actions') !== null,
    firstDay: window.firstDay,
    plural: (OC.L10N.register('tides', { '_%n wave_::_%n waves_': ['%n Welle', '%n Wellen'] },
      'nplurals=2; plural=(n != 1);'), [n('tides', '%n wave', '%n waves', 1), n('tides', '%n wave', '%n waves', 3)]),
    escaped: t('tides', 'Hello {who}', { who: '<b>' }),
  })`);

  expect(seen).toEqual({
    root: '',
    appRoot: '/apps/app_api/proxy/tides',
    url: '/call/a%20b',
    image: '/apps/app_api/proxy/tides/img/app.svg',
    user: { uid: ada.userId, displayName: ada.userId, isAdmin: false },
    userOfHead: ada.userId,
    isAdmin: false,
    tokenIsThatOfHead: true,
    language: 'en',
    locale: 'en_GB',
    bus: true,
    capabilities: true,
    version: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
    skipTarget: true,
    firstDay: expect.any(Number),
    plural: ['1 Welle', '3 Wellen'],
    escaped: 'Hello &lt;b&gt;',
  });
});

test('addresses below an app’s page belong to its router, with and without /index.php', async ({
  page,
  service,
}) => {
  for (const front of ['/index.php', '']) {
    await page.goto(`${service.url}${front}/apps/app_api/embedded/tides/chart`);
    await page.getByRole('link', { name: 'Tomorrow' }).click();
    await expect(page.locator('#place')).toHaveText('at /tomorrow');

    await page.reload();
    await expect(page.locator('#place')).toHaveText('at /tomorrow');
    expect(new URL(page.url()).pathname).toBe(
      `${front}/apps/app_api/embedded/tides/chart/tomorrow`,
    );
  }
});

test('an app’s page follows the user’s theme', async ({ page, ada, service, keepPicture }) => {
  await page.goto(service.url + PAGE);
  const background = () =>
    page.evaluate(`getComputedStyle(document.querySelector('#content')).backgroundColor`);
  const inverted = () =>
    page.evaluate(
      `getComputedStyle(document.body).getPropertyValue('--background-invert-if-dark')`,
    );
  const light = await background();
  expect(await inverted()).toBe('no');

  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();

  await expect(page.locator('body')).toHaveAttribute('data-themes', 'dark');
  expect(await background()).not.toBe(light);
  expect(await inverted()).toBe('invert(100%)');
  await keepPicture('app-page-dark');
  await page.setViewportSize({ width: 390, height: 844 });
  const bottom = () => page.locator('#content').evaluate((it) => it.getBoundingClientRect().bottom);
  await expect.poll(bottom).toBe(844);
  await keepPicture('app-page-phone');
});

test('a page built with Nextcloud’s components fills the space below the bar', async ({
  page,
  service,
  keepPicture,
}) => {
  for (const mounted of ['', '?instead']) {
    await page.goto(`${service.url}/apps/app_api/embedded/tides/deck${mounted}`);
    const bar = await page.locator('#header').boundingBox();

    await expect(page.locator('#content-vue')).toHaveText('Deck');
    expect(await page.locator('#content-vue').boundingBox()).toEqual({
      x: 0,
      y: bar?.height,
      width: 1280,
      height: 800 - (bar?.height ?? 0),
    });
  }
  await keepPicture('app-page-components');
});

test('a page for administrators is hidden from other users', async ({ page, service }) => {
  const locks = `${service.url}/index.php/apps/app_api/embedded/tides/locks`;

  expect((await page.goto(locks))?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Locks' })).toHaveCount(0);

  await page.context().clearCookies();
  await logIn(page, service, ADMIN);
  expect((await page.goto(locks))?.status()).toBe(200);
  await expect(page.getByRole('link', { name: 'Locks' })).toBeVisible();
});

test('the page of a disabled app shows an error until the app is enabled', async ({
  page,
  service,
  tides,
}) => {
  await service.run(['app_api:app:disable', tides.appId]);

  expect((await page.goto(service.url + PAGE))?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Tide <chart>' })).toHaveCount(0);

  await service.run(['app_api:app:enable', tides.appId]);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Save' })).toBeVisible();
});

const prefixed = base.extend<{ gate: Service }>({
  gate: async ({ playwright: _playwright }, use) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/gate`;
    const service = await startService({ GATEFOLD_PORT: String(port), GATEFOLD_BASE_URL: url });
    await use({ ...service, url });
    await service.stop();
  },
});

prefixed('an app’s page works below a path prefix', async ({ page, gate }) => {
  const app = await startExternalApp(
    gate,
    'tides',
    {
      'GET /js/main.js': answer('text/javascript', FRONT_END),
      'POST /api/notes': answer('application/json', '{"said":"heard"}'),
    },
    OPEN_TO_USERS,
  );
  const chart = { type: 'top_menu', name: 'chart' };
  await app.announce('/ui/top-menu', { name: 'chart', displayName: 'Chart' });
  await app.announce('/ui/script', { ...chart, path: 'js/main' });
  await app.announce('/ui/initial-state', { ...chart, key: 'tide', value: { title: 'Ebb' } });

  await page.goto(`${gate.url}${PAGE}`);
  await page.locator('input[name="user"]').fill(ADMIN.userId);
  await page.locator('input[name="password"]').fill(ADMIN.password);
  await page.locator('input[name="password"]').press('Enter');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('#answer')).toHaveText('heard');
  await page.getByRole('link', { name: 'Tomorrow' }).click();
  await page.reload();
  await expect(page.locator('#place')).toHaveText('at /tomorrow');

  await page.getByRole('link', { name: 'Chart' }).click();
  await expect(page).toHaveURL(gate.url + PAGE);
  await page.getByRole('button', { name: /^Menu of/ }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await expect(page).toHaveURL(`${gate.url}/settings/user/profile`);
  const picture = page.getByRole('img', { name: 'Your picture' });
  await expect(picture).not.toHaveJSProperty('naturalWidth', 0);
  await app.close();
});

test('the example app’s page greets the user', async ({ page, ada, service }) => {
  const example = fileURLToPath(new URL('../../examples/hello-app/app.mjs', import.meta.url));
  const hello = spawn(process.execPath, [example], {
    env: {
      APP_ID: 'hello-app',
      APP_SECRET: 'secret of hello-app',
      APP_PORT: '0',
      NEXTCLOUD_URL: service.url,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: hello.stdout });
  const [listening] = (await once(lines, 'line')) as [string];
  await service.run([
    'app_api:app:register',
    'hello-app',
    '--wait-finish',
    '--info-xml',
    fileURLToPath(new URL('../../examples/hello-app/info.xml', import.meta.url)),
    '--json-info',
    JSON.stringify({
      secret: 'secret of hello-app',
      base_url: /http:\S+/.exec(listening)?.[0],
    }),
  ]);

  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('navigation').getByRole('link', { name: 'Hello' }).click();
  await expect(page.getByText(`Hello, ${ada.userId}!`)).toBeVisible();
  // Its initial state.
  await expect(page.getByText('Hello!', { exact: true })).toBeVisible();
  await expectAccessible(page);

  const ended = once(hello, 'close');
  hello.kill('SIGTERM');
  await ended;
});

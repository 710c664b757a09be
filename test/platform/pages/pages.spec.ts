import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseHTML } from 'linkedom';
import { readFile } from 'node:fs/promises';
import { ApiClient, type Answer } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { knowApp, startExternalApp, type ExternalApp } from '../../support/external-app.js';
import { ADMIN, startApp, type TestApp, type TestUser } from '../../support/start-app.js';

const HOSTILE = `</script><script>alert("1")</script> 'quoted' & <b>`;

let service: TestApp;
let ada: TestUser;
let browser: Browser;

beforeAll(async () => {
  service = await startApp();
  ada = await service.signInOnce('ada');
  browser = await loggedIn(service.url, ada);
});
afterAll(() => service?.stop());

async function loggedIn(
  url: string,
  { credentials }: { readonly credentials: TestUser['credentials'] },
): Promise<Browser> {
  const visitor = new Browser(url);
  await visitor.login(credentials);
  return visitor;
}

type PageDocument = ReturnType<typeof documentOf>;

function documentOf({ text }: Answer) {
  return parseHTML(text).document;
}

const policyOf = ({ headers }: Answer) => headers['content-security-policy'];

describe('the pages of the host', () => {
  it.each([
    '/',
    '/apps/news/',
    '/apps/news/feed/7',
    '/apps/files/files/Pictures',
    '/apps/spreed/',
    '/call/abc',
    '/settings/user/security',
    '/settings/admin/apps',
    '/index.php/apps/files/',
  ])('%s is one document, for each user who has logged in', async (path) => {
    const answer = await browser.get(path);

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(documentOf(answer).querySelector('#app')).not.toBeNull();
  });

  it('contain user and CSRF token', async () => {
    const { head } = documentOf(await browser.get('/apps/news/'));

    expect(head.getAttribute('data-user')).toBe('ada');
    expect(head.getAttribute('data-user-is-admin')).toBe('false');
    const requesttoken = head.getAttribute('data-requesttoken') ?? '';
    const changed = await browser.call('POST', '/apps/news/api/v1-3/folders', {
      json: { name: 'Science' },
      headers: { requesttoken },
    });
    expect(changed.status).toBe(200);
  });

  it('contain the preferences of the user, and have the chosen language and colours at once', async () => {
    const eve = await service.signInOnce('eve');
    const visitor = await loggedIn(service.url, eve);
    const preferences = '/ocs/v2.php/apps/gatefold/api/v1/preferences';
    await eve.call('PATCH', `${preferences}/pages`, {
      json: { values: { language: 'de', theme: 'dark' } },
    });
    await eve.call('PATCH', `${preferences}/reader`, { json: { values: { styleSheet: HOSTILE } } });
    const answer = await visitor.get('/apps/news/');
    const { documentElement, head } = documentOf(answer);

    expect(documentElement.getAttribute('lang')).toBe('de');
    expect(documentElement.getAttribute('data-theme')).toBe('dark');
    expect(JSON.parse(head.getAttribute('data-preferences') ?? '')).toMatchObject({
      pages: { values: { language: 'de', theme: 'dark' }, version: 1 },
      reader: { values: { styleSheet: HOSTILE }, version: 1 },
    });
    expect(answer.text).not.toContain('<script>alert');
    expect(documentOf(await browser.get('/')).documentElement.hasAttribute('data-theme')).toBe(
      false,
    );
  });

  it.each([
    ['/apps/news/', 'ReaderPage'],
    ['/apps/files/', 'FilesPage'],
    ['/apps/spreed/', 'ChatPage'],
    ['/call/abc', 'ChatPage'],
    ['/settings/admin/apps', 'SettingsPage'],
  ])('%s names the modules of its page and the texts of the language', async (path, page) => {
    const modulesIn = async (language: string) => {
      const headers = { 'accept-language': language };
      const { head } = documentOf(await browser.call('GET', path, { headers }));
      const links = [...head.querySelectorAll('link[rel=modulepreload]')];
      return links.map((link) => link.getAttribute('href') ?? '');
    };
    const modules = await modulesIn('pl,en;q=0.5');
    const addresses = [...new Set(modules)];

    expect(modules).toEqual(addresses);
    expect(modules.join()).toMatch(new RegExp(`/assets/${page}-`));
    expect(modules.join()).toMatch(/\/assets\/texts-pl-/);
    expect(modules.join()).not.toMatch(/\/assets\/texts-en-/);
    expect((await modulesIn('xx')).join()).toMatch(/\/assets\/texts-en-/);
    const answers = await Promise.all(addresses.map((address) => browser.get(address)));
    expect(answers.map(({ status }) => status)).toEqual(addresses.map(() => 200));
  });

  it('redirect to the login page and back', async () => {
    const { status, headers } = await service.asStranger().get('/apps/files/?dir=/Pictures');

    expect(status).toBe(302);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers.location).toBe(
      `/login?${new URLSearchParams({ redirect_url: '/apps/files/?dir=/Pictures' }).toString()}`,
    );
  });

  it('redirect to the login after the logout', async () => {
    const visitor = await loggedIn(service.url, ada);
    const { head } = documentOf(await visitor.get('/'));
    const requesttoken = head.getAttribute('data-requesttoken') ?? '';
    await visitor.get('/logout', { query: { requesttoken } });

    expect((await visitor.get('/apps/news/')).status).toBe(302);
  });

  it('may run only their own files', async () => {
    const policy = policyOf(await browser.get('/apps/news/'));

    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).not.toContain('unsafe');
  });

  it('have no inline script or style', async () => {
    const document = documentOf(await browser.get('/apps/news/'));

    expect([...document.querySelectorAll('script:not([src]), style, [style]')]).toEqual([]);
  });

  it('escape a hostile name', async () => {
    await service.addUser('mallory', 'password of mallory');
    await service.database.query('update account set display_name = $1 where user_id = $2', [
      HOSTILE,
      'mallory',
    ]);
    const mallory = await loggedIn(service.url, {
      credentials: { userId: 'mallory', password: 'password of mallory' },
    });
    const answer = await mallory.get('/');

    expect(documentOf(answer).head.getAttribute('data-user-displayname')).toBe(HOSTILE);
    expect(answer.text).not.toContain('<script>alert');
  });

  it('leave unknown API routes below them to the API', async () => {
    for (const client of [browser, ada, service.asStranger()]) {
      const { status, headers, json } = await client.get('/apps/news/api/x');

      expect(status).toBe(404);
      expect(headers['content-type']).toContain('application/json');
      expect(json).toMatchObject({ message: expect.any(String) });
    }
  });

  it.each([
    ['/apps/calendar/', 'text/html,*/*;q=0.8', 'text/html'],
    ['/a/b/%3Cscript%3E?c=%3Cscript%3E', 'text/html,*/*;q=0.8', 'text/html'],
    ['/apps/calendar/', '*/*', 'application/json'],
    ['/apps/calendar/', 'application/json, text/html', 'application/json'],
    ['/apps/news/api/x', 'text/html,*/*;q=0.8', 'application/json'],
    ['/apps/app_api/proxy/none/x', 'text/html,*/*;q=0.8', 'application/json'],
  ])('answer %s, accepting %s, with 404 as %s', async (path, accept, type) => {
    for (const client of [browser, service.asStranger()]) {
      const { status, headers, text } = await client.call('GET', path, { headers: { accept } });

      expect(status).toBe(404);
      expect(headers['content-type']).toContain(type);
      expect(text).not.toContain('<script>');
    }
  });

  it('answer unknown addresses in the language of the browser', async () => {
    const headers = { accept: 'text/html', 'accept-language': 'pl' };
    const answer = await service.asStranger().call('GET', '/apps/calendar/', { headers });

    expect(documentOf(answer).querySelector('h1')?.textContent).toBe('Nie znaleziono strony');
    expect(documentOf(answer).querySelector('a')?.getAttribute('href')).toBe('/');
    expect(policyOf(answer)).toContain("default-src 'none'");
  });
});

describe('the files of the pages', () => {
  const scriptOf = async () =>
    documentOf(await browser.get('/'))
      .querySelector('script')
      ?.getAttribute('src') ?? '';

  it('are cached permanently, since their names have fingerprints', async () => {
    const address = await scriptOf();
    const { status, headers } = await service.asStranger().get(address);

    expect(address).toMatch(/^\/assets\/.+-[\w-]{8}\.js$/);
    expect(status).toBe(200);
    expect(headers['content-type']).toContain('text/javascript');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('are compressed for clients that accept it', async () => {
    const { head } = documentOf(await browser.get('/'));
    const address = head.querySelector('link[href*="/framework-"]')?.getAttribute('href') ?? '';
    const plain = await service.asStranger().get(address);
    const packed = await service
      .asStranger()
      .get(address, { headers: { 'accept-encoding': 'gzip' } });

    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers.vary).toContain('Accept-Encoding');
  });

  it('are 404 under unknown names', async () => {
    const stranger = service.asStranger();

    expect((await stranger.get('/assets/none.js')).status).toBe(404);
    expect((await stranger.get('/assets/')).status).toBe(404);
    expect((await stranger.get('/assets/..%2f..%2f..%2fpackage.json')).status).not.toBe(200);
    expect((await stranger.get('/manifest.json')).status).toBe(404);
  });

  it.each(['/icon.svg', '/icon-192.png', '/icon-512.png', '/sw.js'])(
    'stand at %s for an hour',
    async (path) => {
      const { status, headers } = await service.asStranger().get(path);

      expect(status).toBe(200);
      expect(headers['cache-control']).toBe('public, max-age=3600');
    },
  );

  it('can be installed as an app', async () => {
    const { status, headers, json } = await service.asStranger().get('/manifest.webmanifest');

    expect(status).toBe(200);
    expect(headers['content-type']).toContain('application/manifest+json');
    expect(json).toMatchObject({
      name: 'Gatefold',
      start_url: '/apps/news/',
      scope: '/',
      icons: expect.arrayContaining([expect.objectContaining({ src: '/icon-512.png' })]),
    });
  });

  it('takes addresses that other apps share, and links to feeds', async () => {
    const { json } = await service.asStranger().get('/manifest.webmanifest');

    expect(json).toMatchObject({
      share_target: {
        action: '/apps/news/save',
        method: 'GET',
        enctype: 'application/x-www-form-urlencoded',
        params: { title: 'title', text: 'text', url: 'url' },
      },
      protocol_handlers: [{ protocol: 'web+feed', url: '/apps/news/?subscribe_to=%s' }],
    });
  });
});

describe('the page of an external app', () => {
  const PAGE = '/index.php/apps/app_api/embedded/tides/chart';
  let app: ExternalApp;

  beforeAll(async () => {
    app = await startExternalApp(service, { appId: 'tides' });
    await knowApp(service, app);
  });
  afterAll(() => app?.close());

  /** Maximum length of the names of entries. */
  const NAME = `</title><script>"1"'</script>&`;

  async function announce(path: string, json: object): Promise<void> {
    const { status, message } = await app.as().ocs('POST', `/api/v1/ui/${path}`, { json });
    if (status !== 'ok') {
      throw new Error(message);
    }
  }

  beforeEach(async () => {
    const page = { type: 'top_menu', name: 'chart' };
    await announce('top-menu', { name: 'chart', displayName: NAME });
    await announce('script', { ...page, path: 'js/zebra' });
    await announce('script', { ...page, path: 'js/aardvark', afterAppId: 'tides' });
    await announce('style', { ...page, path: 'css/main' });
    await announce('initial-state', {
      ...page,
      key: 'tide',
      value: { title: `${HOSTILE} für 🌊` },
    });
  });
  afterEach(async () => {
    await app.as().ocs('DELETE', '/api/v1/ui/top-menu', { query: { name: 'chart' } });
  });

  const stateOf = (document: PageDocument, name: string): unknown => {
    const value = document.getElementById(`initial-state-${name}`)?.getAttribute('value') ?? '';
    // Decoded like front ends of apps do: one character per byte.
    return JSON.parse(atob(value));
  };

  it.each([PAGE, '/apps/app_api/embedded/tides/chart', `${PAGE}/a/b?fileIds=1,2`])(
    '%s is the app’s content in the host’s frame',
    async (path) => {
      const answer = await browser.get(path);
      const document = documentOf(answer);

      expect(answer.status).toBe(200);
      expect(document.querySelector('#content')?.innerHTML).toBe('');
      expect(document.querySelector('#header')).not.toBeNull();
      expect(document.querySelector('#skip-actions')).not.toBeNull();
      expect(document.querySelector('iframe')).toBeNull();
    },
  );

  it('loads the app’s scripts in the order of their registration, after the host’s', async () => {
    const scripts = [...documentOf(await browser.get(PAGE)).querySelectorAll('script')];

    expect(scripts[0]?.getAttribute('type')).toBe('module');
    expect(scripts.slice(1).map((script) => script.getAttribute('src'))).toEqual([
      '/index.php/apps/app_api/proxy/tides/js/zebra.js',
      '/index.php/apps/app_api/proxy/tides/js/aardvark.js',
    ]);
    expect(scripts.slice(1).every((script) => script.hasAttribute('defer'))).toBe(true);
  });

  it('loads ten scripts at most', async () => {
    for (let number = 1; number <= 10; number += 1) {
      await announce('script', { type: 'top_menu', name: 'chart', path: `js/more${number}` });
    }
    const scripts = documentOf(await browser.get(PAGE)).querySelectorAll('script[defer]');

    expect(scripts).toHaveLength(10);
    expect(scripts[9]?.getAttribute('src')).toContain('/js/more8.js');
  });

  it('loads the app’s styles after the host’s', async () => {
    const styles = [...documentOf(await browser.get(PAGE)).querySelectorAll('[rel="stylesheet"]')];

    expect(styles.length).toBeGreaterThan(1);
    expect(styles.at(-1)?.getAttribute('href')).toBe(
      '/index.php/apps/app_api/proxy/tides/css/main.css',
    );
  });

  it('has its initial states as JSON text, which scripts of apps parse', async () => {
    const answer = await browser.get(PAGE);

    const loaded = stateOf(documentOf(answer), 'app_api-tide');
    expect(loaded).toEqual(expect.any(String));
    expect(JSON.parse(String(loaded))).toEqual({ title: `${HOSTILE} für 🌊` });
    expect(answer.text).not.toMatch(/<script>(alert|"1")/);
    expect(documentOf(answer).title).toBe(`${NAME} – Gatefold`);
  });

  it('has host state for the packages of front ends', async () => {
    const document = documentOf(await browser.get(PAGE));

    expect(stateOf(document, 'core-capabilities')).toMatchObject({ app_api: expect.anything() });
    expect(stateOf(document, 'core-config')).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+\.0$/),
      versionstring: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    expect(document.body.getAttribute('data-app')).toBe('tides');
    expect(document.body.getAttribute('data-active-entry')).toBe('app_api_tides_chart');
  });

  it('may run what front ends of apps need, and load only images from elsewhere', async () => {
    const policy = policyOf(await browser.get(PAGE));

    expect(policy).toContain("script-src 'self' 'unsafe-inline' 'unsafe-eval';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).toContain("frame-ancestors 'self'");
  });

  it('redirects to the login page', async () => {
    const { status, headers } = await service.asStranger().get(PAGE);

    expect(status).toBe(302);
    expect(headers.location).toMatch(/^\/login\?redirect_url=/);
  });

  it('is 404 with the host’s page if it does not exist', async () => {
    const answer = await browser.get('/apps/app_api/embedded/tides/none');

    expect(answer.status).toBe(404);
    expect(documentOf(answer).querySelector('#app')).not.toBeNull();
    expect(policyOf(answer)).not.toContain('unsafe');
    expect((await browser.get('/apps/app_api/embedded/none/chart')).status).toBe(404);
  });

  it('is 404 for other users if it is for administrators', async () => {
    await announce('top-menu', { name: 'chart', displayName: 'Chart', adminRequired: 1 });
    const admin = await loggedIn(service.url, { credentials: ADMIN });

    expect((await browser.get(PAGE)).status).toBe(404);
    expect((await admin.get(PAGE)).status).toBe(200);
  });
});

describe('the CSRF token', () => {
  it('is returned to its session', async () => {
    const { head } = documentOf(await browser.get('/'));
    const { status, json, headers } = await browser.get('/index.php/csrftoken');

    expect(status).toBe(200);
    expect(json).toEqual({ token: head.getAttribute('data-requesttoken') });
    expect(headers['cache-control']).toBe('no-store');
  });

  it('is empty with explicit credentials', async () => {
    expect((await ada.get('/csrftoken')).json).toEqual({ token: '' });
  });

  it('is not returned without a session or to other sites', async () => {
    expect((await service.asStranger().get('/csrftoken')).status).toBe(401);
    const elsewhere = { origin: 'https://elsewhere.example' };
    expect((await browser.get('/csrftoken', { headers: elsewhere })).status).toBe(401);
  });
});

describe('below a path prefix', () => {
  let prefixed: TestApp;
  let visitor: Browser;

  beforeAll(async () => {
    prefixed = await startApp({ GATEFOLD_BASE_URL: 'https://example.org/gate' });
    visitor = new Browser(prefixed.url);
    await visitor.submit(
      '/login',
      { user: ADMIN.userId, password: ADMIN.password, redirect_url: '' },
      { origin: 'https://example.org' },
    );
  });
  afterAll(() => prefixed?.stop());

  it('all addresses in the document have it', async () => {
    const document = documentOf(await visitor.get('/apps/news/'));
    const addresses = [...document.querySelectorAll('[href], [src]')].map(
      (element) => element.getAttribute('href') ?? element.getAttribute('src') ?? '',
    );

    expect(document.head.getAttribute('data-webroot')).toBe('/gate');
    expect(document.head.getAttribute('data-baseurl')).toBe('https://example.org/gate');
    expect(addresses.length).toBeGreaterThan(3);
    expect(addresses.filter((address) => !address.startsWith('/gate/'))).toEqual([]);
  });

  it('the redirect to the login and the manifest have it', async () => {
    const stranger: ApiClient = prefixed.asStranger();

    expect((await stranger.get('/')).headers.location).toBe('/gate/login?redirect_url=%2F');
    expect((await stranger.get('/manifest.webmanifest')).json).toMatchObject({
      id: '/gate/',
      start_url: '/gate/apps/news/',
      scope: '/gate/',
    });
  });
});

describe('the texts of the pages', () => {
  it.each(['admin', 'declarative', 'settings', 'shell'])(
    'of %s say the same in every language, in alphabetical order',
    async (area) => {
      const [english, german] = await Promise.all(['en', 'de'].map((tag) => keysOf(tag, area)));

      expect(german).toEqual(english);
      expect(english).toEqual(english?.toSorted());
    },
  );

  async function keysOf(language: string, area: string): Promise<string[]> {
    const file = new URL(`../../../web/src/texts/${language}/${area}.json`, import.meta.url);
    return Object.keys(JSON.parse(await readFile(file, 'utf8')) as object);
  }
});

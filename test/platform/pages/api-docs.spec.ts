import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { API_DOCUMENTS } from '../../../src/api-documents.js';
import { Browser } from '../../support/browser.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';

/** @see docs/decisions/0058-api-documents.md */

let app: TestApp;
let user: TestUser;
let browser: Browser;
beforeAll(async () => {
  app = await startApp({ GATEFOLD_BASE_URL: 'http://127.0.0.1/reader' });
  user = await app.signInOnce('ada');
  browser = new Browser(app.url);
  await browser.login(user.credentials);
});
afterAll(() => app.stop());

describe('/api/docs', () => {
  it('lists every document, with links below the path prefix', async () => {
    const { status, text } = await browser.get('/reader/api/docs');

    expect(status).toBe(200);
    for (const { name } of API_DOCUMENTS.documents) {
      expect(text).toContain(`href="/reader/api/docs/${name}"`);
      expect(text).toContain(`href="/reader/api/docs/${name}.json"`);
    }
  });

  it('leads visitors to the login', async () => {
    const { status, headers } = await app.asStranger().get('/api/docs/news-v1-3');

    expect(status).toBe(302);
    expect(headers['location']).toBe('/reader/login?redirect_url=%2Fapi%2Fdocs%2Fnews-v1-3');
  });

  it('runs no inline script, and no style of other origins', async () => {
    const { headers, text } = await browser.get('/api/docs/fever');
    const policy = String(headers['content-security-policy']);

    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  });

  it('has a page for each document, and none for others', async () => {
    expect((await browser.get('/api/docs/fever')).status).toBe(200);
    expect((await browser.get('/api/docs/none')).status).toBe(404);
  });
});

describe('/api/docs/NAME.json', () => {
  it('is for users, and names the path prefix', async () => {
    const { status, json, headers } = await user.get('/api/docs/fever.json');

    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(json).toMatchObject({ openapi: '3.1.1', servers: [{ url: '/reader' }] });
  });

  it('asks strangers for credentials', async () => {
    expect((await app.asStranger().get('/api/docs/fever.json')).status).toBe(401);
    expect((await app.asStranger().get('/api/docs/viewer/swagger-ui.css')).status).toBe(401);
  });

  it('allows answers to have more fields than today', async () => {
    const { text } = await user.get('/api/docs/news-v1-3.json');
    const { components } = JSON.parse(text) as { components: { schemas: { Folder: object } } };

    expect(components.schemas.Folder).not.toHaveProperty('additionalProperties');
  });

  it('is 404 for an unknown name', async () => {
    expect((await user.get('/api/docs/none.json')).status).toBe(404);
  });
});

describe('the files of the viewer', () => {
  it.each([
    ['swagger-ui-bundle.js', 'text/javascript'],
    ['swagger-ui.css', 'text/css'],
    ['viewer.js', 'text/javascript'],
    ['viewer.css', 'text/css'],
  ])('%s', async (file, type) => {
    const { status, headers } = await user.get(`/api/docs/viewer/${file}`);

    expect([status, headers['content-type']]).toEqual([200, `${type}; charset=utf-8`]);
  });

  it.each(['index.html', 'package.json', '..%2Fpackage.json', 'swagger-ui-bundle.js.map'])(
    '%s is none of them',
    async (file) => {
      expect((await user.get(`/api/docs/viewer/${file}`)).status).toBe(404);
    },
  );
});

describe('GATEFOLD_API_DOCS=off', () => {
  it('serves neither documents nor their viewer', async () => {
    const off = await startApp({ GATEFOLD_API_DOCS: 'off' });
    const bob = await off.signInOnce('bob');
    const browserOfBob = new Browser(off.url);
    await browserOfBob.login(bob.credentials);

    const statuses = [
      (await browserOfBob.get('/api/docs')).status,
      (await browserOfBob.get('/api/docs/fever')).status,
      (await bob.get('/api/docs/fever.json')).status,
      (await bob.get('/api/docs/viewer/viewer.js')).status,
    ];
    await off.stop();

    expect(statuses).toEqual([404, 404, 404, 404]);
  });
});

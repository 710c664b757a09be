import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, basic } from '../support/api-client.js';
import { LEVELS, NewsClient } from '../support/news-client.js';
import { ADMIN, startApp, type TestApp } from '../support/start-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe.each(LEVELS)('%s access', (level) => {
  const withHeader = (authorization?: string) =>
    new NewsClient(app.asStranger(), level).call('GET', '/folders', {
      headers: authorization === undefined ? {} : { authorization },
    });

  it('[N1] refuses every route without credentials, with 401, a challenge and a message', async () => {
    const stranger = new NewsClient(app.asStranger(), level);
    for (const [method, path] of [
      ['GET', '/folders'],
      ['POST', '/folders'],
      ['GET', '/feeds'],
      ['GET', '/items'],
      ['GET', '/items/updated'],
      ['PUT', '/items/read/multiple'],
      ['GET', '/status'],
      ['GET', '/version'],
      ['GET', '/user'],
      ['GET', '/feeds/all'],
      ['GET', '/cleanup/before-update'],
    ] as const) {
      const answer = await stranger.call(method, path);

      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.json).toEqual({ message: expect.any(String) });
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  it.each([
    ['a wrong password', basic({ ...ADMIN, password: 'wrong' })],
    ['an unknown user', basic({ userId: 'nobody', password: ADMIN.password })],
    ['malformed base64', 'Basic ***'],
    ['base64 without a colon', `Basic ${Buffer.from('admin').toString('base64')}`],
    ['another scheme', 'Bearer abcdef'],
  ])('[N2] refuses %s in the same way as no credentials', async (_case, authorization) => {
    const answer = await withHeader(authorization);

    expect(answer.status).toBe(401);
    expect(answer.json).toEqual((await withHeader()).json);
  });

  it('[N3] accepts correct credentials, with colons and non-ASCII characters in the password', async () => {
    expect((await withHeader(basic(ADMIN))).status).toBe(200);

    const userId = `zoe-${level}`;
    const password = 'a:b:ç€ 🗝 ü';
    await app.addUser(userId, password);

    expect((await withHeader(basic({ userId, password }))).status).toBe(200);
  });

  it('[N4] allows the calling origin in a 401, so that a browser can read it', async () => {
    const answer = await new NewsClient(app.asStranger(), level).call('GET', '/feeds', {
      headers: { origin: 'https://reader.example' },
    });

    expect(answer.status).toBe(401);
    expect(answer.headers['access-control-allow-origin']).toBe('https://reader.example');
  });

  it('[N5] sets no cookie, and does not accept a cookie as credentials', async () => {
    const welcomed = await withHeader(basic(ADMIN));
    expect(welcomed.headers['set-cookie']).toBeUndefined();

    const answer = await new NewsClient(app.asStranger(), level).call('GET', '/feeds', {
      headers: { cookie: 'JSESSIONID=x; nc_session_id=y' },
    });
    expect(answer.status).toBe(401);
  });

  it.each([
    ['N6', '/cleanup/before-update'],
    ['N7', '/feeds/all'],
    ['N8', '/feeds/update?userId=ordinary&feedId=1'],
    ['N9', '/cleanup/after-update'],
  ])('[%s] answers %s with 403 to users who are not administrators', async (_statement, path) => {
    const user = new NewsClient(await app.signInOnce('ordinary'), level);

    const answer = await user.get(path);

    expect(answer.status).toBe(403);
    expect(answer.json).toEqual({ message: expect.any(String) });
  });

  it('[N10] [N12] answers a preflight on any route without credentials', async () => {
    const stranger = new NewsClient(app.asStranger(), level);
    for (const path of ['/folders', '/items/1/read', '/nonsense/at/all']) {
      const answer = await stranger.call('OPTIONS', path);

      expect(answer.status).toBe(200);
      expect(answer.text).toBe('');
      expect(answer.headers['access-control-allow-methods']?.split(', ')).toEqual(
        expect.arrayContaining(['PUT', 'POST', 'GET', 'DELETE']),
      );
      expect(answer.headers['access-control-allow-headers']?.split(', ')).toEqual(
        expect.arrayContaining(['Authorization', 'Content-Type', 'Accept']),
      );
      expect(answer.headers['access-control-max-age']).toBe('1728000');
      expect(answer.headers['access-control-allow-credentials']).not.toBe('true');
    }
  });

  it('[N11] allows the calling origin, or any without an Origin header', async () => {
    const stranger = new NewsClient(app.asStranger(), level);

    const named = await stranger.call('OPTIONS', '/feeds', {
      headers: { origin: 'https://x.example' },
    });
    const unnamed = await stranger.call('OPTIONS', '/feeds');

    expect(named.headers['access-control-allow-origin']).toBe('https://x.example');
    expect(unnamed.headers['access-control-allow-origin']).toBe('*');
  });

  it('[N13] echoes the origin in successes and errors', async () => {
    const user = new NewsClient(await app.signInOnce('ordinary'), level);
    const headers = { origin: 'https://x.example' };
    const name = `cors ${level}`;
    const answers = [
      await user.call('POST', '/folders', { json: { name }, headers }),
      await user.call('POST', '/folders', { json: { name }, headers }),
      await user.call('POST', '/folders', { json: { name: '' }, headers }),
      await user.call('DELETE', '/folders/999999', { headers }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 409, 422, 404]);
    for (const answer of answers) {
      expect(answer.headers['access-control-allow-origin']).toBe('https://x.example');
    }
  });

  it('[N16] answers an unknown route with 404 and a message', async () => {
    const user = new NewsClient(await app.signInOnce('ordinary'), level);

    const answer = await user.get('/nonsense');

    expect(answer.status).toBe(404);
    expect(answer.json).toEqual({ message: expect.any(String) });
  });

  it('[N21] answers malformed JSON with 400, and [N22] a missing parameter with 422', async () => {
    const user = new NewsClient(await app.signInOnce('ordinary'), level);

    const malformed = await user.call('POST', '/folders', {
      body: '{"name": ',
      headers: { 'content-type': 'application/json' },
    });
    const missing = [
      await user.post('/folders', {}),
      await user.post('/feeds', {}),
      await user.change('/items/read', {}),
      await user.change('/items/read/multiple', {}),
      await user.change('/items/star/multiple', {}),
    ];

    expect(malformed.status).toBe(400);
    expect(malformed.json).toEqual({ message: expect.any(String) });
    for (const answer of missing) {
      expect(answer.status).toBe(422);
      expect(answer.json).toEqual({ message: expect.any(String) });
    }
  });
});

describe('the addresses of the API', () => {
  const status = async (path: string, baseUrl = app.url) =>
    (await new ApiClient(baseUrl, ADMIN).get(path)).status;

  it('work with and without /index.php, and with doubled slashes', async () => {
    expect(await status('/index.php/apps/news/api/v1-3/folders')).toBe(200);
    expect(await status('/apps/news/api/v1-3/folders')).toBe(200);
    expect(await status('//index.php/apps//news/api/v1-2/folders')).toBe(200);
  });

  it('[N16] has no level v1-4', async () => {
    expect(await status('/index.php/apps/news/api/v1-4/folders')).toBe(404);
  });

  it('[N109] list the levels without credentials', async () => {
    const answer = await app.asStranger().get('/index.php/apps/news/api');

    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ apiLevels: ['v1-2', 'v1-3'] });
  });

  it('include the path prefix of the public address', async () => {
    const prefixed = await startApp({ GATEFOLD_BASE_URL: 'https://cloud.example/next/' });
    try {
      expect(await status('/next/index.php/apps/news/api/v1-2/folders', prefixed.url)).toBe(200);
      expect(await status('/index.php/apps/news/api/v1-2/folders', prefixed.url)).toBe(200);
    } finally {
      await prefixed.stop();
    }
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { request, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { basic } from '../support/api-client.js';
import { Browser } from '../support/browser.js';
import { rss } from '../support/feed-server.js';
import { NewsClient } from '../support/news-client.js';
import { responseTo } from '../support/response-to.js';
import { sharedService } from '../support/shared-service.js';
import { type TestUser } from '../support/start-app.js';

const API = '/index.php/apps/news/api/v1-3';

const { app, publisher } = await sharedService();
let user: TestUser;

beforeAll(async () => {
  user = await app.signIn();
  const items = Array.from({ length: 50 }, (_, n) => ({
    title: `Item ${n}`,
    body: '<p>Something that is said in every item.</p>',
  }));
  publisher.publish('/feed.xml', rss({ title: 'Feed', link: publisher.url('/'), items }));
  await new NewsClient(user, 'v1-3').subscribe(publisher.url('/feed.xml'));
});

async function ask(
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ headers: IncomingMessage['headers']; body: Buffer }> {
  const response = await responseTo(request(app.url + path, { headers, agent: false }).end());
  const body = Buffer.concat((await response.toArray()) as Buffer[]);
  return { headers: response.headers, body };
}

const asUser = (encoding: string) => ({
  authorization: basic(user.credentials),
  'accept-encoding': encoding,
});

describe('a response of the feed reader API', () => {
  it.each(['/items', '/items/updated'])(
    '%s is compressed for a client that accepts it, with the same content',
    async (path) => {
      const plain = await ask(API + path, asUser('identity'));
      const gzip = await ask(API + path, asUser('gzip'));
      const brotli = await ask(API + path, asUser('gzip, deflate, br'));

      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(gzip.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(gzip.body)).toEqual(plain.body);
      expect(brotli.headers['content-encoding']).toBe('br');
      expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
      expect(gzip.body.length).toBeLessThan(plain.body.length / 4);
      expect(gzip.headers.vary).toContain('Accept-Encoding');
    },
  );

  it('is not compressed if it is small', async () => {
    const { headers } = await ask(`${API}/version`, asUser('gzip'));

    expect(headers['content-encoding']).toBeUndefined();
  });

  it('is not compressed for a client that does not accept it', async () => {
    const { headers } = await ask(`${API}/items`, { authorization: basic(user.credentials) });

    expect(headers['content-encoding']).toBeUndefined();
  });

  it('varies by Accept-Encoding and Origin', async () => {
    const answer = await ask(`${API}/items`, { ...asUser('gzip'), origin: 'https://x.example' });

    expect(answer.headers.vary?.split(', ').toSorted()).toEqual(['Accept-Encoding', 'Origin']);
  });
});

describe('a response that contains a secret', () => {
  it('is not compressed: pages, their request token, and responses of the host', async () => {
    const browser = new Browser(app.url);
    await browser.login(user.credentials);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

    for (const path of ['/', '/csrftoken', '/ocs/v2.php/core/apppasswords?format=json']) {
      const answer = await ask(path, { cookie, 'accept-encoding': 'gzip, br' });

      expect([path, answer.headers['content-encoding']]).toEqual([path, undefined]);
    }
  });
});

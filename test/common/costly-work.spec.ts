import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { RegistrationsRepository } from '../../src/app-api/capabilities/registrations.repository.js';
import { Shares } from '../../src/common/http/shares.js';
import { basic, type Answer } from '../support/api-client.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { itLong } from '../support/long.js';
import { NewsClient } from '../support/news-client.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { within } from '../support/until.js';

const OPML = '<opml version="2.0"><body></body></opml>';
const NEWS = '/index.php/apps/news/api/v1-3';

let app: TestApp;
let unlimited: TestApp;
let publisher: FeedServer;
let writer: ExternalApp;
beforeAll(async () => {
  [app, unlimited, publisher] = await Promise.all([
    startApp({ GATEFOLD_RATE_LIMITS: 'on' }),
    startApp(),
    startFeedServer(),
  ]);
  writer = await startExternalApp(app, { appId: 'writer' });
  await knowApp(app, writer);
  await app.inside(RegistrationsRepository).save('writer', 'text_processing', 'it', {
    name: 'it',
    displayName: 'It',
    actionHandler: 'work',
    taskType: 'summary',
  });
});
afterAll(() => Promise.all([app.stop(), unlimited.stop(), publisher.close(), writer.close()]));

/** A request with an unfinished body. */
interface Sending {
  readonly answer: Promise<Pick<Answer, 'status' | 'headers' | 'text'>>;
  finish(): void;
}

function send(
  { baseUrl, credentials }: TestUser,
  method: string,
  path: string,
  [beginning, end]: readonly [string, string],
  headers: Readonly<Record<string, string>> = {},
): Sending {
  const request = http.request(baseUrl + path, {
    method,
    agent: false,
    headers: { authorization: basic(credentials), ...headers },
  });
  request.write(beginning);
  // A rejected request gets its connection closed while sending.
  request.on('error', () => {});
  const answer = new Promise<http.IncomingMessage>((resolve) => request.once('response', resolve));
  return {
    answer: answer.then(async (response) => ({
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: await text(response),
    })),
    finish: () => void request.end(end),
  };
}

/** The first answer, which is that of a refused request. */
const firstOf = <Value>(answers: readonly Promise<Value>[]) =>
  within('a refusal', Promise.race(answers));

const aFew = <Thing>(count: number, make: (n: number) => Thing): Thing[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** Starts that many requests, and returns the rejected one. */
async function oneTooMany(sendings: readonly Sending[]) {
  const refused = await firstOf(sendings.map(({ answer }) => answer));
  sendings.forEach(({ finish }) => finish());
  const statuses = await Promise.all(sendings.map(async ({ answer }) => (await answer).status));
  return { refused, others: statuses.sort().slice(0, -1) };
}

describe('concurrent expensive requests of one user', () => {
  const upload = (user: TestUser, n: number) =>
    send(user, 'PUT', `/remote.php/webdav/${n}.txt`, ['a', 'b']);

  it('are limited to 32 uploads of files or chunks; the next gets Retry-After, other users are not affected', async () => {
    const [ada, bob] = [await app.signIn(), await app.signIn()];
    const pieces = `/remote.php/dav/uploads/${ada.credentials.userId}/large`;
    expect((await ada.call('MKCOL', pieces)).status).toBe(201);
    const sendings = [
      ...aFew(17, (n) => upload(ada, n)),
      ...aFew(16, (n) => send(ada, 'PUT', `${pieces}/${n}`, ['a', 'b'])),
    ];
    await firstOf(sendings.map(({ answer }) => answer));
    const bobs = upload(bob, 0);
    bobs.finish();
    expect((await bobs.answer).status).toBe(201);

    const { refused, others } = await oneTooMany(sendings);

    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
    expect(refused.text).toContain('You already have 32 uploads in progress');
    expect(others).toEqual(aFew(32, () => 201));
    const again = upload(ada, 33);
    again.finish();
    expect((await again.answer).status).toBe(201);
  });

  it('are limited to 2 imports, before the files are read', async () => {
    const ada = await app.signIn();
    const form = `--x\r\ncontent-disposition: form-data; name="file"; filename="a.opml"\r\n\r\n`;
    const half = OPML.length / 2;
    const raw = [OPML.slice(0, half), OPML.slice(half)] as const;
    const sendings = [
      send(ada, 'POST', `${NEWS}/opml/import`, raw),
      send(ada, 'POST', `${NEWS}/opml/import`, [form, `${OPML}\r\n--x--\r\n`], {
        'content-type': 'multipart/form-data; boundary=x',
      }),
      send(ada, 'POST', '/index.php/apps/news/import/opml', [form, `${OPML}\r\n--x--\r\n`], {
        'content-type': 'multipart/form-data; boundary=x',
      }),
    ];

    const { refused, others } = await oneTooMany(sendings);

    expect(refused.status).toBe(429);
    expect(refused.text).toContain('You already have 2 imports in progress');
    expect(others).toEqual([200, 200]);
  });

  it.each([
    ['PROPFIND', '/remote.php/webdav/', ''],
    [
      'SEARCH',
      '/remote.php/dav/',
      '<d:searchrequest xmlns:d="DAV:"><d:basicsearch><d:select><d:prop><d:getetag/></d:prop></d:select>' +
        '<d:from><d:scope><d:href>/files/USER</d:href></d:scope></d:from></d:basicsearch></d:searchrequest>',
    ],
  ])('are limited to 10 lists of files: %s', async (method, path, body) => {
    const ada = await app.signIn();
    const { userId } = ada.credentials;
    const list = () => ada.call(method, path, { body: body.replace('USER', userId) });
    const taken = aFew(10, () => app.inside(Shares).take('lists of files', userId));

    expect((await list()).status).toBe(429);

    taken.pop()?.();
    expect([(await list()).status, (await list()).status]).toEqual([207, 207]);
    taken.forEach((end) => end());
  });

  it('are limited to 4 previews', async () => {
    const ada = await app.signIn();
    const release = publisher.hang('/silent');
    const body = JSON.stringify({ url: publisher.url('/silent') });
    const previews = aFew(5, () =>
      send(ada, 'POST', `${NEWS}/feeds/preview`, [body, ''], {
        'content-type': 'application/json',
      }),
    );
    previews.forEach(({ finish }) => finish());

    const refused = await firstOf(previews.map(({ answer }) => answer));

    release();
    expect(refused.status).toBe(429);
    const statuses = await Promise.all(previews.map(async ({ answer }) => (await answer).status));
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  it('are limited as before when some of them have ended', async () => {
    const ada = await app.signIn();
    const preview = (path: string) =>
      ada.post(`${NEWS}/feeds/preview`, { url: publisher.url(path) });
    const begin = async (path: string) => {
      const end = publisher.hang(path);
      const answer = preview(path);
      await Promise.race([publisher.whenAsked(path), answer]);
      return { end, answer };
    };
    publisher.publish('/quick', rss({ title: 'Quick', items: [] }));

    const [first, second, ...others] = await Promise.all(aFew(4, (n) => begin(`/slow/${n}`)));
    for (const ended of [first, second]) {
      ended?.end();
      await ended?.answer;
    }
    others.push(...(await Promise.all(aFew(2, (n) => begin(`/slower/${n}`)))));
    const fifth = await preview('/quick');
    others.forEach(({ end }) => end());
    await Promise.all(others.map(({ answer }) => answer));

    expect(fifth.status).toBe(429);
    expect((await preview('/quick')).status).toBe(200);
  });

  itLong('are limited to 20 requests for assistance, even for the same article', async () => {
    const ada = await app.signIn();
    const item = { title: 'tide', body: '<p>low at nine</p>' };
    publisher.publish('/feed', rss({ title: 'Tides', link: publisher.url('/'), items: [item] }));
    const news = new NewsClient(ada, 'v1-3');
    await news.subscribe(publisher.url('/feed'));
    const [tide] = await news.items();
    writer.on('/work', json({}));

    const asked = aFew(21, () => ada.post(`${NEWS}/items/${tide?.id}/summary`));
    const refused = await firstOf(asked);
    const { body } = await writer.received('/work');
    const { task_id: taskId } = JSON.parse(body.toString()) as { task_id: number };
    await writer.as().ocs('PUT', '/api/v1/ai_provider/text_processing', {
      json: { taskId, result: 'low', error: '' },
    });

    expect(refused.status).toBe(429);
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...aFew(20, () => 200), 429]);
  });

  itLong('are not limited with GATEFOLD_RATE_LIMITS=off', async () => {
    const ada = await unlimited.signIn();
    const sendings = aFew(40, (n) => upload(ada, n));

    sendings.forEach(({ finish }) => finish());

    const statuses = await Promise.all(sendings.map(async ({ answer }) => (await answer).status));
    expect(statuses).toEqual(aFew(40, () => 201));
  });
});

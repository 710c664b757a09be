import { afterAll, expect, it } from '@jest/globals';
import { ExAppClient } from '../../src/app-api/apps/client/ex-app-client.service.js';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import type { AddressReport } from '../../src/news/doctor/address-doctor.service.js';
import { startForwardProxy } from '../support/a-forward-proxy.js';
import { knowApp, startExternalApp } from '../support/external-app.js';
import { rss, startFeedServer } from '../support/feed-server.js';
import { NewsClient, ok } from '../support/news-client.js';
import { startApp } from '../support/start-app.js';

/** A service that reaches publishers by an outgoing proxy only. */

const publisher = await startFeedServer();
const proxy = await startForwardProxy(publisher.port, { login: 'ada:secret-word' });
const app = await startApp({
  GATEFOLD_FETCH_ALLOW_PRIVATE: '',
  GATEFOLD_OUTGOING_PROXY: proxy.url.replace('://', '://ada:secret-word@'),
});
afterAll(async () => {
  await app.stop();
  await proxy.close();
  await publisher.close();
});

const admin = new NewsClient(app.asAdmin(), 'v1-3');
const linesFor = (host: string) =>
  proxy.requests.map(({ line }) => line).filter((line) => line.includes(host));

it('A feed comes by the outgoing proxy, and its error names the proxy without the credentials', async () => {
  const user = await app.signIn();
  const news = new NewsClient(user, 'v1-3');
  publisher.publish('/a.xml', rss({ title: 'By proxy', items: [{ title: 'one' }] }));

  const feed = await news.subscribe('http://feeds.invalid/a.xml');
  proxy.refusal = 502;
  await admin.update(user.credentials.userId, feed.id);
  proxy.refusal = null;
  const listed = await news.feed(feed.id);

  expect(linesFor('feeds.invalid')).toContain('GET http://feeds.invalid/a.xml');
  expect(listed).toMatchObject({
    title: 'By proxy',
    lastUpdateError: `The server at feeds.invalid (GATEFOLD_OUTGOING_PROXY ${proxy.host}) answered with status 502.`,
  });
});

it('A feed of the private network is refused before the outgoing proxy learns of it', async () => {
  const news = new NewsClient(await app.signIn(), 'v1-3');

  const answer = await news.post('/feeds', { url: 'http://10.20.30.40/a.xml', folderId: null });

  expect(answer.status).toBe(422);
  expect(linesFor('10.20.30.40')).toEqual([]);
});

it('The feed doctor goes on when only the outgoing proxy can resolve a name', async () => {
  publisher.publish('/b.xml', rss({ title: 'Known there', items: [] }));

  const { steps } = await ok<AddressReport>(
    admin.get('/doctor', { url: 'http://known-there.invalid/b.xml' }),
  );

  expect(steps.map(({ step, ok: isOk }) => [step, isOk])).toEqual([
    ['address', true],
    ['name', true],
    ['answer', true],
    ['document', true],
    ['decision', true],
  ]);
});

it('External apps are called without the outgoing proxy', async () => {
  const external = await startExternalApp(app, { appId: 'beside' });
  external.on('/hello', (_request, response) => void response.end('{}'));
  await knowApp(app, external);
  const known = await app.inside(ExAppsRepository).find('beside');
  const request = { method: 'GET', route: '/hello' } as const;

  const answer = known && (await app.inside(ExAppClient).send(known, request));

  expect(answer?.status).toBe(200);

  expect(external.requests('/hello')).toHaveLength(1);
  expect(linesFor(new URL(external.baseUrl).host)).toEqual([]);
  await external.close();
});

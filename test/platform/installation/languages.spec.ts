import { beforeEach, describe, expect, it } from '@jest/globals';
import { DavClient, readDavError } from '../../support/dav-client.js';
import { rss } from '../../support/feed-server.js';
import { NewsClient, ok } from '../../support/news-client.js';
import { sharedService } from '../../support/shared-service.js';
import { type TestUser } from '../../support/start-app.js';

const { app, publisher } = await sharedService();
let user: TestUser;
let news: NewsClient;
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
});

const FRENCH = { 'accept-language': 'fr-CH, fr;q=0.9, en;q=0.8' };

describe('an error', () => {
  it.each([
    [undefined, 'A folder named "News" already exists.'],
    ['*', 'A folder named "News" already exists.'],
    ['sv', 'A folder named "News" already exists.'],
    ['en-GB, de;q=0.9', 'A folder named "News" already exists.'],
    ['sv, uk;q=0.5, en;q=0.3', 'Папка «News» уже є.'],
    ['pt-BR', 'Já existe uma pasta chamada “News”.'],
    ['zh-TW', '已有名为“News”的文件夹。'],
  ])('for "%s" says: %s', async (language, message) => {
    await news.createFolder('News');

    const answer = await news.call('POST', '/folders', {
      json: { name: 'News' },
      headers: language === undefined ? {} : { 'accept-language': language },
    });

    expect(answer).toMatchObject({ status: 409, json: { message } });
  });

  it('is in the language of the client in the other envelopes, too', async () => {
    const dav = await new DavClient(user).call('GET', '/none.txt', { headers: FRENCH });
    const ocs = await user.call('GET', '/ocs/v2.php/apps/notifications/api/v2/notifications/77', {
      query: { format: 'json' },
      headers: { 'ocs-apirequest': 'true', ...FRENCH },
    });

    const twice = await app.asAdmin().call('POST', '/ocs/v2.php/cloud/users', {
      json: { userid: user.credentials.userId, password: 'long and hard to guess' },
      query: { format: 'json' },
      headers: { 'ocs-apirequest': 'true', ...FRENCH },
    });

    expect(twice.json).toMatchObject({
      ocs: {
        meta: { message: `Il y a déjà un utilisateur «\u00a0${user.credentials.userId}\u00a0».` },
      },
    });
    expect(readDavError(dav).message).toContain('Il n’y a ni fichier ni dossier');
    expect(ocs.json).toMatchObject({
      ocs: { meta: { message: 'Il n’y a pas de notification 77.' } },
    });
  });

  it('that clients compare stays as it is', async () => {
    const { json } = await new NewsClient({ baseUrl: app.url }, 'v1-3').call('GET', '/feeds', {
      headers: FRENCH,
    });

    expect(json).toEqual({ message: 'CORS requires basic auth' });
  });
});

it('why a feed failed is stored in English and shown in the language of the client', async () => {
  publisher.publish('/failing.xml', rss({ title: 'Feed', link: publisher.url('/'), items: [] }));
  const { id } = await news.subscribe(publisher.url('/failing.xml'));
  publisher.fail('/failing.xml', 404);
  await new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, id);

  const reason = async (headers: Readonly<Record<string, string>>) =>
    (
      await ok<{ feeds: { lastUpdateError: string }[] }>(news.call('GET', '/feeds', { headers }))
    ).feeds.map((feed) => feed.lastUpdateError);
  const { host } = new URL(publisher.url('/'));
  const status = await news.call('GET', `/feeds/${id}/status`, { headers: FRENCH });

  expect(await reason({})).toEqual([
    `The server at ${host} has nothing at this address (status 404).`,
  ]);
  expect(await reason(FRENCH)).toEqual([`Le serveur ${host} n’a rien à cette adresse (code 404).`]);
  expect(status.text).toContain(`Le serveur ${host} n’a rien à cette adresse (code 404).`);
});

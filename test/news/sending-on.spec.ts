import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { NoticesRepository } from '../../src/news/reader/notices/notices.repository.js';
import { rss } from '../support/feed-server.js';
import { NewsClient, ok, type ItemJson } from '../support/news-client.js';
import { startNoticeReceiver } from '../support/notice-receiver.js';
import { readerOf } from '../support/reader-of.js';
import { sharedService } from '../support/shared-service.js';
import type { TestUser } from '../support/start-app.js';
import { found } from '../support/until.js';

const { app, publisher } = await sharedService();
const server = await startNoticeReceiver();
afterAll(() => server.close());

interface ChannelJson {
  readonly id: number;
  readonly target: string;
}

let user: TestUser;
let news: NewsClient;
let items: readonly ItemJson[];
let known: number;
let specs = 0;

beforeEach(async () => {
  const path = `/sent-on-${(specs += 1)}.xml`;
  const articles = ['two', 'one'].map((title) => ({ title, link: publisher.url(`/${title}`) }));
  publisher.publish(path, rss({ title: 'Paper', link: publisher.url('/'), items: articles }));
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  await news.subscribe(publisher.url(path));
  items = await news.items({ oldestFirst: true });
  server.answers.length = 0;
  server.usual = 200;
  known = server.received.length;
});

const first = () => items[0] as ItemJson;
const add = async (form: string, given: object = {}) => {
  const channel = { kind: 'webhook', form, address: server.url('/base'), secret: 'S', ...given };
  return (await ok<{ channels: [ChannelJson] }>(news.post('/channels', channel))).channels[0];
};
const send = (channelId: number, itemId = first().id, of = news) =>
  of.post(`/items/${itemId}/send`, { channelId });
const settled = () =>
  found('the end of what waits', async () => {
    const { notices } = await ok<{ notices: { state: string; reason: string | null }[] }>(
      news.get('/notices'),
    );
    return notices.some(({ state }) => state === 'waiting') ? null : notices;
  });

describe('a service that keeps pages', () => {
  const link = () => publisher.url('/one');
  const bearer = 'Bearer S';

  it.each([
    [
      'karakeep',
      '/base/api/v1/bookmarks',
      bearer,
      () => ({ type: 'link', url: link(), title: 'one' }),
    ],
    ['linkwarden', '/base/api/v1/links', bearer, () => ({ url: link(), name: 'one' })],
    ['readwise', '/base', 'Token S', () => ({ url: link(), title: 'one' })],
    ['raindrop', '/base', bearer, () => ({ link: link(), title: 'one' })],
    ['readeck', '/base/api/bookmarks/', bearer, () => ({ url: link(), title: 'one' })],
    ['linkding', '/base/api/bookmarks/', 'Token S', () => ({ url: link(), title: 'one' })],
  ])('gets an article as %s wants it', async (form, path, authorization, json) => {
    const { id } = await add(form);

    await ok(send(id));

    const request = await server.next(known);
    expect(request).toMatchObject({ path, headers: { authorization }, json: json() });
    expect(await settled()).toMatchObject([{ state: 'sent', reason: null }]);
  });

  it('gets an article as Instapaper wants it', async () => {
    const { id } = await add('instapaper', { recipient: 'ada@example.org' });

    await ok(send(id));

    const { headers, body } = await server.next(known);
    expect(headers.authorization).toBe(`Basic ${btoa('ada@example.org:S')}`);
    expect(Object.fromEntries(new URLSearchParams(body.toString()))).toEqual({
      url: link(),
      title: 'one',
    });
  });

  it('gets a token of this moment as Shaarli wants it', async () => {
    const { id } = await add('shaarli');

    await ok(send(id));

    const { path, headers } = await server.next(known);
    const [head = '', claims = '', mac = ''] = (headers.authorization ?? '').slice(7).split('.');
    expect(path).toBe('/base/api/v1/links');
    expect(mac).toBe(createHmac('sha512', 'S').update(`${head}.${claims}`).digest('base64url'));
    const { iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number };
    expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(60);
  });

  it('gets the token that wallabag gives for a user name and a password', async () => {
    const asked: { path: string; authorization: string | undefined; json: unknown }[] = [];
    const wallabag = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        const { url: path = '', headers } = request;
        asked.push({ path, authorization: headers.authorization, json: JSON.parse(body) });
        response.end(path.includes('token') ? '{"access_token":"T"}' : '{}');
      });
    });
    await new Promise<void>((resolve) => wallabag.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(wallabag.address() as AddressInfo).port}`;
    const who = { recipient: 'ada', clientId: '1_a', clientSecret: 'b' };
    const { id } = await add('wallabag', { address, ...who });

    await ok(send(id));

    expect(await settled()).toMatchObject([{ state: 'sent' }]);
    expect(asked).toEqual([
      {
        path: '/oauth/v2/token',
        authorization: undefined,
        json: {
          grant_type: 'password',
          client_id: '1_a',
          client_secret: 'b',
          username: 'ada',
          password: 'S',
        },
      },
      {
        path: '/api/entries.json',
        authorization: 'Bearer T',
        json: { url: link(), title: 'one' },
      },
    ]);
    await new Promise((resolve) => wallabag.close(resolve));
  });

  it('that answers a log-in without a token is asked again later', async () => {
    const who = { recipient: 'ada', clientId: '1_a', clientSecret: 'b' };
    const { id } = await add('wallabag', who);
    const { sent, message } = await ok<{ sent: boolean; message: string }>(
      news.post(`/channels/${id}/test`),
    );

    expect(sent).toBe(false);
    expect(message).toMatch(/^The server at .* answered without a token\.$/);
  });

  it.each([
    ['karakeep', { secret: '' }, 'needs a token or a password as its secret'],
    ['instapaper', {}, 'needs a user name as its recipient'],
    ['wallabag', { recipient: 'ada' }, 'needs a client id'],
    ['linkding', { address: 'ftp://example.org' }, 'begins with http:// or https://'],
    ['linkding', { address: 'http://10.0.0.1/' }, '10.0.0.1'],
  ])('is refused as a channel without what %s needs: %j', async (form, given, said) => {
    const answer = await news.post('/channels', {
      kind: 'webhook',
      form,
      address: server.url('/'),
      secret: 'S',
      ...given,
    });

    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text).toContain(said);
  });

  it('is asked by its trial, and one of many users needs no address', async () => {
    const { id } = await add('readeck');
    const { target } = await add('raindrop', { address: '' });

    expect(await ok(news.post(`/channels/${id}/test`))).toMatchObject({ sent: true });

    expect((await server.next(known)).json).toMatchObject({ url: `${app.url}/apps/news` });
    expect(target).toBe('api.raindrop.io');
  });

  it('that has the page already has it', async () => {
    server.usual = 409;
    const { id } = await add('shaarli');

    await ok(send(id));

    expect(await settled()).toMatchObject([{ state: 'sent' }]);
  });

  it('tells nothing: a rule without a channel does not reach it, one that names it does', async () => {
    const { id } = await add('linkding');
    const { id: ntfy } = await add('ntfy', { address: server.url('/topic'), secret: '' });
    const channels = await readerChannels([null, [id]]);

    expect(channels).toEqual([[ntfy], [id]]);
  });
});

/** The channels by which notices with these choices would be sent. */
async function readerChannels(choices: readonly (readonly number[] | null)[]) {
  const reader = await readerOf(app, user.credentials.userId);
  return app.inside(ReadersRepository).change(reader, async (tx, locked) => {
    const all: number[][] = [];
    for (const [n, channelIds] of choices.entries()) {
      const notice = { ruleId: n + 1, ruleName: 'A', itemId: first().id, urgent: false };
      const whole = [{ ...notice, channelIds, digestAt: null }];
      const jobs = await app.inside(NoticesRepository).put(locked, whole, tx);
      all.push(jobs.map(({ channelId }) => channelId));
    }
    return all;
  });
}

describe('an article that is sent on', () => {
  it('may have been read, and is sent again at each request', async () => {
    const { id } = await add('linkding');
    await ok(news.post(`/items/${first().id}/read`));

    await ok(send(id));
    await server.next(known);
    await settled();
    await ok(send(id));

    expect((await server.next(known + 1)).json).toMatchObject({ title: 'one' });
    expect(await settled()).toHaveLength(1);
  });

  it('goes by channels that tell, too, also in quiet hours', async () => {
    const { id } = await add('ntfy', { address: server.url('/topic'), secret: '' });
    const quiet = { from: '00:00', to: '23:59', days: [1, 2, 3, 4, 5, 6, 7] };
    const times = { timeZone: 'UTC', notWhileReading: true, mostPerRuleAndHour: 1 };
    await ok(news.put('/notices/settings', { quiet, ...times }));

    for (const { id: itemId } of items) {
      await ok(send(id, itemId));
    }

    const titles = [await server.next(known), await server.next(known + 1)].map(
      ({ json }) => json['title'],
    );
    expect(titles.toSorted()).toEqual(['one', 'two']);
  });

  it('is the own one, by an own channel, without a login by neither', async () => {
    const { id } = await add('linkding');
    const otherUser = await app.signIn();
    const other = new NewsClient(otherUser, 'v1-3');

    expect((await send(id, first().id, other)).status).toBe(404);
    expect((await send(id + 1000)).status).toBe(404);
    expect((await send(id, first().id + 1_000_000)).status).toBe(404);
    const stranger = await app
      .asStranger()
      .call('POST', `/apps/news/api/v1-3/items/${first().id}/send`, { json: { channelId: id } });
    expect(stranger.status).toBe(401);
    expect(server.received).toHaveLength(known);
  });

  it('is refused with a sentence while the channel is off, and for a private feed', async () => {
    const { id } = await add('linkding');
    await app.database.query(
      `update source set access = '\\x00' where id in
         (select source_id from subscription where id = $1)`,
      [first().feedId],
    );
    const isPrivate = await send(id);
    await ok(news.put(`/channels/${id}`, { enabled: false }));
    const isOff = await send(id);
    await app.database.query(
      `update source set access = null where id in
         (select source_id from subscription where id = $1)`,
      [first().feedId],
    );

    expect(isPrivate.text).toContain('the channel is not for such feeds');
    expect(isOff.text).toContain('The channel is off.');
    expect([isPrivate.status, isOff.status]).toEqual([422, 422]);
    expect(server.received).toHaveLength(known);
  });
});

import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import tls from 'node:tls';
import { Webhook } from 'standardwebhooks';
import { Clock } from '../../src/common/clock.js';
import { RestoreHooks } from '../../src/common/ports/hooks.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import {
  NoticesRepository,
  type NewNotice,
} from '../../src/news/reader/notices/notices.repository.js';
import { NoticesService } from '../../src/news/reader/notices/notices.service.js';
import { Webhooks } from '../../src/news/reader/notices/webhook.service.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { knowApp, startExternalApp } from '../support/external-app.js';
import { rss } from '../support/feed-server.js';
import { startMailServer } from '../support/mail-server.js';
import { NewsClient, ok, type FeedJson, type ItemJson } from '../support/news-client.js';
import { startNoticeReceiver, subscribeAt } from '../support/notice-receiver.js';
import { readerOf } from '../support/reader-of.js';
import { SELF_SIGNED } from '../support/self-signed.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { sharedService } from '../support/shared-service.js';
import type { TestUser } from '../support/start-app.js';
import { found, until } from '../support/until.js';

const mails = await startMailServer();
const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_SMTP_URL: mails.url,
  GATEFOLD_MAIL_FROM: 'Gatefold <gatefold@example.org>',
  GATEFOLD_LIMITS: 'notice-channels-per-user=5 notices-kept-per-user=6',
  GATEFOLD_NOTICE_FAILURE_DAYS: '2',
});
const server = await startNoticeReceiver();
const pushes = await startNoticeReceiver(true);
const trusted = tls.getCACertificates();
tls.setDefaultCACertificates([...trusted, SELF_SIGNED.cert]);
afterAll(async () => {
  tls.setDefaultCACertificates(trusted);
  await Promise.all([server.close(), pushes.close(), mails.stop()]);
});

interface ChannelJson {
  readonly id: number;
  readonly target: string;
  readonly enabled: boolean;
  readonly lastError: string | null;
}

interface NoticeJson {
  readonly id: number;
  readonly title: string;
  readonly state: string;
  readonly reason: string | null;
}

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const TITLES = ['eight', 'seven', 'six', 'five', 'four', 'three', 'two', 'one'];

let user: TestUser;
let news: NewsClient;
let stranger: NewsClient;
let feed: FeedJson;
let items: readonly ItemJson[];
let path: string;
let specs = 0;
/** Requests and mails of earlier specs. */
let known: { readonly server: number; readonly pushes: number };

const clock = app.inside(Clock);
const setClock = (time: string) => (clock.now = () => new Date(time));

beforeEach(async () => {
  path = `/notices-${(specs += 1)}.xml`;
  const articles = TITLES.map((title) => ({
    title,
    link: publisher.url(`/${title}`),
    body: `<p>The text of <b>${title}</b>.</p>`,
  }));
  publisher.publish(
    path,
    rss({ title: 'News of the tests', link: publisher.url('/'), items: articles }),
  );
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  stranger = new NewsClient(await app.signIn(), 'v1-3');
  feed = await news.subscribe(publisher.url(path));
  items = await news.items({ oldestFirst: true });
  known = { server: server.received.length, pushes: pushes.received.length };
});

afterEach(() => {
  Reflect.deleteProperty(clock, 'now');
  Object.assign(server, { usual: 200 });
  server.answers.length = 0;
  pushes.answers.length = 0;
});

const itemOf = (n: number) => items[n - 1] as ItemJson;
const told = (n = 0) => server.next(known.server + n);
const pushed = (n = 0) => pushes.next(known.pushes + n);

async function add(given: object = {}, of = news): Promise<ChannelJson> {
  const channel = { kind: 'webhook', form: 'ntfy', address: server.url('/topic'), ...given };
  const { channels } = await ok<{ channels: ChannelJson[] }>(of.post('/channels', channel));
  return channels[0] as ChannelJson;
}

const addStandard = () => add({ form: 'standard', address: server.url('/hook'), secret: SECRET });

async function channelOf(id: number): Promise<ChannelJson | undefined> {
  const { channels } = await ok<{ channels: ChannelJson[] }>(news.get('/channels'));
  return channels.find((channel) => channel.id === id);
}

async function inReader<Result>(
  work: (...given: Parameters<Parameters<ReadersRepository['change']>[1]>) => Promise<Result>,
  of = user,
): Promise<Result> {
  const reader = await readerOf(app, of.credentials.userId);
  return app.inside(ReadersRepository).change(reader, work);
}

async function put(notices: readonly Partial<NewNotice>[], of = user): Promise<void> {
  const usual = { ruleId: 7, ruleName: 'Cats', itemId: itemOf(1).id, urgent: false };
  const whole = notices.map((one) => ({ ...usual, channelIds: null, digestAt: null, ...one }));
  const jobs = await inReader(
    (tx, locked) => app.inside(NoticesRepository).put(locked, whole, tx),
    of,
  );
  app.inside(NoticesService).soon(jobs);
}

const listed = async (of = news) =>
  (await ok<{ notices: NoticeJson[] }>(of.get('/notices'))).notices;

/** The notices, newest first, once none waits to be sent. */
async function settled(): Promise<NoticeJson[]> {
  return found('the end of what waits', async () => {
    const notices = await listed();
    return notices.some(({ state }) => state === 'waiting') ? null : notices;
  });
}

const attempted = (n: number) =>
  until(`attempt ${n}`, async () => {
    const [row] = await app.database.query<{ attempts: number }>(
      `select max(attempts) as attempts from notice where reader_id = $1`,
      [(await readerOf(app, user.credentials.userId)).id],
    );
    return row?.attempts === n;
  });

async function pass(time: string): Promise<void> {
  setClock(time);
  await app.inside(NoticesRepository).sendDue();
}

const settings = (given: object = {}) =>
  ok(
    news.put('/notices/settings', {
      quiet: null,
      timeZone: 'Europe/Berlin',
      notWhileReading: false,
      mostPerRuleAndHour: 10,
      ...given,
    }),
  );

describe('a notice', () => {
  it('names article, feed and rule, and leads into the reader', async () => {
    await add();

    await put([{ urgent: true }]);

    const { path: to, json } = await told();
    expect(to).toBe('/');
    expect(json).toMatchObject({
      topic: 'topic',
      title: 'one',
      message: 'News of the tests\nThe text of one.\nRule: Cats',
      priority: 5,
      click: `${app.url}/apps/news/feeds/${feed.id}/items/${itemOf(1).id}`,
    });
    expect(await settled()).toEqual([
      {
        id: expect.any(Number),
        ruleId: 7,
        ruleName: 'Cats',
        itemId: itemOf(1).id,
        title: 'one',
        feedId: feed.id,
        feedTitle: 'News of the tests',
        at: expect.any(Number),
        state: 'sent',
        channel: new URL(server.url('/')).host,
        reason: null,
      },
    ]);
  });

  it('is sent once for a rule, an item and a channel', async () => {
    await add();

    await put([{}, { itemId: itemOf(2).id }]);
    await put([{}, { itemId: itemOf(3).id }]);

    const titles = [(await told()).json, (await told(1)).json, (await told(2)).json];
    expect(titles.map(({ title }) => title)).toEqual(['one', 'two', 'three']);
    expect(await settled()).toHaveLength(3);
  });

  it('has the same id when a process ends between sending and noting it', async () => {
    await addStandard();
    const notices = app.inside(NoticesRepository);
    const record = notices.record.bind(notices);
    notices.record = () => {
      notices.record = record;
      return Promise.reject(new Error('killed'));
    };

    await put([{}]);

    const [first, second] = [await told(), await told(1)];
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(await settled()).toMatchObject([{ state: 'sent' }]);
  });

  it('has the title that its recipient gave the feed', async () => {
    const otherUser = await app.signIn();
    const other = new NewsClient(otherUser, 'v1-3');
    const otherFeed = await other.subscribe(publisher.url(path));
    await ok(other.put(`/feeds/${otherFeed.id}/rename`, { feedTitle: 'Secret name' }));
    const [otherItem] = await other.items({ oldestFirst: true });
    await add({ address: server.url('/mine') });
    await add({ address: server.url('/theirs') }, other);

    await put([{}]);
    await put([{ itemId: otherItem?.id ?? 0 }], otherUser);

    const messages = [(await told()).json, (await told(1)).json];
    const byTopic = new Map(messages.map(({ topic, message }) => [topic, String(message)]));
    expect(byTopic.get('mine')).toContain('News of the tests');
    expect(byTopic.get('theirs')).toContain('Secret name');
  });

  it.each([
    ['read', 'The article was read meanwhile.', () => ok(news.post(`/items/${itemOf(1).id}/read`))],
    [
      'hidden',
      'The article was hidden meanwhile.',
      () =>
        app.database.query(
          'update item set filtered = true where id = $1 and subscription_id = $2',
          [itemOf(1).id, feed.id],
        ),
    ],
    ['removed', 'The article was removed meanwhile.', () => ok(news.delete(`/feeds/${feed.id}`))],
  ])('is not sent once its article is %s', async (_what, reason, change) => {
    await add();
    setClock('2026-03-12T12:00:00Z');
    await put([{ digestAt: '18:00', channelIds: [(await add()).id] }]);
    await change();

    await pass('2026-03-12T18:00:00Z');

    expect(await settled()).toMatchObject([{ state: 'dropped', reason }]);
    expect(server.received).toHaveLength(known.server);
  });

  it('is not sent once its rule or its channel is off', async () => {
    const { id } = await add();
    setClock('2026-03-12T12:00:00Z');
    await put([1, 2].map((ruleId) => ({ ruleId, digestAt: '18:00', channelIds: [id] })));
    await inReader((tx, locked) => app.inside(NoticesRepository).withdraw(locked.id, 1, tx));
    await ok(news.put(`/channels/${id}`, { enabled: false }));

    await pass('2026-03-12T18:00:00Z');

    expect(await settled()).toMatchObject([
      { state: 'dropped', reason: 'The channel is off.' },
      { state: 'dropped', reason: 'The rule was switched off.' },
    ]);
  });

  it('that waited in a backup is not sent after a restore', async () => {
    const { id } = await add();
    setClock('2026-03-12T12:00:00Z');
    await put([{ digestAt: '18:00', channelIds: [id] }]);

    await app.inside(RestoreHooks).run();

    expect(await settled()).toMatchObject([
      { state: 'dropped', reason: 'The service was restored from a backup.' },
    ]);
  });

  it('of a feed with a password is sent only by channels for such feeds', async () => {
    await app.database.query(
      'update source set access = $1 where id = (select source_id from subscription where id = $2)',
      [Buffer.from('sealed'), feed.id],
    );
    await add({ address: server.url('/all') });
    await add({ address: server.url('/private'), privateFeeds: true });

    await put([{}]);

    expect((await told()).json['topic']).toBe('private');
    expect((await settled()).map(({ state, reason }) => [state, reason])).toEqual([
      ['sent', null],
      ['dropped', 'The feed has a password, and the channel is not for such feeds.'],
    ]);
  });

  it('has buttons that mark its article, and nothing else, without a password', async () => {
    await add();
    await put([{}]);
    const { actions } = (await told()).json as { actions: { label: string; url: string }[] };
    const press = (url: string) => app.asStranger().post(new URL(url).pathname);
    const [read, star, original] = actions;

    expect(original).toMatchObject({ action: 'view', url: publisher.url('/one') });
    expect(await press(read?.url ?? '')).toMatchObject({ status: 200 });
    expect(await press(star?.url ?? '')).toMatchObject({ status: 200 });
    expect(await news.item('one')).toMatchObject({ unread: false, starred: true });
    expect((await news.items()).filter(({ unread }) => !unread)).toHaveLength(1);
    expect(await press((read?.url ?? '').replace('/read', 'x/read'))).toMatchObject({
      status: 404,
    });
    expect(await press(`${app.url}/apps/news/notices/1-1-x/read`)).toMatchObject({ status: 404 });
  });

  it('is among the newest ones that are kept', async () => {
    const { id } = await add();
    const digest = { digestAt: '18:00', channelIds: [id] };
    await put(items.map((item) => ({ ...digest, itemId: item.id })));

    expect((await listed()).map(({ title }) => title)).toEqual(TITLES.slice(0, 6));
    const { notices, next } = await ok<{ notices: NoticeJson[]; next: number }>(
      news.get('/notices', { limit: 4 }),
    );
    expect(notices).toHaveLength(4);
    const rest = await ok<object>(news.get('/notices', { limit: 4, before: next }));
    expect(rest).toMatchObject({ notices: [{ title: 'four' }, { title: 'three' }], next: null });
  });
});

describe('the time of a notice', () => {
  it('is the end of quiet hours over midnight, all in one, unless it is urgent', async () => {
    await add();
    // Thursday.
    await settings({ quiet: { from: '22:00', to: '07:00', days: [4] } });
    setClock('2026-03-12T23:30:00Z');
    await put([1, 2].map((n) => ({ itemId: itemOf(n).id })));
    await put([{ itemId: itemOf(3).id, urgent: true }]);
    expect((await told()).json['title']).toBe('three');

    await pass('2026-03-13T05:59:59Z');
    expect(server.received).toHaveLength(known.server + 1);
    await pass('2026-03-13T06:00:00Z');

    expect((await told(1)).json).toMatchObject({
      title: 'New articles: 2',
      message: 'one (News of the tests)\ntwo (News of the tests)\nRule: Cats',
    });
    expect((await settled()).map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
  });

  it('is now when quiet hours are switched off, or begin on other days', async () => {
    await add();
    await settings({ quiet: { from: '22:00', to: '07:00', days: [4] } });
    setClock('2026-03-12T23:30:00Z');
    await put([{}]);
    await until('the deferral', async () => {
      const { id } = await readerOf(app, user.credentials.userId);
      const deferred = "select 1 from notice where reader_id = $1 and gathered like 'quiet %'";
      return (await app.database.query(deferred, [id])).length > 0;
    });

    await settings({ quiet: { from: '22:00', to: '07:00', days: [1, 2, 3, 5, 6, 7] } });

    expect((await told()).json['title']).toBe('New articles: 1');
    expect(await settled()).toMatchObject([{ state: 'sent' }]);
  });

  it('is at most so often in an hour for a rule; the rest is one summary', async () => {
    await add();
    await settings({ mostPerRuleAndHour: 2 });
    setClock('2026-03-12T12:10:00Z');

    await put(items.slice(0, 5).map((item) => ({ itemId: item.id })));
    await put([{ ruleId: 8, ruleName: 'Dogs' }]);
    const messages = [await told(), await told(1), await told(2)];
    expect(messages.map(({ json }) => json['title'])).toEqual(['one', 'two', 'one']);
    await pass('2026-03-12T13:00:00Z');

    expect((await told(3)).json).toMatchObject({ title: 'New articles: 3' });
    expect(await settled()).toHaveLength(6);
  });

  it('is none while a page of the user is open, if they wish', async () => {
    await add();
    await settings({ notWhileReading: true });
    await app.inside(ReadersRepository).watch(await readerOf(app, user.credentials.userId), 60);

    await put([{}]);

    expect(await settled()).toMatchObject([{ state: 'dropped', reason: 'You were reading.' }]);
  });

  it.each([
    ['is shown to others', { timeZone: 'Mars/Olympus' }, 'must be a time zone'],
    ['is no time', { quiet: { from: '24:00', to: '07:00', days: [1] } }, 'must be a time such as'],
    ['is on no day', { quiet: { from: '22:00', to: '07:00', days: [] } }, 'days'],
  ])('cannot be set to what %s', async (_what, given, message) => {
    const whole = { quiet: null, timeZone: 'UTC', notWhileReading: false, mostPerRuleAndHour: 5 };
    expect(await news.put('/notices/settings', { ...whole, ...given })).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining(message) },
    });
    expect(await ok(news.get('/notices/settings'))).toMatchObject({ quiet: null, timeZone: 'UTC' });
  });
});

describe('a mail', () => {
  let address: string;
  beforeEach(async () => {
    address = `user-${specs}@example.org`;
    await app.inside(UsersService).changeEmail(user.credentials.userId, address);
  });

  it('is sent at once, or once a day at an hour of the user, also if a night lacks it', async () => {
    await settings();
    setClock('2026-03-28T12:00:00Z');
    await add();
    await add({ kind: 'mail' });
    await put([{ byMail: true }]);
    expect(await mails.mailTo(address)).toMatchObject({
      subject: 'one',
      text: expect.stringContaining('Rule: Cats'),
    });
    expect(server.received).toHaveLength(known.server);

    await put([2, 3].map((n) => ({ itemId: itemOf(n).id, digestAt: '02:30' })));
    // 01:30 and 03:30 in Berlin, where 02:30 is left out.
    await pass('2026-03-29T00:30:00Z');
    await pass('2026-03-29T01:30:00Z');
    expect(await mails.mailTo(address, 1)).toMatchObject({ subject: 'New articles: 2' });
    await settled();

    await put([{ itemId: itemOf(4).id, digestAt: '02:30' }]);
    await pass('2026-03-29T23:30:00Z');
    expect((await listed())[0]).toMatchObject({ state: 'waiting' });
    await pass('2026-03-30T00:30:00Z');
    expect(await mails.mailTo(address, 2)).toMatchObject({ subject: 'New articles: 1' });
    await settled();
  });

  it('is sent later while the server is away, and not when it refuses the address', async () => {
    await add({ kind: 'mail' });
    mails.refusals.push([451, 'later'], [550, 'no such user']);
    setClock('2026-03-12T12:00:00Z');

    await put([{}]);
    await attempted(1);
    expect(await listed()).toMatchObject([
      { state: 'waiting', reason: expect.stringContaining('later') },
    ]);
    await pass('2026-03-12T12:00:06Z');

    expect(await settled()).toMatchObject([
      { state: 'failed', reason: expect.stringContaining('no such user') },
    ]);
  });

  it('needs a confirmed address', async () => {
    const other = new NewsClient(await app.signIn(), 'v1-3');

    expect(await other.post('/channels', { kind: 'mail' })).toMatchObject({
      status: 422,
      json: { message: 'Your account has no confirmed mail address.' },
    });
    expect(await ok(other.get('/channels'))).toMatchObject({
      mailProblem: 'Your account has no confirmed mail address.',
      pushProblem: null,
    });
  });
});

describe('a webhook', () => {
  it('is signed by Standard Webhooks, with the same id for each attempt', async () => {
    await addStandard();
    server.answers.push({ status: 500 });
    const begun = new Date();
    clock.now = () => begun;
    await put([{}]);
    const first = await told();
    await attempted(1);

    clock.now = () => new Date(begun.getTime() + 6000);
    await app.inside(NoticesRepository).sendDue();

    const second = await told(1);
    const verified = [first, second].map(({ body, headers }) =>
      new Webhook(SECRET).verify(body, headers as Record<string, string>),
    );
    expect(verified[0]).toEqual({
      type: 'item.matched',
      timestamp: begun.toISOString(),
      data: {
        rule: { id: 7, name: 'Cats' },
        urgent: false,
        item: expect.objectContaining({
          id: itemOf(1).id,
          feedId: feed.id,
          feedTitle: 'News of the tests',
          title: 'one',
          url: publisher.url('/one'),
          excerpt: 'The text of one.',
        }),
      },
    });
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.headers['webhook-timestamp']).not.toBe(first.headers['webhook-timestamp']);
    expect(await settled()).toMatchObject([{ state: 'sent' }]);
  });

  it('waits as long as its server asks, and what follows waits with it', async () => {
    await add();
    server.answers.push({ status: 429, headers: { 'retry-after': '600' } });
    setClock('2026-03-12T12:00:00Z');
    await put([{}, { itemId: itemOf(2).id }]);
    await attempted(1);

    await pass('2026-03-12T12:09:00Z');
    expect(server.received).toHaveLength(known.server + 1);
    await pass('2026-03-12T12:10:00Z');

    expect(await settled()).toMatchObject([{ state: 'sent' }, { state: 'sent' }]);
  });

  it('that is slow holds up other channels of its reader beyond four, and no other reader', async () => {
    const status = Promise.withResolvers<number>();
    server.answers.push(...Array.from({ length: 6 }, () => ({ status: status.promise })));
    for (let n = 1; n <= 5; n += 1) {
      await add({ address: server.url(`/slow-${n}`) });
    }
    const other = await app.signIn();
    const theirs = new NewsClient(other, 'v1-3');
    await theirs.subscribe(publisher.url(path));
    const [item] = await theirs.items();
    await add({ address: server.url('/other') }, theirs);

    await put([{}]);
    await told(3);
    await put([{ itemId: item?.id ?? 0 }], other);
    expect((await told(4)).json['topic']).toBe('other');

    status.resolve(200);
    expect((await settled()).map(({ state }) => state)).toEqual(Array(5).fill('sent'));
  });

  it('gets a shorter message if its server finds it too long', async () => {
    await addStandard();
    server.answers.push({ status: 413 });

    await put([{}]);

    expect((await told()).body.length).toBeGreaterThan((await told(1)).body.length);
    expect(await settled()).toMatchObject([{ state: 'sent' }]);
  });

  it.each([
    [{ status: 302, headers: { location: '/elsewhere' } }, 'redirects, which is not followed'],
    [{ status: 403 }, 'answered with status 403'],
    ['silence', 'did not answer within'],
  ] as const)('is tried again after %j', async (answer, error) => {
    const { id } = await add();
    server.answers.push(answer);
    app.inside(Webhooks).answerSeconds = 0.2;

    await put([{}]);
    await attempted(1);

    app.inside(Webhooks).answerSeconds = 15;
    expect(await listed()).toMatchObject([
      { state: 'waiting', reason: expect.stringContaining(error) },
    ]);
    await until('the failure', async () => {
      return (await channelOf(id))?.lastError?.includes(error) === true;
    });
    expect(server.received.slice(known.server).map((one) => one.path)).toEqual(['/']);
  });

  it('is switched off by 410, which the user learns in the page and by another channel', async () => {
    const { id } = await addStandard();
    const other = await add();
    server.answers.push({ status: 410 });

    await put([{ channelIds: [id] }]);

    expect((await told(1)).json).toMatchObject({
      topic: 'topic',
      title: expect.stringContaining('were switched off'),
      message: expect.stringContaining('answered with status 410'),
    });
    expect(await ok(news.get('/channels'))).toMatchObject({
      channels: [
        { enabled: false, offReason: expect.stringContaining('status 410') },
        { id: other.id, enabled: true },
      ],
    });
    const notifications = await user.get('/ocs/v2.php/apps/notifications/api/v2/notifications', {
      query: { format: 'json' },
    });
    expect(JSON.stringify(notifications.json)).toContain('were switched off');
    expect(await ok(new NewsClient(app.asAdmin(), 'v1-3').get('/admin/channels'))).toMatchObject({
      channels: expect.arrayContaining([
        expect.objectContaining({ userId: user.credentials.userId, kind: 'webhook' }),
      ]),
    });
    expect(await news.get('/admin/channels')).toMatchObject({ status: 403 });
  });

  it('is switched off after days of failure, and works again when it is switched on', async () => {
    const { id } = await add();
    server.usual = 500;
    setClock('2026-03-12T12:00:00Z');
    await put([{}]);
    await until('the failure', async () => (await channelOf(id))?.lastError !== null);
    await pass('2026-03-14T11:00:00Z');
    await attempted(2);
    expect(await channelOf(id)).toMatchObject({ enabled: true });

    await pass('2026-03-14T12:00:00Z');

    await until('the end', async () => (await channelOf(id))?.enabled === false);
    expect((await settled())[0]).toMatchObject({ state: 'dropped' });
    server.usual = 200;
    await ok(news.put(`/channels/${id}`, { enabled: true }));
    await put([{ itemId: itemOf(2).id }]);
    expect((await settled())[0]).toMatchObject({ state: 'sent' });
    expect(await channelOf(id)).toMatchObject({
      failingSince: null,
      lastError: null,
      offReason: null,
    });
  });

  it('gets a notice that failed again, by hand', async () => {
    await addStandard();
    server.answers.push({ status: 413 }, { status: 413 });
    await put([{}]);
    const [failed] = await settled();
    expect(failed).toMatchObject({ state: 'failed', reason: expect.stringContaining('413') });
    expect(await stranger.post(`/notices/${failed?.id}/retry`)).toMatchObject({ status: 404 });

    await ok(news.post(`/notices/${failed?.id}/retry`));

    expect(await settled()).toMatchObject([{ id: failed?.id, state: 'sent' }]);
    expect(await news.post(`/notices/${failed?.id}/retry`)).toMatchObject({ status: 404 });
  });

  it.each([
    [{ address: 'ftp://example.org/' }, 'needs an address that begins with http'],
    [{ address: 'http://10.0.0.1/hook' }, 'is not on the public internet'],
    [{ form: 'ntfy', address: 'https://ntfy.sh/' }, 'needs the address of a topic'],
    [{ form: 'gotify', address: 'https://example.org/' }, 'needs the token'],
    [
      { form: 'standard', address: 'https://example.org/', secret: 'short' },
      'needs a secret of 24',
    ],
    [{ form: 'standard', address: 'https://example.org/', name: ' ' }, 'must not be empty'],
  ])('with %j is refused', async (given, message) => {
    expect(await news.post('/channels', { kind: 'webhook', ...given })).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining(message) },
    });
  });

  it('can be tried, and says why it does not work', async () => {
    const { id, target } = await add();
    expect(target).toBe(new URL(server.url('/')).host);
    expect(await ok(news.post(`/channels/${id}/test`))).toEqual({
      sent: true,
      message: 'The message was sent.',
    });
    server.answers.push({ status: 401 });
    expect(await ok(news.post(`/channels/${id}/test`))).toMatchObject({
      sent: false,
      message: expect.stringContaining('answered with status 401.'),
    });
  });

  it('can be tried 30 times in an hour', async () => {
    const { id } = await add();
    const before = server.received.length;
    for (let n = 0; n < 30; n += 1) {
      await ok(news.post(`/channels/${id}/test`));
    }

    const { status, headers } = await news.post(`/channels/${id}/test`);

    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(3000);
    expect(server.received.length - before).toBe(30);
  });

  it('makes the secret for its receiver, and shows it once', async () => {
    const address = server.url('/made');
    const { secret, channels } = await ok<{ secret: string; channels: ChannelJson[] }>(
      news.post('/channels', { kind: 'webhook', form: 'standard', address }),
    );
    await ok(news.post(`/channels/${channels[0]?.id}/test`));

    const { body, headers } = await told();
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'notice.test',
    });
    expect(JSON.stringify(await ok(news.get('/channels')))).not.toContain(secret);
  });
});

describe('a push message', () => {
  const aBrowser = async () => {
    const browser = subscribeAt(pushes.url(`/push/${specs}`));
    const channel = await add({ kind: 'push', subscription: browser.subscription });
    return { ...browser, channel };
  };

  it('is declarative, encrypted, and has a topic that is its tag', async () => {
    const { decrypted } = await aBrowser();
    const { applicationServerKey } = await ok<{ applicationServerKey: string }>(
      news.get('/channels'),
    );

    await put([{ urgent: true }]);

    const message = await pushed();
    expect(message.headers).toMatchObject({
      ttl: '86400',
      urgency: 'high',
      topic: expect.stringMatching(/^[\w-]{32}$/),
      'content-encoding': 'aes128gcm',
      authorization: expect.stringContaining(applicationServerKey),
    });
    expect(claimsOf(message.headers.authorization)).toMatchObject({
      aud: pushes.url(''),
      sub: 'mailto:gatefold@example.org',
    });
    expect(decrypted(message)).toMatchObject({
      web_push: 8030,
      notification: {
        title: 'one',
        body: 'News of the tests\nThe text of one.\nRule: Cats',
        navigate: `${app.url}/apps/news/feeds/${feed.id}/items/${itemOf(1).id}`,
        tag: message.headers['topic'],
        lang: 'en',
        dir: 'ltr',
        data: { itemId: itemOf(1).id, buttons: { read: expect.any(String) } },
      },
    });
    await settled();
  });

  it.each([404, 410])('that is answered with %i removes the channel', async (status) => {
    const { channel } = await aBrowser();
    pushes.answers.push({ status });

    await put([{}]);

    expect(await settled()).toMatchObject([
      { state: 'failed', reason: expect.stringContaining(String(status)), channel: channel.target },
    ]);
    await until('the removal', async () => (await channelOf(channel.id)) === undefined);
  });

  it('to an endpoint that was renewed meanwhile leaves the channel', async () => {
    const { channel, subscription } = await aBrowser();
    let answer: (status: number) => void = () => {};
    const waiting = new Promise<number>((resolve) => (answer = resolve));
    pushes.answers.push({ status: waiting });
    await put([{}]);
    await pushed();
    const endpoint = `${subscription.endpoint}/renewed`;
    await ok(news.put(`/channels/${channel.id}`, { subscription: { ...subscription, endpoint } }));
    answer(410);

    expect(await settled()).toMatchObject([{ state: 'failed' }]);
    expect(await channelOf(channel.id)).toMatchObject({ enabled: true });
  });

  it('that is answered with 403 is shown as failed, and the channel stays', async () => {
    const { channel } = await aBrowser();
    pushes.answers.push({ status: 403 });

    await put([{}]);

    expect(await settled()).toMatchObject([{ state: 'failed' }]);
    await until('the failure', async () => {
      return (await channelOf(channel.id))?.lastError?.includes('403') === true;
    });
    expect(await channelOf(channel.id)).toMatchObject({ enabled: true, offReason: null });
  });

  it('that is too large is shortened, and one that is refused for now waits for a day', async () => {
    const { decrypted } = await aBrowser();
    pushes.answers.push({ status: 413 }, { status: 503, headers: { 'retry-after': '3600' } });
    setClock('2026-03-12T12:00:00Z');
    await put([{}]);
    await attempted(1);
    expect(decrypted(await pushed(1)).notification['title']).toBe('one');
    await pass('2026-03-12T12:59:00Z');
    expect(pushes.received).toHaveLength(known.pushes + 2);
    pushes.answers.push({ status: 429, headers: { 'retry-after': '86000' } });

    await pass('2026-03-12T13:00:00Z');

    expect(await settled()).toMatchObject([{ state: 'failed' }]);
  });

  it.each([
    ['http', (given: object) => ({ ...given, endpoint: 'http://127.0.0.1/push' })],
    ['a private address', (given: object) => ({ ...given, endpoint: 'https://10.0.0.1/push' })],
    ['wrong keys', (given: object) => ({ ...given, keys: { p256dh: 'AAAA', auth: 'AAAA' } })],
  ])('cannot be sent to a subscription with %s', async (_what, changed) => {
    const { subscription } = subscribeAt(pushes.url('/push'));

    expect(
      await news.post('/channels', { kind: 'push', subscription: changed(subscription) }),
    ).toMatchObject({ status: 422 });
  });

  it('needs a sender or an address that push services accept', async () => {
    const { app: plain } = await sharedService();
    const client = new NewsClient(await plain.signIn(), 'v1-3');
    const { subscription } = subscribeAt(pushes.url('/push'));
    const message = expect.stringContaining('GATEFOLD_BASE_URL');

    expect(await client.post('/channels', { kind: 'push', subscription })).toMatchObject({
      status: 422,
      json: { message },
    });
    expect(await ok(client.get('/channels'))).toMatchObject({
      pushProblem: message,
      applicationServerKey: null,
      mailProblem: 'This service sends no mail.',
    });
  });
});

describe('an external app', () => {
  it('that listens for articles is told what a rule found', async () => {
    const external = await startExternalApp(app, { appId: `listener-${specs}` });
    await knowApp(app, external);
    expect(await news.post('/channels', { kind: 'app', appId: external.appId })).toMatchObject({
      status: 422,
    });
    await external.as().ocs('POST', '/api/v1/events_listener', {
      json: {
        eventType: 'news_event',
        eventSubtypes: ['ItemMatchedEvent'],
        actionHandler: 'found',
      },
    });
    expect(await ok(news.get('/channels'))).toMatchObject({ apps: [{ appId: external.appId }] });
    external.on('/found', (_request, response) => void response.end());
    await add({ kind: 'app', appId: external.appId });

    await put([{}]);

    const { body, userId } = await external.received('/found');
    expect(userId).toBe(user.credentials.userId);
    expect(JSON.parse(body.toString())).toMatchObject({
      event_type: 'news_event',
      event_subtype: 'ItemMatchedEvent',
      event_data: { user_id: userId, type: 'item.matched', items: [{ id: itemOf(1).id }] },
    });
    await settled();
    await external.close();
  });
});

describe('channels', () => {
  it('are of their user alone, no more than allowed, and each once', async () => {
    const { id } = await add();
    expect(await stranger.get('/channels')).toMatchObject({ json: { channels: [] } });
    for (const answer of [
      await stranger.put(`/channels/${id}`, { name: 'mine' }),
      await stranger.delete(`/channels/${id}`),
      await stranger.post(`/channels/${id}/test`),
    ]) {
      expect(answer).toMatchObject({ status: 404 });
    }
    expect((await add({ name: 'again' })).id).toBe(id);
    for (const name of ['second', 'third', 'fourth', 'fifth']) {
      await add({ address: server.url(`/${name}`) });
    }
    const sixth = { kind: 'webhook', form: 'ntfy', address: server.url('/sixth') };
    expect(await news.post('/channels', sixth)).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining('at most 5 notice channels per user') },
    });
    await ok(news.delete(`/channels/${id}`));
    expect(await channelOf(id)).toBeUndefined();
  });

  it('keep their address when they are renamed', async () => {
    const { id } = await add();
    await ok(news.put(`/channels/${id}`, { name: 'Phone' }));

    await put([{}]);

    expect((await told()).json['topic']).toBe('topic');
    expect(await settled()).toMatchObject([{ channel: 'Phone' }]);
  });

  it('do not take their secret to another server', async () => {
    const { id } = await add({ secret: 'the token of the first' });
    const address = server.url('/topic').replace('127.0.0.1', 'localhost');

    await ok(news.put(`/channels/${id}`, { address }));
    await put([{}]);

    expect((await told()).headers['authorization']).toBeUndefined();
  });
});

/** Of the token in `Authorization: vapid t=…, k=…`. */
function claimsOf(authorization = ''): unknown {
  const [, claims = ''] = authorization.replace(/^vapid t=/, '').split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString());
}

import { beforeEach, describe, expect, it } from '@jest/globals';
import { NewsSettings } from '../../src/news/news.settings.js';
import { FullTextService } from '../../src/news/sources/full-text/full-text.service.js';
import { UpdaterSchedule } from '../../src/news/updater/updater.schedule.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { itLong } from '../support/long.js';
import { LEVELS, NewsClient, ok, titles, type FeedJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';

type FeedWithSettings = FeedJson & {
  readonly fullTextEnabled: boolean;
  readonly updateMode: number;
};

const { app, publisher } = await serviceAndPublisher();
let user: TestUser;
let news: NewsClient;
let root: string;
let feeds = 0;
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  feeds += 1;
  root = `/${feeds}`;
});

const anItem = (name: string, more: Partial<RssItem> = {}): RssItem => ({
  title: name,
  guid: name,
  link: publisher.url(`${root}/${name}`),
  body: `<p>teaser of ${name}</p>`,
  ...more,
});

const publish = (items: readonly RssItem[]) =>
  publisher.publish(`${root}/feed.xml`, rss({ title: 'Feed', link: publisher.url('/'), items }));

const publishPage = (name: string, text = `whole text of ${name}`) =>
  publisher.publish(
    `${root}/${name}`,
    `<html><body><nav>${'<a href="/">menu</a>'.repeat(9)}</nav>
     <article><h2>${text}</h2>${`<p>${'It goes on, and on, for a while. '.repeat(9)}</p>`.repeat(3)}
     <p onclick="steal()"><a href="more">more</a></p></article></body></html>`,
    { contentType: 'text/html; charset=utf-8' },
  );

const subscribe = (client = news) => client.subscribe(publisher.url(`${root}/feed.xml`));

const update = (feed: FeedJson, of = user) =>
  new NewsClient(app.asAdmin(), 'v1-3').update(of.credentials.userId, feed.id);

const fetchPages = () => app.inside(FullTextService).fetchDue();

const change = async (feed: FeedJson, settings: object, client = news) => {
  const answer = client.call('PATCH', `/feeds/${feed.id}`, { json: settings });
  return (await ok<{ feeds: FeedWithSettings[] }>(answer)).feeds[0];
};

const wantFullText = (feed: FeedJson, client = news) =>
  change(feed, { fullTextEnabled: true }, client);

/** Lets the time pass until a page is fetched again. */
const letTimePass = (hours: number) =>
  app.database.query(
    `update full_text_page set due_at = due_at - make_interval(hours => $1),
                               asked_at = asked_at - make_interval(hours => $1)`,
    [hours],
  );

const bodyOf = async (name: string, client = news) => (await client.item(name)).body;
const asked = (name: string) => publisher.requests(`${root}/${name}`).length;

describe.each(LEVELS)('%s settings of a feed', (level) => {
  beforeEach(() => {
    news = new NewsClient(user, level);
  });

  it('keep their values until each is changed', async () => {
    publish([]);
    const feed = await subscribe();
    const initial = { fullTextEnabled: false, pinned: false, ordering: 0, updateMode: 0 };
    expect(await news.feed(feed.id)).toMatchObject(initial);

    expect(await change(feed, { pinned: true })).toMatchObject({ ...initial, pinned: true });
    await change(feed, { ordering: '2', updateMode: 1 });
    await change(feed, { fullTextEnabled: true, pinned: null });
    await change(feed, {});

    const changed = { fullTextEnabled: true, pinned: true, ordering: 2, updateMode: 1 };
    expect(await news.feed(feed.id)).toMatchObject(changed);
    expect(await change(feed, { fullTextEnabled: 0, pinned: 'false' })).toMatchObject({
      ...changed,
      fullTextEnabled: false,
      pinned: false,
    });
  });

  it('are refused when they make no sense', async () => {
    publish([]);
    const feed = await subscribe();
    const refused: [object, string][] = [
      [{ ordering: 3 }, 'ordering'],
      [{ updateMode: 2 }, 'updateMode'],
      [{ pinned: 'maybe' }, 'pinned'],
      [{ fullTextEnabled: 'x' }, 'fullTextEnabled'],
    ];
    for (const [settings, name] of refused) {
      const answer = await news.call('PATCH', `/feeds/${feed.id}`, { json: settings });

      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(name)]);
    }
  });

  it('belong to the user of the feed', async () => {
    publish([]);
    const feed = await subscribe();
    const other = new NewsClient(await app.signIn(), level);

    const answer = await other.call('PATCH', `/feeds/${feed.id}`, { json: { pinned: true } });

    expect(answer.status).toBe(404);
    expect((await news.feed(feed.id)).pinned).toBe(false);
  });
});

describe('a changed article', () => {
  it.each([
    [0, false],
    [1, true],
  ])('in update mode %d: unread is %j afterwards', async (updateMode, unread) => {
    publish([anItem('a'), anItem('b')]);
    const feed = await subscribe();
    await change(feed, { updateMode });
    await news.change('/items/read', { newestItemId: 99 });

    publish([anItem('a', { body: 'new' }), anItem('b')]);
    await update(feed);

    expect((await news.item('a')).unread).toBe(unread);
    expect((await news.item('b')).unread).toBe(false);
  });

  it('that matches a filter does not become unread', async () => {
    publish([anItem('a'), anItem('b')]);
    const feed = await subscribe();
    await change(feed, { updateMode: 1 });
    await news.post(`/feeds/${feed.id}/filter`, { titleKeywords: 'a', bodyKeywords: 'secret' });
    await news.change('/items/read', { newestItemId: 99 });

    publish([anItem('a', { body: 'new' }), anItem('b', { body: 'secret' })]);
    await update(feed);
    expect(await news.item('a')).toMatchObject({ unread: false, filtered: true });
    expect(await news.item('b')).toMatchObject({ unread: false, filtered: true });

    publish([anItem('a', { body: 'newer' }), anItem('b', { body: 'harmless' })]);
    await update(feed);
    expect(await news.item('a')).toMatchObject({ unread: false, filtered: true });
    expect(await news.item('b')).toMatchObject({ unread: true, filtered: false });
  });
});

describe('full text', () => {
  it('replaces the text of the feed, sanitised and with absolute addresses', async () => {
    publish([anItem('a')]);
    publishPage('a');
    const feed = await subscribe();

    await wantFullText(feed);
    await fetchPages();

    const body = await bodyOf('a');
    expect(body).toContain('whole text of a');
    expect(body).toContain(`href="${publisher.url(`${root}/more`)}"`);
    expect(body).not.toMatch(/menu|steal|teaser/);
  });

  it('of a new article follows the article, as a change of the item', async () => {
    publish([]);
    const feed = await subscribe();
    await wantFullText(feed);
    publish([anItem('new')]);
    publishPage('new');

    await update(feed);
    const delivered = await news.item('new');
    expect(delivered.body).toContain('teaser');
    await news.change(`/items/${delivered.id}/read`);
    const since = await app.nowMicros();
    await fetchPages();

    const [changed, ...others] = await news.changedItems(since);
    expect(others).toEqual([]);
    expect(changed).toMatchObject({
      id: delivered.id,
      unread: false,
      body: expect.stringContaining('whole text of new'),
    });
    expect(asked('new')).toBe(1);
  });

  it('is shown to users with the setting, and changes nothing for others', async () => {
    publish([anItem('a')]);
    publishPage('a');
    const feed = await subscribe();
    const other = new NewsClient(await app.signIn(), 'v1-3');
    const theirs = await subscribe(other);
    const before = await other.item('a');
    const since = await app.nowMicros();

    await wantFullText(feed);
    await fetchPages();

    expect(await bodyOf('a')).toContain('whole text');
    expect(await other.changedItems(since)).toEqual([]);
    expect(await other.item('a')).toEqual(before);

    const sinceTheirs = await app.nowMicros();
    await wantFullText(theirs, other);
    expect(await bodyOf('a', other)).toContain('whole text');
    expect(await other.changedItems(sinceTheirs)).toHaveLength(1);
    expect(asked('a')).toBe(1);
  });

  it('disappears when it is switched off, which reports its items as changed', async () => {
    publish([anItem('a'), anItem('b')]);
    publishPage('a');
    const feed = await subscribe();
    await wantFullText(feed);
    await fetchPages();
    await news.feedList();
    const since = await app.nowMicros();

    await change(feed, { fullTextEnabled: false });

    expect(await bodyOf('a')).toContain('teaser');
    expect(titles(await news.changedItems(since))).toEqual(['a']);

    publish([anItem('c'), anItem('a'), anItem('b')]);
    await update(feed);
    await fetchPages();
    expect(asked('c')).toBe(0);
  });

  it('is fetched for the newest 20 articles when it is switched on', async () => {
    const names = Array.from({ length: 23 }, (_, n) => `n${23 - n}`);
    publish(names.map((name) => anItem(name)));
    names.forEach((name) => publishPage(name));
    const feed = await subscribe();

    await wantFullText(feed);
    await fetchPages();

    expect(await bodyOf('n23')).toContain('whole text');
    expect(await bodyOf('n4')).toContain('whole text');
    expect(await bodyOf('n3')).toContain('teaser');
    expect(asked('n3')).toBe(0);
  });

  it('is evaluated by the filters of users who see it', async () => {
    publish([anItem('a')]);
    publishPage('a', 'with a secret');
    const feed = await subscribe();
    await news.post(`/feeds/${feed.id}/filter`, { bodyKeywords: 'secret' });
    expect((await news.item('a')).unread).toBe(true);

    await wantFullText(feed);
    await fetchPages();

    expect(await news.item('a')).toMatchObject({ unread: false, filtered: true });
  });

  it('is not fetched again with every change of the article, only after six hours', async () => {
    publish([anItem('a')]);
    publishPage('a');
    const feed = await subscribe();
    await wantFullText(feed);
    await fetchPages();
    publish([anItem('a', { body: '<p>corrected</p>' })]);
    publishPage('a', 'corrected text');
    await update(feed);

    await fetchPages();
    expect([asked('a'), await bodyOf('a')]).toEqual([1, expect.stringContaining('whole text')]);

    await letTimePass(6);
    await fetchPages();
    expect([asked('a'), await bodyOf('a')]).toEqual([2, expect.stringContaining('corrected text')]);
  });

  it('that is unchanged does not change the item', async () => {
    publish([anItem('a')]);
    publishPage('a');
    const feed = await subscribe();
    await wantFullText(feed);
    await fetchPages();
    publish([anItem('a', { body: '<p>other</p>' })]);
    await update(feed);
    await news.feedList();
    const since = await app.nowMicros();

    await letTimePass(6);
    await fetchPages();

    expect(asked('a')).toBe(2);
    expect(await news.changedItems(since)).toEqual([]);
  });
});

describe('a page that cannot be read', () => {
  it('leaves the text of the feed, and is tried four times if a retry may help', async () => {
    publish([anItem('a')]);
    publisher.fail(`${root}/a`, 503);
    const feed = await subscribe();
    const before = await news.items();
    await wantFullText(feed);

    await fetchPages();
    await fetchPages();
    expect(asked('a')).toBe(1);
    for (const attempts of [2, 3, 4, 4]) {
      await letTimePass(6);
      await fetchPages();
      expect(asked('a')).toBe(attempts);
    }
    expect(await news.items()).toEqual(before);
  });

  it.each([
    ['does not exist', () => publisher.fail(`${root}/a`, 404)],
    [
      'is not a web page',
      () => publisher.publish(`${root}/a`, '%PDF', { contentType: 'application/pdf' }),
    ],
    [
      'is larger than 2 MiB',
      () =>
        publisher.publish(`${root}/a`, `<p>${'x'.repeat(2 * 1024 * 1024)}`, {
          contentType: 'text/html',
        }),
    ],
    [
      'contains no article',
      () => publisher.publish(`${root}/a`, '<p>Cookies?</p>', { contentType: 'text/html' }),
    ],
    ['has a private address', () => publisher.redirect(`${root}/a`, 'http://10.0.0.1/')],
  ])('is not retried if it %s', async (_name, prepare) => {
    publish([anItem('a')]);
    prepare();
    const feed = await subscribe();
    await wantFullText(feed);

    await fetchPages();
    await letTimePass(24);
    await fetchPages();

    expect(await bodyOf('a')).toContain('teaser');
    expect(asked('a')).toBe(1);
  });

  it('or has no more text than the feed, is not shown', async () => {
    const long = `<p>${'The feed says all there is to say. '.repeat(60)}</p>`;
    publish([anItem('a', { body: long })]);
    publishPage('a');
    const feed = await subscribe();

    await wantFullText(feed);
    await fetchPages();

    expect(asked('a')).toBe(1);
    expect(await bodyOf('a')).toContain('The feed says all');
  });

  it('delays no others, and articles without an address are skipped', async () => {
    publish([
      anItem('a'),
      anItem('b'),
      { title: 'c', guid: 'c' },
      anItem('d', { link: 'magnet:?xt=urn:btih:abc' }),
    ]);
    publisher.drop(`${root}/a`);
    publishPage('b');
    const feed = await subscribe();

    await wantFullText(feed);
    await fetchPages();

    expect(await bodyOf('b')).toContain('whole text');
  });
});

itLong('requests to a host are spaced, for feeds and pages together', async () => {
  publish([anItem('a'), anItem('b')]);
  publishPage('a');
  publishPage('b');
  const feed = await subscribe();
  await app.database.query(`update host_state set unspaced = false where host_key = '127.0.0.1'`);
  await wantFullText(feed);

  await fetchPages();

  // By the database, since a busy machine delays requests after their slot.
  const [slots] = await app.database.query<{ gap: number }>(
    `select extract(epoch from max(asked_at) - min(asked_at))::float8 as gap
       from full_text_page where url = any($1)`,
    [['a', 'b'].map((name) => publisher.url(`${root}/${name}`))],
  );
  expect([asked('a'), asked('b')]).toEqual([1, 1]);
  expect(slots?.gap).toBeGreaterThanOrEqual(1);
});

describe('processing of articles', () => {
  it('starts after an external updater has finished if there is no schedule', async () => {
    publish([anItem('a')]);
    publishPage('a');
    await wantFullText(await subscribe());

    await ok(new NewsClient(app.asAdmin(), 'v1-3').get('/cleanup/after-update'));

    await publisher.whenAsked(`${root}/a`);
    expect(asked('a')).toBe(1);
  });

  it('is part of the schedule if there is one', async () => {
    publish([anItem('a')]);
    publishPage('a');
    await wantFullText(await subscribe());
    const work = app.inside(UpdaterSchedule);
    const tick = async () => {
      await work.fullTextTick();
      await app.database.query(`delete from housekeeping where task = 'search-index'`);
      await work.indexTick();
    };
    const settings = app.inside(NewsSettings);

    await tick();
    const without = await bodyOf('a');
    Object.assign(settings, { scheduler: true });
    await tick().finally(() => Object.assign(settings, { scheduler: false }));

    expect(without).not.toContain('whole text');
    expect(await bodyOf('a')).toContain('whole text');
    const found = news.get('/search', { query: 'whole text' });
    expect(await ok(found)).toMatchObject({ items: [{ title: 'a' }] });
  });
});

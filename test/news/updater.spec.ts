import { beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { LEVELS, NewsClient, titles } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';

const { app, publisher } = await serviceAndPublisher({ GATEFOLD_KEEP_READ_ITEMS: '5' });

const publish = (path: string, items: readonly RssItem[], options = {}) =>
  publisher.publish(path, rss({ title: path, link: publisher.url('/'), items }), options);

describe.each(LEVELS)('%s updater', (level) => {
  let user: TestUser;
  let news: NewsClient;
  let admin: NewsClient;
  let path: string;
  let specs = 0;
  beforeEach(async () => {
    user = await app.signIn();
    news = new NewsClient(user, level);
    admin = new NewsClient(app.asAdmin(), level);
    path = `/${level}-${(specs += 1)}.xml`;
  });

  const update = (feedId: number) => admin.update(user.credentials.userId, feedId);

  it('[N90] lists every feed of every user with its owner', async () => {
    publish(path, []);
    const other = await app.signIn();
    const mine = await news.subscribe(publisher.url(path));
    const theirs = await new NewsClient(other, level).subscribe(publisher.url(path));

    const answer = await admin.get('/feeds/all');

    expect(answer.json).toEqual({
      feeds: expect.arrayContaining([
        { id: mine.id, userId: user.credentials.userId },
        { id: theirs.id, userId: other.credentials.userId },
      ]),
    });
  });

  it('[N91] [N67] fetches a feed: new entries become items with higher ids', async () => {
    publish(path, [{ title: 'second' }, { title: 'first' }]);
    const feed = await news.subscribe(publisher.url(path));
    const known = await news.feedList();

    publish(path, [
      { title: 'fourth' },
      { title: 'third' },
      { title: 'second' },
      { title: 'first' },
    ]);
    const answer = await admin.get('/feeds/update', {
      userId: user.credentials.userId,
      feedId: feed.id,
    });

    expect([answer.status, answer.text]).toEqual([200, 'null']);
    const items = await news.items();
    expect(titles(items)).toEqual(['fourth', 'third', 'second', 'first']);
    expect(items[1]?.id).toBeGreaterThan(known.newestItemId ?? 0);
  });

  it('fetches a source once when the feeds of several users are updated in a round', async () => {
    publish(path, [{ title: 'old' }]);
    const other = await app.signIn();
    const mine = await news.subscribe(publisher.url(path));
    const theirs = await new NewsClient(other, level).subscribe(publisher.url(path));
    for (const title of ['new', 'newer']) {
      publish(path, [{ title }, { title: 'old' }]);
      const asked = publisher.requests(path).length;

      await update(mine.id);
      await admin.update(other.credentials.userId, theirs.id);

      expect(publisher.requests(path)).toHaveLength(asked + 1);
      expect(titles(await news.items())).toContain(title);
      expect(titles(await new NewsClient(other, level).items())).toContain(title);
    }
  });

  it('[N92] answers 404 for a feed that does not exist or belongs to another user', async () => {
    publish(path, []);
    const feed = await news.subscribe(publisher.url(path));
    const other = await app.signIn();
    const status = async (userId: string, feedId: number) =>
      (await admin.get('/feeds/update', { userId, feedId })).status;

    expect(await status(user.credentials.userId, 999999)).toBe(404);
    expect(await status(other.credentials.userId, feed.id)).toBe(404);
    expect(await status('nobody', feed.id)).toBe(404);
  });

  it('answers 404 when the feed and its source are purged while it asks', async () => {
    publish(path, []);
    const { id: feedId } = await news.subscribe(publisher.url(path));
    const { userId } = user.credentials;
    const refersTo = (sourceId: number) =>
      app.inside(Database).transactionOf([
        // Checks no reference.
        { sql: 'set local session_replication_role = replica', params: [] },
        { sql: 'update subscription set source_id = $1 where id = $2', params: [sourceId, feedId] },
      ]);
    const [{ sourceId } = { sourceId: 0 }] = await app.database.query<{ sourceId: number }>(
      'select source_id as "sourceId" from subscription where id = $1',
      [feedId],
    );

    await refersTo(0);
    const { status } = await admin.get('/feeds/update', { userId, feedId });
    await refersTo(sourceId);

    expect(status).toBe(404);
  });

  it('[N92] counts failures on the feed, not as errors of the script, until it succeeds', async () => {
    publish(path, [{ title: 'kept' }]);
    const feed = await news.subscribe(publisher.url(path));
    publisher.fail(path, 500);

    await update(feed.id);
    await update(feed.id);
    const failing = await news.feed(feed.id);

    expect(failing.updateErrorCount).toBe(2);
    expect(failing.lastUpdateError).toEqual(expect.stringContaining('500'));
    expect(titles(await news.items())).toEqual(['kept']);

    publish(path, [{ title: 'kept' }]);
    await update(feed.id);
    const healthy = await news.feed(feed.id);

    expect([healthy.updateErrorCount, healthy.lastUpdateError]).toEqual([0, null]);
  });

  it('[N93] changes nothing when the document is unchanged', async () => {
    publish(path, [{ title: 'same', body: 'text' }]);
    const feed = await news.subscribe(publisher.url(path));
    const before = await news.items();

    // Another document with the same entry, so that it is parsed again.
    publisher.publish(
      path,
      rss({ title: 'Renamed', link: publisher.url('/'), items: [{ title: 'same', body: 'text' }] }),
    );
    await update(feed.id);

    expect((await news.feed(feed.id)).title).toBe('Renamed');
    expect(await news.items()).toEqual(before);
  });

  it('keeps the dates of entries for the rhythm, as articles have them', async () => {
    const publishAt = (year: number, body: string) =>
      publish(path, [
        { title: 'dated', guid: 'dated', body, pubDate: new Date(Date.UTC(year, 0)) },
      ]);
    publishAt(2020, 'one');
    const feed = await news.subscribe(publisher.url(path));
    const dates = async () => {
      const [row] = await app.database.query<{ years: number[] }>(
        `select array(select extract(year from to_timestamp(seconds))::int
                        from unnest(recent_pub_dates) seconds) as years
           from source_document join follower using (source_id) where subscription_id = $1`,
        [feed.id],
      );
      return [
        row?.years,
        new Date(((await news.item('dated')).pubDate ?? 0) * 1000).getUTCFullYear(),
      ];
    };

    // A corrected date.
    publishAt(2021, 'one');
    await update(feed.id);
    expect(await dates()).toEqual([[2021], 2021]);

    publishAt(2022, 'two');
    await update(feed.id);
    expect(await dates()).toEqual([[2022], 2022]);
  });

  it('[N94] keeps id and flags of a changed entry, and reports it as changed', async () => {
    publish(path, [
      { title: 'other', guid: 'o' },
      { title: 'before', guid: 'g', body: 'one' },
    ]);
    const feed = await news.subscribe(publisher.url(path));
    const before = await news.item('before');
    await news.star(before);
    await news.change('/items/read/multiple', { items: [before.id] });
    const since = await app.nowMicros();

    publish(path, [
      { title: 'other', guid: 'o' },
      { title: 'after', guid: 'g', body: 'two' },
    ]);
    await update(feed.id);

    const changed = await news.changedItems(since);
    expect(changed).toEqual([
      expect.objectContaining({ id: before.id, title: 'after', starred: true, unread: false }),
    ]);
    expect(changed[0]?.body).toContain('two');
    expect(changed[0]?.contentHash).not.toBe(before.contentHash);
  });

  it('[N95] does not make items unread that were absent from the document for a while', async () => {
    publish(path, [{ title: 'stays' }, { title: 'comes and goes' }]);
    const feed = await news.subscribe(publisher.url(path));
    const item = await news.item('comes and goes');
    await news.change('/items/read/multiple', { items: [item.id] });

    publish(path, [{ title: 'stays' }]);
    await update(feed.id);
    publish(path, [{ title: 'stays' }, { title: 'comes and goes' }]);
    await update(feed.id);

    expect(await news.item('comes and goes')).toEqual(
      expect.objectContaining({ id: item.id, unread: false }),
    );
  });

  it('[N96] before-update removes what is marked as deleted, and nothing else', async () => {
    publish(path, [{ title: 'item' }]);
    const kept = await news.subscribe(publisher.url(path));
    const folder = await news.createFolder('to be kept');
    const marked = await news.createFolder('marked');
    await app.database.query('update folder set deleted_at = now() where id = $1', [marked.id]);
    expect((await news.folders()).map(({ id }) => id)).toEqual([folder.id]);

    const answer = await admin.get('/cleanup/before-update');

    expect([answer.status, answer.text]).toEqual([200, 'null']);
    const rows = await app.database.query('select id from folder where id = any($1)', [
      [folder.id, marked.id],
    ]);
    expect(rows).toEqual([{ id: folder.id }]);
    expect((await news.feedList()).feeds.map(({ id }) => id)).toEqual([kept.id]);
  });

  it('before-update of the schedule leaves an hour to undo', async () => {
    const undone = await news.createFolder('may be undone');
    const final = await news.createFolder('is removed');
    await app.database.query(
      `update folder set deleted_at = now() - case when id = $1 then interval '59 min' else interval '61 min' end
        where id = any($2)`,
      [undone.id, [undone.id, final.id]],
    );
    await app.database.query('delete from housekeeping');

    await app.inside(UpdateCycle).keepHouse();

    const rows = await app.database.query('select id from folder where id = any($1)', [
      [undone.id, final.id],
    ]);
    expect(rows).toEqual([{ id: undone.id }]);
  });

  it('[N97] after-update keeps the newest read items of each feed, as many as are configured', async () => {
    const entries = Array.from({ length: 9 }, (_, n) => ({ title: `e${9 - n}` }));
    const shorter = `/shorter${path}`;
    for (const [name, from] of [
      [path, 5],
      [shorter, 5],
    ] as const) {
      // At most four in the document at a time, so the limit of five applies.
      publish(name, entries.slice(from));
    }
    const feed = await news.subscribe(publisher.url(path));
    const second = await news.subscribe(publisher.url(shorter));
    publish(path, entries.slice(1, 5));
    await update(feed.id);
    publish(path, entries.slice(0, 1));
    await update(feed.id);
    await news.change('/items/read', { newestItemId: 999 });

    const answer = await admin.get('/cleanup/after-update');

    expect([answer.status, answer.text]).toEqual([200, 'null']);
    expect(titles(await news.items({ type: 0, id: feed.id }))).toEqual([
      'e9',
      'e8',
      'e7',
      'e6',
      'e5',
    ]);
    expect(await news.items({ type: 0, id: second.id })).toHaveLength(4);
  });

  it('[N97] after-update keeps as many as the longest document had', async () => {
    const entries = Array.from({ length: 8 }, (_, n) => ({ title: `e${8 - n}` }));
    publish(path, entries);
    const feed = await news.subscribe(publisher.url(path));
    await news.change('/items/read', { newestItemId: 999 });

    await admin.get('/cleanup/after-update');

    expect(await news.items({ type: 0, id: feed.id })).toHaveLength(8);
  });

  it('[N98] after-update removes nothing unread or starred, and removed items do not return', async () => {
    const entries = Array.from({ length: 4 }, (_, n) => ({ title: `old${4 - n}` }));
    publish(path, entries);
    const feed = await news.subscribe(publisher.url(path));
    publish(
      path,
      Array.from({ length: 4 }, (_, n) => ({ title: `new${4 - n}` })),
    );
    await update(feed.id);
    await news.change('/items/read', { newestItemId: 999 });
    await news.star(await news.item('old1'));
    await news.change(`/items/${(await news.item('old2')).id}/unread`);

    await admin.get('/cleanup/after-update');
    const left = ['new4', 'new3', 'new2', 'new1', 'old4', 'old2', 'old1'];
    expect(titles(await news.items())).toEqual(left);

    publish(path, [...entries, { title: 'newest' }]);
    await update(feed.id);
    expect(titles(await news.items()).filter((title) => title !== 'newest')).toEqual(left);
  });

  it('[N107] sends the validators of the last response; 304 changes nothing', async () => {
    publish(path, [{ title: 'item' }], {
      etag: '"v1"',
      lastModified: new Date(Date.UTC(2026, 0, 1)),
    });
    const feed = await news.subscribe(publisher.url(path));
    const before = await news.items();

    await update(feed.id);

    const [, second] = publisher.requests(path);
    expect(second?.headers['if-none-match']).toBe('"v1"');
    expect(second?.headers['if-modified-since']).toBe('Thu, 01 Jan 2026 00:00:00 GMT');
    expect(await news.items()).toEqual(before);
    expect((await news.feed(feed.id)).updateErrorCount).toBe(0);
  });
});

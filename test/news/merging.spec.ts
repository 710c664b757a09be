import { beforeEach, describe, expect, it } from '@jest/globals';
import { rss } from '../support/feed-server.js';
import { feverClientOf } from '../support/fever-client.js';
import { CapyReader } from '../support/google-reader/capy-reader.js';
import { NewsClient, ok, type FeedJson, type ItemJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';
import { until } from '../support/until.js';

const { app, publisher } = await serviceAndPublisher({ GATEFOLD_REFRESH_REST_SECONDS: '0' });
const DAY_SECONDS = 24 * 3600;

let user: TestUser;
let news: NewsClient;
let stranger: NewsClient;
let path: string;
let specs = 0;
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  stranger = new NewsClient(await app.signIn(), 'v1-3');
  path = `/${(specs += 1)}`;
});

/** Stories, whose texts more than one publisher has. */
const LIGHTHOUSE = 'Council decides to repair the old lighthouse before winter';
const FERRY = 'Night ferry to the northern islands stops running in October';
const TEXTS: Readonly<Record<string, string>> = {
  [LIGHTHOUSE]: `The council of the harbour town has decided by a large majority that the old lighthouse will be
    repaired before winter, after three years of debate about its costs, and that the keeper's cottage beside it
    becomes a small museum which schools may visit without paying.`,
  [FERRY]: `The company that runs the night ferry to the northern islands says that passengers became so few that
    the last ship leaves in October, while farmers ask who shall carry their milk to the dairies of the mainland
    and a petition for a smaller boat has found four hundred names.`,
};

const at = (name: string) => publisher.url(`${path}/${name}`);
/** Publishes entries, which have the same guid at all addresses. */
function publish(name: string, ...entries: string[]): string {
  const items = entries.map((title) => ({
    title,
    guid: title,
    body: TEXTS[title] ?? `about ${title}`,
  }));
  publisher.publish(`${path}/${name}`, rss({ title: name, items }));
  return at(name);
}
const redirect = (name: string, to: string, status: 301 | 302 | 308 = 301) =>
  publisher.redirect(`${path}/${name}`, `${path}/${to}`, status);
const update = (feed: FeedJson) =>
  new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feed.id);
/** The publisher redirects permanently, for long enough to be trusted. */
async function moveTo(feed: FeedJson, name: string, to: string): Promise<void> {
  redirect(name, to);
  await update(feed);
  await app.database.query(
    'update source set moving_since = moving_since - make_interval(secs => $1)',
    [DAY_SECONDS + 1],
  );
  await update(feed);
  await update(feed);
}
const sameAs = async (of = news) =>
  (await of.feedList()).feeds.map((feed) => (feed as { sameAs?: number }).sameAs);
const merge = (from: FeedJson, into: FeedJson, by = news) =>
  by.post(`/feeds/${from.id}/merge`, { into: into.id });
const ofFeed = async (title: string, { id }: FeedJson) => {
  const item = (await news.items()).find((one) => one.feedId === id && one.title === title);
  if (item === undefined) {
    throw new Error(`The feed has no ${title}`);
  }
  return item;
};
const found = async (query: string) =>
  (await ok<{ items: ItemJson[] }>(news.get('/search', { query }))).items.map(({ id }) => id);
/** Waits until stories are sought and marked. */
const settled = () =>
  until('the end of work on stories', async () => {
    const rows = await app.database.query(
      "select from job.job where name in ('news-arrival', 'news-stories', 'news-stories-of-reader') and state < 'completed'",
    );
    return rows.length === 0;
  });
const flag = (item: ItemJson, what: 'read' | 'star') => ok(news.post(`/items/${item.id}/${what}`));
const state = ({ id, title, feedId, unread, starred }: ItemJson) => ({
  id,
  title,
  feedId,
  unread,
  starred,
});
const counts = async () =>
  (await news.feedList()).feeds.map(({ id, unreadCount }) => [id, unreadCount]);

describe('an address that redirects permanently to a feed of the user', () => {
  it('is refused with a sentence that names the feed', async () => {
    await news.subscribe(publish('wind'));
    redirect('moved', 'wind', 308);
    redirect('chain', 'moved');
    const message = 'You follow this feed already: "wind".';

    for (const name of ['wind', 'moved', 'chain']) {
      const { status, json } = await news.post('/feeds', { url: at(name) });
      expect([status, json]).toEqual([409, { message }]);
    }
    expect((await news.feedList()).feeds).toHaveLength(1);
    expect((await stranger.post('/feeds', { url: at('chain') })).status).toBe(200);
  });

  it('is another feed if any redirect is temporary, and none if they never end', async () => {
    await news.subscribe(publish('wind'));
    redirect('for-now', 'wind', 302);
    redirect('to-for-now', 'for-now', 301);
    redirect('round', 'and-round');
    redirect('and-round', 'round');

    expect((await news.post('/feeds', { url: at('for-now') })).status).toBe(200);
    expect((await news.post('/feeds', { url: at('to-for-now') })).status).toBe(409);
    expect((await news.post('/feeds', { url: at('round') })).status).toBe(422);
  });

  it('is refused as the new address of another feed', async () => {
    await news.subscribe(publish('wind'));
    const other = await news.subscribe(publish('tide'));
    redirect('moved', 'wind');

    const changed = await news.call('PATCH', `/feeds/${other.id}`, { json: { url: at('moved') } });

    expect(changed.json).toEqual({ message: 'You follow this feed already: "wind".' });
    const own = { json: { url: at('moved') } };
    await news.delete(`/feeds/${other.id}`);
    const [wind] = (await news.feedList()).feeds;
    expect((await news.call('PATCH', `/feeds/${wind?.id}`, own)).status).toBe(200);
  });

  it('counts as already followed in an import, also within the file', async () => {
    const other = await stranger.subscribe(publish('wind'));
    redirect('moved', 'wind');
    await ok(stranger.delete(`/feeds/${other.id}`));
    await stranger.subscribe(at('moved'));
    const file = `<opml version="2.0"><body>${['wind', 'moved', 'calm']
      .map((name) => `<outline xmlUrl="${at(name)}"/>`)
      .join('')}</body></opml>`;
    const send = () =>
      ok(
        news.call('POST', '/opml/import', { body: file, headers: { 'content-type': 'text/xml' } }),
      );

    expect(await send()).toMatchObject({ imported: 2, alreadyThere: 1 });
    expect(await send()).toMatchObject({ imported: 0, alreadyThere: 3 });
  });

  it('is that feed in Google Reader clients', async () => {
    const wind = await news.subscribe(publish('wind'));
    redirect('moved', 'wind');
    const client = new CapyReader(app.url);
    await client.logIn(user.credentials);

    await client.subscribe(at('moved'), 'Weather');

    expect(client.feeds.map(({ id }) => id)).toEqual([`feed/${wind.id}`]);
  });
});

describe('two feeds of which the publisher moved one to the other', () => {
  it('are named in the list once the move is trusted, to their user only', async () => {
    const old = await news.subscribe(publish('old', 'a'));
    const now = await news.subscribe(publish('new', 'a'));
    const theirs = await stranger.subscribe(at('old'));
    redirect('old', 'new');
    await update(old);
    expect(await sameAs()).toEqual([undefined, undefined]);
    expect((await merge(old, now)).status).toBe(422);

    await moveTo(old, 'old', 'new');

    const { feeds } = await news.feedList();
    expect(feeds.map((feed) => (feed as { sameAs?: number }).sameAs)).toEqual(
      feeds.map(({ id }) => (id === old.id ? now.id : undefined)),
    );
    expect(await sameAs(stranger)).toEqual([undefined]);
    for (const [answer, status] of [
      [merge(old, now, stranger), 404],
      [merge(theirs, now, stranger), 404],
      [merge(old, theirs), 404],
      [merge(old, old), 422],
      [merge(old, now, new NewsClient({ baseUrl: app.url }, 'v1-3')), 401],
      [new NewsClient(user, 'v1-2').post(`/feeds/${old.id}/merge`, { into: now.id }), 404],
    ] as const) {
      expect((await answer).status).toBe(status);
    }
    expect((await merge(old, now)).status).toBe(200);
    expect((await news.feedList()).feeds.map(({ id }) => id)).toEqual([now.id]);
  });

  it('are the same also if both moved to a third place, and any others are not', async () => {
    const one = await news.subscribe(publish('one'));
    const two = await news.subscribe(publish('two'));
    const other = await news.subscribe(publish('other'));
    publish('third');
    await moveTo(one, 'one', 'third');
    await moveTo(two, 'two', 'third');

    expect(
      (await news.feedList()).feeds.map((feed) => (feed as { sameAs?: number }).sameAs),
    ).toEqual([undefined, undefined, one.id]);
    const { status, json } = await merge(one, other);
    expect([status, json]).toEqual([422, { message: expect.stringContaining('became the same') }]);
    await ok(merge(one, two));
    expect(await sameAs()).toEqual([undefined, undefined]);
  });

  it('keep all items, with their ids and flags; of an article that both have, one has the flags of both', async () => {
    const folder = await news.createFolder('Weather');
    const old = await news.subscribe(
      publish('old', 'both', 'starred', 'read', 'archived'),
      folder.id,
    );
    await flag(await news.item('starred'), 'star');
    await news.label([(await news.item('starred')).id], { add: ['Keep'] });
    await flag(await news.item('read'), 'read');
    await flag(await news.item('archived'), 'star');
    const now = await news.subscribe(publish('new', 'both', 'starred', 'read', 'fresh'));
    await moveTo(old, 'old', 'new');
    const before = await news.items();
    const newest = Math.max(...before.map(({ lastModified }) => lastModified));

    await ok(merge(old, now));

    const after = await news.items();
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    const had = new Map(before.map((item) => [item.id, item]));
    const shown = after.map((item) => [
      item.title,
      had.get(item.id)?.feedId === old.id ? 'old' : 'new',
      item.unread,
      item.starred,
      item.labels,
    ]);
    expect(after.every(({ feedId }) => feedId === now.id)).toBe(true);
    expect(shown.toSorted()).toEqual([
      ['archived', 'old', true, true, []],
      ['both', 'new', true, false, []],
      ['both', 'old', false, false, []],
      ['fresh', 'new', true, false, []],
      ['fresh', 'old', false, false, []],
      ['read', 'new', false, false, []],
      ['read', 'old', false, false, []],
      ['starred', 'new', true, true, ['Keep']],
      ['starred', 'old', false, false, []],
    ]);
    expect((await news.feedList()).feeds).toMatchObject([
      { id: now.id, folderId: null, title: 'new', unreadCount: 4 },
    ]);
    expect((await news.feedList()).starredCount).toBe(2);
    const changed = await news.changedItems(newest);
    expect(changed.map(({ title }) => title).toSorted()).toEqual([
      'archived',
      'both',
      'both',
      'fresh',
      'fresh',
      'read',
      'read',
      'starred',
      'starred',
    ]);
    const rows = (await news.rows({ feedId: now.id, unread: false })).rows.map(
      ({ title }) => title,
    );
    expect(rows.toSorted()).toEqual(['archived', 'both', 'fresh', 'read', 'starred']);

    publish('new', 'next', 'archived', 'both');
    await update(now);
    expect((await news.items()).map(({ title }) => title).toSorted()).toEqual(
      [...after.map(({ title }) => title), 'next'].toSorted(),
    );
  });

  it('are merged in clients of all protocols by their next synchronisation', async () => {
    const old = await news.subscribe(publish('old', 'both', 'gone'));
    const now = await news.subscribe(publish('new', 'both', 'fresh'));
    await moveTo(old, 'old', 'new');
    const capy = new CapyReader(app.url);
    await capy.logIn(user.credentials);
    const fever = await feverClientOf(app, user);
    await capy.sync();
    const known = new Map((await news.items()).map((item) => [item.id, item]));
    const since = Math.max(...[...known.values()].map(({ lastModified }) => lastModified));
    await flag(await news.item('gone'), 'star');

    await ok(merge(old, now));

    (await news.changedItems(since)).forEach((item) => known.set(item.id, item));
    await capy.sync();
    const listed = (await news.items()).map(state);
    const sorted = <Item extends { id: number }>(items: readonly Item[]) =>
      items.toSorted((a, b) => a.id - b.id);
    expect(sorted([...known.values()].map(state))).toEqual(sorted(listed));
    expect(
      sorted(
        [...capy.articles.values()].map(({ item, read, starred }) => ({
          id: item,
          unread: !read,
          starred,
        })),
      ),
    ).toEqual(sorted(listed.map(({ id, unread, starred }) => ({ id, unread, starred }))));
    expect(capy.feeds.map(({ id }) => id)).toEqual([`feed/${now.id}`]);
    const ids = (are: (item: (typeof listed)[0]) => boolean) =>
      listed
        .filter(are)
        .map(({ id }) => id)
        .toSorted();
    expect((await fever.unreadIds()).toSorted()).toEqual(ids(({ unread }) => unread));
    expect((await fever.savedIds()).toSorted()).toEqual(ids(({ starred }) => starred));
    expect(sorted((await fever.items()).map(({ id, feed_id }) => ({ id, feed_id })))).toEqual(
      sorted(listed.map(({ id, feedId }) => ({ id, feed_id: feedId }))),
    );
    expect(await counts()).toEqual([[now.id, ids(({ unread }) => unread).length]]);
  });

  it('have rules, searches and a filter that name the one that stays; rules can still be undone', async () => {
    const old = await news.subscribe(publish('old', 'first'));
    await ok(news.post(`/feeds/${old.id}/filter`, { titleKeywords: 'spam' }));
    const { rules } = await ok<{ rules: { id: number }[] }>(
      news.post('/rules', {
        name: 'Stars',
        scope: { everything: false, feedIds: [old.id] },
        query: `feed:#${old.id} intitle:deal`,
        actions: [{ type: 'star' }],
      }),
    );
    await ok(news.post('/searches', { name: 'Deals', query: `feed:#${old.id} intitle:deal` }));
    publish('old', 'deal alone', 'deal both', 'first');
    await update(old);
    await news.items();
    const now = await news.subscribe(publish('new', 'deal both', 'first'));
    await moveTo(old, 'old', 'new');

    await ok(merge(old, now));

    const starred = async () =>
      (await news.items())
        .filter((one) => one.starred)
        .map(({ title }) => title)
        .toSorted();
    expect(await starred()).toEqual(['deal alone', 'deal both']);
    publish('new', 'deal later', 'spam later', 'deal both', 'first');
    await update(now);
    expect(await starred()).toEqual(['deal alone', 'deal both', 'deal later']);
    expect((await news.item('spam later')).unread).toBe(false);
    expect(await ok(news.get('/rules'))).toMatchObject({
      rules: [{ problem: null, scope: { feedIds: [now.id] }, query: 'feed:new intitle:deal' }],
    });
    expect(await ok(news.get('/searches'))).toMatchObject({
      searches: [{ query: 'feed:new intitle:deal', unreadCount: 3 }],
    });
    expect(await ok(news.post(`/rules/${rules[0]?.id}/undo`))).toMatchObject({ undone: 3 });
    expect(await starred()).toEqual([]);
  });

  it('may be three, one after the other', async () => {
    const first = await news.subscribe(publish('one', 'a', 'b'));
    const second = await news.subscribe(publish('two', 'a', 'b'));
    const last = await news.subscribe(publish('last', 'a', 'b'));
    await moveTo(first, 'one', 'last');
    await moveTo(second, 'two', 'last');
    await ok(merge(first, second));
    await flag(await ofFeed('a', last), 'star');
    await flag(await ofFeed('b', last), 'read');

    await ok(merge(last, second));

    const items = await news.items();
    expect(items.map(({ feedId }) => feedId)).toEqual(items.map(() => second.id));
    expect(
      items
        .filter((item) => item.unread || item.starred)
        .map(({ title, starred }) => [title, starred]),
    ).toEqual([['a', true]]);
    const rows = (await news.rows({ feedId: second.id })).rows.map(({ title }) => title);
    expect(rows.toSorted()).toEqual(['a', 'b']);
  });

  it('leave a copy that names the item with its state, also when stories are switched off and the feed moves on', async () => {
    const old = await news.subscribe(publish('old', 'both', 'gone'));
    const now = await news.subscribe(publish('new', 'both'));
    await moveTo(old, 'old', 'new');
    const [copy, shown] = [await ofFeed('both', old), await ofFeed('both', now)];

    await ok(merge(old, now));

    const named = async () =>
      (await news.items())
        .filter((item) => 'duplicateOf' in item)
        .map(({ id, duplicateOf }) => [id, duplicateOf]);
    expect(await named()).toEqual([[copy.id, shown.id]]);
    expect(await found('is:duplicate')).toEqual([copy.id]);
    const row = (await news.rows({ feedId: now.id })).rows.find(({ id }) => id === shown.id);
    expect(row?.title).toBe('both');
    expect(row).not.toHaveProperty('copies');
    const stamps = () =>
      app.database.query('select last_modified_micros from item order by reader_id, id');
    const stamped = await stamps();
    for (const once of [true, false]) {
      await ok(news.put('/stories', { once }));
      await settled();
    }
    expect(await named()).toEqual([[copy.id, shown.id]]);
    expect(await stamps()).toEqual(stamped);

    const items = [{ title: 'both', guid: 'both', body: 'more about both' }];
    publisher.publish(`${path}/later`, rss({ title: 'later', items }));
    await ok(news.call('PATCH', `/feeds/${now.id}`, { json: { url: at('later') } }));
    const bodies = (await news.items()).map(({ id, body }) => [id, body]);
    expect(Object.fromEntries(bodies)).toMatchObject({
      [copy.id]: 'about both',
      [shown.id]: 'more about both',
    });
    expect(bodies).toHaveLength(3);
  });

  it('unite highlights with their ids, and two notes of an article', async () => {
    const old = await news.subscribe(publish('old', 'both'));
    const now = await news.subscribe(publish('new', 'both'));
    await moveTo(old, 'old', 'new');
    const [copy, shown] = [await ofFeed('both', old), await ofFeed('both', now)];
    await ok(news.post(`/items/${copy.id}/highlights`, { exact: 'about', note: 'mark' }));
    await ok(news.post(`/items/${copy.id}/highlights`, { note: 'earlier' }));
    await ok(news.post(`/items/${shown.id}/highlights`, { note: 'later' }));
    const highlights = async ({ id }: ItemJson) =>
      (
        await ok<{ highlights: { id: number; exact: string; note: string }[] }>(
          news.get(`/items/${id}/highlights`),
        )
      ).highlights;
    const [, quote] = await highlights(copy);

    await ok(merge(old, now));

    expect(await highlights(shown)).toMatchObject([
      { exact: '', note: 'earlier\n\nlater' },
      { ...quote, itemId: shown.id },
    ]);
    expect(await highlights(copy)).toEqual([]);
    expect(await found('is:highlighted')).toEqual([shown.id]);
  });

  it('leave an article published, with its notes, by the item that stays', async () => {
    const old = await news.subscribe(publish('old', 'both'));
    const now = await news.subscribe(publish('new', 'both'));
    await moveTo(old, 'old', 'new');
    const [copy, shown] = [await ofFeed('both', old), await ofFeed('both', now)];
    await ok(news.post(`/items/${copy.id}/highlights`, { note: 'Worth your time' }));
    const link = { kind: 'item', ofId: copy.id, withNotes: true };
    const { feedOut } = await ok<{ feedOut: { id: number; address: string } }>(
      news.post('/feeds-out', link),
    );
    const page = () => user.get(new URL(feedOut.address).pathname);
    expect((await page()).text).toContain('Worth your time');

    await ok(merge(old, now));

    const { status, text } = await page();
    expect(status).toBe(200);
    expect(text).toContain('Worth your time');
    expect(await ok(news.get('/feeds-out'))).toMatchObject({
      feedsOut: [{ id: feedOut.id, kind: 'item', ofId: shown.id }],
    });
  });

  it('keep the later of two positions in a recording', async () => {
    const old = await news.subscribe(publish('old', 'one', 'two', 'three'));
    const now = await news.subscribe(publish('new', 'one', 'two', 'three'));
    await moveTo(old, 'old', 'new');
    const listen = async (title: string, feed: FeedJson, position: number, secondsAgo: number) => {
      const { id } = await ofFeed(title, feed);
      await ok(news.put(`/playback/${id}`, { position, secondsAgo }));
      return id;
    };
    await listen('one', old, 300, 60);
    const one = await listen('one', now, 20, 3600);
    await listen('two', old, 30, 7200);
    const two = await listen('two', now, 400, 120);
    await listen('three', old, 500, 180);
    const three = (await ofFeed('three', now)).id;

    await ok(merge(old, now));

    expect(await ok(news.get('/playback'))).toMatchObject({
      positions: [
        { itemId: one, position: 300 },
        { itemId: two, position: 400 },
        { itemId: three, position: 500 },
      ],
    });
  });

  it('show a story once still, by the items that stay, and switching that off undoes it', async () => {
    await ok(news.put('/stories', { once: true }));
    const old = await news.subscribe(publish('old', 'here'));
    const now = await news.subscribe(publish('new', 'there'));
    const other = await news.subscribe(publish('other', 'elsewhere'));
    const brings = async (feed: FeedJson, name: string, ...stories: string[]) => {
      publish(name, ...stories);
      await update(feed);
      await settled();
      await news.items();
    };
    await brings(old, 'old', LIGHTHOUSE);
    await brings(now, 'new', LIGHTHOUSE);
    await brings(other, 'other', LIGHTHOUSE, FERRY);
    await brings(old, 'old', FERRY, LIGHTHOUSE);
    await moveTo(old, 'old', 'new');
    const copy = await ofFeed(LIGHTHOUSE, old);
    const kept = await ofFeed(LIGHTHOUSE, now);
    const ferry = await ofFeed(FERRY, old);
    const firstFerry = await ofFeed(FERRY, other);
    const seen = async ({ id }: ItemJson) => {
      const { unread, duplicateOf }: { unread: boolean; duplicateOf?: number } = (
        await news.items()
      ).find((item) => item.id === id) as ItemJson;
      return [unread, duplicateOf];
    };
    expect(await seen(copy)).toEqual([true, undefined]);
    expect(await seen(kept)).toEqual([false, copy.id]);
    const inOther = await ofFeed(LIGHTHOUSE, other);
    expect(await seen(inOther)).toEqual([false, copy.id]);

    await ok(merge(old, now));

    expect(await seen(copy)).toEqual([false, kept.id]);
    expect(await seen(kept)).toEqual([true, undefined]);
    expect(await seen(inOther)).toEqual([false, kept.id]);
    expect(await seen(ferry)).toEqual([false, firstFerry.id]);
    const late = await news.subscribe(publish('late', 'anywhere'));
    await brings(late, 'late', LIGHTHOUSE);
    expect(await seen(await ofFeed(LIGHTHOUSE, late))).toEqual([false, kept.id]);
    expect(await seen(kept)).toEqual([true, undefined]);

    await ok(news.put('/stories', { once: false }));
    await settled();
    expect(await seen(copy)).toEqual([false, kept.id]);
    for (const item of [kept, inOther, ferry, firstFerry]) {
      expect(await seen(item)).toEqual([true, undefined]);
    }
  });

  it('have one item of an article that both had from the same address', async () => {
    const old = await news.subscribe(publish('here', 'a', 'b'));
    await flag(await news.item('a'), 'star');
    await ok(news.call('PATCH', `/feeds/${old.id}`, { json: { url: publish('away', 'c') } }));
    const now = await news.subscribe(at('here'));
    publish('here', 'd');
    await moveTo(old, 'away', 'here');
    await update(now);

    await ok(merge(old, now));

    const items = (await news.items()).map(({ title, starred, feedId }) => [
      title,
      starred,
      feedId,
    ]);
    expect(items.toSorted()).toEqual([
      ['a', true, now.id],
      ['b', false, now.id],
      ['c', false, now.id],
      ['d', false, now.id],
      ['d', false, now.id],
    ]);
    expect(await counts()).toEqual([[now.id, 4]]);
  });

  it('are two still if the transaction ends in the middle', async () => {
    const old = await news.subscribe(publish('old', 'both', 'gone'));
    const now = await news.subscribe(publish('new', 'both'));
    await moveTo(old, 'old', 'new');
    const before = [await news.items(), await counts()];
    await app.database.query(
      'alter table item add constraint stays check (not late or starred) not valid',
    );
    try {
      expect((await merge(old, now)).status).toBe(500);
    } finally {
      await app.database.query('alter table item drop constraint stays');
    }

    expect([await news.items(), await counts()]).toEqual(before);
    await ok(merge(old, now));
    expect((await news.feedList()).feeds).toMatchObject([{ id: now.id, unreadCount: 2 }]);
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { rss } from '../../support/feed-server.js';
import { feverClientOf, idsIn, type FeverClient } from '../../support/fever-client.js';
import { itLong } from '../../support/long.js';
import { NewsClient, type FeedJson } from '../../support/news-client.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestUser } from '../../support/start-app.js';

/** What clients break on, by /fever.md of the references: each title states one fact. */

const LARGEST_INT32 = 2_147_483_647;

const { app, publisher } = await sharedService();

const entry = (name: string, n: number) => ({
  title: `${name}${n}`,
  guid: `${name}/${n}`,
  link: publisher.url(`/${name}/${n}`),
  body: `<p>Text of ${name}${n}</p>`,
  author: 'Ada',
  pubDate: new Date(Date.UTC(2026, 0, n)),
});
let nextFeed = 0;
/** Each test has feeds of its own: users share what was fetched. */
const addressOf = (name: string) => `/${name}-${nextFeed}.xml`;
const publish = (name: string, numbers: readonly number[]) =>
  publisher.publish(
    addressOf(name),
    rss({
      title: name.toUpperCase(),
      link: publisher.url(`/${name}`),
      items: numbers.map((n) => entry(name, n)),
    }),
  );

let user: TestUser;
let news: NewsClient;
let fever: FeverClient;
let folderId: number;
let atRoot: FeedJson;
let inFolder: FeedJson;

beforeEach(async () => {
  nextFeed += 1;
  publish('a', [3, 2, 1]);
  publish('b', [3, 2, 1]);
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  fever = await feverClientOf(app, user);
  folderId = (await news.createFolder('Folder')).id;
  atRoot = await news.subscribe(publisher.url(addressOf('a')));
  inFolder = await news.subscribe(publisher.url(addressOf('b')), folderId);
});

const fetchAgain = () =>
  new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, atRoot.id);

describe('every good answer', () => {
  it('has api_version, auth, and last_refreshed_on_time, the newest fetch of the user’s feeds', async () => {
    const answer = await fever.ask('');

    expect(answer).toEqual({
      api_version: 3,
      auth: 1,
      last_refreshed_on_time: expect.any(Number),
    });
    const nowSeconds = (await app.nowMicros()) / 1_000_000;
    expect(nowSeconds - answer.last_refreshed_on_time).toBeLessThan(300);
    const nobody = await feverClientOf(app, await app.signIn());
    expect((await nobody.ask('')).last_refreshed_on_time).toBe(0);
  });

  it('answers several selectors in one request', async () => {
    const answer = await fever.ask(
      'groups&feeds&favicons&items&links&unread_item_ids&saved_item_ids',
    );

    expect(Object.keys(answer)).toEqual([
      'api_version',
      'auth',
      'last_refreshed_on_time',
      'groups',
      'feeds',
      'feeds_groups',
      'favicons',
      'total_items',
      'items',
      'links',
      'unread_item_ids',
      'saved_item_ids',
    ]);
    expect(answer).toMatchObject({ links: [], total_items: 6 });
  });

  it('is empty for a user without feeds', async () => {
    const nobody = await feverClientOf(app, await app.signIn());

    expect(await nobody.ask('groups&feeds&favicons&items&unread_item_ids&saved_item_ids')).toEqual({
      api_version: 3,
      auth: 1,
      last_refreshed_on_time: 0,
      groups: [],
      feeds: [],
      feeds_groups: [],
      favicons: [],
      items: [],
      total_items: 0,
      unread_item_ids: '',
      saved_item_ids: '',
    });
  });
});

describe('groups', () => {
  it('are the folders, and one with a positive id of 32 bits for feeds at the root', async () => {
    const { groups, feeds_groups: members } = await fever.ask('groups');

    expect(groups).toEqual([
      { id: folderId, title: 'Folder' },
      { id: LARGEST_INT32, title: 'Feeds' },
    ]);
    expect(members).toEqual([
      { group_id: LARGEST_INT32, feed_ids: String(atRoot.id) },
      { group_id: folderId, feed_ids: String(inFolder.id) },
    ]);
  });

  it('name that one in the language of the client', async () => {
    const answer = await app.asStranger().call('POST', '/fever/?api&groups', {
      body: `api_key=${fever.key}`,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'accept-language': 'fr',
      },
    });

    expect(answer.text).toContain('"title":"Flux"');
  });

  it('without feeds are not in feeds_groups, and the one of the root not in groups', async () => {
    await news.createFolder('Empty');
    await news.post(`/feeds/${atRoot.id}/move`, { folderId });

    const { groups, feeds_groups: members } = await fever.ask('groups');

    expect(groups.map(({ title }) => title)).toEqual(['Empty', 'Folder']);
    expect(members).toEqual([{ group_id: folderId, feed_ids: `${atRoot.id},${inFolder.id}` }]);
  });
});

describe('feeds', () => {
  it('have id before favicon_id, and neither title nor url is empty', async () => {
    publisher.publish('/untitled.xml', rss({ title: '', link: '', items: [] }));
    await news.subscribe(publisher.url('/untitled.xml'));

    const { text } = await fever.post('/fever/?api&feeds');
    const { feeds, feeds_groups: members } = JSON.parse(text);

    expect(text).toMatch(/"feeds":\[\{"id":\d+,"favicon_id":\d+,"title":/);
    expect(feeds).toContainEqual({
      id: atRoot.id,
      favicon_id: 0,
      title: 'A',
      url: publisher.url(addressOf('a')),
      site_url: publisher.url('/a'),
      is_spark: 0,
      last_updated_on_time: expect.any(Number),
    });
    expect(feeds).toContainEqual(expect.objectContaining({ title: '127.0.0.1' }));
    expect(members).toHaveLength(2);
  });
});

describe('favicons', () => {
  const addIcon = async (feed: FeedJson, bytes: Buffer) => {
    await app.database.query(
      `with added as (
         insert into icon (content_hash, mime, bytes) values (sha256($1), 'image/png', $1)
         on conflict (content_hash) do update set mime = excluded.mime returning id)
       update source set icon_id = added.id
         from added, subscription s where s.id = $2 and source.id = s.source_id`,
      [bytes, feed.id],
    );
  };

  it('are base64 without "data:", by the favicon_id of the feeds', async () => {
    await addIcon(atRoot, Buffer.alloc(100, 'icon'));

    const { favicons, feeds } = await fever.ask('favicons&feeds');

    const base64 = Buffer.alloc(100, 'icon').toString('base64');
    expect(favicons).toEqual([{ id: expect.any(Number), data: `image/png;base64,${base64}` }]);
    expect(favicons[0]?.id).toBeGreaterThan(0);
    expect(feeds.map(({ favicon_id: id }) => id)).toEqual([favicons[0]?.id, 0]);
  });

  it('above 64 KiB are left out, and so is their id', async () => {
    await addIcon(atRoot, Buffer.alloc(64 * 1024 + 1, 'large'));
    await addIcon(inFolder, Buffer.alloc(64 * 1024, 'just right'));

    const { favicons, feeds } = await fever.ask('favicons&feeds');

    expect(favicons).toHaveLength(1);
    expect(feeds.map(({ favicon_id: id }) => id)).toEqual([0, favicons[0]?.id]);
  });

  itLong('have 16 MiB altogether; what exceeds them is left out', async () => {
    await app.database.query(
      `with added as (
         insert into icon (content_hash, mime, bytes)
         select sha256(bytes), 'image/png', bytes
           from generate_series(1, 300) n, lateral (
                select convert_to(rpad(n || $2, 65536, 'x'), 'UTF8') as bytes) filled
         returning id
       ), numbered as (select id, row_number() over (order by id) as n from added
       ), made as (
         insert into source (url, url_key, icon_id)
         select $2 || n, sha256(convert_to($2 || n, 'UTF8')), id from numbered
         returning id, url)
       insert into subscription (reader_id, source_id, url, delivered_rev)
       select reader.id, made.id, made.url, 0 from made, reader where reader.user_id = $1`,
      [user.credentials.userId, `https://icons.example/${nextFeed}/`],
    );

    const { favicons, feeds } = await fever.ask('favicons&feeds');

    const shown = new Set(favicons.map(({ id }) => id));
    expect([favicons.length, shown.size]).toEqual([256, 256]);
    const named = feeds.map(({ favicon_id: id }) => id).filter((id) => id > 0);
    expect(named.toSorted((a, b) => a - b)).toEqual([...shown]);
  });

  it('are those of the user alone', async () => {
    await addIcon(atRoot, Buffer.from('icon'));
    publisher.publish('/other.xml', rss({ title: 'Other', link: '', items: [] }));
    const stranger = await app.signIn();
    await new NewsClient(stranger, 'v1-3').subscribe(publisher.url('/other.xml'));

    expect((await (await feverClientOf(app, stranger)).ask('favicons')).favicons).toEqual([]);
  });
});

describe('items', () => {
  const many = Array.from({ length: 60 }, (_, n) => n + 1);

  it('have numbers for ids and flags, the author, and the publication in seconds', async () => {
    const { id } = await news.item('b2');
    await news.post(`/items/${id}/read`);
    await news.post(`/items/${id}/star`);

    expect(await fever.items(`with_ids=${id}`)).toEqual([
      {
        id,
        feed_id: inFolder.id,
        title: 'b2',
        author: 'Ada',
        html: '<p>Text of b2</p>',
        url: publisher.url('/b/2'),
        is_saved: 1,
        is_read: 1,
        created_on_time: Date.UTC(2026, 0, 2) / 1000,
      },
    ]);
  });

  it('never have an empty title, and texts instead of null', async () => {
    publisher.publish(
      '/bare.xml',
      rss({
        title: 'Bare',
        items: [{ title: '', guid: 'bare', body: '<p>Only a <b>text</b></p>' }],
      }),
    );
    const { id } = await news.subscribe(publisher.url('/bare.xml'));

    const [item] = await fever.items(`feed_ids=${id}`);

    expect(item).toMatchObject({ title: 'Only a text', author: '', is_saved: 0, is_read: 0 });
    expect(typeof item?.url).toBe('string');
  });

  it('above since_id come ascending, 50 at a time, until the answer is empty', async () => {
    publish('a', many);
    await fetchAgain();
    const all: number[] = [];
    const pages: number[] = [];
    for (let since = 0, rest = true; rest;) {
      const ids = (await fever.items(`since_id=${since}`)).map(({ id }) => id);
      pages.push(ids.length);
      all.push(...ids);
      since = ids.at(-1) ?? since;
      rest = ids.length > 0;
    }

    expect(pages).toEqual([50, 13, 0]);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    expect(new Set(all).size).toBe(63);
  });

  it('below max_id come descending; max_id=0 is the first page', async () => {
    const ids = async (query: string) => (await fever.items(query)).map(({ id }) => id);

    expect(await ids('max_id=0')).toEqual([6, 5, 4, 3, 2, 1]);
    expect(await ids('max_id=4')).toEqual([3, 2, 1]);
    expect(await ids('max_id=4&since_id=0')).toEqual([3, 2, 1]);
    expect(await ids('max_id=1')).toEqual([]);
    expect(await ids('')).toEqual([6, 5, 4, 3, 2, 1]);
    expect(await ids('since_id=4')).toEqual([5, 6]);
    expect(await ids('since_id=0')).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('with_ids are those, at most 50; unknown and foreign ones are left out', async () => {
    publish('a', many);
    await fetchAgain();
    await fever.unreadIds();
    const asked = many.join(',');

    expect(await fever.titles('with_ids=2,5,99999,-1,x')).toEqual([
      expect.any(String),
      expect.any(String),
    ]);
    expect(await fever.items(`with_ids=${asked}`)).toHaveLength(50);
    expect(await fever.items('with_ids=')).toHaveLength(50);
    expect(await fever.items('with_ids=99999')).toEqual([]);
    const stranger = await feverClientOf(app, await app.signIn());
    expect(await stranger.items('with_ids=1,2,3')).toEqual([]);
  });

  it('are of feed_ids and group_ids, alone and together with the other parameters', async () => {
    const ofRoot = ['a3', 'a2', 'a1'];

    expect((await fever.titles(`feed_ids=${atRoot.id}`)).toSorted().toReversed()).toEqual(ofRoot);
    expect(await fever.titles(`group_ids=${LARGEST_INT32}`)).toEqual(
      await fever.titles(`feed_ids=${atRoot.id}`),
    );
    expect(await fever.items(`group_ids=${folderId}`)).toHaveLength(3);
    expect(await fever.items(`group_ids=${folderId}&feed_ids=${atRoot.id}`)).toHaveLength(6);
    expect(await fever.items(`group_ids=${folderId}&with_ids=1,2,3,4,5,6`)).toHaveLength(3);
    expect(await fever.items(`feed_ids=${atRoot.id}&since_id=2`)).toHaveLength(1);
    expect(await fever.items('feed_ids=99999')).toEqual([]);
    expect(await fever.items('group_ids=99999')).toEqual([]);
  });

  it('that wait are delivered first, with since_id too', async () => {
    publish('a', [4, 3, 2, 1]);
    // A new subscription of another user fetches the feed, and delivers nothing here.
    await new NewsClient(await app.signIn(), 'v1-3').subscribe(atRoot.url);

    expect(await fever.titles('since_id=6')).toEqual(['a4']);
  });
});

describe('lists of ids', () => {
  it('are one text with all of them, ascending, without a comma at the end; "" without any', async () => {
    expect(await fever.ask('unread_item_ids&saved_item_ids')).toMatchObject({
      unread_item_ids: '1,2,3,4,5,6',
      saved_item_ids: '',
    });
  });

  it('are not cut', async () => {
    publish(
      'a',
      Array.from({ length: 120 }, (_, n) => n + 1),
    );
    await fetchAgain();

    const ids = idsIn((await fever.ask('unread_item_ids')).unread_item_ids);

    expect(ids).toEqual(Array.from({ length: 123 }, (_, n) => n + 1));
  });

  it('are those of the user alone', async () => {
    const stranger = await feverClientOf(app, await app.signIn());

    expect(await stranger.unreadIds()).toEqual([]);
  });
});

describe.each([16, 17, 20, 40])('an id of another service with %i digits', (digits) => {
  const foreign = '9'.repeat(digits);

  it('is above all ids', async () => {
    expect(await fever.titles(`since_id=${foreign}`)).toEqual([]);
    expect(await fever.titles(`max_id=${foreign}`)).toEqual(await fever.titles());
    expect(await fever.titles(`with_ids=${foreign}`)).toEqual([]);
    expect(await fever.titles(`with_ids=1,${foreign}`)).toEqual(await fever.titles('with_ids=1'));
    expect(await fever.titles(`feed_ids=${foreign}`)).toEqual([]);
    expect(await fever.titles(`group_ids=${foreign}`)).toEqual([]);
  });
});

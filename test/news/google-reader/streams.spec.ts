import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rss } from '../../support/feed-server.js';
import {
  decimalId,
  GoogleReaderClient,
  hexId,
  itemNumbers,
  LABEL,
  longId,
  READING_LIST,
  STATE,
  type ContentsJson,
  type FieldList,
  type IdsJson,
} from '../../support/google-reader-client.js';
import { NewsClient } from '../../support/news-client.js';
import { sharedService } from '../../support/shared-service.js';

const { app, publisher } = await sharedService();
const itemsOf = (name: string, ...numbers: number[]) =>
  numbers.map((n) => ({
    title: `${name}${n}`,
    guid: `tag:${name}/${n}`,
    link: publisher.url(`/${name}/${n}`),
    body: `<p>Text of ${name}${n}</p>`,
    author: 'Ada',
    pubDate: new Date(Date.UTC(2026, 0, n)),
  }));
const publish = (name: string, ...numbers: number[]) =>
  publisher.publish(
    `/${name}.xml`,
    rss({ title: name.toUpperCase(), link: publisher.url('/'), items: itemsOf(name, ...numbers) }),
  );

let reader: GoogleReaderClient;
let news: NewsClient;
let feedA: string;
let feedB: string;
beforeAll(() => {
  publish('a', 3, 2, 1);
  publish('b', 2, 1);
});
/** Items 1 to 3 are those of A, at the root; 4 and 5 those of B, in the folder "News & more/UK". */
beforeEach(async () => {
  const user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  const folder = await news.createFolder('News & more/UK');
  feedA = `feed/${(await news.subscribe(publisher.url('/a.xml'))).id}`;
  feedB = `feed/${(await news.subscribe(publisher.url('/b.xml'), folder.id)).id}`;
  reader = await GoogleReaderClient.of(user);
});

const FOLDER = `${LABEL}News & more/UK`;
const mark = async (tag: string, ...ids: number[]) =>
  reader.post('edit-tag', [
    ...ids.map((id) => ['i', decimalId(id)] as const),
    ['a', `${STATE}${tag}`],
  ]);
const idsOf = async (stream: string, query: FieldList = []) =>
  itemNumbers(await reader.ids(stream, [['n', '1000'], ...query]));
const idsAnswer = async (query: FieldList) =>
  (await reader.get('stream/items/ids', query)).json as IdsJson;

describe('a client', () => {
  it('logs in, asks for unread ids and their contents, and marks them', async () => {
    const ids = await reader.ids(READING_LIST, [
      ['xt', `${STATE}read`],
      ['n', '1000'],
    ]);
    expect(itemNumbers(ids)).toEqual([5, 4, 3, 2, 1]);

    const fields = ids.map((id) => ['i', id] as const);
    const { items } = (await reader.post('stream/items/contents', fields)).json as ContentsJson;
    expect(items.map(({ title }) => title)).toEqual(['b2', 'b1', 'a3', 'a2', 'a1']);

    const marked = await reader.post('edit-tag', [
      ['i', ids[2] ?? ''],
      ['a', `${STATE}read`],
      ['a', `${STATE}starred`],
    ]);
    expect(marked.text).toBe('OK');
    expect(await reader.titles(`${STATE}starred`)).toEqual(['a3']);
    expect(await news.item('a3')).toMatchObject({ unread: false, starred: true });
  });
});

describe('ids', () => {
  it('are decimal texts of 16 digits in lists of ids, so that Readrops pads them to 16 hex digits', async () => {
    const { itemRefs } = await idsAnswer([['s', feedA]]);

    expect(itemRefs).toEqual([3, 2, 1].map((id) => ({ id: decimalId(id) })));
    const padded = itemRefs.map(({ id }) => BigInt(id).toString(16).padStart(id.length, '0'));
    expect(padded).toEqual([3, 2, 1].map(hexId));
  });

  it('have the long form in contents: 16 hex digits in lower case, with zeros in front', async () => {
    const { items } = await reader.contents(feedA);

    expect(items.map(({ id }) => id)).toEqual([3, 2, 1].map(longId));
    expect(items[0]?.id).toMatch(/^tag:google\.com,2005:reader\/item\/000[0-9a-f]{13}$/);
  });

  it('are read in every form that clients send', async () => {
    const forms = {
      long: longId,
      'long without padding (older NetNewsWire)': (id: number) => longId(id).replace('/000', '/'),
      '16 hex digits alone (Reeder, Fluent Reader)': hexId,
      'hex digits in upper case': (id: number) => hexId(id).toUpperCase(),
      'decimal (Liferea, EasyRSS)': decimalId,
    };
    for (const [what, form] of Object.entries(forms)) {
      const fields = [form(1), form(4)].map((id) => ['i', id] as const);
      const { items } = (await reader.post('stream/items/contents', fields)).json as ContentsJson;

      expect([what, ...items.map(({ title }) => title)]).toEqual([what, 'b1', 'a1']);
    }
  });

  it('that are not there, or are none, are left out without an error', async () => {
    const fields = [decimalId(1), decimalId(999), '1', '-17', 'x', '', longId(0)];
    const answer = await reader.post(
      'stream/items/contents',
      fields.map((id) => ['i', id] as const),
    );

    expect(answer.status).toBe(200);
    expect((answer.json as ContentsJson).items.map(({ title }) => title)).toEqual(['a1']);
  });

  it('are read from the query of a GET as well', async () => {
    const { json } = await reader.get('stream/items/contents', [['i', decimalId(2)]]);

    expect((json as ContentsJson).items.map(({ title }) => title)).toEqual(['a2']);
  });

  it('of another user name nothing of them', async () => {
    const stranger = await GoogleReaderClient.of(await app.signIn());
    const fields = [1, 2, 3].map((id) => ['i', decimalId(id)] as const);

    const { json } = await stranger.post('stream/items/contents', fields);
    expect((json as ContentsJson).items).toEqual([]);
    await stranger.post('edit-tag', [...fields, ['a', `${STATE}read`]]);
    expect(await idsOf(`${STATE}read`)).toEqual([]);
  });
});

describe('streams', () => {
  it('are feeds, folders, states, and all', async () => {
    await mark('read', 1, 4);
    await mark('starred', 2);

    expect(await idsOf(READING_LIST)).toEqual([5, 4, 3, 2, 1]);
    expect(await idsOf(feedA)).toEqual([3, 2, 1]);
    expect(await idsOf(FOLDER)).toEqual([5, 4]);
    expect(await idsOf(`${STATE}read`)).toEqual([4, 1]);
    expect(await idsOf(`${STATE}unread`)).toEqual([5, 3, 2]);
    expect(await idsOf(`${STATE}kept-unread`)).toEqual([5, 3, 2]);
    expect(await idsOf(`${STATE}starred`)).toEqual([2]);
  });

  it('may name the user by an id instead of "-"', async () => {
    expect(await idsOf('user/1/state/com.google/reading-list')).toHaveLength(5);
    expect(await idsOf('user/ada@example.org/label/News & more/UK')).toEqual([5, 4]);
  });

  it('may name a feed by its address, also with feed/ repeated', async () => {
    const address = publisher.url('/a.xml');

    expect(await idsOf(`feed/${address}`)).toEqual([3, 2, 1]);
    expect(await idsOf(`feed/feed/${address}`)).toEqual([3, 2, 1]);
  });

  it('of states of Google that mean nothing here are empty and no error', async () => {
    for (const state of [
      'broadcast',
      'broadcast-friends',
      'like',
      'created',
      'fresh',
      'unheard-of',
    ]) {
      expect([state, ...(await idsOf(STATE + state))]).toEqual([state]);
    }
  });

  it('that are not there are empty and no error', async () => {
    const nowhere = 'feed/https://nowhere.example/rss';
    for (const stream of ['feed/999999', nowhere, `${LABEL}Nothing`, 'nonsense/!']) {
      const answer = await reader.get('stream/items/ids', [['s', stream]]);

      expect([stream, answer.status, answer.text]).toEqual([stream, 200, '{"itemRefs":[]}']);
    }
  });

  it('of another user are empty', async () => {
    const other = await GoogleReaderClient.of(await app.signIn());

    expect(await other.ids(feedA)).toEqual([]);
    expect(await other.ids(FOLDER)).toEqual([]);
    expect(await other.ids(READING_LIST)).toEqual([]);
    expect((await other.contents(feedA)).items).toEqual([]);
  });

  it('exclude by xt, which may be repeated: Readrops leaves out read and starred', async () => {
    await mark('read', 1, 4);
    await mark('starred', 2);

    const both: FieldList = [
      ['xt', `${STATE}read`],
      ['xt', `${STATE}starred`],
    ];
    expect(await idsOf(READING_LIST, both)).toEqual([5, 3]);
    expect(await idsOf(READING_LIST, [['xt', `${STATE}unread`]])).toEqual([4, 1]);
    expect(await idsOf(READING_LIST, [['xt', feedA]])).toEqual([5, 4]);
    expect(await idsOf(READING_LIST, [['xt', FOLDER]])).toEqual([3, 2, 1]);
    expect(await idsOf(READING_LIST, [['xt', `${STATE}broadcast`]])).toHaveLength(5);
  });

  it('intersect by it, which may be repeated, also without s', async () => {
    await mark('read', 1, 4);
    await mark('starred', 1, 2);

    expect(await idsOf(READING_LIST, [['it', `${STATE}read`]])).toEqual([4, 1]);
    expect(await idsOf(feedA, [['it', `${STATE}starred`]])).toEqual([2, 1]);
    const both: FieldList = [
      ['it', `${STATE}starred`],
      ['it', `${STATE}read`],
    ];
    expect(await idsOf(READING_LIST, both)).toEqual([1]);
    const { itemRefs } = await idsAnswer([['it', `${STATE}starred`]]);
    expect(itemNumbers(itemRefs.map(({ id }) => id))).toEqual([2, 1]);
  });

  it('have 20 items without n, and as many as n asks for', async () => {
    publish('many', ...Array.from({ length: 30 }, (_none, n) => 30 - n));
    const { id } = await news.subscribe(publisher.url('/many.xml'));

    expect((await idsAnswer([['s', `feed/${id}`]])).itemRefs).toHaveLength(20);
    expect((await reader.contents(`feed/${id}`)).items).toHaveLength(20);
    for (const n of ['0', 'x', '', '-5']) {
      expect(
        (
          await idsAnswer([
            ['s', `feed/${id}`],
            ['n', n],
          ])
        ).itemRefs,
      ).toHaveLength(20);
    }
    expect(await idsOf(`feed/${id}`, [['n', '7']])).toHaveLength(30);
    expect(
      (
        await idsAnswer([
          ['s', `feed/${id}`],
          ['n', '200000'],
        ])
      ).itemRefs,
    ).toHaveLength(30);
  });

  it('are newest first by arrival, or oldest first with r=o', async () => {
    expect(await idsOf(READING_LIST, [['r', 'd']])).toEqual([5, 4, 3, 2, 1]);
    expect(await idsOf(READING_LIST, [['r', 'n']])).toEqual([5, 4, 3, 2, 1]);
    expect(await idsOf(READING_LIST, [['r', 'o']])).toEqual([1, 2, 3, 4, 5]);
    expect(await reader.titles(feedA, [['r', 'o']])).toEqual(['a1', 'a2', 'a3']);
  });

  it('ignore parameters of Google that mean nothing here', async () => {
    const others = ['ck', 'client', 'comments', 'likes', 'merge', 'mediaRss', 'all', 'output'];

    expect(
      await idsOf(
        feedA,
        others.map((name) => [name, 'x'] as const),
      ),
    ).toEqual([3, 2, 1]);
  });

  it('count their items', async () => {
    await mark('read', 1);
    const answer = await reader.get('stream/items/count', [
      ['s', feedA],
      ['xt', `${STATE}read`],
    ]);

    expect([answer.text, answer.headers['content-type']]).toEqual([
      '2',
      'text/plain; charset=utf-8',
    ]);
  });

  it('deliver what was published', async () => {
    publish('late', 1);
    await news.subscribe(publisher.url('/late.xml'));
    const other = new NewsClient(await app.signIn(), 'v1-3');
    publish('late', 2, 1);
    await other.subscribe(publisher.url('/late.xml'));

    expect(await reader.titles(READING_LIST, [['n', '1']])).toEqual(['late2']);
  });
});

describe('pages', () => {
  const pages = async (query: FieldList) => {
    const found: number[][] = [];
    let continuation: string | undefined;
    do {
      const next: FieldList = continuation === undefined ? [] : [['c', continuation]];
      const page = await idsAnswer([['s', READING_LIST], ...query, ...next]);
      found.push(itemNumbers(page.itemRefs.map(({ id }) => id)));
      continuation = page.continuation;
    } while (continuation !== undefined);
    return found;
  };

  it('are full while more remains, and continue by a text', async () => {
    const page = await idsAnswer([
      ['s', READING_LIST],
      ['n', '2'],
    ]);

    expect(page.itemRefs).toHaveLength(2);
    expect(page.continuation).toEqual(expect.any(String));
    expect(await pages([['n', '2']])).toEqual([[5, 4], [3, 2], [1]]);
    expect(
      await pages([
        ['n', '2'],
        ['r', 'o'],
      ]),
    ).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('end without a continuation, never with an empty page', async () => {
    expect(await pages([['n', '5']])).toEqual([[5, 4, 3, 2, 1]]);
    expect(await pages([['n', '1']])).toEqual([[5], [4], [3], [2], [1]]);
    expect(
      await idsAnswer([
        ['s', feedA],
        ['n', '3'],
      ]),
    ).not.toHaveProperty('continuation');
    expect(await reader.contents(feedA, [['n', '3']])).not.toHaveProperty('continuation');
  });

  it('of contents continue in the same way', async () => {
    const first = await reader.contents(READING_LIST, [['n', '4']]);
    const second = await reader.contents(READING_LIST, [
      ['n', '4'],
      ['c', first.continuation ?? ''],
    ]);

    expect(first.items.map(({ title }) => title)).toEqual(['b2', 'b1', 'a3', 'a2']);
    expect(second.items.map(({ title }) => title)).toEqual(['a1']);
  });

  it('lose nothing while items are marked in between', async () => {
    const unread: FieldList = [
      ['xt', `${STATE}read`],
      ['n', '2'],
    ];
    const first = await idsAnswer([['s', READING_LIST], ...unread]);
    await mark('read', 5, 4);
    const second = await idsAnswer([
      ['s', READING_LIST],
      ...unread,
      ['c', first.continuation ?? ''],
    ]);

    expect(itemNumbers(second.itemRefs.map(({ id }) => id))).toEqual([3, 2]);
  });

  it('ignore a continuation that is not of digits: Raven sends "null"', async () => {
    expect(await idsOf(feedA, [['c', 'null']])).toEqual([3, 2, 1]);
  });

  it('that continue do not deliver, so that a client misses nothing between them', async () => {
    publish('later', 1);
    await news.subscribe(publisher.url('/later.xml'));
    const first = await idsAnswer([
      ['s', READING_LIST],
      ['n', '2'],
      ['r', 'o'],
    ]);
    publish('later', 2, 1);
    await new NewsClient(await app.signIn(), 'v1-3').subscribe(publisher.url('/later.xml'));

    const rest = await reader.titles(READING_LIST, [
      ['c', first.continuation ?? ''],
      ['r', 'o'],
    ]);

    expect(rest).toEqual(['a3', 'b1', 'b2', 'later1']);
    expect(await reader.titles(READING_LIST, [['n', '1']])).toEqual(['later2']);
  });
});

describe('times', () => {
  const arrivedMicros = async (title: string) => Number((await reader.item(title)).timestampUsec);
  const arriveLater = async () => {
    publish('c', 2, 1);
    await news.subscribe(publisher.url('/c.xml'));
    return Math.max(await arrivedMicros('c1'), await arrivedMicros('c2'));
  };

  it('are those of arrival, not of publication: ot is inclusive', async () => {
    const later = await arriveLater();

    const since = await idsOf(READING_LIST, [['ot', String(later)]]);
    expect(since).toEqual([7, 6]);
    expect(await reader.titles(READING_LIST, [['ot', String(later)]])).toEqual(['c2', 'c1']);
    expect(await idsOf(READING_LIST, [['ot', String(later + 1)]])).toEqual([]);
  });

  it('nt is inclusive as well', async () => {
    const first = await arrivedMicros('a1');
    await arriveLater();

    expect(await idsOf(READING_LIST, [['nt', String(first)]])).toEqual([3, 2, 1]);
    expect(await idsOf(READING_LIST, [['nt', String(first - 1)]])).toEqual([]);
  });

  it('are seconds, milliseconds or microseconds, told apart by their digits', async () => {
    const micros = await arrivedMicros('a1');
    const [before, after] = [Math.floor(micros / 1e6) - 1, Math.floor(micros / 1e6) + 100];

    for (const unit of [1, 1000, 1_000_000]) {
      expect(await idsOf(feedA, [['ot', String(before * unit)]])).toHaveLength(3);
      expect(await idsOf(feedA, [['ot', String(after * unit)]])).toHaveLength(0);
      expect(await idsOf(feedA, [['nt', String(before * unit)]])).toHaveLength(0);
    }
    expect(await idsOf(feedA, [['ot', '0']])).toHaveLength(3);
    expect(await idsOf(feedA, [['ot', 'x']])).toHaveLength(3);
  });

  it('the Date of an answer is a next ot that misses nothing', async () => {
    const answer = await reader.get('stream/items/ids', [['s', READING_LIST]]);
    const date = Date.parse(answer.headers['date'] ?? '') / 1000;
    await arriveLater();

    expect(await idsOf(READING_LIST, [['ot', String(date)]])).toEqual(
      expect.arrayContaining([7, 6]),
    );
  });
});

describe('stream/contents', () => {
  it('names the stream in the path with escaped slashes (newsboat, RSS Guard)', async () => {
    const { json } = await reader.get(`stream/contents/${encodeURIComponent(feedA)}`);

    expect((json as ContentsJson).items).toHaveLength(3);
  });

  it('names the stream in the path with unescaped slashes (EasyRSS)', async () => {
    const plain = await reader.get(`stream/contents/${READING_LIST}`, [['n', '3']]);
    const folder = await reader.get('stream/contents/user/-/label/News%20%26%20more/UK');
    const address = await reader.get(`stream/contents/feed/${publisher.url('/a.xml')}`);

    expect((plain.json as ContentsJson).items).toHaveLength(3);
    expect((folder.json as ContentsJson).items.map(({ title }) => title)).toEqual(['b2', 'b1']);
    expect((address.json as ContentsJson).items).toHaveLength(3);
  });

  it('names the stream by s (Twine), and without any is the reading list (Fluent Reader)', async () => {
    const named = await reader.get('stream/contents', [['s', feedB]]);
    const all = await reader.get('stream/contents', [['n', '1000']]);
    const slash = await reader.get('stream/contents/', [['s', feedB]]);

    expect((named.json as ContentsJson).items).toHaveLength(2);
    expect((all.json as ContentsJson).items).toHaveLength(5);
    expect((slash.json as ContentsJson).items).toHaveLength(2);
  });

  it('has short names of states: stream/contents/reading-list', async () => {
    await mark('starred', 2);

    expect(
      ((await reader.get('stream/contents/reading-list')).json as ContentsJson).items,
    ).toHaveLength(5);
    expect(((await reader.get('stream/contents/starred')).json as ContentsJson).items).toHaveLength(
      1,
    );
  });

  it('has the id with "-" for the user, a title, the time, and items', async () => {
    const answer = await reader.get('stream/contents/user/1/state/com.google/reading-list');

    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json).toEqual({
      id: READING_LIST,
      title: 'reading-list',
      updated: Date.parse(answer.headers['date'] ?? '') / 1000,
      items: expect.any(Array),
    });
    expect(await reader.contents(feedA)).toMatchObject({ id: feedA, title: 'A' });
    expect(await reader.contents(FOLDER)).toMatchObject({ id: FOLDER, title: 'News & more/UK' });
  });

  it('is compressed for clients that accept it', async () => {
    const answer = await reader.call('GET', 'stream/contents', {
      headers: { 'accept-encoding': 'gzip' },
    });

    expect(answer.headers['content-encoding']).toBe('gzip');
  });
});

describe('an item', () => {
  it('has all fields in their types', async () => {
    await mark('read', 5);
    await mark('starred', 5);
    const { json } = await reader.post('stream/items/contents', [['i', decimalId(5)]]);
    const { arrivedMicros } = await arrivalOf(5);

    expect(json).toEqual({
      id: READING_LIST,
      updated: expect.any(Number),
      items: [
        {
          id: longId(5),
          crawlTimeMsec: String(Math.floor(arrivedMicros / 1000)),
          timestampUsec: String(arrivedMicros),
          published: Date.UTC(2026, 0, 2) / 1000,
          updated: Date.UTC(2026, 0, 2) / 1000,
          title: 'b2',
          author: 'Ada',
          canonical: [{ href: publisher.url('/b/2') }],
          alternate: [{ href: publisher.url('/b/2'), type: 'text/html' }],
          summary: { content: '<p>Text of b2</p>' },
          categories: [READING_LIST, `${STATE}read`, `${STATE}starred`, `${LABEL}News & more/UK`],
          origin: { streamId: feedB, title: 'B', htmlUrl: publisher.url('/') },
        },
      ],
    });
  });

  const arrivalOf = async (id: number) => {
    const [row] = await app.database.query<{ arrivedMicros: number }>(
      `select arrived_micros as "arrivedMicros" from item
        where id = $1 and subscription_id = $2`,
      [id, Number(feedB.slice(5))],
    );
    return row ?? { arrivedMicros: 0 };
  };

  it('is unread where the category "read" is missing, and has no folder at the root', async () => {
    expect((await reader.item('a1')).categories).toEqual([READING_LIST]);
  });

  it('has no empty title, over which Readrops loses the page: words of the text, the host, or "Untitled"', async () => {
    const body = `<p>${'Seven words of a long text <b>here</b>. '.repeat(5)}</p>`;
    const items = [
      { title: '', guid: 'words', link: publisher.url('/x'), body },
      { title: '', guid: 'host', link: 'https://words.example/x', body: '<img src="/x.png">' },
      { title: ' ', guid: 'nothing', link: '', body: '' },
    ];
    publisher.publish('/untitled.xml', rss({ title: 'U', items }));
    const { id } = await news.subscribe(publisher.url('/untitled.xml'));

    const titles = await reader.titles(`feed/${id}`);

    expect(titles.toSorted()).toEqual([
      expect.stringMatching(/^Seven words of a long text here\. Seven .{10,60}…$/),
      'Untitled',
      'words.example',
    ]);
  });

  it('without a link has canonical and alternate with an empty one, as Fluent Reader needs', async () => {
    publisher.publish(
      '/linkless.xml',
      rss({ title: 'L', items: [{ title: 'no link', guid: 'l', link: '', body: 'x' }] }),
    );
    await news.subscribe(publisher.url('/linkless.xml'));

    expect(await reader.item('no link')).toMatchObject({
      canonical: [{ href: '' }],
      alternate: [{ href: '', type: 'text/html' }],
    });
  });

  it("has enclosures with href, and the publisher's tags as plain words", async () => {
    const enclosure = { url: 'https://a.example/x.mp3', type: 'audio/mpeg' };
    const tags = ['Wetter & Küste 🌊', `${STATE}read`, 'USER/-/label/Sea'];
    const xml = tags.map((tag) => `<category>${tag.replace('&', '&amp;')}</category>`).join('');
    publisher.publish(
      '/podcast.xml',
      rss({ title: 'P', items: [{ title: 'episode', guid: 'e', link: '', enclosure, xml }] }),
    );
    await news.subscribe(publisher.url('/podcast.xml'));

    const episode = await reader.item('episode');
    expect(episode.enclosure).toEqual([{ href: 'https://a.example/x.mp3', type: 'audio/mpeg' }]);
    // A tag of the publisher that is named like a state would make the item read.
    expect(episode.categories).toEqual([READING_LIST, 'Wetter & Küste 🌊']);
    expect(await reader.item('a1')).not.toHaveProperty('enclosure');
  });

  it('has texts as they are: not escaped, and not in full-width characters', async () => {
    const items = [
      { title: 'Ebbe & Flut: 1 < 2 „ü“ 🌊', guid: 't', link: '', body: '<p>Größe 🌊 &lt;3</p>' },
    ];
    publisher.publish('/texts.xml', rss({ title: 'Sea & <Air>', items }));
    const { id } = await news.subscribe(publisher.url('/texts.xml'));

    const { items: found } = await reader.contents(`feed/${id}`);
    expect(found[0]).toMatchObject({
      title: 'Ebbe & Flut: 1 < 2 „ü“ 🌊',
      summary: { content: '<p>Größe 🌊 &lt;3</p>' },
    });
  });

  it('has a date that fits into 32 bits, as RSS Guard reads it', async () => {
    const items = [
      { title: 'future', guid: 'f', link: publisher.url('/f'), pubDate: new Date('2999-01-01') },
      { title: 'past', guid: 'p', link: publisher.url('/p'), pubDate: new Date('1815-12-10') },
    ];
    publisher.publish('/dates.xml', rss({ title: 'D', items }));
    await news.subscribe(publisher.url('/dates.xml'));

    for (const title of ['future', 'past']) {
      const { published } = await reader.item(title);
      expect(Number.isInteger(published)).toBe(true);
      expect(published).toBeGreaterThanOrEqual(0);
      expect(published).toBeLessThan(2 ** 31);
    }
  });
});

describe.each([16, 17, 20, 40])('a number with %i digits', (digits) => {
  const large = '9'.repeat(digits);

  it('is above all others', async () => {
    expect(await idsOf(READING_LIST, [['c', large]])).toEqual([5, 4, 3, 2, 1]);
    const upwards: FieldList = [
      ['c', large],
      ['r', 'o'],
    ];
    expect(await idsOf(READING_LIST, upwards)).toEqual([]);
    expect(await idsOf(READING_LIST, [['ot', large]])).toEqual([]);
    expect(await idsOf(READING_LIST, [['nt', large]])).toEqual([5, 4, 3, 2, 1]);
    expect(await reader.ids(READING_LIST, [['n', large]])).toHaveLength(5);
    const ofNobody = await reader.get('stream/items/ids', [['s', 'feed/987654321']]);
    expect((await reader.get('stream/items/ids', [['s', `feed/${large}`]])).status).toBe(
      ofNobody.status,
    );
  });

  it('is the id of no item, in any form', async () => {
    const ids = [large, large.replaceAll('9', 'f'), `tag:google.com,2005:reader/item/${large}`];
    const answer = await reader.post('edit-tag', [
      ...ids.map((id) => ['i', id] as const),
      ['a', `${STATE}read`],
    ]);

    expect(answer.status).toBe(200);
    expect(await idsOf(`${STATE}read`)).toEqual([]);
  });
});

it('the number of a feed has one form', async () => {
  const numbers = async (stream: string) =>
    (await reader.get('stream/items/ids', [['s', stream]])).status;
  const number = feedA.slice('feed/'.length);

  expect(await numbers(feedA)).toBe(200);
  for (const other of [`0${number}`, `+${number}`, `${number}e0`]) {
    expect([other, await numbers(`feed/${other}`)]).toEqual([
      other,
      await numbers('feed/987654321'),
    ]);
  }
});

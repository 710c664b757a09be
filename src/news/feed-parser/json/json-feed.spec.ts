import { describe, expect, it } from '@jest/globals';
import { md5 } from '../items/item-identity.js';
import type { ParsedItem } from '../items/parsed-item.js';
import { type ParsedFeed, UnreadableDocument } from '../parsed-feed.js';
import { readFeed } from '../read-feed.js';

const read = async (feed: unknown): Promise<ParsedFeed> =>
  readFeed({
    bytes: Buffer.from(typeof feed === 'string' ? feed : JSON.stringify(feed)),
    contentType: 'application/feed+json',
    url: 'https://example.org/feed.json',
  });

const itemOf = async (item: object, feed: object = {}): Promise<ParsedItem> => {
  const { items } = await read({
    version: 'https://jsonfeed.org/version/1.1',
    items: [item],
    ...feed,
  });
  if (!items[0]) {
    throw new Error('no item was read');
  }
  return items[0];
};

describe('a JSON Feed', () => {
  it('has title, site, picture, hub and itself', async () => {
    await expect(
      read({
        version: 'x',
        title: 'A & <b>B</b>',
        home_page_url: 'https://a.org/',
        feed_url: '/f',
        icon: 'i.png',
        hubs: [{ type: 'WebSub', url: 'https://h.org/' }],
        items: [],
      }),
    ).resolves.toMatchObject({
      title: 'A & B',
      link: 'https://a.org/',
      iconUrl: 'https://example.org/i.png',
      publishing: { hubUrl: 'https://h.org/', selfUrl: 'https://example.org/f' },
      items: [],
      warning: null,
    });
  });

  it('needs no version, only a list of items', async () => {
    await expect(read({ items: [{ id: '1' }] })).resolves.toMatchObject({ items: [{ guid: '1' }] });
  });

  it('may begin with a byte order mark and white space', async () => {
    await expect(read('\ufeff \n{"items":[{"id":1}]}')).resolves.toMatchObject({
      items: [{ guid: '1' }],
    });
  });

  it.each([
    ['a line end in a text', '{"items":[{"id":"1","title":"a\nb\tc\\n"}]}', 'a b c'],
    ['a comma too many', '{"items":[{"id":"1","title":"x, ]",},]}', 'x, ]'],
    ['something behind', '{"items":[{"id":"1","title":"}"}]}\n<!-- 0.1 s -->', '}'],
  ])('with %s is repaired', async (_what, text, title) => {
    await expect(read(text)).resolves.toMatchObject({ items: [{ title }] });
  });

  it.each([
    ['in a text', '{"title":"T","items":[{"id":"1"},{"id":"2","content_html":"<p>cut he'],
    ['behind an item', '{"title":"T","items":[{"id":"1"},'],
    ['in an inner list', '{"title":"T","items":[{"id":"1","tags":["a"],},{"id":"2","tags":["b'],
  ])('truncated %s keeps its complete items, with a warning', async (_where, text) => {
    await expect(read(text)).resolves.toMatchObject({
      title: 'T',
      items: [{ guid: '1' }],
      warning: expect.stringContaining('ends before it is complete'),
    });
  });

  it('may have null instead of an empty list', async () => {
    await expect(
      read({ version: 'https://jsonfeed.org/version/1.1', title: 'T', items: null }),
    ).resolves.toMatchObject({ title: 'T', items: [] });
    await expect(read({ title: 'T', items: null })).rejects.toThrow(UnreadableDocument);
  });

  it.each(['{}', '{"items":{}}', '{"items":[1', '{"items":"x"}'])('is not %s', async (text) => {
    await expect(read(text)).rejects.toThrow(UnreadableDocument);
  });

  it('of brackets only is refused', async () => {
    await expect(read(`{"items":[${'[],'.repeat(500_000)}[]]}`)).rejects.toThrow('too many values');
    await expect(
      read({ items: [{ id: '1', content_text: '[{'.repeat(500_000) }] }),
    ).resolves.toMatchObject({ items: [{ guid: '1' }] });
  });

  it('is not affected by names of prototype properties', async () => {
    await read('{"__proto__":{"polluted":1},"items":[{"id":"1","__proto__":{"title":"x"}}]}');

    expect({}).not.toHaveProperty('polluted');
  });
});

describe('a JSON Feed with too many items', () => {
  it.each([
    ['with dates, oldest first', (i: number) => ({ date_published: new Date(i * 60_000) }), '500'],
    ['without dates', () => ({}), '0'],
  ])('%s keeps the newest, with a warning', async (_what, write, first) => {
    const items = Array.from({ length: 2_500 }, (_, i) => ({ id: String(i), ...write(i) }));

    const feed = await read({ items });

    expect(feed.items).toHaveLength(2_000);
    expect(feed.items[0]?.guid).toBe(first);
    expect(feed.warning).toBe('2000 of 2500 items of the document were kept: the newest.');
  });
});

describe('an item of a JSON Feed', () => {
  it.each([
    [{ id: 7 }, { guid: '7' }],
    [
      { id: 'x', url: '/p' },
      { guid: 'x', url: 'https://example.org/p' },
    ],
    [{ url: '/p' }, { guid: 'https://example.org/p' }],
    [{ id: 'https://a.org/1' }, { url: 'https://a.org/1' }],
    [{ id: '1', external_url: 'https://b.org/' }, { url: 'https://b.org/' }],
    [{ id: '1', url: 'javascript:x' }, { url: null }],
    [{ id: '1', title: 'A &amp; B' }, { title: 'A & B' }],
    [{ id: '1', content_html: '<p>x<script>y</script></p>' }, { body: '<p>x</p>' }],
    [{ id: '1', content_text: 'a < b & <b>' }, { body: 'a &lt; b &amp; &lt;b&gt;' }],
    [{ id: '1', content_text: 't', content_html: '<b>h</b>' }, { body: '<b>h</b>' }],
    [{ id: '1', summary: 's' }, { body: 's' }],
    [{ id: '1', content_text: 'a\nb\r\n\nc' }, { body: 'a<br />\nb<br />\n<br />\nc' }],
    [{ id: '1', content_html: 'a\nb' }, { body: 'a\nb' }],
    [{ author: { name: 'Ann' } }, { author: 'Ann', title: null }],
    [{ date_published: '2020-01-01T00:00:00Z' }, { pubDateSeconds: 1577836800 }],
    [
      { id: '1', url: '/a/b', content_html: '<img src="c.png">' },
      { body: '<img src="https://example.org/a/c.png" />' },
    ],
    [
      { id: '1', date_published: '2020-01-01T00:00:00+01:00' },
      { pubDateSeconds: 1577833200, updatedDateSeconds: null },
    ],
    [
      { id: '1', date_modified: '2020-01-01T00:00:00Z' },
      { pubDateSeconds: 1577836800, updatedDateSeconds: 1577836800 },
    ],
    [{ id: '1', author: { name: 'Ann' } }, { author: 'Ann' }],
    [{ id: '1', authors: [{ name: 'Ann' }, { name: 'Bob' }] }, { author: 'Ann, Bob' }],
    [{ id: '1', author: 'Ann' }, { author: 'Ann' }],
    [{ id: '1', author: [{ name: 'Ann' }, { name: 'Bob' }] }, { author: 'Ann, Bob' }],
    [{ id: '1', authors: ['Ann', 'Bob'] }, { author: 'Ann, Bob' }],
    [{ id: '1', url: 'https://a.org/?a=1&amp;b=2' }, { url: 'https://a.org/?a=1&b=2' }],
    [{ id: '1', authors: [], author: { url: 'x' } }, { author: null }],
    [
      {
        id: '1',
        attachments: [
          { url: '/t.txt', mime_type: 'text/plain' },
          { url: '/a.mp3', mime_type: 'audio/mpeg' },
        ],
      },
      { enclosureLink: 'https://example.org/a.mp3', enclosureMime: 'audio/mpeg' },
    ],
    [{ id: '1', image: 'i.png' }, { mediaThumbnail: 'https://example.org/i.png' }],
    [{ id: '1', language: 'he' }, { rtl: true }],
    [{ title: 'T', content_text: 'x' }, { guid: md5('T', 'x', '', '') }],
  ])('%j', async (written, expected) => {
    expect(await itemOf(written)).toMatchObject(expected);
  });

  it('inherits author and language', async () => {
    expect(
      await itemOf({ id: '1' }, { authors: [{ name: 'Feed' }], language: 'ar' }),
    ).toMatchObject({ author: 'Feed', rtl: true });
  });

  it('that is not an object is skipped', async () => {
    await expect(
      read({ items: [null, 1, 'x', [], {}, { title: ' ', tags: ['t'] }, { id: '1' }] }),
    ).resolves.toMatchObject({
      items: [{ guid: '1' }],
    });
  });
});

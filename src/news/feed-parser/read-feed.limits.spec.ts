import { expect, it } from '@jest/globals';
import type { ParsedFeed } from './parsed-feed.js';
import { readFeed } from './read-feed.js';

const read = async (text: string): Promise<ParsedFeed> =>
  readFeed({ bytes: Buffer.from(text), contentType: null, url: 'https://example.org/feed' });

const times = (count: number, write: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => write(i)).join('');

const NAMESPACES =
  'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/" ' +
  'xmlns:atom="http://www.w3.org/2005/Atom"';

const HEAD = '<title>F</title><link>https://example.org/</link>';
const rss = (inner: string): string =>
  `<rss version="2.0" ${NAMESPACES}><channel>${inner}</channel></rss>`;
const atom = (inner: string): string => `<feed xmlns="http://www.w3.org/2005/Atom">${inner}</feed>`;

const RSS_END =
  '<title>T</title><link>https://example.org/a</link><guid>g</guid><description>x</description>' +
  '<pubDate>Tue, 03 Mar 2020 10:00:00 GMT</pubDate>';
const ATOM_END =
  '<title>T</title><link href="https://example.org/a"/><id>g</id><summary>x</summary>' +
  '<published>2020-03-03T10:00:00Z</published>';
const WHOLE = {
  title: 'T',
  url: 'https://example.org/a',
  guid: 'g',
  body: 'x',
  pubDateSeconds: 1_583_229_600,
};

it.each([
  ['category', (i: number) => `<category>${i}</category>`],
  ['dc:creator', (i: number) => `<dc:creator>${i}</dc:creator>`],
  ['enclosure', (i: number) => `<enclosure url="/${i}.mp3" type="audio/mpeg"/>`],
  ['media:content', (i: number) => `<media:content url="/${i}.mp4"/>`],
  ['atom:link', (i: number) => `<atom:link rel="related" href="/${i}"/>`],
  ['source', (i: number) => `<source url="/${i}">s</source>`],
])('A thousand <%s> do not displace what stands behind them in RSS.', async (_name, write) => {
  const many = times(1_000, write);

  const { title, link, items } = await read(rss(`${many}${HEAD}<item>${many}${RSS_END}</item>`));

  expect({ title, link, items }).toMatchObject({
    title: 'F',
    link: 'https://example.org/',
    items: [WHOLE],
  });
});

it.each([
  ['category', (i: number) => `<category term="${i}"/>`],
  ['author', (i: number) => `<author><name>${i}</name></author>`],
  ['link rel="enclosure"', (i: number) => `<link rel="enclosure" href="/${i}.mp3"/>`],
])('A thousand <%s> do not displace what stands behind them in Atom.', async (_name, write) => {
  const many = times(1_000, write);

  const { title, items } = await read(
    atom(`${many}<title>F</title><entry>${many}${ATOM_END}</entry>`),
  );

  expect({ title, items }).toMatchObject({ title: 'F', items: [WHOLE] });
});

it('More elements than are kept of a document do not displace titles and links behind them.', async () => {
  const tags = times(160_000, () => '<category/>');
  const lists = times(800, () => `<item>${tags.slice(0, 11 * 200)}<guid>0</guid></item>`);

  const { title, items } = await read(rss(`${lists}<item>${tags}${RSS_END}</item>${HEAD}`));

  expect({ title, last: items.at(-1) }).toMatchObject({ title: 'F', last: WHOLE });
});

it.each([
  ['unclosed elements that end with the one around them', `<x>${'<b>'.repeat(300)}</x>`, ''],
  ['unclosed elements before the items', '', '<x>'.repeat(300)],
])('Elements after too deep ones are read: %s.', async (_what, inItem, before) => {
  const { items } = await read(rss(`${HEAD}${before}<item>${inItem}${RSS_END}</item>`));

  expect(items).toMatchObject([WHOLE]);
});

it('Attributes are read behind any number of others.', async () => {
  const many = times(100, (i) => `a${i}="x" xmlns:n${i}="urn:${i}" `);

  const { items } = await read(
    `<feed xmlns="http://www.w3.org/2005/Atom" ${many} xmlns:my="http://purl.org/dc/elements/1.1/"
       xml:base="/b/"><entry><link ${many} href="a"/><my:creator>Ann</my:creator></entry></feed>`,
  );

  expect(items).toMatchObject([{ url: 'https://example.org/b/a', author: 'Ann' }]);
});

it('Many pictures do not displace the recording among the media of an article.', async () => {
  const pictures = times(30, (i) => `<media:content url="/${i}.jpg" medium="image"/>`);
  const recording = '<media:content url="/a.mp3" type="audio/mpeg"/>';

  const { items } = await read(rss(`${HEAD}<item>${pictures}${recording}${RSS_END}</item>`));

  const media = items[0]?.extras?.media ?? [];
  expect(media.map(({ kind }) => kind)).toEqual([...Array(20).fill('image'), 'audio']);
});

it('Empty entries of a list in JSON do not displace those behind them.', async () => {
  const empty = Array.from({ length: 150 }, () => null);
  const attachment = { url: 'https://example.org/a.mp3', mime_type: 'audio/mpeg' };
  const item = {
    id: '1',
    authors: [...empty, { name: 'Ann' }],
    attachments: [...empty, attachment],
  };

  const { items } = await read(
    JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items: [item] }),
  );

  expect(items).toMatchObject([{ author: 'Ann', enclosureLink: attachment.url }]);
});

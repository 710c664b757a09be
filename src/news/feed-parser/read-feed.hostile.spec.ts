import { describe, expect, it } from '@jest/globals';
import { isLong } from '../../../test/support/long.js';
import { processorMs } from '../../../test/support/processor-time.js';
import { readFeed } from './read-feed.js';

/** Characters of the smaller document; the larger one has four times as many. */
const CHARACTERS = isLong ? 100_000 : 25_000;

/**
 * Maximum cost of four times the size. A quadratic step would cost sixteen times as much, and a linear one costs
 * up to seven times as much where the smaller document still fits into the caches of the processor.
 */
const MOST_TIMES = 10;

/** Shorter measurements, in milliseconds, are neither reliable nor a danger. */
const NOTICEABLE = 20;

const inItem = (inner: string): string =>
  `<rss version="2.0"><channel><item><guid>1</guid>${inner}</item></channel></rss>`;
const inBody = (inner: string): string => inItem(`<description><![CDATA[${inner}]]></description>`);
const naked = (inner: string): string => inItem(`<description>${inner}</description>`);

const fill = (piece: string, characters: number): string =>
  piece.repeat(Math.ceil(characters / piece.length));
const count = (characters: number, each: number, write: (i: number) => string): string =>
  Array.from({ length: Math.ceil(characters / each) }, (_, i) => write(i)).join('');

const CONSTRUCTS: ReadonlyArray<readonly [string, (characters: number) => string]> = [
  ['unended tags in a body', (n) => inBody(fill('<a href="x" ', n))],
  ['bare <a in a body', (n) => inBody(fill('<a ', n))],
  ['bare <a in naked markup', (n) => naked(fill('<a ', n))],
  ['bare <a instead of a feed', (n) => fill('<a ', n)],
  ['nested elements in a body', (n) => inBody(fill('<b>', n))],
  ['nested divs in a body', (n) => inBody(fill('<div>', n))],
  ['nested naked markup', (n) => naked(fill('<div>', n))],
  ['nested unknown elements', (n) => inItem(fill('<x>', n))],
  ['nested media', (n) => inItem(fill('<media:content>', n))],
  ['nested iframes', (n) => inBody(fill('<iframe>', n))],
  ['nested foreign content', (n) => inBody(fill('<svg><p>', n))],
  ['unclosed items', (n) => `<rss><channel>${fill('<item><title>a', n)}`],
  ['unclosed descriptions', (n) => inItem(fill('<description>', n))],
  ['end tags', (n) => inItem(fill('</a>', n))],
  ['end tags in a body', (n) => inBody(fill('</a>', n))],
  ['attributes', (n) => inItem(`<link ${count(n, 9, (i) => `a${i}="x"`)}>`)],
  ['attributes in a body', (n) => inBody(`<a ${count(n, 9, (i) => `a${i}="x" `)}>x</a>`)],
  ['quotes that never close', (n) => inItem(fill('<link a="', n))],
  ['two kinds of quotes', (n) => inItem(fill(`<link a="<link b='`, n))],
  ['quotes in a body', (n) => inBody(fill(`<a b="<a c='`, n))],
  ['references', (n) => naked(fill('&amp;', n))],
  ['numeric references', (n) => naked(fill('&#65;', n))],
  ['unknown references', (n) => naked(count(n, 9, (i) => `&x${i};`))],
  ['references in a body', (n) => inBody(fill('&eacute;', n))],
  ['&', (n) => naked(fill('&', n))],
  ['& in a body', (n) => inBody(fill('&', n))],
  ['<', (n) => naked(fill('<', n))],
  ['< in a body', (n) => inBody(fill('<', n))],
  [']]>', (n) => naked(fill(']]>', n))],
  [']]> beside &', (n) => naked(fill(']]>&', n))],
  ['CDATA sections', (n) => naked(fill('<![CDATA[x]]>', n))],
  ['CDATA that never ends', (n) => naked(fill('<![CDATA[', n))],
  ['CDATA in titles that never ends', (n) => inItem(fill('<title><![CDATA[x</title>', n))],
  ['CDATA in titles that ends last', (n) => inItem(`${fill('<title><![CDATA[x</title>', n)}]]>`)],
  ['CDATA in descriptions that ends last', (n) => naked(`${fill('<![CDATA[</b>', n)}]]>`)],
  ['CDATA within escaped text', (n) => naked(`&lt;![CDATA[${fill('&lt;![CDATA[]]', n)}`)],
  ['frames that never end', (n) => inBody(fill('<iframe src="x" ', n))],
  ['spaces in a plain text', (n) => naked(`x${fill(' ', n)}y`)],
  [
    'formulas that never end',
    (n) =>
      inBody(
        `<span class="katex-mathml"><math>x</math></span>${fill('<span class="katex-html">', n)}`,
      ),
  ],
  ['elements of their own that never end', (n) => inBody(`<a-b>${fill('</a-b ', n)}`)],
  ['scripts of gists', (n) => inBody(fill('<script src="//gist.github.com/abcdef', n))],
  ['players in a body', (n) => inBody(fill('<iframe src="https://vk.com/video_ext.php">', n))],
  ['addresses in a name', (n) => inItem(`<dc:creator>${fill('a@b.c (', n)}</dc:creator>`)],
  ['comments that never end', (n) => inItem(fill('<!-- ', n))],
  ['comments that never end in a body', (n) => inBody(fill('<!-- ', n))],
  ['instructions that never end', (n) => inItem(fill('<?x ', n))],
  ['document types', (n) => fill('<!DOCTYPE [', n)],
  ['declared entities', (n) => `<!DOCTYPE rss [${fill('<!ENTITY a "b">', n)}]>${inItem('')}`],
  [
    'used entities',
    (n) => `<!DOCTYPE rss [<!ENTITY a "${'b'.repeat(1000)}">]>${naked(fill('&a;', n))}`,
  ],
  ['authors', (n) => inItem(fill('<author>a@b.c (d)</author>', n))],
  ['addresses in one author', (n) => inItem(`<author>${fill('a@b.c, ', n)}</author>`)],
  ['brackets in one author', (n) => inItem(`<author>${fill('a &lt;(', n)}</author>`)],
  ['links', (n) => inItem(fill('<link>http://a.b/</link>', n))],
  [
    'links of the channel beside items',
    (n) => `<rss><channel>${fill('<link>x</link><item><guid>1</guid></item>', n)}</channel></rss>`,
  ],
  ['names of elements', (n) => inItem(count(n, 9, (i) => `<x${i}/>`))],
  ['empty titles', (n) => inItem(fill('<title> </title>', n))],
  ['a title', (n) => inItem(`<title>${fill('x ', n)}</title>`)],
  ['tags in a title', (n) => inItem(`<title>${fill('&lt;a "', n)}</title>`)],
  ['white space in a title', (n) => inItem(`<title>a${fill(' ', n)}b</title>`)],
  ['a guid', (n) => inItem(`<guid>${fill('x', n)}</guid>`)],
  ['markup in guids', (n) => inItem(`<guid>${fill('<b>x', n)}</guid>`)],
  ['times in a date', (n) => inItem(`<pubDate>${fill('<time datetime="2024">', n)}</pubDate>`)],
  ['a link', (n) => inItem(`<link>http://a/${fill('x', n)}</link>`)],
  ['a date', (n) => inItem(`<pubDate>${fill('(', n)}</pubDate>`)],
  ['dates', (n) => inItem(fill('<pubDate>31 foo bar 2009</pubDate>', n))],
  ['enclosures', (n) => inItem(fill('<enclosure url="http://a/b.txt"/>', n))],
  ['places in a body', (n) => inBody(`<a href="#1">x</a>${count(n, 15, (i) => `<p id="${i}">`)}`)],
  ['spaces before a place', (n) => inBody(`<a href="#1">x</a><p id${fill(' ', n)}=x>`)],
  ['attributes before a place', (n) => inBody(`<a href="#1">x</a><p ${fill('a ', n)}>`)],
  ['links to places', (n) => inBody(`<p id="1">x</p>${fill('<a href="#1">x</a>', n)}`)],
  ['parts without scripts', (n) => inBody(fill('<noscript><img src="x">', n))],
  ['pictures loaded later', (n) => inBody(fill('<img data-src="x">', n))],
  ['nested formulas', (n) => inBody(fill('<math><mrow>', n))],
  ['links to frames', (n) => inBody(fill('<iframe src="https://a.org/">x</iframe>', n))],
  ['a text', (n) => inBody(fill('lorem ipsum ', n))],
  ['a srcset', (n) => inBody(`<img src="x" srcset="${fill('a 1x, ', n)}">`)],
  ['an inline picture', (n) => inBody(`<img src="data:image/png;base64,${fill('A', n)}">`)],
  ['namespaces within one another', (n) => inItem(count(n, 22, (i) => `<a xmlns:b${i}="x">`))],
  ['bases within one another', (n) => inItem(fill('<x xml:base="a/">', n))],
  ['items', (n) => `<rss><channel>${fill('<item><title>a</title></item>', n)}</channel></rss>`],
  ['items of JSON', (n) => `{"items":[${fill('{"id":1},', n)}{}]}`],
  ['damaged JSON', (n) => `{"items":[${fill('{"id":"\n",},', n)}`],
  ['lists within lists of JSON', (n) => `{"items":${fill('[', n)}`],
  ['white space before a feed', (n) => `${fill(' ', n)}${inItem('')}`],
  ['control characters', (n) => naked(fill('\u0001', n))],
  ['windows-1252 in disguise', (n) => naked(fill('\u0096', n))],
  [
    'XHTML',
    (n) =>
      `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><content type="xhtml">${fill('<div>', n / 2)}${fill('</div>', n / 2)}</content></entry></feed>`,
  ],
];

async function costOf(text: string): Promise<number> {
  const document = { bytes: Buffer.from(text), contentType: null, url: 'https://example.org/feed' };
  return processorMs(() => readFeed(document).catch(() => null));
}

async function timesOf(write: (characters: number) => string): Promise<number> {
  const small = await costOf(write(CHARACTERS));
  const large = await costOf(write(4 * CHARACTERS));
  return large / Math.max(NOTICEABLE, small);
}

describe('reading takes linear time', () => {
  it.each(CONSTRUCTS)('%s', async (_what, write) => {
    let times = await timesOf(write);
    // Other processes may disturb one measurement, but hardly three.
    for (let again = 0; again < 2 && times >= MOST_TIMES; again++) {
      times = await timesOf(write);
    }

    expect(times).toBeLessThan(MOST_TIMES);
  });
});

describe('the result of a hostile document', () => {
  it('is at most a small, safe item', async () => {
    const feed = await readFeed({
      bytes: Buffer.from(inBody(fill('<b onclick="x">', 1_000_000))),
      contentType: null,
      url: 'https://example.org/feed',
    });

    expect(feed.items).toHaveLength(1);
    expect(feed.items[0]?.body.length).toBeLessThan(1_000);
  });

  it('never reaches prototypes', async () => {
    await readFeed({
      bytes: Buffer.from(
        inItem(
          '<__proto__ a="b"><polluted>1</polluted></__proto__><constructor><prototype>x</prototype></constructor><media:__proto__ x="1"/>',
        ),
      ),
      contentType: null,
      url: 'https://example.org/feed',
    });

    expect(Object.keys(Object.prototype)).toEqual([]);
    expect({}).not.toHaveProperty('polluted');
  });
});

import { describe, expect, it } from '@jest/globals';
import { itLong } from '../../../test/support/long.js';
import { md5 } from './items/item-identity.js';
import type { ParsedItem } from './items/parsed-item.js';
import { type ParsedFeed, UnreadableDocument } from './parsed-feed.js';
import { readFeed } from './read-feed.js';

const URL_OF_FEED = 'https://example.org/dir/feed.xml';

const NAMESPACES =
  'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/" ' +
  'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/" ' +
  'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:dcterms="http://purl.org/dc/terms/" ' +
  'xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"';

const read = async (text: string): Promise<ParsedFeed> =>
  readFeed({ bytes: Buffer.from(text), contentType: null, url: URL_OF_FEED });

const rss = (item: string, channel = ''): string =>
  `<rss version="2.0" ${NAMESPACES}><channel>${channel}<item>${item}</item></channel></rss>`;

const atom = (entry: string, feed = ''): string =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${NAMESPACES}>${feed}<entry>${entry}</entry></feed>`;

const itemOf = async (text: string): Promise<ParsedItem> => {
  const [item] = (await read(text)).items;
  if (!item) {
    throw new Error('no item was read');
  }
  return item;
};

describe('formats', () => {
  it.each([
    ['RSS 0.91', '<rss version="0.91"><channel><item><title>T</title></item></channel></rss>'],
    [
      'RSS 2.0 with a namespace',
      '<rss version="2.0" xmlns="http://backend.userland.com/rss2"><channel><item><title>T</title></item></channel></rss>',
    ],
    [
      'RSS 2.0 with a prefix',
      '<r:rss xmlns:r="http://backend.userland.com/rss2"><r:channel><r:item><r:title>T</r:title></r:item></r:channel></r:rss>',
    ],
    ['RSS in capitals', '<RSS><CHANNEL><ITEM><TITLE>T</TITLE></ITEM></CHANNEL></RSS>'],
    [
      'RSS with an invented namespace',
      '<rss xmlns="http://example.org/mine"><channel><item><title>T</title></item></channel></rss>',
    ],
    [
      'RSS whose channel has an invented namespace',
      '<rss><channel xmlns="http://example.org/mine"><item><title>T</title></item></channel></rss>',
    ],
    ['RSS without its root', '<channel><item><title>T</title></item></channel>'],
    ['RSS with entries', '<rss><channel><entry><title>T</title></entry></channel></rss>'],
    [
      'RSS 1.1',
      '<Channel xmlns="http://purl.org/net/rss1.1#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:about="x"><items rdf:parseType="Collection"><item rdf:about="y"><title>T</title></item></items></Channel>',
    ],
    [
      'RSS 1.1 with a prefix',
      '<r:Channel xmlns:r="http://purl.org/net/rss1.1#"><r:items><r:item><r:title>T</r:title></r:item></r:items></r:Channel>',
    ],
    [
      'RSS 1.0',
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x"/><item rdf:about="y"><title>T</title></item></rdf:RDF>',
    ],
    [
      'RSS 0.90',
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel/><item><title>T</title></item></rdf:RDF>',
    ],
    ['RDF without namespaces', '<RDF><channel/><item><title>T</title></item></RDF>'],
    [
      'Atom 1.0',
      '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>T</title></entry></feed>',
    ],
    [
      'Atom 1.0 with a prefix',
      '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>T</a:title></a:entry></a:feed>',
    ],
    [
      'Atom 0.3',
      '<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry><title>T</title></entry></feed>',
    ],
    ['Atom without a namespace', '<feed><entry><title>T</title></entry></feed>'],
    [
      'Atom with an unknown namespace',
      '<feed xmlns="http://example.org/"><entry><title>T</title></entry></feed>',
    ],
    [
      'a module whose namespace is written with https',
      '<rss xmlns:d="https://purl.org/dc/elements/1.1/"><channel><item><d:title>T</d:title></item></channel></rss>',
    ],
    [
      'a feed behind white space and a comment',
      '\n <!-- hello --><?xml version="1.0"?><rss><channel><item><title>T</title></item></channel></rss>',
    ],
    [
      'a feed within something else',
      '<wrapper><rss><channel><item><title>T</title></item></channel></rss></wrapper>',
    ],
  ])('%s is read', async (_format, text) => {
    const feed = await read(text);

    expect(feed.items.map(({ title }) => title)).toEqual(['T']);
    expect(feed.warning).toBeNull();
  });

  it('a feed without items is a feed', async () => {
    await expect(read('<rss><channel><title>Quiet</title></channel></rss>')).resolves.toMatchObject(
      { title: 'Quiet', items: [], warning: null },
    );
  });

  it.each([
    ['<!doctype html><html><body>Hi</body></html>', 'it is a web page'],
    ['<html xmlns="http://www.w3.org/1999/xhtml"><head/></html>', 'it is a web page'],
    ['', 'is empty'],
    ['   \n', 'is empty'],
    ['hello world', 'holds no XML'],
    ['<opml><body/></opml>', 'OPML'],
    ['<note><to>me</to></note>', 'outermost element is <note>'],
    ['{"error": "nope"}', 'without a list of items'],
    ['{"items": [', 'begins like JSON'],
  ])('%j is refused with a reason', async (text, why) => {
    const reading = read(text);

    await expect(reading).rejects.toThrow(UnreadableDocument);
    await expect(reading).rejects.toThrow(why);
  });
});

describe('entities', () => {
  it.each([
    ['&amp;', '&'],
    ['&lt;3', '<3'],
    ['&quot;&apos;', `"'`],
    ['&eacute;&Uuml;&szlig;', 'éÜß'],
    ['&hellip;&mdash;&rsquo;', '…—’'],
    ['a&nbsp;b', 'a b'],
    ['&hearts;&NotEqual;', '♥≠'],
    ['&#233;&#xe9;&#XE9;', 'ééé'],
    ['&#128512;', '😀'],
    ['&#55357;&#56832;', '😀'],
    ['&#150;&#x80;', '–€'],
    ['a&#0;b&#x1;c&#xFFFF;d', 'abcd'],
    ['a&#xD800;b', 'a\uFFFDb'],
    ['&#99999999999;x', 'x'],
    ['AT&T', 'AT&T'],
    ['a & b', 'a & b'],
    ['?a=1&b=2&copy=3', '?a=1&b=2&copy=3'],
    ['&nosuch; x', '&nosuch; x'],
    ['&notit;', '&notit;'],
    ['a &amp b &lt c &quot', 'a & b < c "'],
    ['&amplifier &ampx', '&amplifier &ampx'],
    ['x &', 'x &'],
    ['&;', '&;'],
    ['&#;&#x;', '&#;&#x;'],
    ['&amp;amp;', '&'],
    ['&amp;eacute;', 'é'],
    ['<![CDATA[a &amp; b]]>', 'a & b'],
    ['<![CDATA[a]]> &amp; <![CDATA[b]]>', 'a & b'],
    ['1 ]]&gt; 2', '1 ]]> 2'],
  ])('%s in a title of RSS is %s', async (written, title) => {
    expect((await itemOf(rss(`<title>${written}</title>`))).title).toBe(title);
  });

  it('a bare & before a tag leaves the tag alone', async () => {
    const item = await itemOf(rss('<link>http://a.org/?x=1&c</link><title>T &</title>'));

    expect(item).toMatchObject({ url: 'http://a.org/?x=1&c', title: 'T &' });
  });

  it('entities of the document are replaced in texts, attributes and markup', async () => {
    const declared =
      '<!DOCTYPE rss [<!-- > --><!ENTITY co "Acme &#38; Sons"><!ENTITY % p "x"><!ENTITY host \'a.org\'>]>';
    const item = await itemOf(
      `${declared}${rss('<guid isPermaLink="false">&co;</guid><enclosure url="http://&host;/a.mp3" type="audio/mpeg"/><description>By <b title="&co; &lt;">&co;</b></description>')}`,
    );

    expect(item).toMatchObject({
      guid: 'Acme & Sons',
      enclosureLink: 'http://a.org/a.mp3',
      body: 'By <b title="Acme &amp; Sons &lt;">Acme &amp; Sons</b>',
    });
  });

  it('entities expand no files and no other entities, and not beyond the limit', async () => {
    const lol = `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY a "${'ha'.repeat(500)}"><!ENTITY b "&a;&a;">]>`;
    const item = await itemOf(
      `${lol}${rss(`<title>&f;|&b;</title><description>${'&a;'.repeat(5_000)}</description>`)}`,
    );

    expect(item.title).toBe('&f;|&a;&a;');
    expect(item.body.length).toBeLessThanOrEqual(1024 * 1024);
  });
});

describe('titles', () => {
  it.each([
    ['<title>&lt;b&gt;Bold&lt;/b&gt; move</title>', 'Bold move'],
    ['<title><![CDATA[<i>It</i> <a href="x">works</a>]]></title>', 'It works'],
    ['<title>Plain <em>inline</em> markup</title>', 'Plain inline markup'],
    ['<title>1 &lt; 2 and 3 &gt; 2</title>', '1 < 2 and 3 > 2'],
    ['<title>List&lt;T&gt; in C#</title>', 'List‹T› in C#'],
    ['<title>The &lt;blink&gt; tag</title>', 'The ‹blink› tag'],
    ['<title>The &amp;lt;b&amp;gt; tag</title>', 'The ‹b› tag'],
    ['<title>one&lt;br/&gt;two</title>', 'one two'],
    ['<title>  many \n\t spaces  </title>', 'many spaces'],
    ['<title>x&lt;script&gt;alert(1)&lt;/script&gt;y</title>', 'xy'],
    ['<title/><dc:title>From Dublin Core</dc:title>', 'From Dublin Core'],
    ['<dc:title>Second</dc:title><title>First</title>', 'First'],
    ['<title>First</title><title>Second</title>', 'First'],
    ['<media:title>Media</media:title>', 'Media'],
    ['<title>emoji 👩‍👩‍👧 𝒳</title>', 'emoji 👩‍👩‍👧 𝒳'],
    ['<title>a &lt;!-- hidden --&gt;&lt;b&gt;b&lt;/b&gt;</title>', 'a b'],
    ['<title>Tom &amp;amp; Jerry</title>', 'Tom & Jerry'],
    ['<title>It&#39;s</title>', "It's"],
    ['<title>&lt;a "&lt;a "</title>', '‹a "‹a "'],
    ['<title>&lt;![CDATA[Escaped &lt;b&gt;section&lt;/b&gt;]]&gt;</title>', 'Escaped section'],
    ['<title>More on &lt;a href="x"&gt;this</title>', 'More on this'],
    ['<title>About &lt;![CDATA[</title>', 'About ‹![CDATA['],
    ['<title><![cdata[Lower case]]></title>', 'Lower case'],
  ])('RSS: %s → %s', async (written, title) => {
    expect((await itemOf(rss(`${written}<guid>1</guid>`))).title).toBe(title);
  });

  it.each([
    ['<title>Plain &amp; simple</title>', 'Plain & simple'],
    ['<title type="text">The &lt;blink&gt; tag</title>', 'The ‹blink› tag'],
    ['<title type="text">&lt;b&gt;not bold&lt;/b&gt;</title>', '‹b›not bold‹/b›'],
    ['<title type="html">&lt;b&gt;Bold&lt;/b&gt; &amp;amp; on</title>', 'Bold & on'],
    ['<title type="html">The &amp;lt;b&amp;gt; tag</title>', 'The ‹b› tag'],
    ['<title type="html"><![CDATA[A <em>title</em>]]></title>', 'A title'],
    [
      '<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">The <code>&lt;b&gt;</code> tag</div></title>',
      'The ‹b› tag',
    ],
    [
      '<title type="xhtml"><h:div xmlns:h="http://www.w3.org/1999/xhtml">An <h:em>x</h:em></h:div></title>',
      'An x',
    ],
    ['<title type="text/html" mode="escaped">&lt;i&gt;old&lt;/i&gt;</title>', 'old'],
    ['<title type="text/plain">a &lt; b</title>', 'a < b'],
    ['<title mode="base64" type="text/html">PGI+YjwvYj4gNjQ=</title>', 'b 64'],
    ['<title type="application/xhtml+xml"><div>in <b>line</b></div></title>', 'in line'],
    ['<title type="xhtml">1 &lt; 2</title>', '1 < 2'],
    ['<title>&lt;b&gt;untyped&lt;/b&gt;</title>', 'untyped'],
  ])('Atom: %s → %s', async (written, title) => {
    expect((await itemOf(atom(`${written}<id>1</id>`))).title).toBe(title);
  });

  it('the title of the feed follows the same rules and the image keeps its own', async () => {
    const feed = await read(
      rss(
        '<guid>1</guid>',
        '<image><title>Not me</title></image><title>&lt;b&gt;A&lt;/b&gt; &amp;amp; B</title>',
      ),
    );

    expect(feed.title).toBe('A & B');
  });

  it('a long title is cut between characters', async () => {
    const { title } = await itemOf(rss(`<title>${'a'.repeat(999)}😀</title>`));

    expect(title).toBe('a'.repeat(999));
  });
});

describe('authors', () => {
  it.each([
    ['<author>ann@example.org (Ann Lee)</author>', 'Ann Lee'],
    ['<author>Ann Lee &lt;ann@example.org&gt;</author>', 'Ann Lee'],
    ['<author>Ann Lee (ann@example.org)</author>', 'Ann Lee'],
    ['<author>"Lee, Ann" &lt;ann@example.org&gt;</author>', 'Lee, Ann'],
    ['<author>mailto:ann@example.org</author>', 'ann@example.org'],
    ['<author>ann@example.org</author>', 'ann@example.org'],
    ['<author>Ann Lee</author>', 'Ann Lee'],
    ['<author>ann@example.org ()</author>', 'ann@example.org'],
    ['<author>&lt;b&gt;Ann&lt;/b&gt; Lee</author>', 'Ann Lee'],
    ['<author>J&amp;ouml;rg</author>', 'Jörg'],
    ['<author><name>Ann</name><email>a@b.org</email></author>', 'Ann'],
    ['<author>Ann</author><author>Bob</author>', 'Ann, Bob'],
    ['<author>Ann</author><author>Ann</author>', 'Ann'],
    ['<dc:creator>Ann Lee</dc:creator>', 'Ann Lee'],
    ['<dc:creator><![CDATA[Ann Lee]]></dc:creator>', 'Ann Lee'],
    ['<dc:author>Ann Lee</dc:author>', 'Ann Lee'],
    ['<itunes:author>Ann Lee</itunes:author>', 'Ann Lee'],
    ['<atom:author><atom:name>Ann</atom:name></atom:author>', 'Ann'],
    ['<author>office@example.org</author><dc:creator>Ann Lee</dc:creator>', 'Ann Lee'],
    ['<author>Ann (staff)</author>', 'Ann (staff)'],
    ['<author>(Ann Lee)</author>', 'Ann Lee'],
    ['<author>ann@example.org Ann Lee</author>', 'Ann Lee'],
    ['<author>Ann Lee - ann@example.org</author>', 'Ann Lee'],
    ['<author>Ann Lee [ann@example.org]</author>', 'Ann Lee'],
    ['<author>mailto:ann@example.org?subject=hi (Ann Lee)</author>', 'Ann Lee'],
    ['<author>ann@example.org (Ann Lee (staff))</author>', 'Ann Lee (staff)'],
    ['<author>ann@a.org (Ann), bob@b.org (Bob)</author>', 'Ann, Bob'],
    ['<author>Ann &lt;ann@a.org&gt;; Bob &lt;bob@b.org&gt;</author>', 'Ann, Bob'],
    ['<author>Ann and Bob (ann@a.org, bob@b.org)</author>', 'Ann and Bob'],
    ['<author>Lee, Ann</author>', 'Lee, Ann'],
    ['<dc:creator>Ann @ann</dc:creator>', 'Ann @ann'],
    ['', 'Editor'],
  ])('RSS: %s → %s', async (written, author) => {
    const text = rss(
      `<guid>1</guid>${written}`,
      '<managingEditor>ed@example.org (Editor)</managingEditor>',
    );

    expect((await itemOf(text)).author).toBe(author);
  });

  it.each([
    ['<author><name>Ann</name><email>a@b.org</email></author>', 'Ann'],
    ['<author><email>a@b.org</email></author>', 'a@b.org'],
    ['<author><name>Ann</name></author><author><name>Bob</name></author>', 'Ann, Bob'],
    ['<author><uri>http://a.org</uri></author>', 'Feed'],
    ['<source><author><name>Source</name></author></source>', 'Source'],
    ['<contributor><name>Con</name></contributor>', 'Feed'],
    ['', 'Feed'],
  ])('Atom: %s → %s', async (written, author) => {
    const text = atom(`<id>1</id>${written}`, '<author><name>Feed</name></author>');

    expect((await itemOf(text)).author).toBe(author);
  });

  it('empty authors are omitted', async () => {
    expect((await itemOf(rss('<guid>1</guid>'))).author).toBeNull();
  });
});

describe('bodies', () => {
  it.each([
    ['<description>Just text</description>', 'Just text'],
    ['<description>&lt;p&gt;Escaped&lt;/p&gt;</description>', '<p>Escaped</p>'],
    ['<description><![CDATA[<p>In CDATA</p>]]></description>', '<p>In CDATA</p>'],
    [
      '<description>Naked <b>markup</b> stays<br/>whole</description>',
      'Naked <b>markup</b> stays<br />whole',
    ],
    ['<description>a <b>b</b> &lt;i&gt; c</description>', 'a <b>b</b> &lt;i&gt; c'],
    ['<description>1 &lt; 2</description>', '1 &lt; 2'],
    ['<description>AT&amp;amp;T</description>', 'AT&amp;T'],
    ['<description>The &lt;blink&gt; tag</description>', 'The &lt;blink&gt; tag'],
    [
      '<description>short</description><content:encoded>&lt;p&gt;long&lt;/p&gt;</content:encoded>',
      '<p>long</p>',
    ],
    ['<content:encoded></content:encoded><description>short</description>', 'short'],
    [
      '<description>d</description><body xmlns="http://www.w3.org/1999/xhtml"><p>x</p></body>',
      '<p>x</p>',
    ],
    ['<dc:description>dc</dc:description>', 'dc'],
    ['<itunes:summary>it</itunes:summary>', 'it'],
    ['<itunes:subtitle>sub</itunes:subtitle>', 'sub'],
    ['<description>&lt;![CDATA[&lt;p&gt;x&lt;/p&gt;]]&gt;</description>', '<p>x</p>'],
    ['<content:encoded>&lt;p&gt; &lt;/p&gt;</content:encoded><description>d</description>', 'd'],
    [
      '<content:encoded>&lt;img src="http://a.org/i.png"&gt;</content:encoded><description>d</description>',
      '<img src="http://a.org/i.png" />',
    ],
    ['<description xmlns="http://www.w3.org/1999/xhtml"><p>x</p></description>', '<p>x</p>'],
    ['<media:group><media:description>media</media:description></media:group>', 'media'],
    ['<description>x ]]&gt; y</description>', 'x ]]&gt; y'],
    ['<description><![CDATA[x]]]]><![CDATA[> y]]></description>', 'x]]&gt; y'],
    ['<description>one <![CDATA[two]]> three</description>', 'one two three'],
    [
      '<description><p>nested <description>own name</description></p></description>',
      '<p>nested own name</p>',
    ],
    [
      '<description><img alt="</description>" src="http://a.org/i.png"></description>',
      '<img src="http://a.org/i.png" alt="&lt;/description&gt;" />',
    ],
    ['<content:encoded><![CDATA[<p>cut]]></content:encoded>', '<p>cut</p>'],
    ['<description/>', ''],
  ])('RSS: %s → %s', async (written, body) => {
    expect((await itemOf(rss(`<guid>1</guid>${written}`))).body).toBe(body);
  });

  it.each([
    ['<content type="html">&lt;p&gt;x&lt;/p&gt;</content>', '<p>x</p>'],
    ['<content type="text">a &lt; &lt;b&gt;</content>', 'a &lt; &lt;b&gt;'],
    ['<content>History of &lt;blink&gt;</content>', 'History of &lt;blink&gt;'],
    [
      '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x &lt; y</p></div></content>',
      '<p>x &lt; y</p>',
    ],
    [
      '<content type="xhtml"><x:div xmlns:x="http://www.w3.org/1999/xhtml"><x:p>p</x:p></x:div></content>',
      '<p>p</p>',
    ],
    ['<content type="xhtml"><div>a</div><div>b</div></content>', '<div>a</div><div>b</div>'],
    ['<content type="application/xhtml+xml"><div><b>x</b></div></content>', '<b>x</b>'],
    ['<content type="text/html" mode="escaped">&lt;b&gt;x&lt;/b&gt;</content>', '<b>x</b>'],
    ['<content type="application/octet-stream">PHA+YmFzZTY0PC9wPg==</content>', '<p>base64</p>'],
    [
      '<content type="application/x-own">Text as it is, with words</content>',
      'Text as it is, with words',
    ],
    [
      '<content type="application/x-own">Words without anything else</content>',
      'Words without anything else',
    ],
    ['<content type="application/x-own">Breaking</content>', 'Breaking'],
    ['<content type="application/x-own">&lt;p&gt;escaped&lt;/p&gt;</content>', '<p>escaped</p>'],
    [
      `<content type="application/x-own">${Buffer.alloc(90, 0xf0).toString('base64')}</content>`,
      '',
    ],
    ['<content mode="base64" type="text/html">PHA+YmFzZTY0PC9wPg==</content>', '<p>base64</p>'],
    ['<content type="image/png">iVBORw0KGgo=</content><summary>sum</summary>', 'sum'],
    ['<content src="http://a.org/x" type="text/html"/><summary>sum</summary>', 'sum'],
    ['<content type="xhtml"><div/></content><summary>sum</summary>', 'sum'],
    [
      '<content type="image/svg+xml"><svg><path d="M0"/></svg></content><summary>sum</summary>',
      'sum',
    ],
    ['<summary type="html">&lt;i&gt;s&lt;/i&gt;</summary>', '<i>s</i>'],
    ['<content type="text/xhtml">&lt;b&gt;x&lt;/b&gt;</content>', '<b>x</b>'],
    ['<content type="html">&lt;pre&gt;a\r\nb\rc&lt;/pre&gt;</content>', '<pre>a\nb\nc</pre>'],
    ['<summary>s</summary><content>c</content>', 'c'],
    [
      '<content type="text">t</content><content type="html">&lt;b&gt;h&lt;/b&gt;</content>',
      '<b>h</b>',
    ],
    ['<content>&lt;p&gt;untyped&lt;/p&gt;</content>', '<p>untyped</p>'],
    [
      '<content type="multipart/alternative"><content type="text/plain">t</content><content type="text/html" mode="escaped">&lt;b&gt;h&lt;/b&gt;</content></content>',
      '<b>h</b>',
    ],
  ])('Atom: %s → %s', async (written, body) => {
    expect((await itemOf(atom(`<id>1</id>${written}`))).body).toBe(body);
  });

  it('formulas of XHTML keep their elements, with a prefix or without', async () => {
    const math = 'xmlns:m="http://www.w3.org/1998/Math/MathML"';
    const formula = '<m:math><m:msup><m:mi>x</m:mi><m:mn>2</m:mn></m:msup></m:math>';
    const xhtml = (inner: string): string =>
      `<id>1</id><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml" ${math}>${inner}</div></content>`;

    const { body } = await itemOf(atom(xhtml(formula)));

    expect(body).toBe('<math><msup><mi>x</mi><mn>2</mn></msup></math>');
    expect((await itemOf(atom(xhtml(formula.replaceAll('m:', ''))))).body).toBe(body);
    const declared = `<n:math ${math.replace(':m', ':n')}><n:mi>x</n:mi></n:math>`;
    expect((await itemOf(atom(xhtml(`<p>a</p>${declared}`)))).body).toContain('<math><mi>x</mi>');
  });

  it('a huge body is cut at an element, in bytes', async () => {
    const { body } = await itemOf(
      rss(`<guid>1</guid><description><![CDATA[${'<p>é</p>'.repeat(200_000)}]]></description>`),
    );

    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1024 * 1024);
    expect(body.length).toBeGreaterThan(300_000);
    expect(body).toMatch(/^(?:<p>é<\/p>)*é*(?:<\/p>)?$/);
  });
});

describe('guids', () => {
  it.each([
    ['<guid>http://a.org/1</guid><link>http://a.org/x</link>', 'http://a.org/1'],
    ['<guid isPermaLink="false"> tag:1 </guid>', 'tag:1'],
    ['<guid/><link>http://a.org/x</link>', 'http://a.org/x'],
    ['<link>x.html</link>', 'https://example.org/dir/x.html'],
    ['<atom:id>urn:1</atom:id>', 'urn:1'],
    ['<guid>/relative/is/kept</guid>', '/relative/is/kept'],
    ['<guid><![CDATA[a&b]]></guid>', 'a&b'],
    ['<title>T</title><description>D</description>', md5('T', 'D', '', '')],
    ['<title>T</title><dc:identifier>doi:10.1/x</dc:identifier>', 'doi:10.1/x'],
    ['<link>http://a.org/x</link><dc:identifier>doi:10.1/x</dc:identifier>', 'http://a.org/x'],
    [
      '<title>T</title><pubDate>Thu, 01 Jan 2004 00:00:00 GMT</pubDate>',
      md5('T', '', '', '1072915200'),
    ],
    [`<guid>${'x'.repeat(10_001)}</guid>`, md5('x'.repeat(10_001))],
  ])('RSS: %.60s', async (written, guid) => {
    const item = await itemOf(rss(written));

    expect(item.guid).toBe(guid);
    expect(item.guidHash).toBe(md5(guid));
  });

  it('RSS 1.0 has guids in rdf:about', async () => {
    const text =
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item rdf:about="urn:about"><link>http://a.org/</link></item></rdf:RDF>';

    expect(await itemOf(text)).toMatchObject({ guid: 'urn:about', url: 'http://a.org/' });
  });

  it.each(['tag:example.org,2004:1', 'http://a.org/?a&amp;b', 'urn:uuid:1'])(
    'Atom: %s',
    async (id) => {
      expect((await itemOf(atom(`<id>${id}</id>`))).guid).toBe(id.replace('&amp;', '&'));
    },
  );

  it('of equal items the first wins, and empty items are omitted', async () => {
    const { items } = await read(
      '<rss><channel><item><guid>1</guid><title>new</title></item><item><guid>1</guid><title>old</title></item><item/><item><category>x</category></item><item><title/><link> </link></item><item><title>no guid</title></item></channel></rss>',
    );

    expect(items.map(({ title }) => title)).toEqual(['new', 'no guid']);
  });

  it.each([
    ['<title>T</title>', { title: 'T' }],
    ['<pubDate>Thu, 01 Jan 2004 19:48:21 GMT</pubDate>', { pubDateSeconds: 1072986501 }],
    ['<dc:creator>Ann</dc:creator>', { author: 'Ann' }],
    ['<media:thumbnail url="http://a.org/t.jpg"/>', { mediaThumbnail: 'http://a.org/t.jpg' }],
    ['<description>&lt;p&gt;&lt;/p&gt;</description>', { body: '<p></p>' }],
    ['<media:description>x</media:description>', { body: 'x' }],
    ['<guid>1</guid>', { guid: '1' }],
    ['<link>http://a.org/</link>', { url: 'http://a.org/' }],
    [
      '<enclosure url="http://a.org/a.mp3" type="audio/mpeg"/>',
      { guid: 'http://a.org/a.mp3', enclosureLink: 'http://a.org/a.mp3' },
    ],
  ])('an item with only %s is kept', async (written, expected) => {
    expect(await itemOf(rss(written))).toMatchObject(expected);
  });

  it.each(['<title/>', '<link>javascript:alert(1)</link>', '<description> </description>'])(
    'an item that holds %s alone is left out: nothing of it can be shown',
    async (written) => {
      expect((await read(rss(`${written}</item><item><guid>1</guid>`))).items).toHaveLength(1);
    },
  );

  it.each([
    [
      'link to one page',
      '<item><link>http://a.org/</link><title>1</title></item><item><link>http://a.org/</link><title>2</title></item>',
    ],
    [
      'link to one page without titles',
      '<item><link>http://a.org/</link><description>1</description></item><item><link>http://a.org/</link><description>2</description></item>',
    ],
    [
      'were all given one guid',
      '<item><guid isPermaLink="false">0</guid><link>http://a.org/1</link></item><item><guid isPermaLink="false">0</guid><link>http://a.org/2</link></item>',
    ],
    ['have neither guid nor link', '<item><title>1</title></item><item><title>2</title></item>'],
  ])('items that %s share a key and are distinguished by evidence', async (_what, items) => {
    const lookupsOf = async (text: string) =>
      (await read(`<rss><channel>${text}</channel></rss>`)).items.map(({ lookup }) => lookup);
    const newer = '<item><link>http://a.org/</link><title>3</title></item>';

    const lookups = await lookupsOf(items);

    expect(new Set(lookups.map(({ keyHash }) => keyHash)).size).toBe(1);
    expect(new Set(lookups.map(({ evidence }) => evidence)).size).toBe(2);
    expect((await lookupsOf(newer + items)).slice(1)).toEqual(lookups);
  });

  it.each([
    ['the link', '<link>http://a.org/</link><title>1</title><description>x</description>', 1],
    [
      'the link and not the title',
      '<link>http://a.org/</link><title>0</title><description>x</description>',
      2,
    ],
    [
      'the guid, the link and not the title',
      '<guid>g</guid><link>http://a.org/</link><title>0</title><description>x</description>',
      1,
    ],
    [
      'the guid, the link and neither title nor body',
      '<guid>g</guid><link>http://a.org/</link><title>0</title><description>y</description>',
      2,
    ],
    [
      'the guid and not the link',
      '<guid>g</guid><link>http://a.org/b</link><title>1</title><description>x</description>',
      2,
    ],
    ['only their content', '<title>1</title><description>x</description>', 1],
  ])('of two items that share %s, duplicates are dropped', async (_what, second, count) => {
    const first = second
      .replace('0</title>', '1</title>')
      .replace('y</d', 'x</d')
      .replace('/b<', '/<');

    const { items } = await read(
      `<rss><channel><item>${first}</item><item>${second}</item></channel></rss>`,
    );

    expect(items).toHaveLength(count);
    expect(items[0]?.title).toBe('1');
  });

  it('items with only an author are distinguished by it', async () => {
    const { items } = await read(
      '<rss><channel><item><author>Ann</author></item><item><author>Bob</author></item></channel></rss>',
    );

    expect(items.map(({ author }) => author)).toEqual(['Ann', 'Bob']);
    expect(new Set(items.map(({ lookup }) => lookup.evidence)).size).toBe(2);
  });

  it("the document's own date does not distinguish items", async () => {
    const documentAt = (time: string) =>
      `<rss><channel><lastBuildDate>Thu, 01 Jan 2004 ${time} GMT</lastBuildDate>` +
      ['a', 'b']
        .map(
          (title) =>
            `<item><title>${title}</title><pubDate>Thu, 01 Jan 2004 ${time} GMT</pubDate></item>`,
        )
        .join('') +
      '</channel></rss>';
    const evidenceAt = async (time: string) =>
      (await read(documentAt(time))).items.map(({ lookup }) => lookup.evidence);

    expect(await evidenceAt('10:00:00')).toEqual(await evidenceAt('11:00:00'));
    expect((await read(documentAt('10:00:00'))).items[0]?.pubDateSeconds).toBe(1072951200);
  });

  it('at most 2,000 items are read, with a warning', async () => {
    const many = Array.from({ length: 2_100 }, (_, i) => `<item><guid>${i}</guid></item>`).join('');

    const feed = await read(`<rss><channel>${many}<title>T</title></channel></rss>`);

    expect(feed.items).toHaveLength(2_000);
    expect(feed.items[0]?.guid).toBe('0');
    expect(feed.title).toBe('T');
    expect(feed.warning).toBe('2000 of 2100 items of the document were kept: the newest.');
  });

  const expectNewestKept = async (write: (i: number) => string) => {
    const many = Array.from({ length: 2_500 }, (_, i) => write(i)).join('');

    const feed = await read(`<rss ${NAMESPACES}><channel>${many}</channel></rss>`);

    expect(feed.items).toHaveLength(2_000);
    expect(feed.items[0]?.guid).toBe('500');
    expect(feed.items.at(-1)).toMatchObject({ guid: '2499', pubDateSeconds: 2_499 * 60 });
    expect(feed.warning).toContain('2000 of 2500 items');
  };

  it.each<[string, (i: number) => string]>([
    [
      'RSS',
      (i) =>
        `<item><guid>${i}</guid><pubDate>${new Date(i * 60_000).toUTCString()}</pubDate></item>`,
    ],
    [
      'RSS whose dates are CDATA and second best',
      (i) =>
        `<item><guid>${i}</guid><dc:date><![CDATA[${new Date(i * 60_000).toISOString()}]]></dc:date></item>`,
    ],
  ])('of %s, listed with the oldest first, the newest are kept', (_what, write) =>
    expectNewestKept(write),
  );
  itLong.each<[string, (i: number) => string]>([
    [
      'items with so many elements that not all of them could be read',
      (i) =>
        `<item><guid>${i}</guid>${'<dc:creator>a</dc:creator>'.repeat(70)}<pubDate>${new Date(i * 60_000).toUTCString()}</pubDate></item>`,
    ],
  ])('of %s, listed with the oldest first, the newest are kept', (_what, write) =>
    expectNewestKept(write),
  );
});

describe('markup around plain-text values', () => {
  const TEN = 1_704_103_200;

  it.each<[string, Partial<ParsedItem>]>([
    [
      '<pubDate><time datetime="2024-01-01T10:00:00Z">yesterday</time></pubDate>',
      { pubDateSeconds: TEN },
    ],
    ['<pubDate><b>Mon, 01 Jan 2024 10:00:00 GMT</b></pubDate>', { pubDateSeconds: TEN }],
    [
      '<pubDate><time datetime="soon">Mon, 01 Jan 2024 10:00:00 GMT</time></pubDate>',
      { pubDateSeconds: TEN },
    ],
    [
      '<pubDate>&lt;time class="x" datetime="2024-01-01T10:00:00Z"&gt;x&lt;/time&gt;</pubDate>',
      { pubDateSeconds: TEN },
    ],
    ['<dc:date><![CDATA[<span>2024-01-01T10:00:00Z</span>]]></dc:date>', { pubDateSeconds: TEN }],
    ['<author><b>J</b></author>', { author: 'J' }],
    ['<author><b>J</b> and <i>K</i></author>', { author: 'J and K' }],
    ['<author><name><b>J</b></name></author>', { author: 'J' }],
    ['<dc:creator><a href="https://j.org/">J</a></dc:creator>', { author: 'J' }],
    ['<dc:creator><p><a href="https://j.org/">J</a></p></dc:creator>', { author: 'J' }],
    ['<itunes:author><span class="x">J</span></itunes:author>', { author: 'J' }],
    ['<author><x:b xmlns:x="http://www.w3.org/1999/xhtml">J</x:b></author>', { author: 'J' }],
    ['<link><a href="https://a.org/1">one</a></link>', { url: 'https://a.org/1' }],
    ['<link><b>https://a.org/1</b></link>', { url: 'https://a.org/1' }],
    ['<link><a href="https://a.org/1?a=1&amp;b=2"/></link>', { url: 'https://a.org/1?a=1&b=2' }],
    ['<link>https://a.org/1<br></link>', { url: 'https://a.org/1' }],
    ['<guid><b>a</b></guid>', { guid: 'a' }],
    ['<guid isPermaLink="false"><a href="https://a.org/">a</a></guid>', { guid: 'a' }],
    ['<guid><a href="https://a.org/1"/></guid>', { guid: 'https://a.org/1' }],
    ['<guid><b>a</guid><title>T</title>', { guid: 'a', title: 'T' }],
    ['<guid>a<title>T</title>', { guid: 'a', title: 'T' }],
    ['<guid>a<b>b<title>T</title>', { guid: 'ab', title: 'T' }],
    ['<guid>a<x:b xmlns:x="urn:x">c</x:b></guid>', { guid: 'a' }],
    [
      '<enclosure url="https://a.org/a.mp3" type="audio/mpeg"><b>x</b></enclosure><title>T</title>',
      { enclosureLink: 'https://a.org/a.mp3', title: 'T' },
    ],
  ])('%s', async (written, expected) => {
    expect(await itemOf(rss(written))).toMatchObject(expected);
  });

  it('items are distinguished by guids inside markup', async () => {
    const { items } = await read(
      '<rss><channel><item><guid><b>a</b></guid></item><item><guid><b>b</b></guid></item></channel></rss>',
    );

    expect(items.map(({ guid }) => guid)).toEqual(['a', 'b']);
  });

  it('the same holds for Atom', async () => {
    const entry = await itemOf(
      atom(
        '<id><b>x</b></id><author><name><a href="https://j.org/">J</a></name></author>' +
          '<published><time datetime="2024-01-01T10:00:00Z">now</time></published>',
      ),
    );

    expect(entry).toMatchObject({ guid: 'x', author: 'J', pubDateSeconds: TEN });
  });
});

describe('links', () => {
  it.each([
    ['<link>http://a.org/1</link>', 'http://a.org/1'],
    ['<link>\n  http://a.org/1\n</link>', 'http://a.org/1'],
    ['<link>HTTP://A.org/1</link>', 'http://a.org/1'],
    ['<link>//a.org/1</link>', 'https://a.org/1'],
    ['<link>feed://a.org/1</link>', 'https://a.org/1'],
    ['<link>feed:https://a.org/1</link>', 'https://a.org/1'],
    ['<link>feed://http://a.org/1</link>', 'http://a.org/1'],
    ['<link>itpc://a.org/1</link>', 'https://a.org/1'],
    ['<link>feed:javascript:alert(1)</link>', null],
    [
      '<link rel="enclosure">http://a.org/a.mp3</link><link rel="alternate" href="http://a.org/1"/>',
      'http://a.org/1',
    ],
    ['<link rel="self">http://a.org/feed</link><link>http://a.org/1</link>', 'http://a.org/1'],
    ['<link rel="enclosure">http://a.org/a.mp3</link>', null],
    ['<link>"http://a.org/1"</link>', 'http://a.org/1'],
    ['<link>&lt;http://a.org/1&gt;</link>', 'http://a.org/1'],
    [
      '<link>&lt;a class="x" href="http://a.org/1"&gt;http://a.org/&lt;/a&gt;</link>',
      'http://a.org/1',
    ],
    ['<link>&lt;a href="javascript:alert(1)"&gt;x&lt;/a&gt;</link>', null],
    ['<link>www.a.org/1</link>', 'http://www.a.org/1'],
    ['<link>http://a.org/?a=1&amp;amp;b=2</link>', 'http://a.org/?a=1&b=2'],
    ['<link><![CDATA[http://a.org/?a=1&#038;b=2]]></link>', 'http://a.org/?a=1&b=2'],
    ['<link>/1</link>', 'https://example.org/1'],
    ['<link>?p=1</link>', 'https://example.org/dir/feed.xml?p=1'],
    ['<link href="http://a.org/1"/>', 'http://a.org/1'],
    ['<link>http://a.org/ü</link>', 'http://a.org/%C3%BC'],
    ['<link>magnet:?xt=urn:btih:1</link>', 'magnet:?xt=urn:btih:1'],
    ['<link>javascript:alert(1)</link>', null],
    ['<link>java\nscript:alert(1)</link>', null],
    ['<link>data:text/html,x</link>', null],
    ['<link>mailto:a@b.org</link>', null],
    ['<link>file:///etc/passwd</link>', null],
    ['<link>http://</link>', null],
    [`<link>http://a.org/${'x'.repeat(8_001)}</link>`, null],
    ['<guid>http://a.org/g</guid>', 'http://a.org/g'],
    ['<guid isPermaLink="true">/g</guid>', 'https://example.org/g'],
    ['<guid isPermaLink="false">http://a.org/g</guid>', null],
    ['<guid>12345</guid>', null],
    ['<link/><guid>http://a.org/g</guid>', 'http://a.org/g'],
    ['<link>http://a.org/l</link><guid>http://a.org/g</guid>', 'http://a.org/l'],
    ['<link>javascript:x</link><guid>http://a.org/g</guid>', 'http://a.org/g'],
    ['<atom:link href="http://a.org/a" rel="alternate"/>', 'http://a.org/a'],
    ['<atom:link href="http://a.org/s" rel="self"/><link>http://a.org/l</link>', 'http://a.org/l'],
    [
      '<link>http://feedproxy.google.com/~r/x</link><feedburner:origLink>http://a.org/o</feedburner:origLink>',
      'http://a.org/o',
    ],
    [
      '<link>http://a.org/l</link><feedburner:origLink>http://b.org/o</feedburner:origLink>',
      'http://a.org/l',
    ],
  ])('RSS: %.80s → %s', async (written, url) => {
    expect((await itemOf(rss(`<title>T</title>${written}`))).url).toBe(url);
  });

  it.each([
    ['<link href="http://a.org/1"/>', 'http://a.org/1'],
    ['<link rel="alternate" href="rel"/>', 'https://example.org/dir/rel'],
    [
      '<link rel="self" href="http://a.org/s"/><link rel="alternate" href="http://a.org/a"/>',
      'http://a.org/a',
    ],
    [
      '<link rel="alternate" type="application/json" href="http://a.org/j"/><link rel="alternate" type="text/html" href="http://a.org/h"/>',
      'http://a.org/h',
    ],
    ['<link rel="self" href="http://a.org/s"/>', 'http://a.org/s'],
    ['<link rel="enclosure" href="http://a.org/e"/>', null],
    [
      '<link rel="http://www.iana.org/assignments/relation/alternate" href="http://a.org/a"/>',
      'http://a.org/a',
    ],
    ['<link rel="related" href="http://a.org/r"/><link href="http://a.org/a"/>', 'http://a.org/a'],
    ['<id>http://a.org/id</id>', 'http://a.org/id'],
    ['<content type="text/html" src="http://a.org/c"/>', 'http://a.org/c'],
    ['<content type="image/png" src="http://a.org/c.png"/>', null],
    ['<link href="javascript:alert(1)"/>', null],
  ])('Atom: %.80s → %s', async (written, url) => {
    expect((await itemOf(atom(`<title>T</title>${written}`))).url).toBe(url);
  });

  it("of several links the feed's website is the HTML page", async () => {
    const feed = await read(
      atom(
        '<id>1</id>',
        '<link rel="alternate" type="application/json" href="/j"/><link rel="alternate" type="text/html" href="/h"/>',
      ),
    );

    expect(feed.link).toBe('https://example.org/h');
  });

  it('the feed links to its site, its hub and itself', async () => {
    const feed = await read(
      rss(
        '<guid>1</guid>',
        '<atom:link rel="self" href="/self"/><atom:link rel="hub" href="https://hub.example/"/><link>/home</link>',
      ),
    );

    expect(feed.link).toBe('https://example.org/home');
    expect(feed.publishing).toMatchObject({
      hubUrl: 'https://hub.example/',
      selfUrl: 'https://example.org/self',
    });
  });

  it.each([
    [
      '<image><url>/i.png</url><title>x</title><link>http://a.org/</link></image>',
      'https://example.org/i.png',
    ],
    ['<itunes:image href="http://a.org/i.jpg"/>', 'http://a.org/i.jpg'],
    ['<image xml:base="http://b.org/"><url>i.png</url></image>', 'http://b.org/i.png'],
    [
      '<webfeeds:logo xmlns:webfeeds="http://webfeeds.org/rss/1.0">/w.svg</webfeeds:logo>',
      'https://example.org/w.svg',
    ],
    ['<atom:icon>/i.ico</atom:icon>', 'https://example.org/i.ico'],
    ['<image><url>javascript:x</url></image>', null],
  ])('the picture of a feed: %s → %s', async (written, iconUrl) => {
    expect((await read(rss('<guid>1</guid>', written))).iconUrl).toBe(iconUrl);
  });
});

describe('dates of items', () => {
  it.each([
    ['<pubDate>Thu, 01 Jan 2004 19:48:21 GMT</pubDate>', 1072986501, null],
    ['<dc:date>2004-01-01T19:48:21Z</dc:date>', 1072986501, null],
    ['<dcterms:issued>2004-01-01T19:48:21Z</dcterms:issued>', 1072986501, null],
    ['<pubDate>soon</pubDate><dc:date>2004-01-01T19:48:21Z</dc:date>', 1072986501, null],
    ['<dcterms:modified>2004-01-01T19:48:21Z</dcterms:modified>', 1072986501, 1072986501],
    [
      '<atom:updated>2004-01-01T19:48:21Z</atom:updated><pubDate>Thu, 01 Jan 2004 19:48:20 GMT</pubDate>',
      1072986500,
      1072986501,
    ],
    ['<pubDate>2004-01-01 19:48:21</pubDate>', 1072986501, null],
    ['<pubDate/>', null, null],
    ['', null, null],
  ])('RSS: %s', async (written, pubDateSeconds, updatedDateSeconds) => {
    expect(await itemOf(rss(`<guid>1</guid>${written}`))).toMatchObject({
      pubDateSeconds,
      updatedDateSeconds,
    });
  });

  it.each([
    [
      '<published>2004-01-01T19:48:21Z</published><updated>2004-01-01T19:48:22Z</updated>',
      1072986501,
      1072986502,
    ],
    ['<updated>2004-01-01T19:48:22Z</updated>', 1072986502, 1072986502],
    [
      '<issued>2004-01-01T19:48:21Z</issued><modified>2004-01-01T19:48:22Z</modified>',
      1072986501,
      1072986502,
    ],
    [
      '<created>2004-01-01T19:48:21Z</created><modified>2004-01-01T19:48:22Z</modified>',
      1072986501,
      1072986502,
    ],
  ])('Atom: %s', async (written, pubDateSeconds, updatedDateSeconds) => {
    expect(await itemOf(atom(`<id>1</id>${written}`))).toMatchObject({
      pubDateSeconds,
      updatedDateSeconds,
    });
  });
});

describe('a body of custom elements', () => {
  const bodyOf = async (written: string) => {
    const { body } = await itemOf(
      rss(`<guid>1</guid><description><![CDATA[${written}]]></description>`),
    );
    return body;
  };

  it('is HTML', async () => {
    expect(await bodyOf('<my-card>One</my-card>\n<my-card a="b">Two</my-card> ')).toBe('One\nTwo');
  });

  it('is text if it only mentions them', async () => {
    expect(await bodyOf('<my-card> ends with </my-card>, always')).toContain('&lt;my-card&gt;');
    expect(await bodyOf('<my-card> begins')).toContain('&lt;my-card&gt;');
  });
});

describe('enclosures', () => {
  it.each([
    [
      '<link rel="enclosure" type="audio/mpeg">http://a.org/a.mp3</link>',
      'http://a.org/a.mp3',
      'audio/mpeg',
    ],
    [
      '<enclosure url="http://a.org/a.mp3" type="audio/mpeg" length="1"/>',
      'http://a.org/a.mp3',
      'audio/mpeg',
    ],
    ['<enclosure url="/a.mp3" type="audio/mpeg"/>', 'https://example.org/a.mp3', 'audio/mpeg'],
    ['<enclosure url="http://a.org/a.mp3"/>', 'http://a.org/a.mp3', 'audio/mpeg'],
    [
      '<enclosure url="http://a.org/a.m4a?x=1" type="application/octet-stream"/>',
      'http://a.org/a.m4a?x=1',
      'audio/mp4',
    ],
    ['<enclosure url="http://a.org/a.pdf" type="application/pdf"/>', null, null],
    ['<enclosure url="http://a.org/a.torrent" type="application/x-bittorrent"/>', null, null],
    ['<enclosure url="http://a.org/a"/>', null, null],
    ['<enclosure url="javascript:x" type="audio/mpeg"/>', null, null],
    ['<enclosure type="audio/mpeg"/>', null, null],
    ['<enclosure url="http://a.org/1" type="image/jpeg"/>', 'http://a.org/1', 'image/jpeg'],
    [
      '<enclosure url="http://a.org/1" type="image/jpeg"/><enclosure url="http://a.org/2" type="audio/mpeg"/>',
      'http://a.org/2',
      'audio/mpeg',
    ],
    [
      '<enclosure url="http://a.org/1" type="audio/mpeg"/><enclosure url="http://a.org/2" type="video/mp4"/>',
      'http://a.org/1',
      'audio/mpeg',
    ],
    [
      '<atom:link rel="enclosure" href="http://a.org/1" type="video/mp4"/>',
      'http://a.org/1',
      'video/mp4',
    ],
    ['<media:content url="http://a.org/1" type="video/mp4"/>', 'http://a.org/1', 'video/mp4'],
    [
      '<enclosure url="http://a.org/1.jpg" type="application/octet-stream"/>',
      'http://a.org/1.jpg',
      'image/jpeg',
    ],
    ['<media:content url="http://a.org/1" medium="video"/>', 'http://a.org/1', 'video/*'],
    [
      '<media:content url="http://a.org/1.jpg" medium="image"/>',
      'http://a.org/1.jpg',
      'image/jpeg',
    ],
    [
      '<media:group><media:content url="http://a.org/1" type="audio/ogg"/><media:content url="http://a.org/2" type="audio/mpeg"/></media:group>',
      'http://a.org/1',
      'audio/ogg',
    ],
    [
      '<media:content url="http://a.org/1" type="video/mp4"/><enclosure url="http://a.org/2" type="audio/mpeg"/>',
      'http://a.org/2',
      'audio/mpeg',
    ],
    ['<enclosure url="http://a.org/a.mp3" type="mp3"/>', 'http://a.org/a.mp3', 'audio/mpeg'],
    [
      '<atom:link rel="http://www.iana.org/assignments/relation/enclosure" href="http://a.org/1" type="video/mp4"/>',
      'http://a.org/1',
      'video/mp4',
    ],
    ['<atom:content type="video/mp4" src="http://a.org/1"/>', 'http://a.org/1', 'video/mp4'],
    [
      '<media:content url="http://a.org/1" type="video/mp4"/><media:content url="http://a.org/2" type="video/mp4" isDefault="true"/>',
      'http://a.org/2',
      'video/mp4',
    ],
    ['<enclosure url="http://a.org/1" type="Audio/MPEG; x=1"/>', 'http://a.org/1', 'audio/mpeg'],
    ['<enclosure>http://a.org/a.ogg</enclosure>', 'http://a.org/a.ogg', 'audio/ogg'],
    ['<enclosure url="http://a.org/1" type="application/ogg"/>', 'http://a.org/1', 'audio/ogg'],
    ['', null, null],
    ['<enclosure url="http://a.org/1" type="x-audio/mp3"/>', 'http://a.org/1', 'audio/mpeg'],
    ['<enclosure url="http://a.org/1" type="x-audio/mpeg"/>', 'http://a.org/1', 'audio/mpeg'],
    ['<enclosure url="http://a.org/1" type="application/mp3"/>', 'http://a.org/1', 'audio/mpeg'],
    [
      '<enclosure url="http://a.org/a.mp3?x=1" type="text/html"/>',
      'http://a.org/a.mp3?x=1',
      'audio/mpeg',
    ],
    ['<enclosure url="http://a.org/a.WMA"/>', 'http://a.org/a.WMA', 'audio/x-ms-wma'],
    [
      '<enclosure url="http://a.org/1" type="application/x-mpegURL"/>',
      'http://a.org/1',
      'application/vnd.apple.mpegurl',
    ],
    [
      '<enclosure url="http://a.org/a.m3u8"/>',
      'http://a.org/a.m3u8',
      'application/vnd.apple.mpegurl',
    ],
    [
      '<enclosure url="http://a.org/a.m3u8"/><media:content url="http://a.org/a.mp3"/>',
      'http://a.org/a.mp3',
      'audio/mpeg',
    ],
    [
      '<enclosure url="http://a.org/get.php?id=1" length="9"/>',
      'http://a.org/get.php?id=1',
      'audio/mpeg',
    ],
    ['<enclosure url="http://a.org/1" length="9"/>', 'http://a.org/1', 'audio/mpeg'],
    ['<enclosure url="http://a.org/1" length="0"/>', null, null],
    ['<enclosure url="http://a.org/1.html" length="9"/>', null, null],
    ['<enclosure url="http://a.org/1" length="9" type="application/pdf"/>', null, null],
    ['<enclosure url="http://a.org/1" length="9" type="text/html"/>', null, null],
    ['<enclosure url="http://a.org/1.jpg" length="9" type="text/html"/>', null, null],
    ['<atom:link rel="enclosure" href="http://a.org/1" length="9"/>', null, null],
    [
      '<enclosure url="http://a.org/1" length="9"/><media:content url="http://a.org/2" type="image/png"/>',
      'http://a.org/2',
      'image/png',
    ],
    [
      '<enclosure url="http://a.org/1" type="x-audio/mp3"/><media:content url="http://a.org/2" type="image/png"/>',
      'http://a.org/1',
      'audio/mpeg',
    ],
    [
      '<podcast:alternateEnclosure type="audio/opus" length="9"><podcast:source uri="ipfs://x"/><podcast:source uri="http://a.org/1"/></podcast:alternateEnclosure>',
      'http://a.org/1',
      'audio/opus',
    ],
    [
      '<podcast:alternateEnclosure type="video/mp4"><podcast:source uri="http://a.org/1"/></podcast:alternateEnclosure><enclosure url="http://a.org/2" type="audio/mpeg"/>',
      'http://a.org/2',
      'audio/mpeg',
    ],
  ])('%s', async (written, enclosureLink, enclosureMime) => {
    expect(await itemOf(rss(`<guid>1</guid>${written}`))).toMatchObject({
      enclosureLink,
      enclosureMime,
    });
  });

  it('of an unusual type do not change what an item without guid and link is found by', async () => {
    const lookups = ['audio/mpeg', 'x-audio/mp3', 'application/pdf'].map(async (type) => {
      const item = await itemOf(
        rss(`<title>T</title><enclosure url="http://a.org/1" type="${type}"/>`),
      );
      return item.lookup.kind;
    });

    expect(await Promise.all(lookups)).toEqual(['link', 'keyless', 'keyless']);
  });

  it.each([
    ['<media:thumbnail url="http://a.org/t.jpg"/>', 'http://a.org/t.jpg'],
    [
      '<media:group><media:content><media:thumbnail url="/t.jpg"/></media:content></media:group>',
      'https://example.org/t.jpg',
    ],
    ['<itunes:image href="http://a.org/i.jpg"/>', 'http://a.org/i.jpg'],
    [
      '<media:thumbnail url="javascript:x"/><itunes:image href="http://a.org/i.jpg"/>',
      'http://a.org/i.jpg',
    ],
    ['', null],
  ])('the thumbnail of %s', async (written, mediaThumbnail) => {
    expect((await itemOf(rss(`<guid>1</guid>${written}`))).mediaThumbnail).toBe(mediaThumbnail);
  });

  it.each([
    ['one &amp; two\nhttp://x', 'one &amp; two<br />http://x'],
    [
      '&lt;p&gt;a\n&lt;img src=x onerror=alert(1)&gt;&lt;script&gt;x&lt;/script&gt;',
      '<p>a\n<img src="https://example.org/dir/x" /></p>',
    ],
    ['1 &lt; 2', '1 &lt; 2'],
  ])('the media description %j is safe HTML that keeps its lines', async (written, expected) => {
    const item = await itemOf(
      rss(
        `<guid>1</guid><media:group><media:description>${written}</media:description></media:group>`,
      ),
    );

    expect(item).toMatchObject({ mediaDescription: expected, body: expected });
  });
});

describe('base addresses', () => {
  const link = '&lt;a href="x.html"&gt;x&lt;/a&gt;';
  const to = (href: string): string =>
    `<a href="${href}" rel="noreferrer noopener" target="_blank">x</a>`;

  it.each([
    ['the document', '', '', '', 'https://example.org/dir/x.html'],
    ['the feed', 'xml:base="http://b.org/f/"', '', '', 'http://b.org/f/x.html'],
    [
      'the entry',
      'xml:base="http://b.org/f/"',
      'xml:base="http://c.org/e/"',
      '',
      'http://c.org/e/x.html',
    ],
    [
      'the content',
      'xml:base="http://b.org/f/"',
      'xml:base="http://c.org/e/"',
      'xml:base="http://d.org/c/"',
      'http://d.org/c/x.html',
    ],
    [
      'a relative entry in the feed',
      'xml:base="http://b.org/f/"',
      'xml:base="e/"',
      '',
      'http://b.org/f/e/x.html',
    ],
    [
      'relative ones all the way',
      'xml:base="/f/"',
      'xml:base="e/"',
      'xml:base="../c/"',
      'https://example.org/f/c/x.html',
    ],
    ['an empty base', 'xml:base=""', '', '', 'https://example.org/dir/x.html'],
    [
      'a base that is none',
      'xml:base="javascript:alert(1)//"',
      '',
      '',
      'https://example.org/dir/x.html',
    ],
    ['a malformed base', 'xml:base="http://[/"', '', '', 'https://example.org/dir/x.html'],
  ])('%s', async (_what, onFeed, onEntry, onContent, href) => {
    const item = await itemOf(
      `<feed xmlns="http://www.w3.org/2005/Atom" ${onFeed}><entry ${onEntry}><id>1</id><content type="html" ${onContent}>${link}</content></entry></feed>`,
    );

    expect(item.body).toBe(to(href));
  });

  it('a base applies to its element only, with or without a prefix', async () => {
    const text = `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:id>1</a:id><a:summary type="html" xml:base="http://b.org/">s</a:summary><a:link href="x"/><a:content type="html">${link}</a:content></a:entry></a:feed>`;

    expect(await itemOf(text)).toMatchObject({
      url: 'https://example.org/dir/x',
      body: to('https://example.org/dir/x.html'),
    });
  });

  it('a base inside XHTML is applied', async () => {
    const text = atom(
      '<id>1</id><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml" xml:base="http://b.org/"><a href="x.html">x</a></div></content>',
    );

    expect((await itemOf(text)).body).toBe(to('http://b.org/x.html'));
  });

  it('links, enclosures, thumbnails and the picture of the feed follow their base', async () => {
    const feed = await read(
      `<rss ${NAMESPACES} xml:base="http://b.org/f/"><channel><link>home</link><image><url>i.png</url></image><item xml:base="http://c.org/"><link>l</link><enclosure url="e.mp3" type="audio/mpeg"/><media:thumbnail url="t.png"/><description>${link}</description></item></channel></rss>`,
    );

    expect(feed).toMatchObject({ link: 'http://b.org/f/home', iconUrl: 'http://b.org/f/i.png' });
    expect(feed.items[0]).toMatchObject({
      url: 'http://c.org/l',
      enclosureLink: 'http://c.org/e.mp3',
      mediaThumbnail: 'http://c.org/t.png',
      body: to('http://c.org/x.html'),
    });
  });

  it('RSS without a base resolves bodies against the page they stand on', async () => {
    const { body } = await itemOf(
      rss(`<link>http://a.org/2004/post</link><description>${link}</description>`),
    );

    expect(body).toBe(to('http://a.org/2004/x.html'));
  });

  it('Atom without a base resolves them against the document', async () => {
    const { body } = await itemOf(
      atom(`<link href="http://a.org/2004/post"/><content type="html">${link}</content>`),
    );

    expect(body).toBe(to('https://example.org/dir/x.html'));
  });
});

describe('ill-formed documents', () => {
  const titles = async (text: string): Promise<(string | null)[]> =>
    (await read(text)).items.map(({ title }) => title);

  it.each([
    [
      'an unclosed item',
      '<rss><channel><item><title>1</title><item><title>2</title></item></channel></rss>',
      ['1', '2'],
    ],
    [
      'an unclosed title',
      '<rss><channel><item><title>1<guid>a</guid></item><item><title>2</title></item></channel></rss>',
      ['1', '2'],
    ],
    [
      'an unclosed date',
      '<rss><channel><item><pubDate>x<title>1</title></item></channel></rss>',
      ['1'],
    ],
    [
      'an unclosed author',
      '<rss><channel><item><author>x<title>1</title></item></channel></rss>',
      ['1'],
    ],
    [
      'a missing end',
      '<rss><channel><item><title>1</title></item><item><title>2</title></item>',
      ['1', '2'],
    ],
    [
      'crossed tags',
      '<rss><channel><item><title>1</title><b><i></b></i></item></channel></rss>',
      ['1'],
    ],
    [
      'an end tag too many',
      '<rss><channel></foo><item></title><title>1</title></item></channel></rss>',
      ['1'],
    ],
    [
      'undeclared prefixes',
      '<rss><channel><item><dc:title>1</dc:title><foo:bar>x</foo:bar></item></channel></rss>',
      ['1'],
    ],
    [
      'attributes without quotes',
      '<rss version=2.0><channel><item><title type=text>1</title></item></channel></rss>',
      ['1'],
    ],
    [
      'a quote that never closes',
      '<rss><channel><item><link href="http://a.org/><title>1</title></item></channel></rss>',
      ['1'],
    ],
    [
      'a tag that never closes',
      '<rss><channel><item><title>1</title><guid </item></channel></rss>',
      ['1'],
    ],
    [
      'a lone <',
      '<rss><channel><item><title>a < b <3 <<c</title></item></channel></rss>',
      ['a < b <3 <'],
    ],
    [
      'a CDATA section that never ends',
      '<rss><channel><item><title><![CDATA[1</title></item><item><title>2</title></item></channel></rss>',
      ['1', '2'],
    ],
    [
      'CDATA sections that end wrongly',
      '<rss><channel><item><title><![CDATA[1]></title></item><item><title><![CDATA[2]] ></title></item><item><title><![CDATA[3]]></title></item></channel></rss>',
      ['1', '2', '3'],
    ],
    [
      'comments without anything',
      '<rss><channel><item><!--><title>1</title><!---></item></channel></rss>',
      ['1'],
    ],
    [
      'a comment that never ends',
      '<rss><channel><item><title>1</title><!-- x </item><item><title>2</title></item></channel></rss>',
      ['1', '2'],
    ],
    [
      'an instruction of a word processor',
      '<rss><channel><item><?xml:namespace prefix = o /><title>1</title></item><?x?></channel></rss>',
      ['1'],
    ],
    [
      'an unknown declaration',
      '<rss><!FOO bar><channel><item><title>1</title></item></channel></rss>',
      ['1'],
    ],
    [
      'a comment with dashes',
      '<rss><!-- a -- b --><channel><item><title>1</title></item></channel></rss>',
      ['1'],
    ],
    [
      'a duplicate attribute',
      '<rss a="1" a="2"><channel><item><title>1</title></item></channel></rss>',
      ['1'],
    ],
    [
      'two XML declarations',
      '<?xml version="1.0"?><?xml version="1.0"?><rss><channel><item><title>1</title></item></channel></rss>',
      ['1'],
    ],
    [
      'junk before and behind',
      'junk <rss><channel><item><title>1</title></item></channel></rss> junk <x>',
      ['1'],
    ],
    [
      'a PHP warning before',
      '<br />\n<b>Warning</b>: x\n<rss><channel><item><title>1</title></item></channel></rss>',
      ['1'],
    ],
    [
      'stray foreign markup',
      '<rss><channel><item><x:html>a<br>b<br>c</x:html><title>1</title></item><item><title>2</title></item></channel></rss>',
      ['1', '2'],
    ],
    [
      'names from prototypes',
      '<rss><channel><item __proto__="x" constructor="y"><__proto__>z</__proto__><constructor>q</constructor><title>1</title></item></channel></rss>',
      ['1'],
    ],
  ])('%s', async (_what, text, expected) => {
    expect(await titles(text)).toEqual(expected);
    expect({}).not.toHaveProperty('x');
  });

  it.each([
    ['in a body', '<item><guid>2</guid><description>cut he'],
    ['in CDATA', '<item><guid>2</guid><description><![CDATA[cut he'],
    ['in a tag', '<item><guid>2</guid><enclosure url="http'],
    ['in a comment', '<item><guid>2</guid><!-- cut'],
    ['in an item without a guid', '<item><title>2</title><description>cut'],
    ['between items', ''],
  ])('a document that ends %s keeps the complete items, with a warning', async (_where, end) => {
    const feed = await read(`<rss><channel><item><guid>1</guid><title>1</title></item>${end}`);

    expect(feed.items.map(({ guid }) => guid)).toEqual(['1']);
    expect(feed.warning).toContain('ends before it is complete');
  });

  it.each<[string, Buffer]>([
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['a beginning like a tag', Buffer.from('3cff00fe8190c3283e3c2f', 'hex')],
    ['a beginning like a tag with non-ASCII letters', Buffer.from('<éÿþ\u0001\u202e>x')],
    ['a long name', Buffer.from(`<${'x'.repeat(90)}>`)],
    ['noise', Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7_919 * (i % 251)) % 256))],
    [
      'noise inside a feed',
      Buffer.concat([
        Buffer.from('<rss><channel><ti'),
        Buffer.from('ff\u0003tle>&\u0002;<', 'latin1'),
      ]),
    ],
    ['a compressed document', Buffer.from('1f8b0800000000000003b3c92fca', 'hex')],
  ])('%s is refused with a message without control characters', async (_what, bytes) => {
    const url = 'https://example.org/feed';
    const error = await readFeed({ bytes, contentType: null, url }).catch(
      (cause: unknown) => cause,
    );

    expect(error).toBeInstanceOf(UnreadableDocument);
    expect((error as Error).message).toMatch(/^[\x20-\x7e]{10,200}$/);
  });

  it('a warning does not repeat unusual element names', async () => {
    const { warning } = await read(
      '<rss xmlns:é="http://purl.org/dc/elements/1.1/"><channel><item><guid>1</guid><é:title>x</item></channel></rss>',
    );

    expect(warning).toBe('An element of the document is never closed.');
  });

  it('a damaged document without any item is refused', async () => {
    await expect(read('<rss><channel><title>cut')).rejects.toThrow(UnreadableDocument);
  });
});

describe('the direction of writing', () => {
  it.each([
    ['<language>ar</language>', '', true],
    ['<language>he-IL</language>', '', true],
    ['<language>FA_ir</language>', '', true],
    ['<language>syr</language>', '', true],
    ['<language>ckb</language>', '', true],
    ['<language>az-Arab-IR</language>', '', true],
    ['<language>ar-Latn</language>', '', false],
    ['<language>en</language>', '', false],
    ['<language>arn</language>', '', false],
    ['<dc:language>yi</dc:language>', '', true],
    ['', '', false],
    ['<language>en</language>', 'xml:lang="ar"', true],
    ['<language>ar</language>', 'xml:lang="en"', false],
    ['', 'dir="rtl"', true],
    ['<language>ar</language>', 'dir="ltr"', false],
  ])('%s with <item %s> is right to left: %s', async (channel, attributes, rtl) => {
    const { items } = await read(
      `<rss ${NAMESPACES}><channel>${channel}<item ${attributes}><guid>1</guid></item></channel></rss>`,
    );

    expect(items[0]?.rtl).toBe(rtl);
  });

  it('of Atom follows xml:lang at any level', async () => {
    const { items } = await read(
      '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="he"><entry><id>1</id></entry><entry><id>2</id><content type="xhtml"><div xml:lang="en">x</div></content></entry></feed>',
    );

    expect(items.map(({ rtl }) => rtl)).toEqual([true, false]);
  });
});

describe('update hints', () => {
  it('ttl, syndication period, hours and days are read', async () => {
    const { publishing } = await read(
      rss(
        '<guid>1</guid>',
        '<ttl>90</ttl><sy:updatePeriod> Hourly </sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency><skipHours><hour>24</hour><hour>7</hour><hour>7</hour><hour>99</hour></skipHours><skipDays><day>Saturday</day><day>sunday</day><day>Someday</day></skipDays>',
      ),
    );

    expect(publishing).toMatchObject({
      ttlSeconds: 5400,
      updatePeriodSeconds: 1800,
      skipHours: [0, 7],
      skipDays: [0, 6],
    });
  });

  it.each(['999999', '9'.repeat(40)])('a ttl of %s minutes is that of a year', async (ttl) => {
    const { publishing } = await read(rss('<guid>1</guid>', `<ttl>${ttl}</ttl>`));

    expect(publishing?.ttlSeconds).toBe(366 * 86_400);
  });

  it('invalid values count as missing', async () => {
    const { publishing } = await read(
      rss(
        '<guid>1</guid>',
        '<ttl>-5</ttl><sy:updatePeriod>often</sy:updatePeriod><skipHours>x</skipHours>',
      ),
    );

    expect(publishing).toEqual({
      ttlSeconds: null,
      updatePeriodSeconds: null,
      skipHours: [],
      skipDays: [],
      hubUrl: null,
      selfUrl: null,
    });
  });
});

describe('documents that are no feeds, and feeds that look like others', () => {
  const RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';
  const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${RDF}><rdf:Description rdf:about=""/></rdf:RDF></x:xmpmeta>`;

  it.each([
    ['the metadata of a picture', `\u0089PNG\n${XMP}`],
    ['a drawing', `<svg xmlns="http://www.w3.org/2000/svg"><metadata>${XMP}</metadata></svg>`],
    ['RDF about something else', `<rdf:RDF ${RDF} xmlns:f="urn:f"><f:Person/></rdf:RDF>`],
    ['a television guide', '<tv><channel id="a"><display-name>A</display-name></channel></tv>'],
    ['a page about feeds', '<html><script>x = "<rss version=2.0><item>"</script></html>'],
    ['a page with a licence', `<html><body><rdf:RDF ${RDF}><Work/></rdf:RDF></body></html>`],
  ])('%s is no feed', async (_what, text) => {
    await expect(read(text)).rejects.toThrow('The document is not a feed');
  });

  it.each([
    ['Atom', atom('<title>T</title>')],
    ['RSS', rss('<title>T</title>')],
    ['RSS in an element for text', `<pre>${rss('<title>T</title>')}</pre>`],
  ])('%s inside of a web page is read', async (_what, text) => {
    expect(await itemOf(`<!DOCTYPE html><html><body>${text}</body></html>`)).toMatchObject({
      title: 'T',
    });
  });
});

describe('attributes with the prefix of their element', () => {
  it.each([
    ['Atom', 'a', 'http://www.w3.org/2005/Atom'],
    ['Atom 0.3', 'ns0', 'http://purl.org/atom/ns#'],
  ])('are read in %s', async (_format, p, namespace) => {
    const item = await itemOf(
      `<${p}:feed xmlns:${p}="${namespace}"><${p}:entry><${p}:id>g</${p}:id>
         <${p}:link ${p}:rel="alternate" ${p}:href="https://example.org/1"/>
         <${p}:title ${p}:type="html">a &lt;b&gt;b&lt;/b&gt;</${p}:title>
         <${p}:content ${p}:type="xhtml"><div><p>x</p></div></${p}:content></${p}:entry></${p}:feed>`,
    );

    expect(item).toMatchObject({ url: 'https://example.org/1', title: 'a b', body: '<p>x</p>' });
  });
});

describe('relative addresses of a feed on another host than its site', () => {
  const readAt = async (text: string) =>
    (await readFeed({ bytes: Buffer.from(text), contentType: null, url: 'https://cdn.example/f' }))
      .items[0];
  const LINK = '<link>https://site.example/blog/</link>';

  it.each([
    ['RSS', rss('<link>/1</link>', LINK)],
    ['Atom', atom('<id>1</id><link href="/1"/>', '<link href="https://site.example/"/>')],
    [
      'JSON Feed',
      '{"version":"x","home_page_url":"https://site.example/","items":[{"id":"1","url":"/1"}]}',
    ],
  ])('belong to the site in %s', async (_format, text) => {
    expect(await readAt(text)).toMatchObject({ url: 'https://site.example/1' });
  });

  it.each([
    ['a site on this machine', '<link>http://localhost:4000/</link>'],
    ['the same host', '<link>https://www.cdn.example/blog/</link>'],
  ])('belong to the document in case of %s', async (_what, link) => {
    expect(await readAt(rss('<link>1</link>', link))).toMatchObject({
      url: 'https://cdn.example/1',
    });
  });

  it('are those of pictures, too', async () => {
    const item = await readAt(
      rss('<guid>g</guid><description>&lt;img src="/p.png"&gt;</description>', LINK),
    );

    expect(item?.body).toContain('https://site.example/p.png');
  });
});

describe('titles', () => {
  it.each([
    ['<title>“&lt;p&gt;Foo&lt;/p&gt;” he said</title>', '“Foo” he said'],
    ['<title>"&lt;div&gt;Foo&lt;/div&gt;", he said</title>', '"Foo", he said'],
    ['<title>One&lt;br&gt;"two"&lt;br&gt;three</title>', 'One "two" three'],
    ['<title>„Foo“&lt;br&gt;bar</title>', '„Foo“ bar'],
    ['<title>« &lt;b&gt;Foo&lt;/b&gt; » dit</title>', '« Foo » dit'],
  ])('with markup in quotes have no blanks there: %s', async (title, shown) => {
    expect(await itemOf(rss(title))).toMatchObject({ title: shown });
  });

  it.each([
    ['mode="escaped" type="text/plain"', 'Tom &amp;amp; Jerry', 'Tom & Jerry'],
    ['mode="escaped"', 'It&amp;#8217;s &lt;b&gt;it&lt;/b&gt;', 'It’s it'],
    ['mode="xml"', 'Tom &amp; Jerry', 'Tom & Jerry'],
  ])('of Atom 0.3 are read as their mode says: %s', async (attributes, written, shown) => {
    const entry = `<entry><id>1</id><title ${attributes}>${written}</title></entry>`;

    expect(
      await itemOf(`<feed version="0.3" xmlns="http://purl.org/atom/ns#">${entry}</feed>`),
    ).toMatchObject({ title: shown });
  });

  it('with a picture of the document itself are read behind it', async () => {
    const picture = `&lt;img src="data:image/png;base64,${'x'.repeat(100_000)}"&gt;`;

    expect(await itemOf(rss(`<title>${picture} T</title>`))).toMatchObject({ title: 'T' });
  });
});

it('A text whose only markup is a large picture is HTML.', async () => {
  const picture = `<img src="data:image/png;base64,${'x'.repeat(20_000)}">`;
  const large = `<img src="data:image/png;base64,${'x'.repeat(3_000_000)}">`;

  const item = await itemOf(
    rss(`<description><![CDATA[a ${picture} b ${large} c]]></description>`),
  );

  expect(item.body).toMatch(/^a <img src="data:[^>]*> b {2}\[🖼 2930 KiB\] {2}c$/);
});

it.each([
  'http://prismstandard.org/namespaces/basic/2.0/',
  'http://prismstandard.org/namespaces/1.2/basic/',
  'http://purl.org/rss/1.0/modules/prism/',
])('The publication date of PRISM is read: %s', async (namespace) => {
  const item = await itemOf(
    rss(`<p:publicationDate xmlns:p="${namespace}">2020-05-27</p:publicationDate>`),
  );

  expect(item.pubDateSeconds).toBe(Date.UTC(2020, 4, 27) / 1000);
});

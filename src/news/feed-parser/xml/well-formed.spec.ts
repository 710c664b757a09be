import { describe, expect, it } from '@jest/globals';
import { readFeed } from '../read-feed.js';
import { readWellFormed } from './well-formed.js';

const NAMESPACES =
  'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/" ' +
  'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/" ' +
  'xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" xmlns:wfw="http://wellformedweb.org/CommentAPI/"';

const rss = (inner: string): string =>
  `<rss version="2.0" ${NAMESPACES}><channel><title>F</title><item>${inner}</item></channel></rss>`;
const atom = (inner: string): string =>
  `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="he"><title>F</title><entry>${inner}</entry></feed>`;

const LONG = '<p title="A &amp; B">Words &#8211; &lt;and&gt; more.</p>\n'.repeat(9);
const ESCAPED = LONG.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&#62;');

const read = async (text: string): Promise<unknown> =>
  readFeed({ bytes: Buffer.from(text), contentType: null, url: 'https://example.org/feed' });

describe('a well-formed document', () => {
  it.each([
    ['rss', rss('<guid isPermaLink="false">1</guid><title>A &amp;amp; B &#8211; C</title>')],
    ['rss', `<?xml version="1.0"?>\n<!DOCTYPE rss>${rss('<guid>1</guid>')}\n<!-- cached -->`],
    [
      'rss',
      rss(
        '<link>http://a.org/1</link><description><![CDATA[<p>x</p>]]></description>' +
          '<content:encoded>&lt;p&gt;long <![CDATA[<b>x</b>]]>&lt;/p&gt;</content:encoded>' +
          '<wfw:comments>unknown</wfw:comments><foo><title>unknown</title></foo>' +
          '<media:group><media:content url="/a.mp4" type="video/mp4"><media:thumbnail url="t.png"/>' +
          '</media:content></media:group><dc:creator>Ann</dc:creator><pubDate>1 Jan 2024</pubDate>',
      ),
    ],
    [
      'rss',
      `<rss xml:lang="en" ${NAMESPACES}><channel dir="rtl"><language>ar</language><ttl>60</ttl>` +
        '<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>' +
        '<atom:link rel="hub" href="https://hub.example/"/><image><url>i.png</url><title>I</title></image>' +
        '<item><guid>1</guid></item><item/><item><wfw:x>1</wfw:x></item></channel></rss>',
    ],
    [
      'atom',
      atom(
        '<id>1</id><title type="html">&lt;b&gt;x&lt;/b&gt;</title><link href="\n http://a.org/1"/>' +
          '<author><name>Ann</name><uri>http://a.org</uri><email>a@b.org</email></author>' +
          '<content type="html">&lt;a href="x"&gt;x&lt;/a&gt;</content><updated>2024-01-01</updated>',
      ),
    ],
    ['rss', rss(`<guid>1</guid><title>A</title><description>${ESCAPED}</description>`)],
    ['rss', rss(`<guid>1</guid><content:encoded> <![CDATA[\n${LONG}]]>\n</content:encoded>`)],
    [
      'rss',
      rss(`<guid>1</guid><description>${ESCAPED}<![CDATA[${LONG}]]> &amp;amp; 2</description>`),
    ],
    ['rss', rss(`<guid>1</guid><link>${' '.repeat(500)}</link><title>${ESCAPED}</title>`)],
    ['atom', atom(`<id>1</id><summary type="html">${ESCAPED}</summary><title>A</title>`)],
  ])('of %s is read by feedparser itself, with the same result: %s', async (shape, text) => {
    expect(readWellFormed(text)?.shape).toBe(shape);
    expect(await read(text)).toEqual(await read(`${text} text behind the end`));
  });
});

describe('a document is repaired first', () => {
  it.each([
    ['an end tag too many', rss('<title>x</title></b>')],
    ['end tags that cross', rss('<a><b></a></b>')],
    ['a cut document', rss('<title>x</title>').slice(0, -1)],
    ['a reference that XML does not know', rss('<title>a&nbsp;b</title>')],
    ['a reference to a control character', rss('<title>a&#150;b</title>')],
    ['a bare ampersand', rss('<link>http://a.org/?x=1&y=2</link>')],
    ['an attribute without quotes', rss('<guid isPermaLink=false>1</guid>')],
    ['an attribute twice', rss('<guid isPermaLink="false" isPermaLink="true">1</guid>')],
    ['declared entities', `<!DOCTYPE rss [<!ENTITY a "b">]>${rss('<guid>1</guid>')}`],
    ['a section within a section', rss('<title><![CDATA[a</title><title><![CDATA[b]]></title>')],
    ['markup in place of text', rss('<description>a <b>b</b></description>')],
    ['XHTML', atom('<content type="xhtml"><div>x</div></content>')],
    ['a base', atom('<link xml:base="http://b.org/" href="x"/>')],
    ['a prefix that is not declared', rss('<foo:bar>x</foo:bar>')],
    ['an unusual prefix', rss('<d:title xmlns:d="http://purl.org/dc/elements/1.1/">x</d:title>')],
    ['another default namespace', rss('<title xmlns="urn:other">x</title>')],
    ['an item outside of the channel', '<rss><channel/><item><guid>1</guid></item></rss>'],
    ['an item within an item', rss('<item><guid>1</guid></item>')],
    ['deep nesting', rss('<x>'.repeat(40) + '</x>'.repeat(40))],
    ['more items than are kept', `<rss><channel>${'<item/>'.repeat(2_001)}</channel></rss>`],
    ['something else', '<opml><body/></opml>'],
  ])('that holds %s', (_what, text) => {
    expect(readWellFormed(text)).toBeNull();
  });
});

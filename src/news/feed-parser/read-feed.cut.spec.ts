import { describe, expect, it } from '@jest/globals';
import { type ParsedFeed, UnreadableDocument } from './parsed-feed.js';
import { readFeed } from './read-feed.js';

const read = async (bytes: Uint8Array): Promise<ParsedFeed> =>
  readFeed({ bytes, contentType: null, url: 'https://example.org/feed' });

const rss = (inner: string): string => `<rss version="2.0"><channel>${inner}</channel></rss>`;

/** Documents of every format, with distinguishing elements in every order. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'RSS with guids': rss(
    '<title>The feed</title><link>https://example.org/</link><item><guid>tag:1</guid><title>One</title>' +
      '<link>https://example.org/1</link><description>&lt;p&gt;First &amp;amp; best&lt;/p&gt;</description></item>' +
      '<item><title>Zwei – größer</title><link>https://example.org/2</link><guid isPermaLink="false">tag:2</guid>' +
      '<pubDate>Mon, 01 Jan 2024 10:00:00 GMT</pubDate><author>a@b.org (Ann)</author></item>',
  ),
  'RSS with links alone': rss(
    '<title>F</title><item><link>https://example.org/1</link><title>1</title></item>' +
      '<item><title>2</title><description><![CDATA[<p>two</p>]]></description><link>https://example.org/22</link></item>',
  ),
  'RSS with neither guids nor links': rss(
    '<item><title>One and only</title><description>Text of the item</description></item>',
  ),
  'RSS whose frame is written behind the items': rss(
    '<item><guid>1</guid><title>1</title></item><title>The feed</title>' +
      '<link>https://example.org/</link><image><url>https://example.org/i.png</url></image>',
  ),
  'RSS with markup that is not escaped': rss(
    '<item><guid>1</guid><description>a <b>bold</b> <a href="https://example.org/x?a=1&amp;b=2">link</a></description></item>',
  ),
  'RSS about feeds': rss(
    '<!-- <item><guid>draft</guid><title>Not yet</title></item> -->' +
      '<item><guid>1</guid><description><![CDATA[Write <item></item>, <description></description></item> and so on]]></description>' +
      '<title><![CDATA[1 </title></item><item><guid>x</guid>]]></title></item><!-- <item><guid>2</guid></item> -->' +
      '<item><guid>3</guid></item>',
  ),
  'RSS with elements around and inside of one another': rss(
    '<image><url>https://example.org/i.png</url><title>I</title></image><item><guid>1</guid>' +
      '<source url="https://example.org/s"><title>S</title></source><media:group xmlns:media="http://search.yahoo.com/mrss/">' +
      '<media:content url="https://example.org/a.mp4" type="video/mp4"/><media:description>d</media:description></media:group></item>' +
      '<x:y xmlns:x="urn:x"><item><guid>2</guid><title>2</title></item></x:y>',
  ),
  'RSS whose items are never closed':
    '<rss><channel><item><guid>1</guid><title>1<item><guid>2</guid><title>2</rss>',
  'RSS 1.0':
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">' +
    '<channel rdf:about="https://example.org/"><title>F</title></channel>' +
    '<item rdf:about="https://example.org/1"><title>1</title><link>https://example.org/1</link></item>' +
    '<item rdf:about="https://example.org/2"><title>2</title></item></rdf:RDF>',
  Atom:
    '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><author><name>Ann</name></author>' +
    '<entry><id>urn:1</id><link href="https://example.org/1"/><title type="html">A &amp;amp; B</title>' +
    '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>one</p></div></content></entry>' +
    '<entry><link rel="alternate" href="https://example.org/2"/><content>two</content><id>urn:2</id>' +
    '<updated>2024-01-01T10:00:00Z</updated></entry></feed>',
  'JSON Feed': JSON.stringify({
    title: 'F',
    authors: [{ name: 'Ann' }],
    items: [
      { id: '1', url: 'https://example.org/1', content_html: '<p>one "quoted"</p>' },
      { url: 'https://example.org/2', title: 'größer', tags: ['a', 'b'], id: '2' },
      { content_text: 'neither' },
    ],
  }),
};

/** The first error in the result for a truncated document; null without errors. */
function faultOf(cut: ParsedFeed, whole: ParsedFeed): string | null {
  const known = new Map(whole.items.map((item) => [item.guid, JSON.stringify(item)]));
  const changed = cut.items.find((item) => known.get(item.guid) !== JSON.stringify(item));
  if (changed !== undefined) {
    return `an item that the publisher did not write: ${JSON.stringify(changed)}`;
  }
  if (cut.title !== whole.title && cut.title !== '') {
    return `half a title: ${cut.title}`;
  }
  if (cut.link !== whole.link && cut.link !== null) {
    return `half a link: ${cut.link}`;
  }
  if (cut.iconUrl !== whole.iconUrl && cut.iconUrl !== null) {
    return `half an icon: ${cut.iconUrl}`;
  }
  if (cut.items.length < whole.items.length && !(cut.cut && cut.warning !== null)) {
    return 'items are missing, and nothing says so';
  }
  return null;
}

describe('a truncated document', () => {
  it.each(Object.entries(DOCUMENTS))(
    '%s: at any byte, no item is invented or changed',
    async (_name, text) => {
      const bytes = Buffer.from(text);
      const whole = await read(bytes);
      const faults: string[] = [];
      let readable = 0;

      for (let end = 1; end < bytes.length; end++) {
        const cut = await read(bytes.subarray(0, end)).catch((error: unknown) => error);
        if (!(cut instanceof UnreadableDocument)) {
          readable += 1;
          const fault = faultOf(cut as ParsedFeed, whole);
          if (fault !== null) {
            faults.push(`cut behind ${bytes.subarray(end - 20, end).toString()}: ${fault}`);
          }
        }
      }

      expect(faults.slice(0, 3)).toEqual([]);
      expect(readable).toBeGreaterThan(0);
      expect(whole.cut).toBe(false);
    },
  );

  it('gets a warning about its last item', async () => {
    const feed = await read(
      Buffer.from('<rss><channel><item><guid>1</guid></item><item><guid>2</guid><title>t'),
    );

    expect(feed.items.map(({ guid }) => guid)).toEqual(['1']);
    expect(feed).toMatchObject({
      cut: true,
      warning: 'The document ends before it is complete; what it ends inside of was left out.',
    });
  });
});

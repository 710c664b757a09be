import fc from 'fast-check';

/** Pieces of documents and requests, and input that breaks their parsers. */
const PIECES = [
  '<?xml version="1.0" encoding="utf-8"?>',
  '<?xml version="1.0" encoding="utf-16"?>',
  '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c SYSTEM "file:///etc/passwd">]>',
  '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/">',
  '<channel>',
  '<item>',
  '</item>',
  '</channel></rss>',
  '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="//evil/">',
  '<entry>',
  '</entry></feed>',
  '<title type="html">',
  '<title>',
  '</title>',
  '<link href="http://a/?b&c" rel="alternate"/>',
  '<link>http://a/</link>',
  '<guid isPermaLink="false">',
  '</guid>',
  '<pubDate>Tue, 31 Feb 2026 25:61:61 +9999</pubDate>',
  '<updated>-292277022-01-01T00:00:00Z</updated>',
  '<content:encoded><![CDATA[',
  ']]></content:encoded>',
  '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">',
  '</div></content>',
  '<enclosure url="javascript:x" length="-1" type="a/b"/>',
  '<media:thumbnail url="data:,x"/>',
  '<opml version="2.0"><body>',
  '<outline text="a" xmlUrl="http://127.0.0.1/feed">',
  '<outline title="&#x0;" xmlUrl="feed://x">',
  '</outline>',
  '</body></opml>',
  '<d:propfind xmlns:d="DAV:"><d:prop>',
  '<d:getetag/><oc:fileid xmlns:oc="http://owncloud.org/ns"/>',
  '</d:prop></d:propfind>',
  '<d:searchrequest xmlns:d="DAV:"><d:basicsearch>',
  '<d:like><d:prop><d:displayname/></d:prop><d:literal>%\\_</d:literal></d:like>',
  '<d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope>',
  '{"version":"https://jsonfeed.org/version/1.1","items":[',
  '{"id":1e999,"content_html":"<b>","date_published":"x","url":{}},',
  ']}',
  '&amp;',
  '&lt;script&gt;',
  '&#0;',
  '&#xD800;',
  '&#x110000;',
  '&nosuch;',
  '&a;',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '<?x',
  '?>',
  '<p onclick="x">',
  '</p>',
  '<script>',
  '</script>',
  '<svg><style><img src=x onerror=x></style></svg>',
  '<math><mtext><table><mglyph><style>',
  '<a href="java&#10;script:x">',
  '<img srcset="x 1e9w, javascript:x 2x" src="//x">',
  '<iframe srcdoc="<script>">',
  '<template><div>',
  '<select><option><noscript>',
  '<table><tr><td><table>',
  '<x:y xmlns:x="">',
  '\0',
  '\uFEFF',
  '\uFFFE',
  '\uD800',
  '\r\n',
  ' ',
  '"',
  "'",
  '<',
  '>',
  '/',
  '=',
];

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PIECES) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...PIECES), fc.integer({ min: 1, max: 300 }))
      .map(([text, times]) => text.repeat(times)),
  },
);

/** Markup that is rarely well-formed. */
export const hostileMarkup: fc.Arbitrary<string> = fc
  .array(piece, { maxLength: 40 })
  .map((pieces) => pieces.join(''));

/** A document with some of its characters replaced, dropped or repeated. */
export function damaged(documents: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom(...documents),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 200 }), piece), { minLength: 1, maxLength: 6 }),
    )
    .map(([document, changes]) =>
      changes.reduce((text, [at, dropped, added]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + added + text.slice(place + dropped);
      }, document),
    );
}

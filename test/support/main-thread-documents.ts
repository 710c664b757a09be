/** A document that a publisher may send, large or hostile. */
export interface PublishedKind {
  readonly name: string;
  /** Feeds are followed and fetched again; pages are looked at for feeds. */
  readonly what: 'feed' | 'page';
  /** With other contents in each round. */
  document(round: number, url: string): { readonly text: string; readonly contentType: string };
}

const ENTRIES = 10_000;
const MIB = 1024 * 1024;
const SITE = 'https://publisher.example';

type Entry = (n: number, round: number) => string;

const RSS_TYPE = 'application/rss+xml; charset=utf-8';

function rssOf(name: string, entry: Entry, count = ENTRIES): PublishedKind {
  return {
    name,
    what: 'feed',
    document: (round) => ({
      contentType: RSS_TYPE,
      text: `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Large ${round}</title><link>${SITE}</link>${entries(count, round, entry)}</channel></rss>`,
    }),
  };
}

function entries(count: number, round: number, entry: Entry): string {
  return Array.from({ length: count }, (_, n) => entry(n, round)).join('\n');
}

const dateOf = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 60_000);
const escaped = (html: string) =>
  html.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
/** Not the same text again and again, which is refused as suspiciously compressed. */
const paragraph = (n: number, round: number, times: number) =>
  Array.from({ length: times }, (_, at) => {
    const words = Math.abs(Math.sin(n * 31 + round * 7 + at)).toString(36);
    return escaped(`<p>${words} of <a href="/x/${n}">link</a> <img src="/p/${at}.jpg"></p>`);
  }).join(' ');

/** A little less than `GATEFOLD_FETCH_DOCUMENT_MIB`, so that all is read. */
const MOST_BYTES = 9.7 * MIB;
const bodyFor = (count: number) =>
  Math.max(1, Math.floor((MOST_BYTES / count - 300) / paragraph(1000, 1, 1).length));

export const DOCUMENTS: readonly PublishedKind[] = [
  rssOf(
    'RSS, equal entries of one link',
    (n, round) =>
      `<item><title>Daily</title><link>${SITE}/all</link><description>body ${n} ${round}</description></item>`,
  ),
  rssOf(
    'RSS, equal titles without link',
    (n, round) => `<item><title>Daily</title><description>body ${n} ${round}</description></item>`,
  ),
  rssOf(
    'RSS, entries of one guid',
    (n, round) =>
      `<item><title>t ${n} ${round}</title><guid>one</guid><link>${SITE}/${n}</link><description>body ${n} ${round}</description><pubDate>${dateOf(n + round * ENTRIES).toUTCString()}</pubDate></item>`,
  ),
  rssOf(
    'RSS, new entries',
    (n, round) =>
      `<item><title>t ${n} ${round}</title><guid>${n} ${round}</guid><link>${SITE}/${n}/${round}</link><description>${paragraph(n, round, 1)}</description><pubDate>${dateOf(n + round).toUTCString()}</pubDate></item>`,
  ),
  rssOf(
    'RSS, changed entries',
    (n, round) =>
      `<item><title>t ${n} ${round}</title><guid>${n}</guid><link>${SITE}/${n}</link><description>${paragraph(n, round, 1)}</description><pubDate>${dateOf(n).toUTCString()}</pubDate></item>`,
  ),
  rssOf(
    'RSS, moved entries',
    (n, round) =>
      `<item><title>t ${n}</title><guid>https://host${round}.example/${n}</guid><link>https://host${round}.example/${n}</link><description>same ${n}</description><pubDate>${dateOf(n).toUTCString()}</pubDate></item>`,
  ),
  rssOf(
    'RSS, one title and many links',
    (n, round) =>
      `<item><title>Daily</title><guid>https://host${round}.example/${n}</guid><link>https://host${round}.example/${n}</link><description>same ${n % 7}</description></item>`,
  ),
  rssOf(
    'RSS, 2,000 long entries, new',
    (n, round) =>
      `<item><title>t ${n} ${round}</title><guid>${n} ${round}</guid><description>${paragraph(n, round, bodyFor(2_000))}</description></item>`,
    2_000,
  ),
  rssOf(
    'RSS, 2,000 long entries, changed',
    (n, round) =>
      `<item><title>t ${n}</title><guid>${n}</guid><description>${paragraph(n, round, bodyFor(2_000))}</description></item>`,
    2_000,
  ),
  rssOf(
    'RSS, ten entries of 900 KiB',
    (n, round) =>
      `<item><title>t ${n}</title><guid>${n}</guid><description>${paragraph(n, round, bodyFor(10))}</description></item>`,
    10,
  ),
  rssOf(
    'RSS, one huge entry',
    (n, round) =>
      `<item><title>${'t'.repeat(200_000)}</title><guid>${'g'.repeat(300_000)}${n} ${round}</guid><description>${paragraph(n, round, bodyFor(1) >> 1)}</description></item>`,
    1,
  ),
  rssOf(
    'RSS, entries with many parts',
    (n, round) =>
      `<item><title>t ${n} ${round}</title><guid>${n}</guid>${'<category>news</category>'.repeat(20)}${`<enclosure url="${SITE}/${n}.mp3" type="audio/mpeg" length="1"/>`.repeat(3)}<dc:creator>${'a &lt;b&gt; '.repeat(20)}</dc:creator><pubDate>${'9'.repeat(50)} Foo ${n}</pubDate></item>`,
    5_000,
  ),
  {
    name: 'Atom, changed entries',
    what: 'feed',
    document: (round) => ({
      contentType: 'application/atom+xml',
      text: `<feed xmlns="http://www.w3.org/2005/Atom"><title>Large</title><id>urn:large</id>${entries(ENTRIES, round, (n) => `<entry><id>urn:${n}</id><title>t ${n} ${round}</title><link href="${SITE}/${n}"/><updated>${dateOf(n).toISOString()}</updated><content type="html">${paragraph(n, round, 1)}</content></entry>`)}</feed>`,
    }),
  },
  {
    name: 'RDF, changed entries',
    what: 'feed',
    document: (round) => ({
      contentType: 'application/rdf+xml',
      text: `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="${SITE}"><title>Large</title><link>${SITE}</link></channel>${entries(ENTRIES, round, (n) => `<item rdf:about="${SITE}/${n}"><title>t ${n} ${round}</title><link>${SITE}/${n}</link><description>${paragraph(n, round, 1)}</description></item>`)}</rdf:RDF>`,
    }),
  },
  {
    name: 'JSON Feed, changed entries',
    what: 'feed',
    document: (round) => ({
      contentType: 'application/feed+json',
      text: JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        title: 'Large',
        items: Array.from({ length: ENTRIES }, (_, n) => ({
          id: String(n),
          title: `t ${n} ${round}`,
          content_html: `<p>Body ${n} of round ${round}.</p>`.repeat(5),
          date_published: dateOf(n).toISOString(),
        })),
      }),
    }),
  },
  {
    name: 'a page that names feeds at its end',
    what: 'page',
    document: (round, url) => ({
      contentType: 'text/html',
      text: `<!doctype html><title>${round}</title>${'<a href="/a/feed/b">a</a><p class=x>text'.repeat(100_000)}<link rel=alternate type=application/rss+xml href="${url}.xml">`,
    }),
  },
  {
    name: 'a page of link tags',
    what: 'page',
    document: (round) => ({
      contentType: 'text/html',
      text: `<!doctype html><title>${round}</title>${Array.from({ length: 60_000 }, (_, n) => `<link rel="alternate" type="text/xml" href="/feed/${n}/${round}">`).join('')}`,
    }),
  },
  {
    name: 'a page of unclosed tags',
    what: 'page',
    document: (round) => ({
      contentType: 'text/html',
      text: `<!doctype html><title>${round}</title>${"<link <a <!-- <link rel='x ".repeat(150_000)}`,
    }),
  },
];

/** An OPML file in folders, with other addresses in each round. */
export function opml(round: number, feeds: number, url: string): string {
  const outlines = Array.from(
    { length: feeds },
    (_, n) =>
      `<outline text="Folder ${n % 900}"><outline type="rss" text="Feed ${n} ${'x'.repeat(500)}" xmlUrl="${url}/${round === 1 ? n : `invalid ${n} ${round}`}" htmlUrl="${url}"/></outline>`,
  );
  return `<opml version="2.0"><body>${outlines.join('\n')}</body></opml>`;
}

/** An OPML file near the limit, in an encoding of one byte for each letter that it does not declare. */
export function cyrillicOpml(round: number, feeds: number): Buffer {
  const title = Buffer.alloc(1_700, 0xe0 + round);
  const outlines = Array.from({ length: feeds }, (_, n) =>
    Buffer.concat([
      Buffer.from(`<outline type="rss" xmlUrl="https://publisher.example/${n}" text="`),
      title,
      Buffer.from('"/>\n'),
    ]),
  );
  return Buffer.concat([
    Buffer.from('<opml version="2.0"><body>'),
    ...outlines,
    Buffer.from('</body></opml>'),
  ]);
}

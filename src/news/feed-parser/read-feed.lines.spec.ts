import { describe, expect, it } from '@jest/globals';
import { escapeHtml } from './html/character-references.js';
import { readFeed } from './read-feed.js';

/** Markup that would execute in clients that do not escape titles and names. */
const PAYLOADS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<iframe/onload=alert(1)>',
  '<iframe/onload=alert(1)//',
  '<!--><img src=x onerror=alert(1)>-->',
  '<!-- --!><img src=x onerror=alert(1)>',
  '<!a><img src=x onerror=alert(1)>',
  '<?x><img src=x onerror=alert(1)>',
  '</x><img src=x onerror=alert(1)>',
  '<scr<b>ipt>alert(1)</scr</b>ipt>',
  '<<b>img src=x onerror=alert(1)>',
  '<b <img src=x onerror=alert(1)>',
  '<a title="<img src=x onerror=alert(1)>">x</a>',
  '<x onclick=alert(1) style=position:fixed>',
  '<svg onload=alert(1)',
  '<custom-element onfocus=alert(1) autofocus tabindex=1>',
  '<IMG\nSRC=x\tONERROR=alert(1)>',
  '<style><img src=x onerror=alert(1)></style>',
  '<title><img src=x onerror=alert(1)></title>',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<math><mtext></p><img src=x onerror=alert(1)>',
  `${'x'.repeat(990)}<img src=x onerror=alert(1)>`,
];

const inCdata = (text: string): string =>
  `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;

/** Encodings of a text that a parser decodes. */
const WRITINGS: ReadonlyArray<readonly [string, (text: string) => string]> = [
  ['as it is', (text) => text],
  ['in CDATA', inCdata],
  ['escaped', escapeHtml],
  ['escaped twice', (text) => escapeHtml(escapeHtml(text))],
  ['escaped three times', (text) => escapeHtml(escapeHtml(escapeHtml(text)))],
  ['escaped in CDATA', (text) => inCdata(escapeHtml(text))],
  ['with numbers', (text) => text.replaceAll('<', '&#60;').replaceAll('>', '&#x3e;')],
  ['with numbers, escaped', (text) => text.replaceAll('<', '&amp;#60;')],
];

const rss = (inner: string): string =>
  `<rss xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>F</title><item><guid>1</guid>${inner}</item></channel></rss>`;
const atom = (inner: string): string =>
  `<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><entry><id>1</id>${inner}</entry></feed>`;
const json = (item: object): string =>
  JSON.stringify({ title: 'F', items: [{ id: '1', ...item }] });

const PLACES: ReadonlyArray<readonly [string, (text: string) => string]> = [
  ['title of RSS', (text) => rss(`<title>${text}</title>`)],
  ['title of Atom', (text) => atom(`<title>${text}</title>`)],
  ['title of Atom that says text', (text) => atom(`<title type="text">${text}</title>`)],
  ['title of Atom that says html', (text) => atom(`<title type="html">${text}</title>`)],
  [
    'title of a feed',
    (text) => `<rss><channel><title>${text}</title><item><guid>1</guid></item></channel></rss>`,
  ],
  ['author of RSS', (text) => rss(`<author>${text}</author>`)],
  ['author beside an address', (text) => rss(`<author>a@b.org (${text})</author>`)],
  ['creator', (text) => rss(`<dc:creator>${text}</dc:creator>`)],
  ['author of Atom', (text) => atom(`<author><name>${text}</name></author>`)],
  ['title of JSON', (text) => json({ title: text })],
  ['author of JSON', (text) => json({ authors: [{ name: text }] })],
];

/** Where an HTML parser finds the beginning of a tag, comment or instruction. */
const A_TAG = /<[a-z!/?]/i;

async function linesOf(document: string): Promise<(string | null)[]> {
  const url = 'https://example.org/feed';
  const feed = await readFeed({ bytes: Buffer.from(document), contentType: null, url }).catch(
    () => null,
  );
  return feed === null
    ? []
    : [feed.title, ...feed.items.flatMap(({ title, author }) => [title, author])];
}

describe('titles and names contain no markup for clients that do not escape them', () => {
  it.each(PLACES)('in the %s', async (_place, write) => {
    const found: string[] = [];
    let lines = 0;

    for (const [, encode] of WRITINGS) {
      for (const payload of PAYLOADS) {
        for (const line of await linesOf(write(encode(`Title ${payload}`)))) {
          lines += line === null ? 0 : 1;
          if (A_TAG.test(line ?? '')) {
            found.push(line ?? '');
          }
        }
      }
    }

    expect(found).toEqual([]);
    expect(lines).toBeGreaterThan(PAYLOADS.length);
  });
});

describe('a text that resembles markup', () => {
  it.each([
    ['a < b', 'a < b'],
    ['1<2 and 3>2', '1<2 and 3>2'],
    ['I <3 you', 'I <3 you'],
    ['<<', '<<'],
    ['List<T>', 'List‹T›'],
    ['x<y', 'x‹y'],
    ['->', '->'],
  ])('%s is shown as %s', async (written, shown) => {
    expect((await linesOf(json({ title: written })))[1]).toBe(shown);
    expect((await linesOf(rss(`<title>${escapeHtml(written)}</title>`)))[1]).toBe(shown);
  });

  it('intended markup is removed with its scripts', async () => {
    expect(await linesOf(rss('<title>&lt;b&gt;One&lt;/b&gt; &amp;amp; two</title>'))).toContain(
      'One & two',
    );
    expect(await linesOf(rss('<author>&lt;a href="x"&gt;Ann&lt;/a&gt;</author>'))).toContain('Ann');
  });
});

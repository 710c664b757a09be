import { describe, expect, it } from '@jest/globals';
import { processorMs } from '../../../../test/support/processor-time.js';
import { readLinkTags } from './link-tags.js';

const PAGE = 'https://example.org/blog/post?id=1';
const MIB = 1024 * 1024;

describe('The link elements of a web page', () => {
  it('are read with all their attributes, in any spelling', async () => {
    const html = `<html><head>
      <LINK REL="Alternate  Stylesheet" TYPE='application/RSS+xml; charset=utf-8'
            HREF=feed&#46;xml sizes="16x16 32X32" />
      </head></html>`;

    expect(await readLinkTags(html, PAGE)).toEqual([
      {
        rel: ['alternate', 'stylesheet'],
        url: 'https://example.org/blog/feed.xml',
        type: 'application/rss+xml',
        sizes: ['16x16', '32x32'],
      },
    ]);
  });

  it.each([
    ['/feed', 'https://example.org/feed'],
    ['?feed=rss&amp;x=1', 'https://example.org/blog/post?feed=rss&x=1'],
    ['//cdn.example/feed', 'https://cdn.example/feed'],
    ['  https://other.example/f#top ', 'https://other.example/f'],
    ['größe', 'https://example.org/blog/gr%C3%B6%C3%9Fe'],
    ['feed://cdn.example/feed', 'https://cdn.example/feed'],
    [' feed:https://cdn.example/feed', 'https://cdn.example/feed'],
    ['Feed://http://cdn.example/feed', 'http://cdn.example/feed'],
    ['itpc://cdn.example/feed', 'https://cdn.example/feed'],
  ])('have the address %j resolved to %s', async (href, url) => {
    expect(await urlsOf(`<link rel=x href="${href}">`)).toEqual([url]);
  });

  it('are resolved against the first base element, wherever it stands', async () => {
    const html = '<link rel=x href=feed><base target=_top><base href="/base/"><base href="/no/">';

    expect(await urlsOf(html)).toEqual(['https://example.org/base/feed']);
  });

  it('are resolved against the page if the base is invalid', async () => {
    expect(await urlsOf('<base href="javascript:x"><link rel=x href="/feed">')).toEqual([
      'https://example.org/feed',
    ]);
  });

  it.each(['javascript:alert(1)', 'data:text/xml,x', 'file:///etc/passwd', 'http://[', '', ' '])(
    'are omitted if their address is %j',
    async (href) => {
      expect(await urlsOf(`<link rel=x href="${href}">`)).toEqual([]);
    },
  );

  it('are recognised only where a browser would', async () => {
    const html = `<!-- <link rel=x href=a> --><script>"<link rel=x href=b>"</script>
      <title><link rel=x href=c></title><style><link rel=x href=d></style><link rel=x href=e>`;

    expect(await urlsOf(html)).toEqual(['https://example.org/blog/e']);
  });

  it('keep the first of duplicate attributes', async () => {
    expect(await urlsOf('<link rel=x href=/first href=/second>')).toEqual([
      'https://example.org/first',
    ]);
  });

  it('are read from bytes of any encoding', async () => {
    const html = '<link rel=x href="/ü">';
    const utf16 = Buffer.from(`\uFEFF${html}`, 'utf16le');

    expect(await urlsOf(Buffer.from(html))).toEqual(['https://example.org/%C3%BC']);
    expect(await urlsOf(utf16)).toEqual(['https://example.org/%C3%BC']);
    expect(await urlsOf(Buffer.from(utf16).swap16())).toEqual(['https://example.org/%C3%BC']);
    expect(await urlsOf(Buffer.from('<link rel=x href="/a" title="\xfc">', 'latin1'))).toEqual([
      'https://example.org/a',
    ]);
  });

  it('are the same wherever the page is divided for reading', async () => {
    const hrefs = Array.from({ length: 4_000 }, (_, n) => `/${n}-${'x'.repeat(n % 61)}`);
    const html = hrefs.map((href) => `<link rel=x title="a &amp; b" href=${href}>`).join('');

    expect(await urlsOf(html)).toEqual(hrefs.map((href) => `https://example.org${href}`));
  });

  it('are found wherever they are, also behind megabytes of scripts', async () => {
    const script = `<script>${'var a = "<link>";'.repeat(200_000)}</script>`;
    const html = `<link rel=x href=/early>${script}<link rel=x href=/späte>`;
    const expected = ['https://example.org/early', 'https://example.org/sp%C3%A4te'];

    expect(await urlsOf(html)).toEqual(expected);
    expect(await urlsOf(Buffer.from(html))).toEqual(expected);
    expect(await urlsOf(Buffer.from(`\ufeff${html}`, 'utf16le'))).toEqual(expected);
  });

  it('are read up to 10,000', async () => {
    expect(await urlsOf('<link href=/x>'.repeat(10_002))).toHaveLength(10_000);
  });

  it.each([
    ['open elements', '<b>'.repeat(MIB / 3)],
    ['open elements that are closed by others', '<b>'.repeat(MIB / 7) + '</i>'.repeat(MIB / 7)],
    ['opened forms', '<form>'.repeat(MIB / 6)],
    ['unfinished tags', '<link '.repeat(MIB / 6)],
    ['attributes', `<link ${'a=1 '.repeat(MIB / 4)}>`],
    ['different attributes', `<link ${numbered(100_000, (n) => `a${n}`)}>`],
    ['entities', `<link href="${'&amp;'.repeat(MIB / 5)}">`],
    ['unfinished entities', `<link href="${'&am'.repeat(MIB / 3)}">`],
    ['unfinished comments', '<!--'.repeat(MIB / 4)],
    ['unfinished declarations', '<![CDATA['.repeat(MIB / 9)],
    ['unfinished scripts', '<script></scrip'.repeat(MIB / 15)],
    ['quotes', `<link href=${`"'`.repeat(MIB / 2)}`],
    ['links', '<link rel=alternate href=/a>'.repeat(MIB / 28)],
  ])('of a page with a MiB of %s are read quickly', async (_what, html) => {
    expect(await processorMs(() => readLinkTags(html, PAGE))).toBeLessThan(2000);
  });
});

async function urlsOf(html: string | Uint8Array): Promise<string[]> {
  return (await readLinkTags(html, PAGE)).map(({ url }) => url);
}

function numbered(count: number, text: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => text(n)).join(' ');
}

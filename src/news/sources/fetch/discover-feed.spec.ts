import { describe, expect, it } from '@jest/globals';
import { rss } from '../../../../test/support/feed-server.js';
import { discoverFeeds, looksLikeHtml, type PageFeeds } from './discover-feed.js';

const PAGE = 'https://example.org/blog/';

const urls = ({ namedFeeds }: PageFeeds) => namedFeeds.map(({ url }) => url);
const named = async (html: string, pageUrl: string) => urls(await discoverFeeds(html, pageUrl));

describe('Discovering the feeds of a web page', () => {
  it('finds the links of the page, with absolute addresses', async () => {
    const html = `<!doctype html><title>A blog</title>
      <link rel="alternate" type="application/rss+xml" title="Articles" href="/rss">`;

    expect(await named(html, PAGE)).toEqual(['https://example.org/rss']);
  });

  it.each([
    'application/rss+xml',
    'application/atom+xml',
    'application/feed+json',
    'application/rdf+xml',
    'application/json',
    'application/xml',
    'text/xml',
    'Application/RSS+XML; charset=utf-8',
  ])('knows feeds by the type %s', async (type) => {
    expect(await named(link('/feed', type), PAGE)).toHaveLength(1);
  });

  it.each([
    ['another language', '<link rel=alternate hreflang=de href=/de>'],
    ['a style', '<link rel="alternate stylesheet" type="text/css" href=/c.css>'],
    ['an icon', '<link rel=icon type="application/rss+xml" href=/i>'],
    ['nothing', ''],
  ])('ignores %s', async (_what, html) => {
    expect(await named(html, PAGE)).toEqual([]);
  });

  it('keeps the order of the page, with ambiguous types last, each address once', async () => {
    const html =
      link('/wp-json/posts/1', 'application/json') +
      link('/articles', 'application/rss+xml') +
      link('/comments', 'application/atom+xml') +
      link('/articles', 'application/rss+xml') +
      link('/articles#top', 'application/json');

    expect(await named(html, PAGE)).toEqual([
      'https://example.org/articles',
      'https://example.org/comments',
      'https://example.org/wp-json/posts/1',
    ]);
  });

  it('resolves against the base of the page', async () => {
    const html = `<base href="https://cdn.example/x/">${link('feed', 'application/rss+xml')}`;

    expect((await named(html, PAGE))[0]).toBe('https://cdn.example/x/feed');
  });

  it('returns at most twenty', async () => {
    const html = Array.from({ length: 50 }, (_, n) => link(`/${n}`, 'application/rss+xml')).join(
      '',
    );

    expect(await named(html, PAGE)).toHaveLength(20);
  });

  it('finds them in the Link header, behind those of the page', async () => {
    const header =
      '</style.css>; rel=stylesheet, </all>; rel="alternate"; type="application/rss+xml", ' +
      '</de>; rel=alternate; hreflang=de';

    expect(urls(await discoverFeeds('', PAGE, header))).toEqual(['https://example.org/all']);
    expect(
      urls(await discoverFeeds(link('/page', 'application/atom+xml'), PAGE, [header, '<x>'])),
    ).toEqual(['https://example.org/page', 'https://example.org/all']);
  });

  it('takes links that look like feeds if it names none, those of its host first', async () => {
    const html = `<a href="https://feeds.example/site.rss">elsewhere</a> <a href="rss.xml">RSS</a>
      <a href="/about">about</a> <a href="/?feed=rss2">all</a> <a type="application/atom+xml" href=/a>a</a>`;

    expect(await named(html, PAGE)).toEqual([
      'https://example.org/blog/rss.xml',
      'https://example.org/?feed=rss2',
      'https://example.org/a',
      'https://feeds.example/site.rss',
    ]);
    expect(await named(html + link('/named', 'text/xml'), PAGE)).toEqual([
      'https://example.org/named',
    ]);
  });

  it.each([
    ['/x/index.xml', true],
    ['/posts.atom', true],
    ['/comments-feed.xml', true],
    ['/feed/', true],
    ['/?format=feed&type=rss', true],
    ['/feedback', false],
    ['/index.html', false],
    ['/sitemap.xml', false],
    ['/rss-readers', false],
  ])('judges links by the address: %s is one: %s', async (href, isFeed) => {
    expect(await named(`<a href="${href}">x</a>`, PAGE)).toHaveLength(isFeed ? 1 : 0);
  });

  it('guesses usual places in the directory and at the root, unless it names a feed', async () => {
    const { guesses } = await discoverFeeds('', `${PAGE}post.html`);

    expect(guesses).toHaveLength(14);
    expect(guesses).toEqual(
      expect.arrayContaining(['https://example.org/blog/index.xml', 'https://example.org/feed']),
    );
    expect((await discoverFeeds('', 'https://example.org/')).guesses).toHaveLength(7);
    expect((await discoverFeeds(link('/rss', 'application/rss+xml'), PAGE)).guesses).toEqual([]);
  });

  it.each([
    ['<meta http-equiv="refresh" content="0; url=/news/">', 'https://example.org/news/'],
    ['<META HTTP-EQUIV=Refresh CONTENT="0;URL=\'next\'">', 'https://example.org/blog/next'],
    ['<meta http-equiv=refresh content="300">', null],
    ['<meta http-equiv=refresh content="5; url=https://example.org/blog/">', null],
    ['<meta http-equiv=refresh content="0; url=javascript:alert(1)">', null],
    ['<meta name=refresh content="0; url=/news/">', null],
  ])('follows %s to %s', async (html, address) => {
    expect((await discoverFeeds(html, PAGE)).refreshTo).toBe(address);
  });
});

describe('A document', () => {
  it.each([
    '<!DOCTYPE html><html>',
    '  \n<!doctype HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">',
    '\uFEFF<html lang="de">',
    '<!-- made by hand --><!-- twice --><html>',
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">',
    '<head><title>x</title>',
    '<meta charset=utf-8>',
  ])('that begins with %j is a web page, whatever its type', (text) => {
    expect(looksLikeHtml(Buffer.from(text), null)).toBe(true);
    expect(looksLikeHtml(Buffer.from(text), 'text/xml')).toBe(true);
  });

  it.each([
    rss({ title: 'Science', items: [] }),
    '<rss version="2.0">',
    '<?xml version="1.0"?><?xml-stylesheet href="x"?><!-- html --><feed>',
    '<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "x.dtd"><rss>',
    '<rdf:RDF>',
    '<headlines>',
    '{"version":"https://jsonfeed.org/version/1.1"}',
  ])('that begins with %j is not, whatever its type', (text) => {
    expect(looksLikeHtml(Buffer.from(text), 'text/html')).toBe(false);
  });

  it.each([
    ['text/html; charset=utf-8', true],
    ['application/xhtml+xml', true],
    ['application/rss+xml', false],
    ['text/plain', false],
    [null, false],
  ])('without any element is classified by its type %j', (contentType, isPage) => {
    for (const text of ['', 'Hello!', '<!-- never ends']) {
      expect(looksLikeHtml(Buffer.from(text), contentType)).toBe(isPage);
    }
  });
});

function link(href: string, type: string): string {
  return `<link rel="alternate" type="${type}" href="${href}">`;
}

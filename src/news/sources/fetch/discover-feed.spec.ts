import { describe, expect, it } from '@jest/globals';
import { rss } from '../../../../test/support/feed-server.js';
import { discoverNamedFeeds, looksLikeHtml } from './discover-feed.js';

const PAGE = 'https://example.org/blog/';

const discoverFeeds = (html: string, pageUrl: string) =>
  discoverNamedFeeds(html, pageUrl).map(({ url }) => url);

describe('Discovering the feeds of a web page', () => {
  it('finds the links of the page, with absolute addresses', () => {
    const html = `<!doctype html><title>A blog</title>
      <link rel="alternate" type="application/rss+xml" title="Articles" href="/rss">`;

    expect(discoverFeeds(html, PAGE)).toEqual(['https://example.org/rss']);
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
  ])('knows feeds by the type %s', (type) => {
    expect(discoverFeeds(link('/feed', type), PAGE)).toHaveLength(1);
  });

  it.each([
    ['another language', '<link rel=alternate hreflang=de href=/de>'],
    ['a style', '<link rel="alternate stylesheet" type="text/css" href=/c.css>'],
    ['a feed elsewhere in the text', '<a type="application/rss+xml" href=/a>feed</a>'],
    ['an icon', '<link rel=icon type="application/rss+xml" href=/i>'],
    ['nothing', ''],
  ])('ignores %s', (_what, html) => {
    expect(discoverFeeds(html, PAGE)).toEqual([]);
  });

  it('keeps the order of the page, with ambiguous types last, each address once', () => {
    const html =
      link('/wp-json/posts/1', 'application/json') +
      link('/articles', 'application/rss+xml') +
      link('/comments', 'application/atom+xml') +
      link('/articles', 'application/rss+xml') +
      link('/articles#top', 'application/json');

    expect(discoverFeeds(html, PAGE)).toEqual([
      'https://example.org/articles',
      'https://example.org/comments',
      'https://example.org/wp-json/posts/1',
    ]);
  });

  it('resolves against the base of the page', () => {
    const html = `<base href="https://cdn.example/x/">${link('feed', 'application/rss+xml')}`;

    expect(discoverFeeds(html, PAGE)[0]).toBe('https://cdn.example/x/feed');
  });

  it('returns at most twenty', () => {
    const html = Array.from({ length: 50 }, (_, n) => link(`/${n}`, 'application/rss+xml')).join(
      '',
    );

    expect(discoverFeeds(html, PAGE)).toHaveLength(20);
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

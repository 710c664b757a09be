import { describe, expect, it } from '@jest/globals';
import { canonicalLink } from './canonical-link.js';

const ARTICLE = 'https://example.com/news/2026/bridge-closed-for-repairs';

describe('the canonical link', () => {
  it.each([
    `${ARTICLE}?utm_source=rss&utm_medium=feed`,
    `${ARTICLE}?fbclid=IwAR0&section=politics&v=3`,
    `${ARTICLE}#xtor=RSS-16`,
    `${ARTICLE}#comments`,
    `${ARTICLE}/`,
    `${ARTICLE}/index.html`,
    `${ARTICLE}/amp/`,
    `${ARTICLE}?amp`,
    `${ARTICLE}?outputType=amp`,
    'http://example.com/news/2026/bridge-closed-for-repairs',
    'https://www.Example.com:443/news/2026/bridge-closed-for-repairs',
    'https://m.example.com/news/2026/bridge-closed-for-repairs',
    'https://amp.example.com/news/2026/bridge-closed-for-repairs',
    'https://example.com/amp/news/2026/bridge-closed-for-repairs',
    'https://www.google.com/amp/s/www.example.com/news/2026/bridge-closed-for-repairs',
    'https://example-com.cdn.ampproject.org/v/s/example.com/news/2026/bridge-closed-for-repairs?amp_js_v=0.1',
    `https://www.google.com/url?rct=j&url=${encodeURIComponent(`${ARTICLE}?ref=alerts`)}&ct=ga`,
    `https://l.facebook.com/l.php?u=${encodeURIComponent(ARTICLE)}&h=AT0`,
  ])('of %s is that of the article', (address) => {
    expect(canonicalLink(address)?.page).toBe('example.com/news/2026/bridge-closed-for-repairs');
  });

  it.each([
    ['https://example.com/?p=1234', 'example.com/?p=1234', true],
    [
      'https://example.com/watch?feature=rss&v=dQw4w9WgXcQ',
      'example.com/watch?v=dQw4w9WgXcQ',
      true,
    ],
    ['https://example.com/politics?utm_source=rss', 'example.com/politics', false],
    ['https://example.com/weather/berlin', 'example.com/weather/berlin', false],
    ['https://example.com/story.php?id=7&ref=rss', 'example.com/story.php?id=7', false],
    [`${ARTICLE}?lang=de`, 'example.com/news/2026/bridge-closed-for-repairs?lang=de', true],
    ['https://example.com/%E7%8C%AB', 'example.com/猫', false],
    ['https://www.example.com/?utm_source=rss', null, false],
  ])('of %s is %s', (address, page, isSpecific) => {
    expect(canonicalLink(address)).toMatchObject({ page, isSpecific });
  });

  it('has one name of an article in all sections, and another for another day and language', () => {
    const slugs = ['politics/2026', 'world/2026', 'world/2025', 'de/2026'].map(
      (path) => canonicalLink(`https://example.com/${path}/bridge-closed-for-repairs`)?.slug,
    );

    expect(slugs[0]).toBe(slugs[1]);
    expect(new Set(slugs).size).toBe(3);
  });

  it.each([
    '',
    'mailto:a@example.com',
    'javascript:alert(1)',
    'https://',
    `https://a.example/${'a'.repeat(5000)}`,
  ])('of %j is none', (address) => {
    expect(canonicalLink(address)).toBeNull();
  });
});

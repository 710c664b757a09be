import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '../../common/texts/languages.js';
import { isShareable } from './shareable-address.js';
import { readStarterFeeds } from './suggesting.settings.js';

describe('the address of a followed feed', () => {
  it.each([
    'https://www.tagesschau.de/infoservices/alle-meldungen-100~rss2.xml',
    'https://news.example.org/feed/',
    'https://example.org/?feed=rss2&cat=7',
    'https://www.youtube.com/feeds/videos.xml?channel_id=UCBa659QWEk1AI4Tg--mrJ2A',
    'https://en.wikipedia.org/blog.atom?format=xml',
  ])('is shown to others: %s', (address) => {
    expect(isShareable(address)).toBe(true);
  });

  it.each([
    'http://news.example.org/feed',
    'https://ada:secret@example.org/feed',
    'https://ada@example.org/feed',
    'https://example.org:8443/feed',
    'https://intranet/feed',
    'https://wiki.corp/feed',
    'https://printer.local/feed',
    'https://10.0.0.1/feed',
    'https://93.184.216.34/feed',
    'https://[2606:2800:220:1::1]/feed',
    'https://example.org/feed?token=a',
    'https://example.org/feed?format=xml&k=1',
    'https://example.org/feed?format=9f8e7d6c5b4a39281706',
    'https://example.org/feed?channel_id=9f8e7d6c5b4a39281706',
    'https://example.org/feed/9f8e7d6c5b4a39281706.xml',
    'https://example.org/550e8400-e29b-41d4-a716-446655440000',
    'https://example.org/feed/qwertzuiopasdfghjklyxcvbnm',
    'https://example.org/rss/AbCdEfGhIjKlMnOp',
    'https://example.org/rss/a1b2c3d4',
    'https://example.org/u/12345678901/rss',
    'https://f3a9c8e1b2d4.feeds.example.org/rss',
    'https://example.org/private/rss',
    'https://example.org/members/rss',
    'https://example.org/%61%62?x',
    `https://example.org/${'a/'.repeat(300)}`,
    'file:///etc/passwd',
    'no address',
    '',
  ])('is not shown: %s', (address) => {
    expect(isShareable(address)).toBe(false);
  });
});

const SHIPPED = new URL('./starter-feeds.json', import.meta.url);

describe('the starter list', () => {
  it('has 150 feeds, each once, some in every language of the pages, none with a secret', () => {
    const feeds = readStarterFeeds(SHIPPED);

    expect(feeds).toHaveLength(150);
    expect(new Set(feeds.map(({ url }) => url)).size).toBe(150);
    const languages = new Set(feeds.map(({ language }) => language));
    expect(LANGUAGES.filter((language) => !languages.has(language))).toEqual([]);
    expect(feeds.filter(({ url }) => /@|token|key=/.test(url))).toEqual([]);
  });
});

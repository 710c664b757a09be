import { describe, expect, it } from '@jest/globals';
import { identify, isOwnPage, md5, pageOf, type IdentifiedItem } from './item-identity.js';

const item: IdentifiedItem = {
  guid: 'http://localhost/1',
  title: 'Title',
  url: 'http://localhost/u',
  body: '<p>Body</p>',
  author: 'Ann',
  enclosureMime: 'audio/mpeg',
  enclosureLink: 'http://localhost/a.mp3',
};

describe('the identity of an item', () => {
  it('is the MD5 of the concatenated stored values', () => {
    expect(identify(item)).toEqual({
      guidHash: md5('http://localhost/1'),
      fingerprint: md5('Titlehttp://localhost/u<p>Body</p>http://localhost/a.mp3'),
      contentHash: md5('Titlehttp://localhost/u<p>Body</p>http://localhost/a.mp3audio/mpegAnn'),
    });
    expect(md5('abc')).toBe('900150983cd24fb0d6963f7d28e17f72');
  });

  it('counts missing values as empty', () => {
    const bare = {
      ...item,
      title: null,
      url: null,
      author: null,
      enclosureMime: null,
      enclosureLink: null,
    };

    expect(identify(bare).fingerprint).toBe(md5('<p>Body</p>'));
    expect(identify(bare).contentHash).toBe(md5('<p>Body</p>'));
  });

  it('keeps the fingerprint, but not the content hash, when only the author changes', () => {
    const changed = identify({ ...item, author: 'Bob' });

    expect(changed.fingerprint).toBe(identify(item).fingerprint);
    expect(changed.contentHash).not.toBe(identify(item).contentHash);
  });
});

describe('an address', () => {
  it('is the page of an entry if other entries have theirs', () => {
    expect(isOwnPage('https://publisher.example/status', [], false)).toBe(true);
  });

  it('is not, if it is that of the site', () => {
    const site = 'https://publisher.example/now-on-the-air';

    expect(isOwnPage(site, [pageOf(site)], false)).toBe(false);
  });

  it.each([
    ['two words', '/now-playing', false],
    ['three words', '/now-playing-here', true],
    ['a number', '/episode-7', true],
  ])('of the only entry of a document, with %s, is its page: %s, %s', (_with, at, isPage) => {
    expect(isOwnPage(`https://publisher.example${at}`, [], true)).toBe(isPage);
  });
});

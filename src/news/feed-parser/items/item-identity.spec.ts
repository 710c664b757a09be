import { describe, expect, it } from '@jest/globals';
import { identify, md5, type IdentifiedItem } from './item-identity.js';

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

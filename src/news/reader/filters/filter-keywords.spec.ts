import { describe, expect, it } from '@jest/globals';
import { itLong } from '../../../../test/support/long.js';
import { processorMs } from '../../../../test/support/processor-time.js';
import {
  checkedKeywords,
  KeywordFilter,
  InvalidFilter,
  type FilterKeywords,
} from './filter-keywords.js';

const NONE: FilterKeywords = { titleKeywords: '', bodyKeywords: '', urlKeywords: '' };

const matchesTitle = (titleKeywords: string, title: string) =>
  new KeywordFilter({ ...NONE, titleKeywords }).matches({ title, url: null, bodyHtml: null });

const matchesBody = (bodyKeywords: string, bodyHtml: string) =>
  new KeywordFilter({ ...NONE, bodyKeywords }).matches({ title: null, url: null, bodyHtml });

const matchesUrl = (urlKeywords: string, url: string) =>
  new KeywordFilter({ ...NONE, urlKeywords }).matches({ title: null, url, bodyHtml: null });

describe('a keyword of a title', () => {
  it.each([
    ['cat', 'The Cat sat', true],
    ['CAT', 'the cat', true],
    ['cat', 'concatenate', false],
    ['cat', 'cats', false],
    ['cat', 'scat', false],
    ['cat', 'cat', true],
    ['cat', 'cat_food', false],
    ['cat', 'cat-food', true],
    ['cat', '“cat”', true],
    ['cat', 'cat2', false],
    ['élan', 'ÉLAN vital', true],
    ['elan', 'élan', false],
    ['caf\u00e9', 'cafe\u0301 au lait', true],
    ['λόγος', 'ΛΌΓΟΣ', true],
    ['война', 'Война и мир', true],
    ['вой', 'Война и мир', false],
    ['𝒳', 'an 𝒳 here', true],
    ['x', '𝒳x', false],
    ['c++', 'C++ is out', true],
    ['c++', 'c', false],
    ['.net', 'On .NET today', true],
    ['.net', 'example.net', true],
    ['100%', '100% sure', true],
    ['a.c', 'abc', false],
    ['(a+)+$', 'aaaa', false],
  ])('%j in %j: %j', (keyword, title, expected) => {
    expect(matchesTitle(keyword, title)).toBe(expected);
  });

  it('matches anywhere in scripts without spaces between words', () => {
    expect(matchesTitle('中国', '在中国的天气')).toBe(true);
    expect(matchesTitle('iphone', '新しいiPhoneが')).toBe(true);
  });

  it('may be a phrase, with any white space between the words', () => {
    expect(matchesTitle('breaking  news', 'Breaking\nNews: rain')).toBe(true);
    expect(matchesTitle('breaking news', 'breaking bad news')).toBe(false);
  });

  it('is one of several, separated by commas', () => {
    expect(matchesTitle('dog, , cat,bird', 'a bird')).toBe(true);
    expect(matchesTitle('dog, , cat,bird', 'a fish')).toBe(false);
  });

  it('is found if it is part of another one that does not match', () => {
    expect(matchesTitle('she said, he', 'she sailed, he rowed')).toBe(true);
    expect(matchesTitle('abcd, bc', 'abc bc')).toBe(true);
    expect(matchesTitle('new york times, york', 'new york time')).toBe(true);
  });
});

describe('a keyword of a body', () => {
  it('matches visible text, not markup', () => {
    const html = '<p class="secret">Hello <b>wor</b>ld</p><a href="/secret">link</a><p>end';

    expect(matchesBody('world', html)).toBe(true);
    expect(matchesBody('secret', html)).toBe(false);
    expect(matchesBody('class', html)).toBe(false);
    expect(matchesBody('linkend', html)).toBe(false);
  });

  it('matches characters that HTML escapes', () => {
    expect(matchesBody('AT&T', '<p>at&amp;t</p>')).toBe(true);
    expect(matchesBody('amp', '<p>at&amp;t</p>')).toBe(false);
  });
});

describe('a keyword of an address', () => {
  it('matches any part of it', () => {
    expect(matchesUrl('/sport/', 'https://example.org/SPORT/1')).toBe(true);
    expect(matchesUrl('port', 'https://example.org/sport/1')).toBe(true);
    expect(matchesUrl('/news/', 'https://example.org/sport/1')).toBe(false);
  });
});

describe('a filter', () => {
  it('matches if one field does', () => {
    const filter = new KeywordFilter({ ...NONE, titleKeywords: 'cat', urlKeywords: 'dog' });

    expect(filter.matches({ title: 'cat', url: null, bodyHtml: null })).toBe(true);
    expect(filter.matches({ title: null, url: 'https://dog.example', bodyHtml: null })).toBe(true);
    expect(filter.matches({ title: 'dog', url: 'https://cat.example', bodyHtml: null })).toBe(
      false,
    );
  });

  itLong('takes time linear in the text, for any keywords', async () => {
    const bodyKeywords = Array.from({ length: 15 }, (_, n) => `${'a '.repeat(60)}${n}`).join(',');
    const filter = new KeywordFilter({ ...NONE, bodyKeywords });
    const article = { title: null, url: null, bodyHtml: 'a '.repeat(500_000) };

    const cost = await processorMs(() => expect(filter.matches(article)).toBe(false));

    // Trying each keyword at each position would take a hundred times longer.
    expect(cost).toBeLessThan(3000);
  });
});

describe('the stored text of keywords', () => {
  it('is unchanged', () => {
    expect(checkedKeywords({ ...NONE, titleKeywords: ' a ,, b  c,' })).toEqual({
      ...NONE,
      titleKeywords: ' a ,, b  c,',
    });
  });

  it('is empty if it contains no keyword', () => {
    expect(checkedKeywords({ ...NONE, titleKeywords: 'a', bodyKeywords: ' , ' })).toEqual({
      ...NONE,
      titleKeywords: 'a',
    });
  });

  it('is null if there are no keywords', () => {
    expect(checkedKeywords({ ...NONE, bodyKeywords: ' , ' })).toBeNull();
  });

  it.each([
    ['x'.repeat(129), 'longer than 128 characters'],
    [Array.from({ length: 101 }, (_, n) => n).join(','), 'at most 100 keywords'],
    [' '.repeat(2049), 'at most 2048 characters'],
    ['a\0b', 'null character'],
  ])('has limits: case %#', (titleKeywords, message) => {
    expect(() => checkedKeywords({ ...NONE, titleKeywords })).toThrow(InvalidFilter);
    expect(() => checkedKeywords({ ...NONE, titleKeywords })).toThrow(message);
  });

  it('may reach the limits', () => {
    const long = Array.from({ length: 15 }, () => '𝒳'.repeat(128)).join(',');

    expect(checkedKeywords({ ...NONE, titleKeywords: long })).not.toBeNull();
  });
});

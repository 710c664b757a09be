import { describe, expect, it } from 'vitest';
import { regionalLocale } from './regional-locale.js';

describe('The locale of a language', () => {
  it.each([
    ['en', ['en-GB', 'en-US'], 'en-GB'],
    ['en', ['C'], 'en'],
    ['en', ['c', 'POSIX', 'en_US.UTF-8', 'en-US@posix', 'en-AU'], 'en-AU'],
    ['it', ['ita-x', 'its'], 'it'],
    ['de', [], 'de'],
    ['ar', ['ar-EG'], 'ar-EG-u-nu-latn'],
    ['ar', ['ar-EG-u-nu-arab'], 'ar-EG-u-nu-latn'],
  ])('%s is valid in a browser that names %j.', (language, tags, locale) => {
    expect(regionalLocale(language, tags)).toBe(locale);
    expect(() => new Intl.NumberFormat(regionalLocale(language, tags))).not.toThrow();
  });
});

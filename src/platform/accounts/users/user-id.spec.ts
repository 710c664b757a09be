import { describe, expect, it } from '@jest/globals';
import { InvalidUserId } from '../../platform.errors.js';
import { assertUserId, isUserId } from './user-id.js';

describe('a user id', () => {
  it.each([
    'ada',
    'a',
    '0',
    'Ada.Lovelace',
    'ada@example.org',
    '_-',
    '.ada',
    'a..b',
    'a'.repeat(64),
  ])('may be %j', (text) => {
    expect(isUserId(text)).toBe(true);
    expect(() => assertUserId(text)).not.toThrow();
  });

  it.each([
    ['empty', ''],
    ['the folder itself in an address', '.'],
    ['the folder above in an address', '..'],
    ['dots alone', '...'],
    ['too long', 'a'.repeat(65)],
    ['with a slash', 'a/b'],
    ['with a backslash', 'a\\b'],
    ['with a blank', 'ada lovelace'],
    ['with a blank at the end', 'ada '],
    ['with a line break at the end', 'ada\n'],
    ['with a tab', 'ada\t'],
    ['with a zero byte', 'ada\0'],
    ['with another control character', 'ada\u0085'],
    ['with a no-break space', 'ada\u00a0'],
    ['with a zero-width space', 'ada\u200b'],
    ['with a mark of direction', '\u202eada'],
    ['with a letter that looks like another', '\u0430da'],
    ['with a percent escape', 'a%2f'],
    ['with a colon, where Basic credentials are cut', 'ada:x'],
    ['with a query', 'ada?x'],
  ])('is not %s', (_what, text) => {
    expect(isUserId(text)).toBe(false);
    expect(() => assertUserId(text)).toThrow(InvalidUserId);
  });
});

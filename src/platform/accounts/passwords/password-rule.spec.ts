import { describe, expect, it } from '@jest/globals';
import { InvalidPassword } from '../../platform.errors.js';
import { assertPassword } from './password-rule.js';

const check = (password: string, userId = 'ada', shortest = 10) => {
  assertPassword(password, userId, shortest);
};

describe('a password', () => {
  it.each([
    'correct horse battery',
    'the password of ada',
    'tr0ub4dor&3x',
    'gE7#kq9!Lw',
    'пароль из слов',
    '長い長い合言葉を使います',
    'my admin is a teapot',
    '9f86d081884c',
    'x'.repeat(10) + 'one more thing',
  ])('may be %j', (password) => {
    expect(() => check(password)).not.toThrow();
  });

  it.each([
    ['shorter than 10 characters', 'gE7#kq9!L', 'at least 10 characters'],
    ['longer than 1,024 characters', 'gE7#kq9!Lw'.repeat(103), 'at most 1024 characters'],
    ['a word that everybody tries', 'password', 'at least 10'],
    ['such a word with digits', 'password123', 'guessed first'],
    ['such a word with other signs for letters', 'P@ssw0rd2026!', 'guessed first'],
    ['two such words', 'adminpassword', 'guessed first'],
    ['one character', 'aaaaaaaaaa', 'repeat'],
    ['few characters again and again', 'abcabcabcabc', 'repeat'],
    ['a row of digits', '1234567890', 'row of keys'],
    ['a row of the alphabet', 'abcdefghijkl', 'row of keys'],
    ['a row backwards', '0987654321', 'row of keys'],
    ['a row of keys', 'qwertyuiop', 'row of keys'],
    ['two rows of keys', 'asdfgh12345', 'row of keys'],
    ['the user name with digits', 'lovelace2026', 'user name', 'lovelace'],
    ['the user name twice', 'Lovelacelovelace', 'user name', 'lovelace'],
  ])('is not %s', (_what, password, reason, userId = 'ada') => {
    expect(() => check(password, userId)).toThrow(InvalidPassword);
    expect(() => check(password, userId)).toThrow(reason);
  });

  it('may be shorter where the installation says so', () => {
    expect(() => check('gE7#kq9!', 'ada', 8)).not.toThrow();
    expect(() => check('gE7#kq9!Lw', 'ada', 12)).toThrow('at least 12 characters');
  });
});

import { describe, expect, it } from '@jest/globals';
import { readBasicCredentials } from './basic-authenticator.js';

function header(credentials: string, scheme = 'Basic'): string {
  return `${scheme} ${Buffer.from(credentials, 'utf8').toString('base64')}`;
}

describe('readBasicCredentials', () => {
  it.each([
    ['ada:secret', 'ada', 'secret'],
    ['ada:a:b:c', 'ada', 'a:b:c'],
    ['ada::secret', 'ada', ':secret'],
    ['ada: secret ', 'ada', ' secret '],
    ['ädä:пароль🔑', 'ädä', 'пароль🔑'],
  ])('reads %s', (credentials, userId, password) => {
    expect(readBasicCredentials(header(credentials))).toEqual({ userId, password });
  });

  it('takes the scheme in any case, and base64 without its padding', () => {
    expect(readBasicCredentials(header('ada:x', 'bAsIc'))).not.toBeNull();
    expect(readBasicCredentials(header('ada:xyz').replaceAll('=', ''))).toEqual({
      userId: 'ada',
      password: 'xyz',
    });
  });

  it.each([
    undefined,
    '',
    'Basic',
    'Basic ',
    'Basic ###',
    header('no colon'),
    header(':no user'),
    header('no password:'),
    header('ada:secret', 'Bearer'),
    header('ada:secret', 'NotBasic'),
    `${header('ada:secret')}, ${header('bob:secret')}`,
  ])('finds no credentials in "%s"', (text) => {
    expect(readBasicCredentials(text)).toBeNull();
  });
});

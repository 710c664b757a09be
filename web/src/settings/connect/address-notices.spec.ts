import { expect, it } from 'vitest';
import { noticesAbout } from './address-notices.js';

const noticeAt = (here: string, base = '') => noticesAbout(new URL(here), base, false);

it.each([
  ['https://news.example/settings', []],
  ['http://news.example/settings', ['settings.connect.insecure']],
  ['http://localhost:8080/', ['settings.connect.thisComputer']],
  ['https://news.localhost/', ['settings.connect.thisComputer']],
  ['http://127.1.2.3/', ['settings.connect.thisComputer']],
  ['http://[::1]:8080/', ['settings.connect.thisComputer']],
  ['https://localhost.example/', []],
  ['https://127.example/', []],
])('A page at %s names %j.', (here, notices) => {
  expect(noticeAt(here)).toEqual(notices);
});

it('Another address than the one of the operator is named before all else.', () => {
  const other = ['settings.connect.otherAddress'];

  expect(noticeAt('http://localhost/', 'https://news.example/base')).toEqual(other);
  expect(noticeAt('http://news.example/', 'https://news.example')).toEqual(other);
  expect(noticeAt('https://news.example/base/settings', 'https://news.example/base')).toEqual([]);
});

it('That the Fever API is weak is named after the address.', () => {
  const weak = 'settings.connect.feverIsWeak';

  expect(noticesAbout(new URL('https://news.example'), '', true)).toEqual([weak]);
  expect(noticesAbout(new URL('http://news.example'), '', true)).toEqual([
    'settings.connect.insecure',
    weak,
  ]);
  expect(noticesAbout(new URL('http://localhost'), '', true)[1]).toBe(weak);
  expect(noticesAbout(new URL('http://localhost'), 'https://news.example', true)[1]).toBe(weak);
});

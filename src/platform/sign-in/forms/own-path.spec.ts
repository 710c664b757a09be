import { describe, expect, it } from '@jest/globals';
import { ownPath } from './login-answers.service.js';

describe('ownPath', () => {
  it.each([
    ['/apps/news/', '/apps/news/'],
    ['/apps/news/?a=1&b=%2F#top', '/apps/news/?a=1&b=%2F#top'],
    ['/index.php/apps/files/', '/apps/files/'],
    ['/login/v2/flow/token', '/login/v2/flow/token'],
    ['/a//evil.example', '/a/evil.example'],
    ['/?next=//evil.example', '/?next=//evil.example'],
  ])('takes %s', (wanted, path) => {
    expect(ownPath(wanted, undefined)).toBe(path);
  });

  it('takes the path prefix of the installation off', () => {
    expect(ownPath('/reader/apps/news/', 'https://example.org/reader')).toBe('/apps/news/');
    expect(ownPath('/apps/news/', 'https://example.org/reader')).toBe('/apps/news/');
  });

  it.each([
    '',
    'apps/news',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '/a\\..\\\\evil.example',
    '\\\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\n/evil.example',
    ' /apps/news',
    '/apps/ä',
    '/login',
    '/login?redirect_url=/login',
    '/logout?requesttoken=x',
  ])('refuses %j', (wanted) => {
    expect(ownPath(wanted, undefined)).toBeNull();
  });

  it('never gives a path that a browser takes for another host', () => {
    for (const wanted of [
      '/index.php//evil.example',
      '/reader//evil.example',
      '/..//evil.example',
    ]) {
      const path = ownPath(wanted, 'https://example.org/reader');

      expect(new URL(`/reader${path}`, 'https://example.org').host).toBe('example.org');
      expect(new URL(String(path), 'https://example.org').host).toBe('example.org');
    }
  });
});

import { describe, expect, it } from '@jest/globals';
import { faultOfRoutePattern } from './route-pattern.js';

describe('faultOfRoutePattern', () => {
  it.each([
    '.*',
    '^js/.*',
    String.raw`^\/?api\/v\d+\/.*$`,
    '(js|css|img)/.*',
    '^files/[A-Za-z0-9*+]{2,16}$',
    String.raw`a\*+b`,
    '(?:foo/)?bar',
    '^(foo/bar)*$',
  ])('takes %s', (pattern) => {
    expect(faultOfRoutePattern(pattern)).toBeNull();
  });

  it.each([
    ['', '1 to 512 characters'],
    ['a'.repeat(513), '1 to 512 characters'],
    ['(', 'not a regular expression'],
    ['(a+)+$', 'must not repeat a group'],
    ['((a+))*', 'must not repeat a group'],
    ['(a|a)*', 'must not repeat a group'],
    ['(?:a?b?){20}', 'must not repeat a group'],
    ['(a*){9}', 'must not repeat a group'],
    ['a(?=b)', 'look ahead'],
    ['a(?<!b)c', 'look ahead'],
    ['(?<x>a)', 'name its groups'],
    [String.raw`(a)\1`, 'refer back'],
    ['.*a'.repeat(9), 'more than 8 places'],
  ])('refuses %s', (pattern, fault) => {
    expect(faultOfRoutePattern(pattern)).toContain(fault);
  });
});

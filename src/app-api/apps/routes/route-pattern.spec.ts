import { describe, expect, it } from '@jest/globals';
import { processorMs } from '../../../../test/support/processor-time.js';
import { faultOfRoutePattern, routePattern } from './route-pattern.js';

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
    '(a+)+$',
    '(?<version>v[0-9]+)/.*',
    '.*a'.repeat(20),
    'a{498}',
  ])('takes %s', (pattern) => {
    expect(faultOfRoutePattern(pattern)).toBeNull();
  });

  it.each([
    ['', '1 to 512 characters'],
    ['a'.repeat(513), '1 to 512 characters'],
    ['(', 'is not a regular expression in RE2 syntax'],
    ['a)|(b', 'is not a regular expression in RE2 syntax'],
    ['a(?=b)', 'look ahead'],
    ['^(?!admin).*', 'look ahead'],
    ['a(?<!b)c', 'look ahead'],
    [String.raw`(a)\1`, 'refer back'],
    ['(.{1,50}.*){20}', 'is too large'],
    ['a{499}', 'is too large'],
    ['((a{100}){100}){10}', 'is not a regular expression in RE2 syntax'],
  ])('refuses %s', (pattern, fault) => {
    expect(faultOfRoutePattern(pattern)).toContain(fault);
  });
});

describe('routePattern', () => {
  it.each([
    ['^js/.*', 'js/a.js', true],
    ['js/.*', 'JS/A.JS', true],
    ['js', 'js/a.js', false],
    ['a|b', 'ab', false],
    ['admin', 'admin\n', false],
    [String.raw`^\/?a$`, '/a', true],
  ])('%s and %s: %p', (pattern, path, matches) => {
    expect(routePattern(pattern)?.matches(path)).toBe(matches);
  });

  it('opens nothing with a pattern that cannot be taken', () => {
    expect(routePattern('(?!x).*')).toBeNull();
    expect(routePattern('(')).toBeNull();
  });

  it.each([
    ['eight stars', '(.*)x(.*)x(.*)x(.*)x(.*)x(.*)x(.*)x(.*)y'],
    ['a repeated repetition', '(?:x+x+)+y'],
    ['a repeated choice', '(x|x|x?)*y'],
    ['as many stars as fit', '.*x'.repeat(100)],
  ])('takes a moment of processor time for %s', async (_what, pattern) => {
    const compiled = routePattern(pattern);
    const path = `${'x'.repeat(4000)}!`;

    expect(await processorMs(() => compiled?.matches(path))).toBeLessThan(300);
    expect(compiled?.matches(path)).toBe(false);
  });
});

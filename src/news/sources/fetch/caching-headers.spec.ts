import { describe, expect, it } from '@jest/globals';
import { readCachingHeaders, readRetryAfter } from './caching-headers.js';

const NOW = Date.parse('2026-05-04T12:00:00Z') / 1000;
const DAY = 86_400;

describe('The caching headers', () => {
  it('yield nothing if absent', () => {
    expect(readCachingHeaders({}, NOW)).toEqual({
      maxAgeSeconds: null,
      expiresAtSeconds: null,
      noStore: false,
      noCache: false,
    });
  });

  it.each([
    ['max-age=600', 600],
    ['public, Max-Age="600", must-revalidate', 600],
    ['s-maxage=900, max-age=600', 600],
    ['max-age=0', 0],
    [`max-age=${'9'.repeat(40)}`, Number.MAX_SAFE_INTEGER],
    ['max-age=-1', null],
    ['max-age=soon', null],
    ['s-maxage=900', null],
    ['x-max-age=5', null],
  ])('%j: the response is fresh for %p seconds', (cacheControl, seconds) => {
    const { maxAgeSeconds } = readCachingHeaders({ 'cache-control': cacheControl }, NOW);

    expect(maxAgeSeconds).toBe(seconds);
  });

  it('subtract the Age of the response', () => {
    const headers = { 'cache-control': 'max-age=600', age: '550' };

    expect(readCachingHeaders(headers, NOW).maxAgeSeconds).toBe(50);
    expect(readCachingHeaders({ ...headers, age: '700' }, NOW).maxAgeSeconds).toBe(0);
    expect(readCachingHeaders({ ...headers, age: '-3' }, NOW).maxAgeSeconds).toBe(600);
  });

  it('report no-store and no-cache', () => {
    expect(readCachingHeaders({ 'cache-control': 'no-store, no-cache' }, NOW)).toMatchObject({
      noStore: true,
      noCache: true,
    });
  });

  it('compare Expires with the local clock without a Date header', () => {
    const headers = { expires: 'Mon, 04 May 2026 13:00:00 GMT' };

    expect(readCachingHeaders(headers, NOW).expiresAtSeconds).toBe(NOW + 3600);
  });

  it('compare Expires with the Date header, however wrong that is', () => {
    const headers = {
      date: 'Mon, 04 May 2020 12:00:00 GMT',
      expires: 'Mon, 04 May 2020 12:10:00 GMT',
    };

    expect(readCachingHeaders(headers, NOW).expiresAtSeconds).toBe(NOW + 600);
  });

  it.each(['0', '-1', 'Thu, 01 Jan 1970 00:00:00 GMT', 'never', '', '2027'])(
    'ignore Expires: %j',
    (expires) => {
      expect(readCachingHeaders({ expires }, NOW).expiresAtSeconds).toBeNull();
    },
  );
});

describe('Retry-After', () => {
  it.each([
    ['120', 120],
    [' 120 ', 120],
    ['0', 0],
    ['Mon, 04 May 2026 12:02:00 GMT', 120],
    ['Monday, 04-May-26 12:02:00 GMT', 120],
    ['Mon, 04 May 2026 11:00:00 GMT', 0],
    ['99999999', 7 * DAY],
    ['9'.repeat(40), 7 * DAY],
    ['Fri, 31 Dec 2099 00:00:00 GMT', 7 * DAY],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['', null],
  ])('%j means %p seconds', (retryAfter, seconds) => {
    expect(readRetryAfter({ 'retry-after': retryAfter }, NOW)).toBe(seconds);
  });

  it('may be absent', () => {
    expect(readRetryAfter({}, NOW)).toBeNull();
  });
});

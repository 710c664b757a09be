import { describe, expect, it } from '@jest/globals';
import { blockSeconds, networkOf } from './login-throttle.js';

describe('blockSeconds', () => {
  const limit = { freeFailures: 5, longestBlockSeconds: 900 };

  it('lets the first failures go free', () => {
    expect([0, 1, 5].map((failures) => blockSeconds(failures, limit))).toEqual([0, 0, 0]);
  });

  it('doubles with every failure after them', () => {
    expect([6, 7, 8].map((failures) => blockSeconds(failures, limit))).toEqual([2, 4, 8]);
  });

  it('stops growing at the longest block, however many failures there are', () => {
    expect([15, 100, 1_000_000].map((failures) => blockSeconds(failures, limit))).toEqual([
      900, 900, 900,
    ]);
  });
});

describe('networkOf', () => {
  it('keeps an IPv4 address whole, also when it is written as IPv6', () => {
    expect(networkOf('192.0.2.7')).toBe('192.0.2.7');
    expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
  });

  it('takes the 64 bits of an IPv6 address that belong to one household', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(networkOf('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64');
    expect(networkOf('2001:db8:1:3::9')).toBe('2001:db8:1:3::/64');
  });

  it('puts what is no address under one name', () => {
    expect(networkOf('')).toBe('unknown');
    expect(networkOf('client')).toBe('unknown');
  });
});

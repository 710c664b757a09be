import { describe, expect, it } from '@jest/globals';
import { networkOf } from './client-network.js';

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

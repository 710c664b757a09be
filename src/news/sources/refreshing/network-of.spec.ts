import { describe, expect, it } from '@jest/globals';
import { networkOf } from './network-of.js';

describe('networkOf', () => {
  it.each([
    ['feeds.example.org', 'example.org'],
    ['example.org', 'example.org'],
    ['a.b.c.example.co.uk', 'example.co.uk'],
    ['a.example.com.br', 'example.com.br'],
    ['a.com.example', 'com.example'],
    ['localhost', 'localhost'],
    ['192.0.2.17', '192.0.2.17'],
    ['[2001:db8::1]', '[2001:db8::1]'],
  ])('of %s is %s', (host, network) => {
    expect(networkOf(host)).toBe(network);
  });
});

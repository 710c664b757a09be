import { describe, expect, it } from '@jest/globals';
import { blockSeconds } from './login-throttle.service.js';

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

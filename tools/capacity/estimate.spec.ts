import { describe, expect, it } from '@jest/globals';
import { estimate } from './estimate.js';

const RATES = {
  syncsPerSecond: 100,
  fetchesPerSecond: 50,
  deliveredItemsPerSecond: 10_000,
  bytesPerItem: 225,
  bytesPerArticle: 1_500,
};

describe('the estimate of users', () => {
  it('keeps half of the machine for peaks', () => {
    const { bySyncs, byFetches, byDeliveries } = estimate(RATES, undefined);

    // 100 syncs a second are 90,000 in the 15 minutes between two syncs of a user.
    expect(bySyncs).toBe(45_000);
    // 50 fetches a second are 180,000 feeds an hour, 10 of each user.
    expect(byFetches).toBe(9_000);
    expect(byDeliveries).toBe(864_000);
  });

  it('is lower than for each kind of work alone', () => {
    const { byWork } = estimate(RATES, undefined);

    expect(byWork).toBeCloseTo(1 / (1 / 45_000 + 1 / 9_000 + 1 / 864_000));
    expect(byWork).toBeLessThan(9_000);
  });

  it('adds items and articles to the size of a user', () => {
    const { bytesPerUser, byDisk } = estimate(RATES, 2 * 18_000_000 * 100);

    // 20,000 items of 225 bytes, 9,000 articles of 1.5 kB.
    expect(bytesPerUser).toBe(4_500_000 + 13_500_000);
    expect(byDisk).toBe(100);
  });

  it('does not guess the disk', () => {
    expect(estimate(RATES, undefined).byDisk).toBeUndefined();
  });
});

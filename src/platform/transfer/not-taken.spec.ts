import { describe, expect, it } from '@jest/globals';
import { NotTakenCounts } from './not-taken.js';

describe('What is not taken in', () => {
  it('is counted by its reason', () => {
    const counts = new NotTakenCounts();
    counts.add('a.txt', 'There is one.');
    counts.add('your name', 'It is too long.');
    counts.add('b.txt', 'There is one.');
    expect(counts.all()).toEqual([
      { reason: 'There is one.', count: 2, what: ['a.txt', 'b.txt'] },
      { reason: 'It is too long.', count: 1, what: ['your name'] },
    ]);
  });

  it('has a bound, however much it is', () => {
    const counts = new NotTakenCounts();
    for (let n = 0; n < 1000; n += 1) {
      counts.add(`\0${'x'.repeat(1000)}`, `Reason ${n}.`);
    }
    const all = counts.all();
    expect(all).toHaveLength(101);
    expect(all.at(-1)).toEqual({ reason: 'For other reasons.', count: 900, what: [] });
    expect(all.flatMap(({ what }) => what)).toEqual(Array(100).fill('x'.repeat(499)));
  });
});

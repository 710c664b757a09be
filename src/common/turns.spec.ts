import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

describe('long work in turns', () => {
  it('lets others run after each piece, and keeps the order', async () => {
    let others = 0;
    const count = (): void => {
      others += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);

    const squares = await new Turns().map([1, 2, 3], (number) => {
      const until = performance.now() + 12;
      while (performance.now() < until) {
        // Computes.
      }
      return number * number;
    });
    clearImmediate(next);

    expect(squares).toEqual([1, 4, 9]);
    expect(others).toBeGreaterThanOrEqual(2);
  });
});

import { expect, it } from 'vitest';
import { isNearEnd, renderedIndexes } from './row-window.js';

it('A row is rendered on the screen, or if it is unfolded.', () => {
  expect(renderedIndexes([4, 5, 6], 2)).toEqual([2, 4, 5, 6]);
  expect(renderedIndexes([9, 10], 10)).toEqual([9, 10]);
  expect(renderedIndexes([0, 1], -1)).toEqual([0, 1]);
  expect([isNearEnd(69, 100), isNearEnd(70, 100)]).toEqual([false, true]);
});

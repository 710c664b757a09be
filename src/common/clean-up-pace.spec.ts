import { expect, it } from '@jest/globals';
import { CleanUpPace } from './clean-up-pace.js';

it('A table is cleaned up at intervals, and after a number of additions.', () => {
  const pace = new CleanUpPace(60, 3);
  const additionsAt = (...seconds: number[]) => seconds.map((second) => pace.add(second));

  expect(additionsAt(1000, 1001, 1059, 1060)).toEqual([true, false, false, true]);
  expect(additionsAt(1061, 1062, 1063, 1064)).toEqual([false, false, true, false]);
});

import { expect, it } from 'vitest';
import { isBefore } from './entry.js';

it.each([
  ['5.2', '4.9', false, true],
  ['5.2', '5.3', false, false],
  ['5.2', '5.3', true, true],
  ['10.1', '9.1', true, false],
  ['5.2', '5.2', true, false],
])('at %s comes before %s, oldest first %s: %s.', (one, other, oldestFirst, expected) => {
  expect(isBefore(one, other, oldestFirst)).toBe(expected);
});

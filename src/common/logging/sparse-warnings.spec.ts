import { expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SparseWarnings } from './sparse-warnings.js';

it('The same warning is logged again after ten minutes, with a count.', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  let now = 0;
  const warnings = new SparseWarnings('Tides', () => now);

  for (const [at, message] of [
    [0, 'low'],
    [1, 'low'],
    [2, 'high'],
    [599_999, 'low'],
    [600_000, 'low'],
    [1_200_000, 'low'],
  ] as const) {
    now = at;
    warnings.warn(message);
  }

  expect(warn.mock.calls).toEqual([['low'], ['high'], ['low; 2 more times before'], ['low']]);
  warn.mockRestore();
});

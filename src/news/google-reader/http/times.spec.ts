import { describe, expect, it } from '@jest/globals';
import { timeMicros } from './form-fields.input.js';

describe('a time of a client', () => {
  it.each([
    ['1', 1_000_000],
    ['1790000000', 1_790_000_000_000_000],
    ['9999999999', 9_999_999_999_000_000],
    ['1790000000123', 1_790_000_000_123_000],
    ['1790000000123456', 1_790_000_000_123_456],
    [' 1790000000 ', 1_790_000_000_000_000],
  ])('is read from "%s"', (text, micros) => {
    expect(timeMicros(text)).toBe(micros);
  });

  it.each([undefined, '', '0', '000', '-1', '1.5', 'null', '1e9'])('is none in "%s"', (text) => {
    expect(timeMicros(text)).toBeNull();
  });

  it('is never beyond what numbers hold', () => {
    expect([16, 17, 40].map((digits) => timeMicros('9'.repeat(digits)))).toEqual(
      Array.from({ length: 3 }, () => Number.MAX_SAFE_INTEGER),
    );
  });
});

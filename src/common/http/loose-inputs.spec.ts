import { describe, expect, it } from '@jest/globals';
import { isPlainNumber, numberOfDigits, wholeNumber } from './loose-inputs.js';

const LARGEST = Number.MAX_SAFE_INTEGER;
const NINES = [17, 19, 25, 400].map((digits) => '9'.repeat(digits));

describe('a number that is too large', () => {
  it.each([...NINES, `${2n ** 63n - 1n}`, `${2n ** 53n}`])('is the largest: %s', (text) => {
    expect([wholeNumber.parse(text), numberOfDigits(text)]).toEqual([LARGEST, LARGEST]);
    expect(wholeNumber.parse(JSON.parse(text))).toBe(LARGEST);
    expect(wholeNumber.parse(`-${text}`)).toBe(-LARGEST);
  });

  it('is so in JSON with an exponent, too', () => {
    expect(wholeNumber.parse(JSON.parse('1e400'))).toBe(LARGEST);
  });
});

describe('a whole number', () => {
  it.each([0, 1, -5, LARGEST, '0', '7', ' 12 ', '+3', '-4', '007'])('is read from %j', (given) => {
    expect(wholeNumber.parse(given)).toBe(Number(given));
  });

  it.each(['', ' ', '1e3', '0x10', '1.5', 1.5, 'x', true, null, undefined, [1]])(
    'is none in %j',
    (given) => {
      expect(wholeNumber.safeParse(given).success).toBe(false);
    },
  );
});

describe('a number in a path', () => {
  it.each(['0', '1', '10', '-1', '9'.repeat(30)])('is plain: %j', (text) => {
    expect(isPlainNumber(text)).toBe(true);
  });

  it.each(['', ' 1', '1 ', '+1', '01', '-0', '--1', '1e0', '0x1', '1.0', '١', '1\n'])(
    'is not plain: %j',
    (text) => {
      expect(isPlainNumber(text)).toBe(false);
    },
  );
});

import { expect, it } from '@jest/globals';
import { sizeText } from './size-text.js';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_010 * 1024, '1 MB'],
  [1.44 * 1024 ** 2, '1.4 MB'],
  [5 * 1024 ** 3, '5 GB'],
  [252 * 1024 ** 3, '252 GB'],
  [2_000 * 1024 ** 5, '2000 PB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

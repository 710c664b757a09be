import { expect, it } from '@jest/globals';
import { printable } from './printable.js';

it.each([
  ['clipboard \u001B]52;c;eA==\u0007', 'clipboard \uFFFD]52;c;eA==\uFFFD'],
  [
    'clear \u009B2J, delete \u007F, direction \u202E',
    'clear \uFFFD2J, delete \uFFFD, direction \uFFFD',
  ],
  ['over\rwritten', 'over\uFFFDwritten'],
  ['two\r\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['Grüße, שלום, 日本語, 👩‍👩‍👧', 'Grüße, שלום, 日本語, 👩‍👩‍👧'],
])('%j is printed as %j', (given, printed) => {
  expect(printable(given)).toBe(printed);
});

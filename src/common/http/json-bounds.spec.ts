import { describe, expect, it } from '@jest/globals';
import { excessOfJson } from './json-bounds.js';

const excessOf = (text: string) => excessOfJson(Buffer.from(text));

describe('excessOfJson', () => {
  it.each([
    '{}',
    '{"items":[1,2,3]}',
    `"${'['.repeat(1000)}"`,
    String.raw`["\"[[[","\\"]`,
    `${'['.repeat(100)}${']'.repeat(100)}`,
    '"never closed',
    String.raw`"\\\\`,
  ])('has nothing against %s', (text) => {
    expect(excessOf(text)).toBeNull();
  });

  it('names what is nested too deep', () => {
    expect(excessOf('['.repeat(101))).toBe('nests deeper than 100 levels');
    expect(excessOf('{"a":'.repeat(101))).toBe('nests deeper than 100 levels');
  });

  it('names what holds too many different names', () => {
    const names = (count: number, name: (n: number) => string) =>
      `[${Array.from({ length: count }, (_, n) => `{"${name(n)}":1}`).join()}]`;
    expect(excessOf(names(10_100, (n) => `n${n}`))).toBe('holds more than 10000 different names');
    expect(excessOf(names(10_000, (n) => `n${n}`))).toBeNull();
    expect(excessOf(names(40_000, (n) => `n${n % 9000}`))).toBeNull();
  });

  it('names what holds too many values', () => {
    expect(excessOf(`[${'1,'.repeat(110_001)}1]`)).toBe('holds more than 110000 values');
    expect(excessOf(`[${'[],'.repeat(60_000)}1]`)).toBe('holds more than 110000 values');
  });
});

import { describe, expect, it } from '@jest/globals';
import { isNewerVersion } from './app-credentials.service.js';

describe('isNewerVersion', () => {
  it.each([
    ['1.0.1', '1.0.0'],
    ['1.10.0', '1.9.0'],
    ['2', '1.9.9'],
    ['1.0.0.1', '1.0.0'],
    ['v1.1', '1.0'],
    ['1.0.0', '1.0.0-beta'],
    ['1.0.0-beta', '1.0.0-alpha'],
    ['1.0.0-beta.11', '1.0.0-beta.2'],
    ['1.0.0-beta.1', '1.0.0-beta'],
    ['1.0.0-rc', '1.0.0-1'],
    ['1.0.1-alpha', '1.0.0'],
  ])('finds %s newer than %s, and not the other way round', (newer, older) => {
    expect(isNewerVersion(newer, older)).toBe(true);
    expect(isNewerVersion(older, newer)).toBe(false);
  });

  it.each([
    ['1.0.0', '1.0.0'],
    ['1.0', '1.0.0'],
    ['1.0.0+build.2', '1.0.0+build.1'],
  ])('finds no difference between %s and %s', (left, right) => {
    expect(isNewerVersion(left, right)).toBe(false);
    expect(isNewerVersion(right, left)).toBe(false);
  });

  it.each(['', 'latest', '9'.repeat(33), '2.0.0; drop', '2..0'])(
    'does not take "%s" for a newer version',
    (text) => {
      expect(isNewerVersion(text, '1.0.0')).toBe(false);
    },
  );
});

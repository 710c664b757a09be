import { describe, expect, it } from '@jest/globals';
import { inflateSync } from 'node:zlib';
import { rasterAvatar } from './raster-avatar.js';

/** The picture as lines of text, `#` for the letters' colour. */
function drawn(initials: string, sizePixels: number): string[] {
  const png = rasterAvatar({ initials, sizePixels, background: '#102030', letters: '#ffffff' });
  const start = png.indexOf('IDAT') + 4;
  const pixels = inflateSync(png.subarray(start, start + png.readUInt32BE(start - 8)));
  return Array.from({ length: sizePixels }, (_, y) =>
    Array.from(pixels.subarray(y * (sizePixels + 1) + 1, (y + 1) * (sizePixels + 1)), (pixel) =>
      pixel === 1 ? '#' : '.',
    ).join(''),
  );
}

describe('initials as PNG', () => {
  it('are drawn in the middle', () => {
    expect(drawn('T', 16).slice(4, 11)).toEqual([
      '.....#####......',
      ...Array.from({ length: 6 }, () => '.......#........'),
    ]);
  });

  it('lose their accents', () => {
    expect(drawn('É', 16)).toEqual(drawn('E', 16));
  });

  it('of other scripts are left out', () => {
    expect(drawn('Ж', 16).join('')).not.toContain('#');
  });

  it.each([1, 7, 512])('fit into %i pixels', (size) => {
    expect(drawn('AL', size)).toHaveLength(size);
  });
});

import { crc32, deflateSync } from 'node:zlib';

interface RasterAvatar {
  readonly initials: string;
  readonly sizePixels: number;
  /** `#rrggbb`. */
  readonly background: string;
  readonly letters: string;
}

/** Clients scale beyond this. */
const LARGEST_PIXELS = 512;

const GLYPH_WIDTH = 5;
const GLYPH_HEIGHT = 7;

/** Seven rows of five dots per character, two hexadecimal digits per row. */
const GLYPHS: Readonly<Record<string, string>> = {
  A: '0e11111f111111',
  B: '1e11111e11111e',
  C: '0e11101010110e',
  D: '1e11111111111e',
  E: '1f10101e10101f',
  F: '1f10101e101010',
  G: '0e11101711110f',
  H: '1111111f111111',
  I: '0e04040404040e',
  J: '0702020202120c',
  K: '11121418141211',
  L: '1010101010101f',
  M: '111b1515111111',
  N: '11111915131111',
  O: '0e11111111110e',
  P: '1e11111e101010',
  Q: '0e11111115120d',
  R: '1e11111e141211',
  S: '0f10100e01011e',
  T: '1f040404040404',
  U: '1111111111110e',
  V: '11111111110a04',
  W: '11111115151b11',
  X: '11110a040a1111',
  Y: '11110a04040404',
  Z: '1f01020408101f',
  0: '0e11131519110e',
  1: '040c040404040e',
  2: '0e11010204081f',
  3: '1f02040201110e',
  4: '02060a121f0202',
  5: '1f101e0101110e',
  6: '0608101e11110e',
  7: '1f010204080808',
  8: '0e11110e11110e',
  9: '0e11110f01020c',
};

/**
 * Initials on a coloured background as PNG. Letters lose their accents; characters other than Latin
 * letters and digits are omitted.
 */
export function rasterAvatar({ initials, sizePixels, background, letters }: RasterAvatar): Buffer {
  const size = Math.min(sizePixels, LARGEST_PIXELS);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits per pixel, indices into the palette.
  header.set([8, 3], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(background.slice(1) + letters.slice(1), 'hex')),
    chunk('IDAT', deflateSync(pixelsOf(initials, size))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Each row begins with the filter type 0 (none). */
function pixelsOf(initials: string, size: number): Buffer {
  const glyphs = Array.from(initials.normalize('NFD').toUpperCase(), (letter) => GLYPHS[letter])
    .filter((glyph) => glyph !== undefined)
    .map((glyph) => Buffer.from(glyph, 'hex'));
  const columns = glyphs.length * (GLYPH_WIDTH + 1) - 1;
  const dot = Math.max(1, Math.floor(size / 16));
  const left = Math.floor((size - columns * dot) / 2);
  const top = Math.floor((size - GLYPH_HEIGHT * dot) / 2);
  const pixels = Buffer.alloc(size * (size + 1));
  for (let y = 0; y < size; y += 1) {
    const row = Math.floor((y - top) / dot);
    for (let x = 0; x < size; x += 1) {
      const column = Math.floor((x - left) / dot);
      const glyph = column < 0 ? undefined : glyphs[Math.floor(column / (GLYPH_WIDTH + 1))];
      const bits = (row < 0 ? undefined : glyph?.[row]) ?? 0;
      const bit = GLYPH_WIDTH - 1 - (column % (GLYPH_WIDTH + 1));
      pixels[y * (size + 1) + 1 + x] = bit < 0 ? 0 : (bits >> bit) & 1;
    }
  }
  return pixels;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

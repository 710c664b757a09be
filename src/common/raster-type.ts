/** Raster image types, which cannot contain scripts, unlike SVG. */
export type RasterType =
  | 'image/png'
  | 'image/jpeg'
  | 'image/gif'
  | 'image/webp'
  | 'image/x-icon'
  | 'image/bmp'
  | 'image/avif';

/** Number of leading bytes that determine the type. */
export const SIGNATURE_BYTES = 16;

/** @returns the type of a raster image by its first bytes; null for other content */
export function rasterTypeOf(bytes: Uint8Array): RasterType | null {
  const start = Buffer.from(bytes.subarray(0, SIGNATURE_BYTES)).toString('hex');
  return SIGNATURES.find(([signature]) => signature.test(start))?.[1] ?? null;
}

/** Matched against the bytes in hexadecimal; two dots match any byte. */
const SIGNATURES: readonly (readonly [RegExp, RasterType])[] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^47494638(37|39)61/, 'image/gif'],
  [/^52494646........57454250/, 'image/webp'],
  [/^00000100(?!00)..00/, 'image/x-icon'],
  [/^424d........00000000/, 'image/bmp'],
  [/^000000..66747970617669(66|73)/, 'image/avif'],
];

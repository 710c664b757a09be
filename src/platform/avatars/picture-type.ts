/** Pictures that every browser shows and none runs; an SVG may hold scripts. */
export type PictureType = 'image/png' | 'image/jpeg' | 'image/webp';

/** @returns what the bytes are, whatever their sender calls them; null for anything else */
export function pictureTypeOf(bytes: Buffer): PictureType | null {
  if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) {
    return 'image/png';
  }
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) {
    return 'image/jpeg';
  }
  const isWebp =
    bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? 'image/webp' : null;
}

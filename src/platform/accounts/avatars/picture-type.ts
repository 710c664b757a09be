import { imageSize } from 'image-size';
import { rasterTypeOf, type RasterType } from '../../../common/raster-type.js';

const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const satisfies RasterType[];

/** Image types of avatars. */
export type PictureType = (typeof PICTURE_TYPES)[number];

/** Clients decode the whole picture, at 4 bytes for each pixel. */
const MOST_PIXELS = 50_000_000;

/** @returns the type by the bytes, ignoring the declared type; null for other types and for larger pictures */
export function pictureTypeOf(bytes: Buffer): PictureType | null {
  const type = rasterTypeOf(bytes);
  const known = PICTURE_TYPES.find((one) => one === type);
  return known !== undefined && pixelsOf(bytes) <= MOST_PIXELS ? known : null;
}

function pixelsOf(bytes: Buffer): number {
  try {
    const { width, height } = imageSize(bytes);
    return width * height;
  } catch {
    return Infinity;
  }
}

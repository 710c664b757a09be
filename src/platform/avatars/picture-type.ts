import { rasterTypeOf, type RasterType } from '../../common/raster-type.js';

const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const satisfies RasterType[];

/** Image types of avatars. */
export type PictureType = (typeof PICTURE_TYPES)[number];

/** @returns the type by the bytes, ignoring the declared type; null for other types */
export function pictureTypeOf(bytes: Buffer): PictureType | null {
  const type = rasterTypeOf(bytes);
  return PICTURE_TYPES.find((known) => known === type) ?? null;
}

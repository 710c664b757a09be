import { rasterTypeOf, type RasterType } from '../../common/raster-type.js';

const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const satisfies RasterType[];

/** Pictures that people may choose. */
export type PictureType = (typeof PICTURE_TYPES)[number];

/** @returns what the bytes are, whatever their sender calls them; null for anything else */
export function pictureTypeOf(bytes: Buffer): PictureType | null {
  const type = rasterTypeOf(bytes);
  return PICTURE_TYPES.find((known) => known === type) ?? null;
}

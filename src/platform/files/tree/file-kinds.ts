import mimeTypes from 'mime-types';
import type { RasterType } from '../../../common/raster-type.js';

export const FOLDER_MIME = 'httpd/unix-directory';

/** MIME type by extension. The `Content-Type` of an upload is ignored: clients guess it likewise. */
export function mimeOf(name: string): string {
  return mimeTypes.lookup(name) || 'application/octet-stream';
}

const COMPRESSED =
  /^(?:image\/(?!svg|bmp|tiff|x-)|audio\/(?!wav|x-wav|aiff)|video\/|application\/(?:pdf$|zip$|gzip$|x-7z|x-xz|x-bzip|x-rar|vnd\.rar|zstd|.*\+zip$|vnd\.openxmlformats|vnd\.oasis|java-archive))/;

/** Whether content of this type does not get smaller by compression. */
export function isCompressed(mime: string): boolean {
  return COMPRESSED.test(mime);
}

const HARMLESS = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain$|application\/pdf$)/;

/** Whether a browser may display content of this type; everything else is a download. */
export function isHarmless(mime: string): boolean {
  return HARMLESS.test(mime);
}

const PREVIEWED: readonly string[] = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
] satisfies RasterType[];

/** Previews are not resized, so a page of larger pictures would load too slowly. */
const MAX_PREVIEW_BYTES = 10 * 1024 * 1024;

export function hasPreview(file: { readonly mime: string; readonly sizeBytes: number }): boolean {
  return PREVIEWED.includes(file.mime) && file.sizeBytes <= MAX_PREVIEW_BYTES;
}

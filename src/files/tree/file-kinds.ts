import mimeTypes from 'mime-types';
import type { RasterType } from '../../common/raster-type.js';

export const FOLDER_MIME = 'httpd/unix-directory';

/** By the ending of the name: what a client says is mostly a guess of the same kind, or none. */
export function mimeOf(name: string): string {
  return mimeTypes.lookup(name) || 'application/octet-stream';
}

/** Types whose content is compressed already. */
const COMPRESSED =
  /^(?:image\/(?!svg|bmp|tiff|x-)|audio\/(?!wav|x-wav|aiff)|video\/|application\/(?:pdf$|zip$|gzip$|x-7z|x-xz|x-bzip|x-rar|vnd\.rar|zstd|.*\+zip$|vnd\.openxmlformats|vnd\.oasis|java-archive))/;

/** Whether compressing content of this type again would cost time and save nothing. */
export function isCompressed(mime: string): boolean {
  return COMPRESSED.test(mime);
}

/** What a browser may show in its own window; everything else is only ever saved. */
const HARMLESS = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain$|application\/pdf$)/;

/** Whether content of this type can do nothing when a browser opens it. */
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

/** A preview is the picture itself, so a page full of larger ones would take too long. */
const LARGEST_PREVIEW_BYTES = 10 * 1024 * 1024;

/** Whether a file of this type and size has a preview. */
export function hasPreview(file: { readonly mime: string; readonly sizeBytes: number }): boolean {
  return PREVIEWED.includes(file.mime) && file.sizeBytes <= LARGEST_PREVIEW_BYTES;
}

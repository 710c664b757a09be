import mimeTypes from 'mime-types';

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

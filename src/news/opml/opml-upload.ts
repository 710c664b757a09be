import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { Request } from 'express';
import { InvalidInput } from '../../common/errors/domain-error.js';
import { readBoundedBody } from '../../common/http/read-bounded-body.js';
import { LARGEST_OPML_BYTES } from './read-opml.js';

/** A file of a form, from the multipart parser. */
export interface UploadedFile {
  readonly buffer: Buffer;
}

const ACCEPTED_TYPES = [
  'text/xml',
  'application/xml',
  'text/x-opml',
  'text/x-opml+xml',
  'application/x-opml+xml',
  'text/plain',
  'application/octet-stream',
  '+xml',
];

/**
 * The file of an import: the file of a form, or the body, read up to the size limit.
 *
 * @throws InvalidInput for a form without a file
 * @throws UnsupportedMediaTypeException
 */
export async function readUpload(
  request: Request,
  files: readonly UploadedFile[] | undefined,
): Promise<Uint8Array> {
  if (request.is('multipart/form-data')) {
    const [file] = files ?? [];
    if (file === undefined) {
      throw new InvalidInput('The form has no file; send it in the field "file".');
    }
    return file.buffer;
  }
  if (request.headers['content-type'] !== undefined && request.is(ACCEPTED_TYPES) === false) {
    throw new UnsupportedMediaTypeException(
      'Send the file as the body with Content-Type: text/x-opml, or as the file of a form.',
    );
  }
  return readBoundedBody(request, LARGEST_OPML_BYTES);
}

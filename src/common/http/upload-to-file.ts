import { BadRequestException, PayloadTooLargeException } from '@nestjs/common';
import type { Request } from 'express';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MIB } from '../units.js';
import { piecesOfBody } from './read-bounded-body.js';
import { readForm } from './read-form.js';

/** Bytes of a form beside its file. */
const FORM_BYTES = 256 * 1024;

const LIMITS = { files: 1, fields: 20, fieldSize: 10_000, headerPairs: 50 };

/**
 * Writes a file of at most `maxBytes` to disk while it arrives: the body, or the only file of a form
 * (`multipart/form-data`), whatever its field.
 *
 * @param file is created, and left to the caller also after an error
 * @param check called for each piece; may throw
 * @returns false for a form without a file
 * @throws PayloadTooLargeException, BadRequestException for a broken form
 */
export async function uploadToFile(
  request: Request,
  file: string,
  maxBytes: number,
  check: () => void,
): Promise<boolean> {
  const tooLarge = () =>
    new PayloadTooLargeException(`The file is larger than ${maxBytes / MIB} MiB.`);
  const open = () => createWriteStream(file, { flags: 'wx', mode: 0o600 });
  async function* checked(pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      check();
      yield piece;
    }
  }
  if (!request.is('multipart/form-data')) {
    await pipeline(checked(piecesOfBody(request, maxBytes, tooLarge)), open());
    return true;
  }
  let written: Promise<void> | null = null;
  let fault: Error | null = null;
  await readForm(request, checked(piecesOfBody(request, maxBytes + FORM_BYTES, tooLarge)), {
    limits: { ...LIMITS, fileSize: maxBytes },
    broken: () => new BadRequestException('The multipart form cannot be read.'),
    listen: (parser) => {
      parser.on('file', (_field: string, sent: Readable) => {
        sent.once('limit', () => (fault = tooLarge()));
        written = pipeline(sent, open());
        written.catch((error: unknown) => {
          fault ??= error instanceof Error ? error : new Error(String(error));
          sent.resume();
        });
      });
      parser.once('filesLimit', () => {
        fault = new BadRequestException('The form has more than one file.');
      });
    },
  });
  await written;
  if (fault !== null) {
    throw fault as Error;
  }
  return written !== null;
}

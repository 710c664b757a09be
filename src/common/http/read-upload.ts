import { BadRequestException, PayloadTooLargeException } from '@nestjs/common';
import busboy from 'busboy';
import type { Request } from 'express';
import type { Readable } from 'node:stream';
import { MIB } from '../units.js';
import { inputBodiesOf } from './input-bodies.js';
import { readForm } from './read-form.js';

/** Bytes of a form beside its file. */
const FORM_BYTES = 256 * 1024;

const LIMITS: busboy.Limits = { files: 1, fields: 20, fieldSize: 10_000, headerPairs: 50 };

/**
 * Reads a file of at most `maxBytes`: the body, or the only file of a form (`multipart/form-data`), whatever its
 * field. It is kept in memory, and counts for the sender.
 *
 * @param maxBytes a multiple of 1 MiB, named in the error
 * @returns null for a form without a file
 * @throws PayloadTooLargeException, TooManyBodies
 * @throws BadRequestException for a broken form, and for several files
 */
export async function readUpload(request: Request, maxBytes: number): Promise<Buffer | null> {
  const bodies = inputBodiesOf(request);
  const tooLarge = () =>
    new PayloadTooLargeException(`The file is larger than ${maxBytes / MIB} MiB.`);
  if (!request.is('multipart/form-data')) {
    return bodies.readBytes(request, maxBytes, { tooLarge });
  }
  const pieces: Buffer[] = [];
  let isFound = false;
  let fault: Error | null = null;
  await readForm(request, bodies.pieces(request, maxBytes + FORM_BYTES, { tooLarge }), {
    limits: { ...LIMITS, fileSize: maxBytes },
    broken: () => new BadRequestException('The multipart form cannot be read.'),
    listen: (parser) => {
      parser.on('file', (_field: string, file: Readable) => {
        isFound = true;
        file.on('data', (piece: Buffer) => pieces.push(piece)).on('error', () => {});
        file.once('limit', () => (fault = tooLarge()));
      });
      parser.once('filesLimit', () => {
        fault = new BadRequestException('The form has more than one file.');
      });
    },
  });
  if (fault !== null) {
    throw fault as Error;
  }
  return isFound ? Buffer.concat(pieces) : null;
}

import { PayloadTooLargeException } from '@nestjs/common';
import type { Request } from 'express';
import { assertRight, decideAgain } from './request-right.js';

const MIB = 1024 * 1024;

/**
 * Reads an unparsed request body of at most `maxBytes`.
 *
 * @param maxBytes a multiple of 1 MiB, named in the error
 * @throws PayloadTooLargeException
 */
export async function readBoundedBody(request: Request, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const tooLarge = () =>
    new PayloadTooLargeException(`The file is larger than ${maxBytes / MIB} MiB.`);
  for await (const chunk of piecesOfBody(request, maxBytes, tooLarge)) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads a body in chunks, for bodies that need not be held in memory. Every body is read here: at its end it
 * is decided again what the sender may do.
 *
 * @throws PayloadTooLargeException, or the error of `tooLarge`; also the refusal of a guard
 */
export async function* piecesOfBody(
  request: Request,
  maxBytes: number,
  tooLarge: () => Error = () => bodyTooLarge(maxBytes),
): AsyncGenerator<Buffer> {
  const isLate = !request.complete;
  try {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
      throw tooLarge();
    }
    let bytes = 0;
    // Not destroyed on early exit: the connection is still needed for the response.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      assertRight(request);
      bytes += (chunk as Buffer).length;
      if (bytes > maxBytes) {
        throw tooLarge();
      }
      yield chunk as Buffer;
    }
    if (isLate) {
      await decideAgain(request);
    }
  } finally {
    // Drain the rest, since clients read the response after sending.
    request.resume();
  }
}

export function bodyTooLarge(maxBytes: number): PayloadTooLargeException {
  return new PayloadTooLargeException(`The request body is larger than ${maxBytes} bytes.`);
}

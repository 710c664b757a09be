import { PayloadTooLargeException } from '@nestjs/common';
import type { Request } from 'express';

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
 * Reads a body in chunks, for bodies that need not be held in memory.
 *
 * @throws PayloadTooLargeException, or the error of `tooLarge`
 */
export async function* piecesOfBody(
  request: Request,
  maxBytes: number,
  tooLarge: () => Error = () => bodyTooLarge(maxBytes),
): AsyncGenerator<Buffer> {
  try {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
      throw tooLarge();
    }
    let bytes = 0;
    // Not destroyed on early exit: the connection is still needed for the response.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length;
      if (bytes > maxBytes) {
        throw tooLarge();
      }
      yield chunk as Buffer;
    }
  } finally {
    // Drain the rest, since clients read the response after sending.
    request.resume();
  }
}

export function bodyTooLarge(maxBytes: number): PayloadTooLargeException {
  return new PayloadTooLargeException(`The request body is larger than ${maxBytes} bytes.`);
}

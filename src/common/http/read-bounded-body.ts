import { PayloadTooLargeException } from '@nestjs/common';
import type { Request } from 'express';

const MIB = 1024 * 1024;

/**
 * The body of a request that no parser has read, no further than `maxBytes`.
 *
 * @param maxBytes whole mebibytes, which the refusal names
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
 * The same piece by piece, for what is counted or need not be held.
 *
 * @throws PayloadTooLargeException, or what `tooLarge` makes
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
    // Not destroyed when left early: the connection is still needed for the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length;
      if (bytes > maxBytes) {
        throw tooLarge();
      }
      yield chunk as Buffer;
    }
  } finally {
    // What is still on its way is taken and thrown away; clients read answers after sending.
    request.resume();
  }
}

export function bodyTooLarge(maxBytes: number): PayloadTooLargeException {
  return new PayloadTooLargeException(`The request body is larger than ${maxBytes} bytes.`);
}

import { PayloadTooLargeException } from '@nestjs/common';
import type { Request } from 'express';
import { Readable } from 'node:stream';
import { Turns } from '../turns.js';
import { assertRight, decideAgain } from './request-right.js';

/**
 * The pieces of a body, as they arrive. Every body is read here: at its end it is decided again what the sender
 * may do. What is held in memory is read by `InputBodies`, which counts it.
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
    const turns = new Turns();
    // Not destroyed on early exit: the connection is still needed for the response.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      // Pieces that have arrived together are read one after the other.
      await turns.take();
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

/** A body of any size as a stream, for what is stored or passed on while it arrives. */
export function streamOfBody(request: Request): Readable {
  return Readable.from(piecesOfBody(request, Infinity), { objectMode: false });
}

export function bodyTooLarge(maxBytes: number): PayloadTooLargeException {
  return new PayloadTooLargeException(`The request body is larger than ${maxBytes} bytes.`);
}

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
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    throw tooLarge(request, maxBytes);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Not destroyed when left early: the connection is still needed for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) {
      throw tooLarge(request, maxBytes);
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function tooLarge(request: Request, maxBytes: number): PayloadTooLargeException {
  // What is still on its way is taken and thrown away; clients read answers after sending.
  request.resume();
  return new PayloadTooLargeException(`The file is larger than ${maxBytes / MIB} MiB.`);
}

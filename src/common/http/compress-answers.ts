import compression from 'compression';
import type { RequestHandler, Response } from 'express';
import { constants } from 'node:zlib';

/** Bytes per write to the client. */
const CHUNK_BYTES = 65_536;

/**
 * Compresses JSON for clients that accept it. Nothing else: event streams must be sent at once, and
 * images are already compressed.
 *
 * Only for routes without secrets in the response, or that other sites cannot call with the
 * browser's credentials. Against BREACH: the compressed size reveals a secret next to text that an
 * attacker chooses.
 *
 * @see docs/decisions/0007-lists-are-streamed.md
 */
export function compressAnswers(): RequestHandler {
  return compression({
    filter: (_request, response) => isJson(response),
    // The fastest of each: the defaults make answers a tenth smaller in three times the time.
    level: 1,
    chunkSize: CHUNK_BYTES,
    brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 0 }, chunkSize: CHUNK_BYTES },
  });
}

/** Flushes the compressor's buffer. */
export function flushCompressed(response: Response): void {
  // The method exists only with compression.
  (response as Partial<Pick<Response, 'flush'>>).flush?.();
}

function isJson(response: Pick<Response, 'getHeader'>): boolean {
  return /^application\/json\b/i.test(String(response.getHeader('Content-Type')));
}

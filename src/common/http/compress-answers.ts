import compression from 'compression';
import type { RequestHandler, Response } from 'express';

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
  return compression({ filter: (_request, response) => isJson(response) });
}

/** Flushes the compressor's buffer. */
export function flushCompressed(response: Response): void {
  // The method exists only with compression.
  (response as Partial<Pick<Response, 'flush'>>).flush?.();
}

function isJson(response: Pick<Response, 'getHeader'>): boolean {
  return /^application\/json\b/i.test(String(response.getHeader('Content-Type')));
}

import compression from 'compression';
import type { RequestHandler, Response } from 'express';

/**
 * Compresses JSON for clients that accept it. Nothing else: event streams and progress lines have to
 * leave at once, and pictures are compressed already.
 *
 * Only for routes that answer without secrets, or that no page of another site can have called with
 * the credentials of a browser: the size of a compressed answer tells about a secret beside a text
 * that somebody else chooses.
 *
 * @see docs/decisions/0007-lists-are-streamed.md
 */
export function compressAnswers(): RequestHandler {
  return compression({ filter: (_request, response) => isJson(response) });
}

/** Has what was written so far leave, which a compressor would keep until it has more. */
export function flushCompressed(response: Response): void {
  // There is no such method where nothing compresses.
  (response as Partial<Pick<Response, 'flush'>>).flush?.();
}

function isJson(response: Pick<Response, 'getHeader'>): boolean {
  return /^application\/json\b/i.test(String(response.getHeader('Content-Type')));
}

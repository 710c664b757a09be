import type { Request, Response } from 'express';
import { hash } from 'node:crypto';

/** Sends JSON with an ETag, or 304 to a client that has it already. */
export function sendCachedJson(request: Request, response: Response, answer: object): void {
  const text = JSON.stringify(answer);
  const etag = `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
  // Otherwise clients of platforms with a cache do not store it.
  response.set({ ETag: etag, 'Cache-Control': 'private, no-cache' });
  if (request.headers['if-none-match']?.includes(etag.slice(2)) === true) {
    response.status(304).end();
    return;
  }
  response.status(200).type('application/json; charset=utf-8').send(text);
}

import type { Response } from 'express';

/** Never kept: the document holds the request token, and names files that change. */
export function sendPage(response: Response, document: string, policy: string, status = 200): void {
  response
    .status(status)
    .set({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
    })
    .send(document);
}

import type { Response } from 'express';

/** Never cached: the document contains the CSRF token and the names of built files. */
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

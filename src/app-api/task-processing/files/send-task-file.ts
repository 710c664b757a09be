import type { Request, Response } from 'express';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../../common/http/outgoing-errors.js';
import type { FileContent } from '../../../common/ports/file-contents.js';

/** Closes the connection of a receiver that reads nothing for this long. */
const STALLED_AFTER_MS = 600_000;

/** Content of apps must neither run scripts nor load anything if a browser displays it after all. */
const SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'";

/** Sends the content of a file as a download: all of it, or the one range that is asked for. */
export async function sendTaskFile(
  request: Request,
  response: Response,
  { name, mime, sizeBytes, read }: FileContent,
): Promise<void> {
  response.attachment(name);
  response.set({
    'Content-Type': mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime,
    'Content-Security-Policy': SANDBOX,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, no-cache, no-transform',
    'Accept-Ranges': 'bytes',
  });
  const ranges = request.range(sizeBytes);
  if (ranges === -1) {
    response.status(416).set('Content-Range', `bytes */${sizeBytes}`).end();
    return;
  }
  const part = Array.isArray(ranges) && ranges.length === 1 ? ranges[0] : undefined;
  if (part !== undefined) {
    response.status(206).set('Content-Range', `bytes ${part.start}-${part.end}/${sizeBytes}`);
  }
  const bytes = part === undefined ? sizeBytes : part.end - part.start + 1;
  response.set('Content-Length', String(bytes));
  if (request.method === 'HEAD' || bytes === 0) {
    response.end();
    return;
  }
  response.setTimeout(STALLED_AFTER_MS, () => response.destroy());
  try {
    await pipeline(read(part), response);
  } catch (error) {
    // A receiver that disconnects is not an error.
    if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') {
      throw error;
    }
  }
}

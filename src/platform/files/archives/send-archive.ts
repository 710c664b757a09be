import type { Response } from 'express';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { whenClosed } from '../../../common/http/when-closed.js';

interface Archive {
  /** File name of the download. */
  readonly name: string;
  /** Starts creating the archive. */
  readonly open: () => Readable;
}

/** Closes the connection of a receiver that reads nothing for this long. */
const STALLED_AFTER_MS = 600_000;

/**
 * A failure after the headers closes the connection, so that a truncated archive is not mistaken for
 * a complete one.
 *
 * @param done called when the response has ended or was aborted
 */
export async function sendArchive(
  response: Response,
  { name, open }: Archive,
  done: () => void,
): Promise<void> {
  whenClosed(response, done);
  response.attachment(name);
  response.set({ 'Content-Type': 'application/zip', 'Cache-Control': 'private, no-store' });
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  response.setTimeout(STALLED_AFTER_MS, () => response.destroy());
  try {
    await pipeline(open(), response);
  } catch (error) {
    // A client that disconnects is not an error.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') {
      throw error;
    }
  }
}

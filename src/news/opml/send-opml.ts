import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A client that reads nothing for this long is disconnected. */
const STALLED_AFTER_MS = 60_000;

/** Sends a file of feeds while it is being written. */
export async function sendOpml(response: Response, pieces: AsyncIterable<string>): Promise<void> {
  response.status(200).set({
    'Content-Type': 'text/x-opml; charset=utf-8',
    'Content-Disposition': 'attachment; filename="subscriptions.opml"',
  });
  response.setTimeout(STALLED_AFTER_MS, () => response.destroy());
  try {
    await pipeline(Readable.from(pieces), response);
  } catch (error) {
    // The client disconnected.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') {
      throw error;
    }
  }
}

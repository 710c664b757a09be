import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../common/http/outgoing-errors.js';

/** A client that reads nothing for this long is disconnected. */
const STALLED_AFTER_MS = 60_000;

/** Sends a text while it is being made; a slow client slows it down. The status is the caller's. */
export async function streamText(response: Response, pieces: AsyncIterable<string>): Promise<void> {
  response.setTimeout(STALLED_AFTER_MS, () => response.destroy());
  try {
    await pipeline(Readable.from(pieces), response);
  } catch (error) {
    // The client disconnected.
    if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') {
      throw error;
    }
  }
}

import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from './outgoing-errors.js';

/** A client that reads nothing for this long is disconnected. */
const STALLED_AFTER_MS = 60_000;

/**
 * Sends a stream while it is being made, with the status that the caller has set. A client that
 * disconnects is not an error. Another failure closes the connection, so that a truncated answer is not
 * mistaken for a complete one.
 *
 * @param stalledAfterMs closes the connection of a client that reads nothing for this long
 */
export async function sendStream(
  response: Response,
  content: AsyncIterable<string | Uint8Array>,
  stalledAfterMs = STALLED_AFTER_MS,
): Promise<void> {
  response.setTimeout(stalledAfterMs, () => response.destroy());
  try {
    await pipeline(content instanceof Readable ? content : Readable.from(content), response);
  } catch (error) {
    if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') {
      throw error;
    }
  }
}

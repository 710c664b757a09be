import type { Response } from 'express';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from './outgoing-errors.js';

/**
 * Sends a stream; a client that disconnects is not an error. Another failure closes the connection, so
 * that a truncated answer is not mistaken for a complete one.
 *
 * @param stalledAfterMs closes the connection of a client that reads nothing for this long
 */
export async function sendStream(
  response: Response,
  content: Readable,
  stalledAfterMs: number,
): Promise<void> {
  response.setTimeout(stalledAfterMs, () => response.destroy());
  try {
    await pipeline(content, response);
  } catch (error) {
    if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') {
      throw error;
    }
  }
}

import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';

/** So much is taken for the sake of senders that take a broken connection amiss. */
const MOST_BYTES = 1024 * 1024;

/**
 * Takes a body that nobody wants to read: to its end, but no longer than `signal` lets it and no
 * further than a mebibyte. Never fails.
 *
 * @returns nothing, in bytes
 */
export async function discardBody(
  response: IncomingMessage,
  signal: AbortSignal,
): Promise<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(signal, response)) {
      bytes += (chunk as Buffer).length;
      if (bytes > MOST_BYTES) {
        break;
      }
    }
  } catch {
    // Broken off by the sender or by the signal: there is a status all the same.
  } finally {
    response.destroy();
  }
  return new Uint8Array();
}

import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';

/** Maximum drained for clients that treat a closed connection as an error. */
const MOST_BYTES = 1024 * 1024;

/**
 * Drains a body to its end, until `signal` aborts or up to 1 MiB. Never rejects.
 *
 * @returns no bytes
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
    // Aborted by the server or the signal; the status is still valid.
  } finally {
    response.destroy();
  }
  return new Uint8Array();
}

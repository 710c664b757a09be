import { Readable } from 'node:stream';
import type { BytePart } from './content-store.js';

/** Without a byte in between. */
const MOST_FAILURES = 2;

/**
 * Reads a part of content, and goes on where it stopped when the connection is lost. A receiver may
 * pause for longer than a store keeps an idle connection. Content never changes, so that the bytes
 * fit together.
 *
 * @param first from the beginning of the part
 * @param open reads from a byte on
 */
export function resumedReading(
  first: Readable,
  part: BytePart,
  open: (part: BytePart) => Promise<Readable>,
): Readable {
  return Readable.from(resume(first, part, open), { objectMode: false });
}

async function* resume(
  first: Readable,
  { start, end }: BytePart,
  open: (part: BytePart) => Promise<Readable>,
): AsyncGenerator<Buffer, void, undefined> {
  let body = first;
  let next = start;
  for (let failures = 0; ;) {
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        failures = 0;
        next += chunk.length;
        yield chunk;
      }
      if (next > end) {
        return;
      }
      throw new Error(`The content ended ${end + 1 - next} bytes early`);
    } catch (error) {
      failures += 1;
      if (failures > MOST_FAILURES || next > end) {
        throw error;
      }
      body = await open({ start: next, end });
    }
  }
}

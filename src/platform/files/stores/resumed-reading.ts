import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { BytePart } from './content-store.js';

/** Pause before each further attempt without a byte in between; a restarting store needs some seconds. */
const PAUSES_MS = [0, 500, 1000, 2000, 4000];

/**
 * Reads a part of content, and resumes after a lost connection. A receiver may pause for longer than a
 * store keeps an idle connection. Content never changes, so that the bytes fit together.
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
  let next = start;
  let attempt = 0;
  let reading = (): Promise<Readable> => Promise.resolve(first);
  for (;;) {
    try {
      for await (const chunk of (await reading()) as AsyncIterable<Buffer>) {
        attempt = 0;
        next += chunk.length;
        yield chunk;
      }
      if (next > end) {
        return;
      }
      throw new Error(`The content ended ${end + 1 - next} bytes early`);
    } catch (error) {
      const pauseMs = PAUSES_MS[attempt];
      attempt += 1;
      if (pauseMs === undefined) {
        throw error;
      }
      await pause(pauseMs, undefined, { ref: false });
      reading = () => open({ start: next, end });
    }
  }
}

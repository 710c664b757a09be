import { Readable } from 'node:stream';

/** A stream that is opened when it is read for the first time; errors of opening are errors of it. */
export function openedLater(open: () => Promise<Readable>): Readable {
  return Readable.from(chunksOf(open), { objectMode: false });
}

async function* chunksOf(open: () => Promise<Readable>): AsyncGenerator<Buffer, void, undefined> {
  yield* (await open()) as AsyncIterable<Buffer>;
}

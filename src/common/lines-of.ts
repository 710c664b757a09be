import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** The lines of a stream. Fails as the stream does, which those of Node.js leave to others: without any, the process ends. */
export async function* linesOf(input: Readable): AsyncGenerator<string> {
  const lines = createInterface({ input });
  let failure: Error | undefined;
  input.on('error', (error: Error) => {
    failure = error;
    lines.close();
  });
  yield* lines;
  if (failure !== undefined) {
    throw failure;
  }
}

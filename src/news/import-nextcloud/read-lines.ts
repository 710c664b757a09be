import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { UnreadableExport } from './import-nextcloud.errors.js';

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Bytes of the file up to the end of this line. */
  readonly bytesRead: number;
}

/** Far longer than any article; a longer line means a file without line ends. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

const LINE_FEED = 0x0a;

/**
 * Streams the lines of a file. Splits at line feeds only: `readline` also splits at U+2028 and U+2029,
 * which occur unescaped in the texts of many articles.
 *
 * @throws UnreadableExport for a line that is not UTF-8 or too long
 */
export async function* readLines(file: string): AsyncGenerator<Line, void, undefined> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  let bytesRead = 0;
  let begun: Buffer[] = [];
  let begunBytes = 0;

  const finish = (end: Buffer): Line => {
    const bytes = begun.length === 0 ? end : Buffer.concat([...begun, end]);
    begun = [];
    begunBytes = 0;
    number += 1;
    bytesRead += bytes.length + 1;
    return { number, text: decode(utf8, bytes, number), bytesRead };
  };

  for await (const read of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    const chunk = read as Buffer;
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      yield finish(chunk.subarray(from, at));
      from = at + 1;
    }
    begun.push(chunk.subarray(from));
    begunBytes += chunk.length - from;
    if (begunBytes > LONGEST_LINE_BYTES) {
      throw new UnreadableExport(number + 1, 'is too long; each row stands on a line of its own.');
    }
  }
  if (begunBytes > 0) {
    yield finish(Buffer.alloc(0));
  }
}

function decode(utf8: TextDecoder, bytes: Buffer, number: number): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new UnreadableExport(
      number,
      'is not UTF-8. Export with a UTF-8 connection, as docs/migration.md shows.',
    );
  }
}

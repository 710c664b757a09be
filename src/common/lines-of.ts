/** Far longer than any article or message; a longer one is of a file without line ends. */
const LONGEST_LINE_BYTES = 64 * 1024 ** 2;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * The lines of a stream, without the line feeds, or carriage returns and line feeds, that end them. Nothing else ends
 * one: `readline` also splits at U+2028 and U+2029, which JSON does not escape, and many texts hold. Fails as the
 * stream does.
 *
 * @param tooLong makes the error for a line, numbered from 1, of more than 64 MiB
 */
export async function* byteLinesOf(
  input: AsyncIterable<Uint8Array>,
  tooLong = (line: number) => new Error(`Line ${line} is longer than 64 MiB.`),
): AsyncGenerator<Buffer> {
  let number = 1;
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      yield lineOf([...begun, chunk.subarray(from, at)]);
      number += 1;
      begun = [];
      begunBytes = 0;
      from = at + 1;
    }
    begun.push(chunk.subarray(from));
    begunBytes += chunk.length - from;
    if (begunBytes > LONGEST_LINE_BYTES) {
      throw tooLong(number);
    }
  }
  if (begunBytes > 0) {
    yield lineOf(begun);
  }
}

/** The lines of a stream in UTF-8; bytes that are none become U+FFFD. @see byteLinesOf */
export async function* linesOf(
  input: AsyncIterable<Uint8Array>,
  tooLong?: (line: number) => Error,
): AsyncGenerator<string> {
  for await (const line of byteLinesOf(input, tooLong)) {
    yield line.toString();
  }
}

function lineOf(parts: readonly Uint8Array[]): Buffer {
  const line = Buffer.concat(parts);
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}

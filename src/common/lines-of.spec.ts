import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { linesOf } from './lines-of.js';

const MIB = 1024 ** 2;

/** The lines of a text that arrives in pieces of so many bytes. */
async function read(text: string, pieceBytes = text.length * 4): Promise<string[]> {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    pieces.push(bytes.subarray(at, at + pieceBytes));
  }
  return all(linesOf(Readable.from(pieces)));
}

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const read: string[] = [];
  for await (const line of lines) {
    read.push(line);
  }
  return read;
}

describe('linesOf', () => {
  it('splits at line feeds, with a carriage return before them or not, and nowhere else', async () => {
    const text = 'one\ntwo\r\n\nthr\ree\u2028\u2029\u0085\v\f\n\r\nWörter 🦉';
    const lines = ['one', 'two', '', 'thr\ree\u2028\u2029\u0085\v\f', '', 'Wörter 🦉'];

    expect(await read(text)).toEqual(lines);
    expect(await read(text, 1)).toEqual(lines);
    expect(await read(`${text}\n`, 3)).toEqual(lines);
    expect(await read('')).toEqual([]);
  });

  it('fails with the number of a line of more than 64 MiB, and reads no further', async () => {
    let given = 0;
    const input = Readable.from(
      (function* () {
        yield Buffer.from('one\n');
        for (; ; given += 1) {
          yield Buffer.alloc(MIB, 'x');
        }
      })(),
      { highWaterMark: 1 },
    );

    await expect(all(linesOf(input))).rejects.toThrow('Line 2 is longer than 64 MiB.');
    expect(given).toBeLessThan(70);
    expect(input.destroyed).toBe(true);
  });

  it('fails as its stream does, also while a line is in use, and nothing else fails', async () => {
    const input = new Readable({ read() {} });
    const lines = linesOf(input);
    input.push('one\ntwo\n');
    expect(await lines.next()).toEqual({ done: false, value: 'one' });

    input.destroy(new Error('The disk is gone.'));

    expect(await lines.next()).toEqual({ done: false, value: 'two' });
    await expect(lines.next()).rejects.toThrow('The disk is gone.');
  });
});

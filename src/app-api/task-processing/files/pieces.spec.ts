import { describe, expect, it } from '@jest/globals';
import { inPieces } from './pieces.js';

async function piecesOf(...chunks: string[]): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of inPieces(
    chunks.map((chunk) => Buffer.from(chunk)),
    3,
  )) {
    pieces.push(piece.toString());
  }
  return pieces;
}

describe('inPieces', () => {
  it.each([
    [
      ['a', 'b', 'cd'],
      ['abc', 'd'],
    ],
    [['abcdefg'], ['abc', 'def', 'g']],
    [
      ['abc', 'def'],
      ['abc', 'def'],
    ],
    [['', 'a', ''], ['a']],
    [[], []],
  ])('cuts %j into %j', async (chunks, pieces) => {
    expect(await piecesOf(...chunks)).toEqual(pieces);
  });
});
